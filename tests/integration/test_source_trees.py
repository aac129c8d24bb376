"""Source trees with a real Bazel: configured, read back, built and collected."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.sample_library import a_library
from tests.shared_libraries import needs
from tfbuild.builds.stages.build_tree import build_tree
from tfbuild.builds.stages.configure_tree import configure_tree
from tfbuild.builds.stages.readback import read_back
from tfbuild.core.lock_file import archive_lock_path, read_lock_file
from tfbuild.core.plans import Plan
from tfbuild.core.process import ProcessRunner
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel

SAID = "configs: [opt, nogcp]\ncopt: [-DX=1]\naction_env: {A: '1'}\n"


@pytest.fixture(params=["the usual", "named in OTHER_BAZEL"])
def program(request: pytest.FixtureRequest, a_bazel: FoundBazel) -> FoundBazel:
    """The Bazel of the tests, and another one where its path is named."""
    if request.param == "the usual":
        return a_bazel
    named = os.environ.get("OTHER_BAZEL", "")
    if not named:
        pytest.skip("OTHER_BAZEL names no other Bazel")
    return replace(a_bazel, path=named)


@pytest.fixture
def opened(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, program: FoundBazel
) -> Iterator[tuple[Plan, FakeEnvironment]]:
    plan = plan_of(tables, tmp_path, "2.14.1", said=SAID)
    fake_env.runner = ProcessRunner()  # type: ignore[assignment]
    fake_env.toolchain = replace(
        fake_env.toolchain, source=plan.source, bazel=program.path, bazel_version="6.1.0"
    )
    yield plan, fake_env
    import subprocess

    words = [program.path, f"--output_user_root={fake_env.toolchain.cache}/bazel", "shutdown"]
    subprocess.run(words, cwd=plan.source, check=False, capture_output=True)


@pytest.mark.bazel
def test_a_tree_goes_from_its_configure_to_its_wheel(
    opened: tuple[Plan, FakeEnvironment],
) -> None:
    plan, env = opened
    configured = configure_tree(plan, env, plan.source)
    effective = read_back(plan, configured, env)
    assert "--copt=-DX=1" in effective
    assert f"--action_env=PYTHON_BIN_PATH={sys.executable}" in effective
    output = build_tree(plan, env)
    assert [name for name, _ in output.files] == ["tensorflow_cpu-2.14.1-py3-none-any.whl"]
    assert output.actions >= 1


@pytest.mark.bazel
def test_an_rc_file_that_says_otherwise_stops_it(
    opened: tuple[Plan, FakeEnvironment],
) -> None:
    plan, env = opened
    configured = configure_tree(plan, env, plan.source)
    (plan.source / ".bazelrc.user").write_text("build --action_env=PYTHON_LIB_PATH=/other\n")
    with fails("bazel-options-differ", "--action_env=PYTHON_LIB_PATH=/other"):
        read_back(plan, configured, env)


@pytest.mark.bazel
def test_a_library_goes_from_its_tree_to_a_proven_archive(
    tables: Tables, tmp_path: Path, program: FoundBazel, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = a_library(tables, tmp_path, FakeEnvironment(tmp_path), "2.14.1")
    report = library.build_with(program, monkeypatch)
    assert read_lock_file(archive_lock_path(report.archive)).archive_sha256 == report.sha256
    assert {line.state for line in report.audit.findings} <= {"passed", "skipped"}
    assert {check.state for check in report.smoke.checks} == {"passed"}
    assert "lib/libtensorflow_cc.so.2" in {file.name for file in report.files}
    assert report.build.actions >= 1
    again = library.build_with(program, monkeypatch)
    assert again.sha256 == report.sha256
    assert again.build.actions == 0


@pytest.mark.docker
@pytest.mark.slow
def test_a_library_is_built_in_a_container_and_tried_in_another(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mmdebstrap")
    library = a_library(tables, tmp_path, FakeEnvironment(tmp_path), "2.14.1")
    report = library.build_in_container(monkeypatch)
    assert report.plan.system.name == report.environment.system + " 12" == "debian 12"
    assert "g++-12" in {package.name for package in report.environment.packages}
    assert {line.state for line in report.audit.findings} <= {"passed", "skipped"}
    assert {check.state for check in report.smoke.checks} == {"passed"}
    lock = read_lock_file(archive_lock_path(report.archive))
    assert lock.environment.packages == report.environment.packages
