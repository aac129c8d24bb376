"""Placeholders and the host environment."""

from dataclasses import replace
from pathlib import Path

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.core.interfaces import HostEnvironment, expand, fill, literal, shell_line
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command


def test_placeholders_and_lists(fake_env: FakeEnvironment) -> None:
    chain = replace(
        fake_env.toolchain,
        bazel_startup_flags=("--a", "--b"),
        artifacts=(("nanobind", Path("/n")),),
    )
    command = Command(
        argv=("{bazel}", "{bazel_startup_flags}", "-I{artifact:nanobind}", "{bazel_flags}"),
        cwd="{source}",
        env=(("X", "{compiler}"),),
    )
    done = expand(command, chain)
    assert done.argv == ("/opt/bazel", "--a", "--b", "-I/n")
    assert (done.cwd, done.env) == (str(chain.source), (("X", "/usr/bin/g++"),))


def test_an_unknown_or_empty_placeholder_is_named() -> None:
    with fails("environment-value-missing", "cuda"):
        fill("{cuda}", {"cuda": ""})
    assert fill("{cuda?}", {"cuda": ""}) == ""
    assert fill("${HOME} {}", {}) == "${HOME} {}"


def test_a_path_with_braces_stays_itself(fake_env: FakeEnvironment) -> None:
    odd = "/{work}/{nothing}/{"
    command = Command(argv=("cat", literal(odd), "{source}"), cwd=literal(odd))
    done = expand(command, fake_env.toolchain)
    assert (done.argv, done.cwd) == (("cat", odd, str(fake_env.toolchain.source)), odd)


def test_host_environment(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    env = HostEnvironment(
        toolchain=fake_env.toolchain, tools=replace(fake_env.tools, runner=ProcessRunner())
    )
    assert env.run(Command(argv=("echo", "{bazel}"))).stdout == "/opt/bazel\n"
    (tmp_path / "a").write_text("x")
    assert env.copy_out(str(tmp_path / "a"), tmp_path / "b" / "c").read_text() == "x"
    assert env.read(str(tmp_path / "a")) == b"x"


def test_shell_line_is_quoted() -> None:
    assert shell_line(Command(argv=("a", "b c"), env=(("X", "1 2"),))) == "X='1 2' a 'b c'"
