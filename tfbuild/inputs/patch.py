"""Applies a recipe's patch to the staged copy of the source code, once."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tfbuild.core.errors import BadRecipe, CommandFailed, ConfigureFailed
from tfbuild.core.interfaces import Runner
from tfbuild.core.paths import names_file, write_aside
from tfbuild.core.records import Command
from tfbuild.core.safe_files import read_bytes, read_bytes_inside
from tfbuild.inputs.stage import applied_patches, note_patches
from tfbuild.recipes.records import Patch


def planned_patch(folder: Path, name: str) -> Patch:
    """The patch of that name beside a recipe; BadRecipe where there is none that can be read.

    What a link leads to out of the folder is not read: its digest would be shown.
    """
    path = folder / name
    if not names_file(path):
        raise BadRecipe(
            f"there is no patch {path}",
            code="recipe-patch-missing",
            hint="patches lie beside the recipe",
        )
    try:
        content = read_bytes_inside(folder, path)
    except (OSError, ValueError) as error:
        raise BadRecipe(
            f"the patch {path} cannot be read",
            code="recipe-patch-unreadable",
            why=str(error),
            hint="a patch is a file beside the recipe, of a few megabytes at most",
        ) from error
    return Patch(name=name, path=path, sha256=hashlib.sha256(content).hexdigest())


def apply_patch(patch: Patch, folder: Path, runner: Runner) -> None:
    """Apply a unified diff, whose names have one leading folder, to the folder.

    One that the copy has already got, or that its source code brings along, changes nothing, and
    neither does one that does not fit: ConfigureFailed names it. Raises BadRecipe where the file of
    the patch is not there or is not the one that was planned.
    """
    applied = applied_patches(folder)
    if patch.sha256 in applied:
        return
    text = _beside(patch, folder)
    command = Command(
        argv=("patch", "--force", "--strip=1", "--no-backup-if-mismatch", f"--input={text}"),
        stage="patch",
        purpose=patch.name,
        cwd=str(folder),
    )
    if not _fits(command, runner, ("--reverse",)):
        if not _fits(command, runner):
            raise ConfigureFailed(
                f"the patch {patch.name} does not fit this source code",
                code="patch-not-fitting",
                why="it is neither applied nor can it be",
                hint="name a version that it was made for, or leave it out of the recipe",
            )
        _apply(command, runner)
    note_patches(folder, (*applied, patch.sha256))


def _beside(patch: Patch, folder: Path) -> Path:
    """A copy of the patch in the work folder, which the place of the build sees."""
    try:
        content = read_bytes(patch.path)
    except (OSError, ValueError):
        content = b""
    if hashlib.sha256(content).hexdigest() != patch.sha256:
        raise BadRecipe(
            f"the patch {patch.name} is not the one that was planned",
            code="patch-changed-since-planned",
            why=f"expected a file with sha256 {patch.sha256} at {patch.path}",
            hint="run the same command again, or see whether the recipe is whole",
        )
    place = folder.with_name(f"{folder.name}.{patch.sha256[:16]}.patch")
    return write_aside(place, content, mode=0o600)


def _fits(command: Command, runner: Runner, options: Sequence[str] = ()) -> bool:
    """Whether the patch would go through, in whole."""
    argv = (*command.argv, *options, "--dry-run")
    return runner.run(replace(command, argv=argv, ok_codes=(0, 1, 2), quiet=True)).code == 0


def _apply(command: Command, runner: Runner) -> None:
    try:
        runner.run(command)
    except CommandFailed as error:
        raise ConfigureFailed(
            f"the patch {command.purpose} could not be applied",
            code="patch-not-applied",
            why="\n".join(error.last_lines[-6:]),
            hint="run the same command again: the copy is made anew",
            log=error.log,
        ) from error
