"""Where a build writes: room, rights, kind of file system, and whether programs run from there."""

import os
import re
from pathlib import Path

from tfbuild.core.disk_space import free_mb
from tfbuild.core.paths import real_path
from tfbuild.core.safe_files import text_of
from tfbuild.doctor.checks.model import CheckContext, CheckResult, CheckSpec, failed, passed, warned

_NETWORK = re.compile(r"nfs\d?|cifs|smb\w*|fuse\.sshfs|lustre|gpfs|beegfs|ceph|glusterfs|afs|9p")
_FILES = 100_000  # a build writes that many
_MOUNTS = Path("/proc/self/mountinfo")


def disk(context: CheckContext) -> list[CheckResult]:
    """Room where the cache, the work folder and temporary files are."""
    folders, need = context.tools.folders, context.needs.disk_mb
    return [
        _room("cache", folders.cache, need, "TFBUILD_CACHE_DIR"),
        _room("work", folders.work, max(500, need // 4), "TFBUILD_WORK_DIR"),
        _room("temporary files", temporary_folder(), max(500, need // 4), "TMPDIR"),
    ]


def folders(context: CheckContext) -> list[CheckResult]:
    """Rights, names and file systems of the cache and the work folder."""
    return [
        _usable("cache", context.tools.folders.cache, "TFBUILD_CACHE_DIR"),
        _usable("work", context.tools.folders.work, "TFBUILD_WORK_DIR"),
    ]


def temporary(context: CheckContext) -> CheckResult:
    """Whether TMPDIR is a folder, and a program that is written there runs."""
    named = os.environ.get("TMPDIR", "")
    if named and not (os.path.isdir(named) and os.access(named, os.W_OK | os.X_OK)):  # noqa: PTH112
        return warned(f"TMPDIR is {named}, which is no folder to write in", "unset TMPDIR")
    script = Path(context.write("runs", "#!/bin/sh\necho ran\n"))
    script.chmod(0o755)
    if context.ask(str(script)).text.strip() != "ran":
        detail = f"programs do not run from {temporary_folder()}: mounted noexec?"
        return failed(detail, "set TMPDIR to a folder from which programs may run")
    if " " in str(script):
        detail = f"{temporary_folder()} has a blank in its name, which configure scripts stumble on"
        return warned(detail, "set TMPDIR to a folder without blanks in its name")
    return passed(f"programs run from {temporary_folder()}")


def temporary_folder() -> Path:
    """Where programs put temporary files."""
    return Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108


def mount_of(path: Path, mounts: str) -> tuple[str, str, tuple[str, ...]]:
    """Mount point, file system and options under a path; mounts is a text like mountinfo."""
    found: tuple[str, str, tuple[str, ...]] = ("/", "", ())
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        words, kinds = before.split(), after.split()
        if len(words) < 6 or not kinds:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), words[4])
        # Of several on one point the last covers the others.
        if path.is_relative_to(point) and len(point) >= len(found[0]):
            found = (point, kinds[0], tuple(words[5].split(",")))
    return found


# --- inside ------------------------------------------------------------------------------------


def _room(what: str, folder: Path, need_mb: int, variable: str) -> CheckResult:
    free, files = free_mb(folder), _free_files(folder)
    fix = f"free some room there (tfbuild cache prune), or set {variable} to a larger disk"
    detail = f"{what}: {free} MB free at {folder}"
    if free < need_mb:
        return failed(f"{detail}; {need_mb} MB are needed", fix)
    if free < 2 * need_mb:
        return warned(f"{detail}; {need_mb} MB are needed, {2 * need_mb} MB are comfortable", fix)
    if files is not None and files < _FILES:
        return warned(f"{what}: room for {files} more files at {folder}", fix)
    return passed(detail)


def _free_files(folder: Path) -> int | None:
    """How many files can be made there; None on file systems that do not count them."""
    state = os.statvfs(_nearest(folder))
    return state.f_favail if state.f_files else None


def _usable(what: str, folder: Path, variable: str) -> CheckResult:
    existing = _nearest(folder)
    elsewhere = f"set {variable} to a folder on a local disk"
    if not os.access(existing, os.W_OK | os.X_OK):
        return failed(
            f"{what}: {existing} cannot be written", f"correct its permissions, or {elsewhere}"
        )
    point, kind, options = mount_of(real_path(existing), _mounts())
    if "noexec" in options:
        detail = f"{what}: {point} is mounted noexec, so that a Bazel in it does not start"
        return failed(detail, elsewhere)
    if _NETWORK.fullmatch(kind):
        detail = f"{what}: {folder} is on a network file system ({kind}): slow, with unsure locks"
        return warned(detail, elsewhere)
    if " " in str(folder):
        detail = f"{what}: {folder} has a blank in its name, which Bazel's rules stumble on"
        return warned(detail, f"set {variable} to a folder without blanks in its name")
    return passed(f"{what}: {folder} can be written" + (f", {kind}" if kind else ""))


def _mounts() -> str:
    return text_of(_MOUNTS)


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


CHECKS = (
    CheckSpec(
        group="host",
        name="disk",
        looks_at="room under cache, work folder and temporary files against what a build takes",
        look=disk,
    ),
    CheckSpec(
        group="host",
        name="folders",
        looks_at="rights, noexec and network file systems under cache and work folder",
        look=folders,
    ),
    CheckSpec(
        group="host",
        name="temporary",
        looks_at="TMPDIR, and whether a program runs from there",
        look=temporary,
        needs_folder=True,
    ),
)
