"""Packs the folder of a product as an archive: the same bytes whenever and by whomever."""

import gzip
import tarfile
from pathlib import Path

from tfbuild.core.errors import FetchFailed
from tfbuild.core.parts import part_file
from tfbuild.core.paths import is_text
from tfbuild.core.source_date import source_date
from tfbuild.inputs.unpack import MOST_BYTES, unpack_source
from tfbuild.products.folder import files_below

_LONG_AGO = 315532800  # 1980-01-01
_LEVEL = 6  # of gzip; 9 packs a library of TensorFlow by 1 % more, in 2.6 times the time
# Machine code packs to a third, and zeros to a thousandth: between them lies no product.
_ROOM, _GROWTH = 256 << 20, 100


def pack(folder: Path, target: Path, *, top: str) -> Path:
    """The folder as a .tar.gz with one folder at its top, in place when it is whole.

    Files are in order, belong to root and have one time: SOURCE_DATE_EPOCH, else 1980. Links are
    kept. OSError as it comes.
    """
    moment = source_date() or _LONG_AGO
    target.parent.mkdir(parents=True, exist_ok=True)
    with part_file(target.parent) as aside:
        with (
            aside.open("wb") as raw,
            gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for name in files_below(folder):
                _add(archive, folder / name, f"{top}/{name}", moment)
        aside.replace(target)
    return target


def unpack_own(archive: Path, target: Path) -> Path:
    """The content of an archive that `pack` has made as the folder target, without its top folder.

    Raises FetchFailed where it is broken, grows to far more than a product does, or has a name
    that no product has.
    """
    most = min(MOST_BYTES, _ROOM + _GROWTH * archive.stat().st_size)
    unpack_source(archive, target, most_bytes=most)
    if strange := [name for name in files_below(target) if not is_text(name)]:
        raise FetchFailed(
            f"{archive.name} holds {strange[0]}, a name that is not UTF-8",
            code="archive-name-not-utf8",
            hint="fetch it again, or build it again: it is not as it was packed",
        )
    return target


# --- inside ------------------------------------------------------------------------------------


def _add(archive: tarfile.TarFile, path: Path, name: str, moment: int) -> None:
    member = tarfile.TarInfo(name)
    member.mtime = moment
    if path.is_symlink():
        member.type, member.linkname, member.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
        archive.addfile(member)
        return
    state = path.stat()
    member.size, member.mode = state.st_size, 0o755 if state.st_mode & 0o111 else 0o644
    with path.open("rb") as stream:
        archive.addfile(member, stream)
