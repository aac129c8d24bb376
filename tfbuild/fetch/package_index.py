"""The package index that pip is configured with: the wheels of a project, and their metadata."""

import hashlib
import io
import re
import time
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.utils import canonicalize_name

from tfbuild.core.errors import FetchFailed, WrongHash
from tfbuild.core.interfaces import Runner
from tfbuild.core.masking import mask_address
from tfbuild.core.paths import named_path
from tfbuild.core.safe_files import LARGEST_BYTES
from tfbuild.fetch.http import HttpFailed, Page, Web
from tfbuild.fetch.pip_config import PipConfig, ask_pip
from tfbuild.fetch.simple_api import ACCEPT, IndexFile, read_page
from tfbuild.wheels.wheel_archive import DAMAGE, read_entry
from tfbuild.wheels.wheel_texts import LARGEST_DESCRIPTION, read_headers

_BLOCK = 1 << 16
_METADATA = re.compile(r"[^/]+\.dist-info/METADATA")


class PackageIndex:
    """All indexes of a configuration together, as pip sees them: the first to list a file wins."""

    def __init__(self, config: PipConfig) -> None:
        self._config = config
        self._web = Web(config.access)

    def files(self, project: str) -> tuple[IndexFile, ...]:
        """The wheels of a project; none when no index knows it.

        Raises FetchFailed when one of the indexes cannot be asked: half an answer would look
        like a whole one; WrongHash when two of them have different files of one name.
        """
        found: dict[str, IndexFile] = {}
        for address in self._config.indexes:
            page = self._page(f"{address}/{canonicalize_name(project)}/")
            for file in read_page(page, project) if page else ():
                known = found.setdefault(file.filename, file)
                if known.sha256 and file.sha256 and known.sha256 != file.sha256:
                    raise _two_files(known, file)
        return tuple(found.values())

    def metadata(self, file: IndexFile) -> Message | None:
        """What METADATA in a wheel says; None where it cannot be had without the whole wheel."""
        path = _local(file.url)
        if path is not None:
            content = _inside(lambda: path.open("rb")) if path.is_file() else None
        elif file.has_metadata:
            content = self._beside(file)
        else:
            content = _inside(lambda: self._opened(file))
        if content is None or len(content) > LARGEST_DESCRIPTION:
            return None
        return read_headers(content)

    def _page(self, url: str) -> Page | None:
        """The page of a project, or None where the index has none."""
        path = _local(url)
        if path is not None:
            page = path / "index.html"
            if not page.is_file():
                return None
            return Page(url=page.absolute().as_uri(), kind="text/html", content=page.read_bytes())
        try:
            return self._web.get(url, {"Accept": ACCEPT})
        except HttpFailed as error:
            if error.status == 404:
                return None
            if error.status == 406:  # it speaks HTML only, and says so to those who can do more
                return self._web.get(url, {"Accept": "text/html"})
            raise

    def _beside(self, file: IndexFile) -> bytes:
        content = self._web.get(self._known(file.url) + ".metadata").content
        if file.metadata_sha256 and hashlib.sha256(content).hexdigest() != file.metadata_sha256:
            raise FetchFailed(
                f"the metadata of {file.filename} has the wrong hash",
                code="metadata-hash-mismatch",
                why=f"from {mask_address(file.url)}.metadata",
                hint="try again; if it stays so, do not trust that index",
            )
        return content

    def _opened(self, file: IndexFile) -> "_Remote":
        return _Remote(self._web, self._known(file.url), self._config.access.whole)

    def _known(self, url: str) -> str:
        """The address of a file with the password of the index on the same host, asked alike."""
        parts = urlsplit(url)
        for address in self._config.indexes:
            index = urlsplit(address)
            user, at, host = index.netloc.rpartition("@")
            if at and (index.scheme, host) == parts[:2]:
                return parts._replace(netloc=f"{user}@{host}").geturl()
        return url


def open_index(runner: Runner) -> PackageIndex:
    """The index that pip asks.

    Raises EnvironmentFailed without pip, and FetchFailed where pip must not ask any index.
    """
    config = ask_pip(runner)
    if not config.indexes:
        raise FetchFailed(
            "pip is configured to ask no index",
            code="pip-no-index",
            why="its configuration says no-index",
            hint="see `python -m pip config list`; unset PIP_NO_INDEX for this command",
        )
    return PackageIndex(config)


# --- inside ------------------------------------------------------------------------------------


def _two_files(one: IndexFile, other: IndexFile) -> WrongHash:
    return WrongHash(
        f"two indexes have different files of the name {one.filename}",
        code="indexes-disagree",
        why="\n".join(f"{mask_address(f.url)}: sha256 {f.sha256}" for f in (one, other)),
        hint="do not trust them before you know which is right; take one index out of pip's "
        "settings, see `python -m pip config list`",
    )


class _NoRanges(Exception):
    """The server sends whole files only."""


class _Remote(io.RawIOBase):
    """A file on a server as one that can be sought in; only the blocks that are read come over.

    All of them together take seconds at most, however often a byte comes.
    """

    def __init__(self, web: Web, url: str, seconds: float) -> None:
        super().__init__()
        self._until = time.monotonic() + seconds
        self._web = web
        self._url = url
        self._at = 0
        self._blocks: list[tuple[int, bytes]] = []
        self._size = self._measure()

    def _measure(self) -> int:
        with self._web.open(self._url, {"Range": "bytes=0-0"}) as body:
            said = re.fullmatch(r"bytes 0-0/(\d+)", body.headers.get("Content-Range", ""))
            if body.status != 206 or said is None:
                raise _NoRanges
            return int(said[1])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise OSError("before the start of the file")
        self._at = start + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        rest = max(self._size - self._at, 0)
        wanted = rest if size is None or size < 0 else min(size, rest)
        if wanted > LARGEST_BYTES:
            raise _NoRanges  # no part of a wheel that says what it is
        content = self._bytes(self._at, wanted) if wanted else b""
        self._at += len(content)
        return content

    def _bytes(self, start: int, size: int) -> bytes:
        for begin, block in self._blocks:
            if begin <= start and start + size <= begin + len(block):
                return block[start - begin : start - begin + size]
        begin = min(start, max(self._size - _BLOCK, 0))  # the end of an archive is read first
        end = min(max(start + size, begin + _BLOCK), self._size)
        with self._web.open(self._url, {"Range": f"bytes={begin}-{end - 1}"}) as body:
            if body.status != 206:
                raise _NoRanges
            block = body.read(end - begin, max(self._until - time.monotonic(), 0.001))
        self._blocks.append((begin, block))
        return block[start - begin : start - begin + size]


def _inside(opened: Callable[[], io.IOBase]) -> bytes | None:
    """METADATA out of a wheel; None where it has none, is broken, or cannot be read in parts."""
    try:
        with opened() as stream, zipfile.ZipFile(stream) as archive:
            found = [entry for entry in archive.infolist() if _METADATA.fullmatch(entry.filename)]
            is_plain = bool(found) and found[0].file_size <= LARGEST_DESCRIPTION
            return read_entry(archive, found[0]) if is_plain else None
    except (_NoRanges, RuntimeError, ValueError, *DAMAGE):
        return None
    except HttpFailed as error:
        if error.status in {404, 416, 501}:
            return None
        raise


def _local(url: str) -> Path | None:
    """The path behind a file address or a plain path; None for what is on the net.

    Raises FetchFailed for another scheme: an index that cannot be asked is no empty one.
    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    if "://" in url and parts.scheme not in {"http", "https"}:
        raise FetchFailed(
            f"{mask_address(url)} is no address of an index",
            code="index-scheme-unknown",
            why=f"its scheme is '{parts.scheme[:40]}', and an index has https, http or file",
            hint="see `python -m pip config list`",
        )
    return None if parts.scheme in {"http", "https"} else named_path(url)
