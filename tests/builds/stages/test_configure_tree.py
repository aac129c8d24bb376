"""A tree's own configure.py is run for real, on trees of several eras; nothing is believed."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host
from tests.planning import planned
from tests.tensorflow_trees import make_cuda, make_tree
from tfbuild.builds.stages.configure_tree import configure_tree
from tfbuild.core.plans import Plan
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Host, Interpreter, Request
from tfbuild.facts.tables import Tables

RC = ".tf_configure.bazelrc"


def host_for(release: str) -> Host:
    """A machine whose Python, compiler and Bazel are those of a release."""
    python = {"2.6.5": "3.9", "2.14.1": "3.11", "2.21.0": "3.13"}[release]
    tag = "cp" + python.replace(".", "")
    found = Interpreter(path=sys.executable, version=f"{python}.1", tag=tag, headers="/include")
    return a_host(pythons=(found,))


def plan_of(
    tables: Tables, tmp_path: Path, release: str, *, said: str = "", device: str = "cpu"
) -> Plan:
    build_file = tmp_path / "tensorflow.build.yaml"
    build_file.write_text(said)
    request = Request(
        recipe=f"tensorflow_{device}",
        source=make_tree(tmp_path / "tree", release),
        source_version=release,
        output=tmp_path / "dist",
        build_file=str(build_file),
        architectures=("sm_86",) if device == "cuda" else (),
    )
    return planned(request, tables, host_for(release))


def environment(fake_env: FakeEnvironment, plan: Plan) -> FakeEnvironment:
    fake_env.runner = ProcessRunner()  # type: ignore[assignment]
    fake_env.toolchain = replace(
        fake_env.toolchain, source=plan.source, bazel_version=plan.bazel.preferred
    )
    return fake_env


@pytest.mark.parametrize("release", ["2.6.5", "2.14.1", "2.21.0"])
def test_it_is_asked_nothing_and_writes_what_was_planned(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, release: str
) -> None:
    plan = plan_of(tables, tmp_path, release)
    configured = configure_tree(plan, environment(fake_env, plan), plan.source)
    text = (plan.source / RC).read_text()
    assert configured.rc_file == plan.source / RC
    assert f'PYTHON_BIN_PATH="{sys.executable}"' in text
    assert dict(configured.settings)["TF_NEED_CUDA"] == "0"
    assert len(configured.digest) == 64


def test_variables_of_the_caller_do_not_reach_it(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_NEED_ROCM", "1")
    monkeypatch.setenv("TF_SYSTEM_LIBS", "curl")
    plan = plan_of(tables, tmp_path, "2.6.5")
    configure_tree(plan, environment(fake_env, plan), plan.source)
    text = (plan.source / RC).read_text()
    assert "rocm" not in text
    assert "TF_SYSTEM_LIBS" not in text


def test_it_sees_no_secret_of_the_caller(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CACHE_LOGIN", "AWS_SECRET_ACCESS_KEY", "BASH_FUNC_x%%"):
        monkeypatch.setenv(name, "sesame")
    home = tmp_path / "a {python} of=mine"
    monkeypatch.setenv("HOME", str(home))
    plan = plan_of(tables, tmp_path, "2.6.5")
    script = plan.source / "configure.py"
    seen = tmp_path / "seen.json"
    dump = f"import json, os; json.dump(dict(os.environ), open({str(seen)!r}, 'w'))\n"
    script.write_text(
        script.read_text().replace("import argparse\n", f"import argparse\n{dump}", 1)
    )
    configured = configure_tree(plan, environment(fake_env, plan), plan.source)
    variables = json.loads(seen.read_text())
    assert variables["HOME"] == str(home)
    known = {"HOME", "PATH", "TMPDIR", "USER", "LOGNAME", "LC_ALL", "LANGUAGE", "PWD", "_", "SHLVL"}
    assert set(variables) - set(dict(configured.settings)) - {"OLDPWD", "LC_CTYPE"} <= known


def test_a_trial_leaves_the_tree_alone(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    (plan.source / RC).write_text("earlier")
    configure_tree(plan, environment(fake_env, plan), tmp_path / "trial")
    assert (plan.source / RC).read_text() == "earlier"
    assert (tmp_path / "trial" / RC).is_file()


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("import sys; sys.exit('Cannot find bazel')", "configure-refused"),
        ("pass", "configuration-not-written"),
        (
            "open('{rc}', 'w').write('build --action_env PYTHON_BIN_PATH=\"/x\"')",
            "configured-rc-cut-off",
        ),
        (
            "open('{rc}', 'w').write('build --python_path=/x\\ntest:v2 --build_tag_filters=-gpu')",
            "configure-answer-replaced",
        ),
        ("input()", "configure-refused"),
    ],
    ids=["exit", "nothing", "truncated", "replaced", "question"],
)
def test_what_it_does_not_write_is_found_and_the_earlier_file_stays(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, script: str, code: str
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    rc = plan.source / RC
    rc.write_text("earlier")
    marker = "if __name__ == '__main__':\n"
    path = plan.source / "configure.py"
    text = path.read_text().partition(marker)[0]
    path.write_text(f"{text}{marker}  {script.replace('{rc}', str(rc))}\n")
    with fails(code):
        configure_tree(plan, environment(fake_env, plan), plan.source)
    assert rc.read_text() == "earlier"


def test_it_never_hangs(tables: Tables, tmp_path: Path, fake_env: FakeEnvironment) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    path = plan.source / "configure.py"
    path.write_text(path.read_text().replace("  check_bazel()", "  import time; time.sleep(60)"))
    commands = tuple(replace(c, timeout=0.5) for c in plan.commands)
    with fails("configure-timed-out"):
        configure_tree(replace(plan, commands=commands), environment(fake_env, plan), plan.source)


def test_cuda_is_configured_and_read_back(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    cuda = make_cuda(tmp_path / "cuda", "11.2", "8.1.1")
    said = f"variables: {{TF_CUDA_PATHS: {cuda}}}\nrc_changes: [{{line: build --config=cuda}}]\n"
    plan = plan_of(tables, tmp_path, "2.6.5", said=said, device="cuda")
    compiler = tmp_path / "bin/g++-7"
    for path in (compiler, tmp_path / "bin/gcc-7"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    env = environment(fake_env, plan)
    env.toolchain = replace(env.toolchain, compiler=str(compiler))
    configure_tree(plan, env, plan.source)
    text = (plan.source / RC).read_text()
    assert 'TF_CUDA_COMPUTE_CAPABILITIES="sm_86,compute_86"' in text
    assert 'TF_CUDA_VERSION="11.2"' in text
    assert f'GCC_HOST_COMPILER_PATH="{os.path.realpath(tmp_path / "bin/gcc-7")}"' in text
    assert "--config=cuda" not in text, "rc_changes drops the line"


def test_cuda_that_is_not_here_is_reported(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5", device="cuda")
    assert any("no CUDA" in warning.text for warning in plan.tree.warnings)
    with fails("cuda-not-installed", "11.2"):
        configure_tree(plan, environment(fake_env, plan), plan.source)
