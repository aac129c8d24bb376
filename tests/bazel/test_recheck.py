"""A sample of the compilations is done again and compared; the lie of a cache is found."""

import json
from pathlib import Path

from tests.failing import fails
from tests.fakes import FakeEnvironment, says
from tfbuild.bazel.recheck import read_actions, recheck
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed

BUILD = Command(argv=("{bazel}", "build", "--copt=-g", "--jobs=2", "--build_event_x", "//a", "//b"))


class Compiled:
    """A tree whose objects hold what the file of their source says, or something else."""

    def __init__(self, env: FakeEnvironment, *names: str) -> None:
        self.root = env.toolchain.cache / "root"
        self.root.mkdir()
        self.asked: list[tuple[str, ...]] = []
        self.actions = [
            {"arguments": ["/usr/bin/gcc", "-c", f"{n}.cc", "-MF", f"{n}.d", "-o", f"{n}.o"]}
            for n in names
        ]
        for name in names:
            (self.root / f"{name}.o").write_text(f"code of {name}.cc")
        env.runner.answers |= {"bazel": self.answer, "gcc": self.compile}

    def answer(self, command: Command, _: Watch | None) -> Completed:
        self.asked.append(command.argv[1:])
        if "info" in command.argv:
            return Completed(code=0, stdout=f"noise\n{self.root}\n")
        return Completed(code=0, stdout="noise\n" + json.dumps({"actions": self.actions}))

    def compile(self, command: Command, _: Watch | None) -> Completed:
        words = command.argv
        assert command.cwd == str(self.root)
        assert dict(command.env)["PWD"] == "/proc/self/cwd"
        assert not any(words[words.index(flag) + 1][0] != "/" for flag in ("-o", "-MF"))
        Path(words[words.index("-o") + 1]).write_text(f"code of {words[2]}")
        return Completed(code=0)


def test_honest_caches(fake_env: FakeEnvironment) -> None:
    tree = Compiled(fake_env, "one", "two", "three")
    assert recheck(BUILD, fake_env, 1.0, 1) == ()
    query, info = tree.asked
    # With the flags of the build: others would make Bazel analyse everything anew.
    assert query == (
        "aquery", "--copt=-g", "--output=jsonproto", 'mnemonic("CppCompile", deps(//a + //b))'
    )  # fmt: skip
    assert info[:2] == ("info", "--copt=-g")


def test_a_lie_is_found_and_named(fake_env: FakeEnvironment) -> None:
    tree = Compiled(fake_env, "one", "two", "three")
    (tree.root / "two.o").write_text("code of another file")
    assert recheck(BUILD, fake_env, 1.0, 1) == ("two.o",)


def test_a_share_is_a_sample_that_its_seed_decides(fake_env: FakeEnvironment) -> None:
    Compiled(fake_env, *map(str, range(40)))

    def compiled(seed: int) -> list[str]:
        before = len(fake_env.runner.commands)
        recheck(BUILD, fake_env, 0.1, seed)
        return [c.argv[2] for c in fake_env.runner.commands[before:] if "-c" in c.argv]

    assert len(compiled(1)) == 4
    assert compiled(1) == compiled(1) != compiled(2)


def test_nothing_to_compile(fake_env: FakeEnvironment) -> None:
    Compiled(fake_env)
    assert recheck(BUILD, fake_env, 1.0, 1) == ()
    assert read_actions({"actions": [{"arguments": ["ar", "x"]}, {}, {"arguments": ["-o"]}]}) == []


def test_what_cannot_be_done_is_said(fake_env: FakeEnvironment) -> None:
    Compiled(fake_env, "one")
    fake_env.runner.answers["gcc"] = says("fatal error: no header", code=1)
    with fails("recompile-failed", "one.o", "no header", "--verify-cache"):
        recheck(BUILD, fake_env, 1.0, 1)
    for answer, code in (
        (says("no JSON"), "bazel-actions-malformed"),
        (says("{", code=0), "bazel-actions-malformed"),
        (says("ERROR: no such target", code=7), "bazel-query-failed"),
    ):
        fake_env.runner.answers["bazel"] = answer
        with fails(code, "--verify-cache"):
            recheck(BUILD, fake_env, 1.0, 1)
