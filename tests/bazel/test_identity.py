"""Who compiles is part of every key: two toolchains never share a result."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment, says
from tests.sample_report import SHA
from tests.shared_libraries import needs
from tfbuild.bazel.identity import VARIABLE, identity_flags, toolchain_identity
from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Artifact, Lock


def identity(env: FakeEnvironment, **changes: object) -> str:
    env.toolchain = replace(env.toolchain, **changes)  # type: ignore[arg-type]
    return toolchain_identity(env)


def test_whatever_makes_other_code_makes_another_identity(fake_env: FakeEnvironment) -> None:
    toolkit = Artifact(distribution="nvcc", version="13", filename="f", sha256=SHA, kind="cuda")
    found = [
        identity(fake_env),
        identity(fake_env, bazel_version="7.7.1"),
        identity(fake_env, image="sha256:1"),
        identity(fake_env, lock=Lock(plan_id="", artifacts=(toolkit,))),
    ]
    fake_env.runner.answers["sh"] = says("12.3.0", "x86_64-linux-gnu")
    found.append(identity(fake_env))
    assert len(set(found)) == len(found)
    assert identity(fake_env, cache=Path("/elsewhere")) == found[-1], "a path is no part of it"


def test_a_toolkit_that_is_an_input_leaves_the_other_results_as_they_are(
    fake_env: FakeEnvironment,
) -> None:
    """Else a build for GPUs compiles all that is for the CPU again."""
    without = toolchain_identity(fake_env, toolkit_is_input=True)
    toolkit = Artifact(distribution="nvcc", version="13", filename="f", sha256=SHA, kind="cuda")
    fake_env.toolchain = replace(fake_env.toolchain, lock=Lock(plan_id="", artifacts=(toolkit,)))
    assert toolchain_identity(fake_env, toolkit_is_input=True) == without
    assert toolchain_identity(fake_env) != without


def test_a_real_compiler_under_two_names_is_one_and_a_changed_one_is_another(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    needs("g++", "sha256sum")
    fake_env.runner.answers["sh"] = lambda command, watch: ProcessRunner().run(command, watch)
    compiler = tmp_path / "c++"
    compiler.symlink_to("/usr/bin/g++")
    same = {identity(fake_env, compiler=name) for name in ("g++", "/usr/bin/g++", str(compiler))}
    assert len(same) == 1
    compiler.unlink()
    compiler.write_text('#!/bin/sh\nexec /usr/bin/g++ "$@"\n')
    compiler.chmod(0o755)
    assert identity(fake_env, compiler=str(compiler)) not in same


@pytest.mark.parametrize("farm", ["", "grpc://farm:1"])
def test_the_flags_of_an_identity(farm: str) -> None:
    flags = identity_flags("abc", Services(executor=farm), "4.2.3")
    assert f"--action_env={VARIABLE}=abc" in flags
    # A farm refuses what it does not know.
    assert any("exec_properties" in flag for flag in flags) == (not farm)


def test_the_flags_do_not_hang_on_a_cache(fake_env: FakeEnvironment) -> None:
    """Else a build would begin anew when its cache goes away."""
    with_cache = replace(NO_SERVICES, cache="http://cache")
    assert identity_flags("abc", with_cache, "7.7.1") == identity_flags("abc", NO_SERVICES, "7.7.1")


def test_an_old_bazel_and_a_workspace_without_a_compiler(fake_env: FakeEnvironment) -> None:
    assert len(identity_flags("abc", NO_SERVICES, "2.1.0")) == 1
    assert identity(fake_env, compiler="")
