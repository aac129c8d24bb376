"""Patches are applied once, whole or not at all."""

import difflib
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import environment, plan_of
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.builds.stages.patch_tree import patch_tree
from tfbuild.core.plans import Plan
from tfbuild.facts.tables import Tables

LINES = [f"line {number}\n" for number in range(20)]


def a_patch(folder: Path, name: str, *, drop: int) -> str:
    """A patch that only takes a line away, as an entry of a build file."""
    after = [*LINES[:drop], *LINES[drop + 1 :]]
    text = "".join(difflib.unified_diff(LINES, after, "a/notes.txt", "b/notes.txt"))
    (folder / name).write_text(text)
    return f"- {{file: {name}, sha256: {hashlib.sha256(text.encode()).hexdigest()}}}\n"


@pytest.fixture
def plan(tables: Tables, tmp_path: Path) -> Plan:
    said = "patches:\n" + a_patch(tmp_path, "one.patch", drop=9)
    made = plan_of(tables, tmp_path, "2.6.5", said=said)
    (made.source / "notes.txt").write_text("".join(LINES))
    return made


def test_a_patch_is_applied_once(plan: Plan, fake_env: FakeEnvironment) -> None:
    env = environment(fake_env, plan)
    assert patch_tree(plan, env) == 1
    assert "line 9\n" not in (plan.source / "notes.txt").read_text()
    assert patch_tree(plan, env) == 0
    assert (plan.source / "notes.txt").read_text().count("line") == 19


def test_a_patch_that_does_not_fit_changes_nothing(plan: Plan, fake_env: FakeEnvironment) -> None:
    notes = plan.source / "notes.txt"
    notes.write_text("other\nwords\n")
    with fails("patch-not-fitting", "one.patch"):
        patch_tree(plan, environment(fake_env, plan))
    assert notes.read_text() == "other\nwords\n"
    assert sorted(plan.source.glob("notes*")) == [notes]


def test_without_patches_nothing_is_run(plan: Plan, fake_env: FakeEnvironment) -> None:
    bare = replace(plan, commands=plan.commands[1:])
    assert patch_tree(bare, fake_env) == 0
    assert fake_env.runner.commands == []
