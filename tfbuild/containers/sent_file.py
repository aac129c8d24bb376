"""Reads a file out of the archives that an engine sends of a container, within limits.

What runs in the container has made the file: it may be of any size, and a link to itself.
"""

import errno
import io
import os
import tarfile
from collections.abc import Callable, Iterable

from tfbuild.core.foreign_tree import TooLarge

_MOST = 2 << 30  # bytes: they are held in memory
_MOST_LINKS = 40  # as the kernel follows


def sent_file(ask: Callable[[str], Iterable[bytes]], path: str) -> bytes:
    """The content of a file; ask gives the archive of what lies at a path in the container.

    Raises FileNotFoundError for what is no file, TooLarge, OSError for links without an end.
    """
    for _ in range(_MOST_LINKS):
        with tarfile.open(fileobj=io.BytesIO(whole(ask(path), path))) as archive:
            member = archive.next()
            if member is not None and member.issym():
                path = os.path.normpath(os.path.join(os.path.dirname(path), member.linkname))  # noqa: PTH118, PTH120
                continue
            content = archive.extractfile(member) if member else None
            if content is None:
                raise FileNotFoundError(path)
            return content.read()
    raise OSError(errno.ELOOP, "its links have no end", path)


def whole(chunks: Iterable[bytes], path: str) -> bytes:
    """The bytes of a file that comes in chunks; TooLarge."""
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > _MOST:
            raise TooLarge(path, _MOST)
    return bytes(found)
