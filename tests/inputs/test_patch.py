"""Patches on a staged copy, by the real program."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.shared_libraries import needs
from tfbuild.core.interfaces import Watch
from tfbuild.core.paths import file_digest
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.fetch.seals import find_damage
from tfbuild.inputs.patch import apply_patch
from tfbuild.inputs.stage import applied_patches, stage
from tfbuild.recipes.records import Input, Patch

DIFF = """\
--- a/tiny.c
+++ b/tiny.c
@@ -1 +1 @@
-int x;
+int y;
"""


@pytest.fixture
def copy(tmp_path: Path, fake_env: FakeEnvironment) -> Path:
    needs("patch")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "tiny.c").write_text("int x;\n")
    source = Input(kind="folder", place=str(tmp_path / "tree"), version="1")
    stage(source, fake_env.tools, tmp_path / "stage" / "source")
    return tmp_path / "stage" / "source"


def a_patch(folder: Path, text: str = DIFF) -> Patch:
    path = folder / "fix.patch"
    path.write_text(text)
    return Patch(name="fix.patch", path=path, sha256=file_digest(path))


def test_a_patch_is_applied_once_and_the_copy_stays_whole(copy: Path, tmp_path: Path) -> None:
    patch = a_patch(tmp_path)
    apply_patch(patch, copy, ProcessRunner())
    assert (copy / "tiny.c").read_text() == "int y;\n"
    assert applied_patches(copy) == (patch.sha256,)
    assert find_damage(copy) == ""
    before = (copy / "tiny.c").stat().st_mtime_ns
    apply_patch(patch, copy, ProcessRunner())
    assert (copy / "tiny.c").stat().st_mtime_ns == before


def test_a_change_that_the_source_code_has_already_stays(copy: Path, tmp_path: Path) -> None:
    (copy / "tiny.c").write_text("int y;\n")
    patch = a_patch(tmp_path)
    apply_patch(patch, copy, ProcessRunner())
    assert (copy / "tiny.c").read_text() == "int y;\n"
    assert applied_patches(copy) == (patch.sha256,)


def test_a_patch_that_does_not_fit_changes_nothing(copy: Path, tmp_path: Path) -> None:
    patch = a_patch(tmp_path, DIFF.replace("int x", "int z"))
    with fails("patch-not-fitting", "fix.patch"):
        apply_patch(patch, copy, ProcessRunner())
    assert [path.name for path in copy.iterdir() if not path.name.startswith(".")] == ["tiny.c"]
    assert (copy / "tiny.c").read_text() == "int x;\n"


def test_a_patch_writes_nothing_elsewhere(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "stage" / "other.c").write_text("int x;\n")
    patch = a_patch(tmp_path, DIFF.replace("tiny.c", "../other.c"))
    with fails("patch-not-fitting"):
        apply_patch(patch, copy, ProcessRunner())
    assert (tmp_path / "stage" / "other.c").read_text() == "int x;\n"


def test_another_patch_than_was_planned_is_refused(copy: Path, tmp_path: Path) -> None:
    patch = a_patch(tmp_path)
    patch.path.write_text("other")
    with fails("patch-changed-since-planned", "fix.patch"):
        apply_patch(patch, copy, ProcessRunner())


class _Breaking(ProcessRunner):
    """Tries a patch as it is, and lets the program fail when it is to be applied."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        if command.argv[0] == "patch" and "--dry-run" not in command.argv:
            command = replace(command, argv=("sh", "-c", "echo no room for it; exit 2"))
        return super().run(command, watch)


def test_a_patch_that_fits_and_is_not_applied_is_reported(copy: Path, tmp_path: Path) -> None:
    with fails("patch-not-applied", "fix.patch", "no room for it"):
        apply_patch(a_patch(tmp_path), copy, _Breaking())
    assert applied_patches(copy) == ()
