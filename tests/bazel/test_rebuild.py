"""What changed since the last build of the same targets, whoever notices it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel.rebuild import drive_and_explain
from tfbuild.core.paths import Folders
from tfbuild.core.rebuilds import Rebuild
from tfbuild.core.records import Command, Completed

BUILD = Command(argv=("{bazel}", "build", "--copt=-O1", "//..."), stage="build", cwd="{source}")
SUMMARY = "INFO: 1 process: 1 linux-sandbox."


class Tree:
    """A source tree, and the builds of it one after the other."""

    def __init__(self, env: FakeEnvironment, folder: Path) -> None:
        self.env, self.folder = env, folder / "tree"
        self.folder.mkdir()
        (self.folder / "a.cc").write_text("int a;\n")
        env.toolchain = replace(env.toolchain, source=self.folder)
        self.runs = 0

    def build(
        self, command: Command = BUILD, *, options: tuple[str, ...] = (), code: int = 0
    ) -> Rebuild:
        self.runs += 1
        work = self.env.toolchain.work
        run = work / "runs" / f"run{self.runs}"
        run.mkdir(parents=True)
        folders = Folders(cache=self.env.toolchain.cache, work=work, run=run)
        self.env.tools = replace(self.env.tools, folders=folders)
        parsed = {"id": {"optionsParsed": {}}, "optionsParsed": {"cmdLine": list(options)}}

        def answer(*_: object) -> Completed:
            (work / "explain.txt").write_text(
                "Executing action 'Compiling a.cc': One of the files has changed.\n"
            )
            if options:
                line = json.dumps(parsed, separators=(",", ":"))
                (work / "events.json").write_text(line + "\n")
            lines = (SUMMARY, *(("ERROR: no",) if code else ()))
            return Completed(code=code, stdout="\n".join(lines), last_lines=lines)

        self.env.runner.answers["bazel"] = answer
        return drive_and_explain(command, self.env)[1]


@pytest.fixture
def tree(fake_env: FakeEnvironment, tmp_path: Path) -> Tree:
    return Tree(fake_env, tmp_path)


def test_a_first_build_has_nothing_to_compare_with(tree: Tree) -> None:
    found = tree.build()
    assert (found.since, found.changes, found.actions) == ("", (), 1)


def test_nothing_changed(tree: Tree) -> None:
    tree.build()
    found = tree.build()
    assert (found.since, found.changes) == ("run1", ())


def _edit(tree: Tree) -> Command:
    (tree.folder / "a.cc").write_text("int b;\n")
    return BUILD


def _flag(_: Tree) -> Command:
    return replace(BUILD, argv=("{bazel}", "build", "--copt=-O2", "--copt=-g", "//..."))


def _tool(tree: Tree) -> Command:
    tree.env.toolchain = replace(tree.env.toolchain, compiler_version="13.1.0")
    return BUILD


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_edit, ("source", "a.cc", "changed")),
        (_flag, ("option", "--copt", "-O1 -> -O2 -g")),
        (_tool, ("tool", "compiler", "/usr/bin/g++ 12.2.0 -> /usr/bin/g++ 13.1.0")),
    ],
)
def test_what_changed_is_named(
    tree: Tree, change: Callable[[Tree], Command], named: tuple[str, str, str]
) -> None:
    tree.build()
    found = tree.build(change(tree))
    assert [(c.kind, c.name, c.how) for c in found.changes] == [named]
    (cost,) = found.reasons
    assert (cost.name, cost.actions) == ("One of the files has changed", 1)


def test_a_variable_that_rules_look_at(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    command = replace(BUILD, argv=("{bazel}", "build", "--action_env=MINE", "//..."))
    tree.build(command)
    monkeypatch.setenv("MINE", "new")
    monkeypatch.setenv("CC", "clang")
    found = tree.build(command)
    assert [(c.kind, c.name, c.how) for c in found.changes] == [
        ("environment", "CC", "not set -> clang"), ("environment", "MINE", "not set -> new"),
    ]  # fmt: skip


def test_the_value_of_a_secret_variable_is_not_kept(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = replace(BUILD, argv=("{bazel}", "build", "--action_env=MY_TOKEN", "//..."))
    tree.build(command)
    monkeypatch.setenv("MY_TOKEN", "sesame")
    (change,) = tree.build(command).changes
    assert (change.name, change.how) == ("MY_TOKEN", "not set -> ****")


def test_a_file_in_a_repository_that_is_a_folder(tree: Tree) -> None:
    other = tree.folder.parent / "other"
    other.mkdir()
    command = replace(BUILD, argv=("bazel", "build", f"--override_repository=o={other}", "//..."))
    tree.build(command)
    (other / "x.h").write_text("")
    found = tree.build(command)
    assert [(c.name, c.how) for c in found.changes] == [("@o//x.h", "added")]


def test_options_are_those_that_held(tree: Tree) -> None:
    """A line of .bazelrc counts as an option does; what says how fast or where does not."""
    tree.build(options=("--copt=-O1", "--jobs=2", "--disk_cache=/a"))
    found = tree.build(options=("--copt=-O1", "--copt=-O3", "--jobs=7", "--disk_cache=/b"))
    assert [(c.name, c.how) for c in found.changes] == [("--copt", "-O1 -> -O1 -O3")]


def test_other_targets_have_a_history_of_their_own(tree: Tree) -> None:
    tree.build()
    assert tree.build(replace(BUILD, argv=("{bazel}", "build", "//b:c"))).since == ""


def test_a_build_that_failed_counts_as_the_last_one(tree: Tree) -> None:
    tree.build()
    (tree.folder / "a.cc").write_text("int\n")
    with fails("bazel-failed", "ERROR: no"):
        tree.build(code=1)
    (tree.folder / "b.cc").touch()
    found = tree.build()
    assert (found.since, found.has_failed) == ("run2", True)
    assert [change.name for change in found.changes] == ["b.cc"]
