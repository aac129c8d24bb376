"""Unpacks wheels so that nothing can escape the folder, and so that a half folder is never seen."""

import hashlib
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tfbuild.core.disk_space import require_room
from tfbuild.core.errors import FetchFailed
from tfbuild.core.parts import part_folder
from tfbuild.fetch.seals import seal_tree
from tfbuild.wheels.wheel_archive import open_archive, open_entry

_LONGEST_NAME = 255  # bytes; what file systems take
_LONGEST_PATH = 1000  # of the 4096 that Linux takes for a whole path
_SCHEMES = {"data": "", "purelib": "", "platlib": "", "scripts": "bin", "headers": "include"}


def unpack_wheel(wheel: Path, target: Path) -> Path:
    """The content of wheel as the folder target, sealed, laid out as an installation would be.

    A target that exists is whole and is left alone. Raises FetchFailed on a file that is no
    wheel or tries to write elsewhere, and DiskFull when there is too little room.
    """
    if target.is_dir():
        return target
    try:
        with open_archive(wheel) as archive:
            members = list(_members(archive, wheel))
            size = sum(info.file_size for info, _ in members)
            require_room(target.parent, size // 1_000_000 + 50, f"unpacking {wheel.name}")
            target.parent.mkdir(parents=True, exist_ok=True)
            with part_folder(target.parent) as aside:
                digests = {name: _extract(archive, info, aside / name) for info, name in members}
                listed = [name for _, name in members]
                seal_tree(aside, listed, name=target.name, known=digests)
                move_folder(aside, target)
    except ValueError as error:
        raise _Broken(wheel, error, code="wheel-not-unpacked") from error
    except (FileExistsError, NotADirectoryError) as error:
        raise _Broken(wheel, error, code="wheel-members-collide") from error
    return target


def move_folder(aside: Path, target: Path) -> None:
    """Move a finished folder into place; one that another process put there first stays."""
    try:
        aside.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _members(archive: zipfile.ZipFile, wheel: Path) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    seen = set()
    for info in archive.infolist():
        if info.is_dir():
            continue
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            raise _Refused(wheel, info, "it is no regular file", code="wheel-member-no-file")
        name = str(_placed(wheel, info))
        if name in seen:
            raise _Refused(wheel, info, "the name is there twice", code="wheel-member-twice")
        seen.add(name)
        yield info, name


def _placed(wheel: Path, info: zipfile.ZipInfo) -> PurePosixPath:
    """Where a member goes: itself, or below the folder of its .data scheme."""
    path = PurePosixPath(info.filename)
    if path.is_absolute() or ".." in path.parts or "\\" in info.filename or not path.parts:
        said = "the path leads out of the folder"
        raise _Refused(wheel, info, said, code="wheel-member-leads-out")
    if max(len(part.encode()) for part in path.parts) > _LONGEST_NAME:
        said = f"a name in it has more than {_LONGEST_NAME} bytes"
        raise _Refused(wheel, info, said, code="wheel-member-too-long")
    if len(info.filename.encode()) > _LONGEST_PATH:
        said = f"its path has more than {_LONGEST_PATH} bytes"
        raise _Refused(wheel, info, said, code="wheel-member-too-long")
    if not path.parts[0].endswith(".data") or len(path.parts) < 3:
        return path
    scheme = path.parts[1]
    if scheme not in _SCHEMES:
        said = f"there is no installation scheme '{scheme}'"
        raise _Refused(wheel, info, said, code="wheel-scheme-unknown")
    return PurePosixPath(_SCHEMES[scheme], *path.parts[2:])


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> str:
    """Write a member to target; the digest of what was written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with open_entry(archive, info) as source, target.open("xb") as stream:
        while chunk := source.read(1 << 20):
            stream.write(chunk)
            digest.update(chunk)
    executable = bool((info.external_attr >> 16) & stat.S_IXUSR)
    target.chmod(0o755 if executable else 0o644)
    return digest.hexdigest()


class _Broken(FetchFailed):
    def __init__(self, wheel: Path, error: Exception, *, code: str) -> None:
        super().__init__(
            f"{wheel.name} cannot be unpacked",
            code=code,
            why=str(error),
            hint=f"remove {wheel.parent} and run again to fetch it anew",
        )


class _Refused(FetchFailed):
    def __init__(self, wheel: Path, info: zipfile.ZipInfo, reason: str, *, code: str) -> None:
        super().__init__(
            f"{wheel.name} is refused: it holds '{info.filename}'",
            code=code,
            why=reason,
            hint="an honest wheel has no such member; do not trust where it came from",
        )
