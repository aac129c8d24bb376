"""A farm is let run one action: it must run, and say the compiler of this machine."""

from tests.fakes import FakeEnvironment
from tfbuild.bazel.farm import farm_trouble
from tfbuild.core.errors import CommandTimedOut
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed

HERE = ("12.2.0", "x86_64-linux-gnu")  # as the fake compiler says
FLAGS = ("--remote_executor=grpc://farm:1",)


def trouble(env: FakeEnvironment, *lines: str, code: int = 0) -> str:
    asked: list[Command] = []

    def answer(command: Command, _: Watch | None) -> Completed:
        asked.append(command)
        text = "".join(f"{line}\n" for line in lines)
        return Completed(code=code, stdout="", last_lines=tuple(text.splitlines()))

    env.runner.answers["bazel"] = answer
    said = farm_trouble(FLAGS, "/rc", env)
    (command,) = asked
    assert FLAGS[0] in command.argv
    assert "--bazelrc=/rc" in command.argv
    assert "--noremote_accept_cached" in command.argv, "an old answer says nothing"
    assert command.timeout
    return said


def test_the_same_compiler(fake_env: FakeEnvironment) -> None:
    lines = ["INFO: From Executing genrule //:who:", *(f"toolchain: {line}" for line in HERE)]
    assert trouble(fake_env, *lines) == ""
    script = (fake_env.toolchain.work / "farm" / "BUILD").read_text()
    assert fake_env.toolchain.compiler in script


def test_another_compiler(fake_env: FakeEnvironment) -> None:
    said = trouble(fake_env, "toolchain: 13.2.0", f"toolchain: {HERE[1]}")
    assert "'13.2.0' there, '12.2.0' here" in said
    assert "another" in trouble(fake_env, *(f"toolchain: {line}" for line in (*HERE, "more")))


def test_no_answer(fake_env: FakeEnvironment) -> None:
    assert "does not say" in trouble(fake_env, "INFO: nothing")
    said = trouble(fake_env, "INFO: x", "ERROR: sh: not found", code=1)
    assert said == "it could not run an action: ERROR: sh: not found"


def test_a_farm_without_machines(fake_env: FakeEnvironment) -> None:
    def answer(command: Command, _: Watch | None) -> Completed:
        raise CommandTimedOut("a program ran past its time limit and was stopped")

    fake_env.runner.answers["bazel"] = answer
    assert "within 90 s" in farm_trouble(FLAGS, "/rc", fake_env)
