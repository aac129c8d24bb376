"""A TensorFlow source tree is copied, and what is done to it is done to the copy."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import environment, plan_of
from tests.builds.stages.test_patch_tree import LINES, a_patch
from tests.fakes import FakeEnvironment
from tfbuild.builds.stages.patch_tree import patch_tree
from tfbuild.builds.tree_copy import copy_of, note_patched, stage_tree
from tfbuild.core.plans import Plan
from tfbuild.core.run_folder import make_work
from tfbuild.facts.tables import Tables


@pytest.fixture
def plan(tables: Tables, tmp_path: Path, fake_env: FakeEnvironment) -> Plan:
    make_work(fake_env.tools.folders.work)
    said = "patches:\n" + a_patch(tmp_path, "one.patch", drop=9)
    made = plan_of(tables, tmp_path, "2.6.5", said=said)
    (made.source / "notes.txt").write_text("".join(LINES))
    return made


def patched(plan: Plan, env: FakeEnvironment) -> tuple[Plan, int]:
    """The plan of the copy, and how many patches were applied to it."""
    copied = stage_tree(plan, env.tools)
    applied = patch_tree(copied, environment(env, copied))
    note_patched(copied)
    return copied, applied


def test_the_tree_of_the_user_stays_as_it_is(plan: Plan, fake_env: FakeEnvironment) -> None:
    before = {path: path.stat().st_mtime_ns for path in plan.source.rglob("*")}
    copied, applied = patched(plan, fake_env)
    assert applied == 1
    assert copied.source == copy_of(plan.source, fake_env.tools.folders.work)
    assert "line 9\n" not in (copied.source / "notes.txt").read_text()
    assert {path: path.stat().st_mtime_ns for path in plan.source.rglob("*")} == before
    assert replace(copied, source=plan.source) == plan


def test_a_copy_stays_as_the_last_build_has_left_it(plan: Plan, fake_env: FakeEnvironment) -> None:
    copied, _ = patched(plan, fake_env)
    for name in (".tf_configure.bazelrc", "tools/python_bin_path.sh"):
        (copied.source / name).parent.mkdir(exist_ok=True)
        (copied.source / name).write_text("build --config=opt\n")
    (copied.source / "bazel-bin").symlink_to("/nowhere")
    inode = (copied.source / "notes.txt").stat().st_ino
    again, applied = patched(plan, fake_env)
    assert (again, applied) == (copied, 0)
    assert (copied.source / "notes.txt").stat().st_ino == inode


def test_a_copy_that_was_changed_or_patched_halfway_is_made_anew(
    plan: Plan, fake_env: FakeEnvironment
) -> None:
    copied, _ = patched(plan, fake_env)
    (copied.source / "notes.txt").write_text("half of it\n")
    _, applied = patched(plan, fake_env)
    assert applied == 1
    assert (copied.source / "notes.txt").read_text().count("line") == 19


def test_what_the_user_changes_is_built(plan: Plan, fake_env: FakeEnvironment) -> None:
    copied, _ = patched(plan, fake_env)
    kept = (copied.source / "configure.py").stat().st_mtime_ns
    (plan.source / "notes.txt").write_text("".join((*LINES, "one more\n")))
    _, applied = patched(plan, fake_env)
    assert applied == 1
    assert "one more" in (copied.source / "notes.txt").read_text()
    assert (copied.source / "configure.py").stat().st_mtime_ns == kept


def test_a_patch_that_is_asked_for_no_more_is_gone(plan: Plan, fake_env: FakeEnvironment) -> None:
    copied, _ = patched(plan, fake_env)
    without = replace(
        plan,
        tree=replace(plan.tree, patches=()),
        commands=tuple(command for command in plan.commands if command.stage != "patch"),
    )
    patched(without, fake_env)
    assert (copied.source / "notes.txt").read_text() == "".join(LINES)


def test_the_copies_of_three_trees_stay(
    plan: Plan, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    work = fake_env.tools.folders.work
    others = [shutil.copytree(plan.source, tmp_path / name / "tree") for name in "abc"]
    for number, tree in enumerate((plan.source, *others)):
        stage_tree(replace(plan, source=tree), fake_env.tools)
        os.utime(copy_of(tree, work).parent, (number, number))
    stage_tree(replace(plan, source=others[-1]), fake_env.tools)
    assert [copy_of(tree, work).is_dir() for tree in (plan.source, *others)] == [
        False, True, True, True,
    ]  # fmt: skip


def test_two_trees_of_one_name_have_copies_of_their_own(tmp_path: Path) -> None:
    one, other = tmp_path / "a/tensorflow", tmp_path / "b/tensorflow"
    assert copy_of(one, tmp_path) != copy_of(other, tmp_path)
    assert copy_of(one, tmp_path) == copy_of(one, tmp_path)
