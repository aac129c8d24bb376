"""Wheels as files: reads and checks one, and writes one whose bytes follow from its content."""

import base64
import csv
import hashlib
import io
import stat
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from itertools import islice, product
from pathlib import Path, PurePosixPath

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import (
    InvalidWheelFilename,
    NormalizedName,
    canonicalize_name,
    parse_wheel_filename,
)

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Interpreter
from tfbuild.core.source_date import source_date
from tfbuild.core.versions import is_same_version, parse_version
from tfbuild.wheels.archive import opened_zip
from tfbuild.wheels.requirements import is_for_extra, read_requirements
from tfbuild.wheels.wheel_archive import open_archive, open_entry, read_entry
from tfbuild.wheels.wheel_texts import (
    LARGEST_DESCRIPTION,
    LARGEST_LISTS,
    LARGEST_RECORD,
    LARGEST_WHEEL_FILE,
    read_headers,
    read_limited,
    within,
)

_EARLIEST = 315532800  # 1980-01-01, the first day a zip file knows


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelName:
    """What the file name says; tags are the expanded compressed set, in the order of the name."""

    name: NormalizedName
    version: str
    tags: tuple[Tag, ...]
    python: str
    abi: str
    platform: str

    @property
    def tag(self) -> str:
        """The compressed set as it is written."""
        return f"{self.python}-{self.abi}-{self.platform}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelContent:
    """An opened wheel: file names, and the problems that keep it from being a good one."""

    path: Path
    name: WheelName
    files: tuple[str, ...]
    installed_size: int
    dist_info: str
    metadata: Message
    wheel: Message
    problems: tuple[str, ...]

    def read(self, name: str, most: int = 0) -> bytes:
        """The content of one file; BadRequest when it is damaged, or larger than most, if given."""
        with opened_zip(self.path) as archive:
            return read_limited(archive, name, most) if most else read_entry(archive, name)

    def read_all(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each of these files with its content; raises as `read` does.

        The directory of the wheel is read once for all of them.
        """
        with opened_zip(self.path) as archive:
            for name in names:
                yield name, read_entry(archive, name)

    def read_lists(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Each of these files with its content; None where they are larger than any real lists.

        Raises as `read` does.
        """
        with opened_zip(self.path) as archive:
            asked = [*names]
            small = within(map(archive.getinfo, asked), LARGEST_LISTS)
            for name in asked:
                yield name, read_entry(archive, name) if name in small else None

    def beginnings(self, count: int) -> Iterator[tuple[str, bytes]]:
        """The first bytes of every file, in order of their names; BadRequest as of `read`."""
        with opened_zip(self.path) as archive:
            for name in sorted(set(self.files)):
                with open_entry(archive, name) as stream:
                    yield name, stream.read(count)


def parse_name(filename: str) -> WheelName:
    """The parts of a wheel's file name; BadRequest when it is not one."""
    try:
        name, version, _, _ = parse_wheel_filename(filename)
    except InvalidWheelFilename as error:
        raise BadRequest(
            f"'{filename}' is not the name of a wheel",
            code="wheel-name-invalid",
            why="it should read NAME-VERSION-PYTHON-ABI-PLATFORM.whl",
            hint="name the .whl file as the build tool named it",
        ) from error
    python, abi, platform = filename.removesuffix(".whl").rsplit("-", 3)[1:]
    return WheelName(
        name=name,
        version=str(version),
        tags=tuple(
            Tag(*one) for one in product(python.split("."), abi.split("."), platform.split("."))
        ),
        python=python,
        abi=abi,
        platform=platform,
    )


def is_for_python(name: WheelName, python: Interpreter) -> bool:
    """Whether pip would install the wheel into this CPython, as far as that decides."""
    version = parse_version(python.version).release[:2]
    fitting = (
        *cpython_tags(version, abis=[python.tag], platforms=["any"]),
        *compatible_tags(version, platforms=["any"]),
    )
    asked = {(tag.interpreter, tag.abi) for tag in fitting}
    return any((tag.interpreter, tag.abi) in asked for tag in name.tags)


def open_wheel(path: Path) -> WheelContent:
    """What is in the wheel, and every problem of its packing; BadRequest when it is no wheel."""
    if not path.is_file():
        raise BadRequest(
            f"there is no wheel {path}", code="wheel-missing", hint="name a .whl file that exists"
        )
    name = parse_name(path.name)
    with opened_zip(path) as archive:
        return _look(path, name, archive)


def file_word(distribution: str) -> str:
    """A distribution as names of files and folders spell it."""
    return canonicalize_name(distribution).replace("-", "_")


def is_info_of(folder: str, name: WheelName) -> bool:
    """Whether a .dist-info folder is named as the wheel is."""
    distribution, _, version = folder.removesuffix(".dist-info").partition("-")
    return canonicalize_name(distribution) == name.name and is_same_version(version, name.version)


def main_package(content: WheelContent) -> str:
    """The import name: the package named as the distribution, else the largest; or empty."""
    counts: dict[str, int] = {}
    names = set(content.files)
    for path in content.files:
        top = path.split("/")[0]
        if f"{top}/__init__.py" in names:
            counts[top] = counts.get(top, 0) + 1
    named = [top for top in counts if canonicalize_name(top) == content.name.name]
    return max(named or counts, key=lambda top: counts[top], default="")


def plain_requirements(path: Path) -> tuple[str, ...]:
    """What the wheel requires without any extra; nothing else in it is read.

    Raises BadRequest where it is no wheel, and where pip would not understand what it requires.
    """
    name = parse_name(path.name)
    with opened_zip(path) as archive:
        info = _info_folders(archive.namelist(), name)[0]
        described = _message(archive, f"{info}/METADATA", LARGEST_DESCRIPTION, [])
        asked = read_requirements(described)
    return tuple(line for line, requirement in asked.items() if not is_for_extra(requirement))


def hash_text(raw: bytes) -> str:
    """The hash as RECORD writes it."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).rstrip(b"=")
    return "sha256=" + digest.decode()


def record_text(files: Mapping[str, bytes], record: str) -> str:
    """The RECORD of these files, sorted by name."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for name in sorted(files):
        writer.writerow((name, hash_text(files[name]), len(files[name])))
    writer.writerow((record, "", ""))
    return out.getvalue()


def write_wheel(path: Path, files: Mapping[str, bytes], *, executable: Iterable[str] = ()) -> Path:
    """Write a wheel with a fresh RECORD, sorted entries and fixed times; aside, then moved."""
    record = next(name for name in files if name.endswith(".dist-info/METADATA"))
    record = record.removesuffix("METADATA") + "RECORD"
    content = {name: raw for name, raw in files.items() if name != record}
    content[record] = record_text(content, record).encode()
    runnable = set(executable)
    moment = time.gmtime(max(source_date() or 0, _EARLIEST))[:6]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        # The metadata last, as the format advises: tools find it at the end of the file.
        for name in sorted(content, key=lambda name: (".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, (moment[0], moment[1], moment[2], *moment[3:6]))
            entry.create_system = 3
            mode = 0o755 if name in runnable else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content[name])
    return write_aside(path, out.getvalue())


def read_files(path: Path) -> dict[str, bytes]:
    """All files of a wheel, by name."""
    with open_archive(path) as archive:
        return {e.filename: read_entry(archive, e) for e in archive.infolist() if not e.is_dir()}


def _look(path: Path, name: WheelName, archive: zipfile.ZipFile) -> WheelContent:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    files = [entry.filename for entry in entries]
    info, *others = _info_folders(files, name)
    problems = [f"{other} is there beside {info}" for other in others]
    problems += [*_zip_problems(archive, entries), *_record_problems(archive, info, files)]
    return WheelContent(
        path=path,
        name=name,
        files=tuple(files),
        installed_size=sum(entry.file_size for entry in entries),
        dist_info=info,
        metadata=_message(archive, f"{info}/METADATA", LARGEST_DESCRIPTION, problems),
        wheel=_message(archive, f"{info}/WHEEL", LARGEST_WHEEL_FILE, problems),
        problems=tuple(problems),
    )


def _info_folders(files: Iterable[str], name: WheelName) -> list[str]:
    """The folders that describe a wheel, the one named as it first; BadRequest for none."""
    tops = {file.split("/")[0] for file in files if ".dist-info/" in file}
    infos = sorted(top for top in tops if top.endswith(".dist-info"))
    if not infos:
        raise BadRequest(
            f"the wheel {name.name} {name.version} has no .dist-info folder",
            code="wheel-info-missing",
            hint="build it again, or name another file: it is a zip file and no wheel",
        )
    return sorted(infos, key=lambda one: not is_info_of(one, name))


def _message(archive: zipfile.ZipFile, name: str, most: int, problems: list[str]) -> Message:
    try:
        return read_headers(read_limited(archive, name, most))
    except KeyError:
        problems.append(f"{name} is missing")
        return Message()


def _zip_problems(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> list[str]:
    problems = []
    damaged = archive.testzip()
    if damaged is not None:
        problems.append(f"{damaged} does not have its checksum")
    seen: set[str] = set()
    for entry in entries:
        pure = PurePosixPath(entry.filename)
        if pure.is_absolute() or ".." in pure.parts or "\\" in entry.filename:
            problems.append(f"{entry.filename} would be written outside the site folder")
        if stat.S_ISLNK(entry.external_attr >> 16):
            problems.append(f"{entry.filename} is a link")
        if entry.filename in seen:
            problems.append(f"{entry.filename} is there twice")
        seen.add(entry.filename)
    return problems


def _record_problems(archive: zipfile.ZipFile, info: str, files: list[str]) -> list[str]:
    record = f"{info}/RECORD"
    if record not in files:
        return [f"{record} is missing"]
    try:
        text = read_limited(archive, record, LARGEST_RECORD).decode()
        filled = (row for row in csv.reader(io.StringIO(text, newline="")) if row)
        rows = list(islice(filled, 2 * len(files) + 1))
        if len(rows) > 2 * len(files):
            lines, of = counted(len(rows) - 1, "line"), counted(len(files), "file")
            return [f"{record} has more than {lines} for {of}"]
        listed = {row[0]: (row[1], row[2]) for row in rows}
    except (UnicodeDecodeError, IndexError, csv.Error) as error:
        return [f"{record} cannot be read: {error}"]
    unsigned = {record, f"{info}/RECORD.jws", f"{info}/RECORD.p7s"}
    there = set(files)
    problems = [f"RECORD lacks {n}" for n in files if n not in listed and n not in unsigned]
    names = [row[0] for row in rows]
    problems += [f"RECORD lists {n} twice" for n, count in Counter(names).items() if count > 1]
    for name, (digest, size) in listed.items():
        if name in unsigned and (digest or size):
            problems.append(f"RECORD describes {name}, which is made after it")
        elif name not in there:
            problems.append(f"RECORD lists {name}, which is not there")
        elif name not in unsigned:
            problems += _hash_problems(name, read_entry(archive, name), digest, size)
    return problems


def _hash_problems(name: str, raw: bytes, digest: str, size: str) -> list[str]:
    algorithm, _, value = digest.partition("=")
    if algorithm not in {"sha256", "sha384", "sha512"}:
        return [f"RECORD gives {name} no strong hash"]
    found = base64.urlsafe_b64encode(hashlib.new(algorithm, raw).digest()).rstrip(b"=").decode()
    if found != value or (size and size != str(len(raw))):
        return [f"{name} is not the file that RECORD describes"]
    return []
