"""The parsers of tfbuild itself that Atheris attacks, and what they begin with.

A target gets bytes and a folder of its own. It may end in the errors that its functions document
(`refusals`); any other exception is a finding.
"""

import _ctypes
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.shared_libraries import fat_binary, fat_entry, tiny_wheel
from tfbuild.bazel.events import EventFile
from tfbuild.core.errors import TfbuildError
from tfbuild.core.lock_file import read_lock_file
from tfbuild.core.yaml_file import parse_yaml
from tfbuild.diagnosis.catalogue import read_catalogue
from tfbuild.diagnosis.scan import LogScanner
from tfbuild.fetch.http import Page
from tfbuild.fetch.simple_api import HTML, JSON, read_page
from tfbuild.fetch.unpack import unpack_wheel
from tfbuild.sources.archives import read_archives
from tfbuild.sources.rc_file import parse_rc
from tfbuild.wheels.archive import read_archive
from tfbuild.wheels.elf import exported_names, read_elf
from tfbuild.wheels.fatbin import architectures, find_fatbins, read_fatbins
from tfbuild.wheels.requirements import parse_requirement
from tfbuild.wheels.wheel_file import open_wheel

Refusals = tuple[type[Exception], ...]
_PANEL: Refusals = (TfbuildError,)
_BROKEN: Refusals = (ValueError,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonTarget:
    """A parser, inputs to begin with, made in a folder, and the errors that it documents."""

    run: Callable[[bytes, Path], None]
    inputs: Callable[[Path], tuple[bytes, ...]]
    refusals: Refusals = _PANEL


# --- wheels ------------------------------------------------------------------------------------


def _wheel(data: bytes, folder: Path) -> None:
    """Read as the audit does, then unpacked as the cache does: nothing may lie outside."""
    wheel = folder / "tiny_thing-1.0-py3-none-any.whl"
    wheel.write_bytes(data)
    for read in (read_archive, open_wheel):
        try:
            read(wheel)
        except TfbuildError:
            continue
    try:
        unpack_wheel(wheel, folder / "below" / "unpacked")
    finally:
        left = {path.name for path in folder.iterdir()} - {wheel.name, "below"}
        beside = {path.name for path in (folder / "below").glob("*")} - {"unpacked"}
        if left or beside:
            raise AssertionError(f"outside of the folder lies {sorted(left | beside)}")


def _wheels(folder: Path) -> tuple[bytes, ...]:
    more = {"tiny_thing-1.0.data/scripts/tiny": b"#!python\n"}
    return (
        tiny_wheel(folder, tags="py3-none-any").read_bytes(),
        tiny_wheel(folder, more, tags="py3-none-any", requires=("six; extra == 'x'",)).read_bytes(),
    )


def _elf(data: bytes, folder: Path) -> None:
    del folder
    read_elf("a.so", data)
    exported_names("a.so", data)


def _fatbin(data: bytes, folder: Path) -> None:
    del folder
    architectures(read_fatbins(list(find_fatbins(data))))


# --- texts -------------------------------------------------------------------------------------


def _yaml(data: bytes, folder: Path) -> None:
    del folder
    parse_yaml(data.decode("utf-8", "replace"))


def _lock(data: bytes, folder: Path) -> None:
    path = folder / "lock.yaml"
    path.write_bytes(data)
    read_lock_file(path)


def _rc(data: bytes, folder: Path) -> None:
    del folder
    parse_rc(data.decode("utf-8", "replace"), ".bazelrc")


def _workspace(data: bytes, folder: Path) -> None:
    (folder / "WORKSPACE").write_bytes(data)
    read_archives(folder)


def _requirement(data: bytes, folder: Path) -> None:
    del folder
    parse_requirement(data.decode("utf-8", "replace"))


# --- what services and programs say ------------------------------------------------------------


def _index(data: bytes, folder: Path) -> None:
    del folder
    kind = JSON if data[:1] == b"{" else HTML
    read_page(Page(url="https://index.invalid/simple/tiny/", kind=kind, content=data), "tiny")


def _log(data: bytes, folder: Path) -> None:
    del folder
    _scanner().scan(io.BytesIO(data))


@cache
def _scanner() -> LogScanner:
    return LogScanner(read_catalogue())


def _events(data: bytes, folder: Path) -> None:
    path = folder / "events.json"
    path.write_bytes(data)
    EventFile(path=path).poll()


def _texts(*texts: str) -> Callable[[Path], tuple[bytes, ...]]:
    return lambda _: tuple(text.encode() for text in texts)


def _libraries(folder: Path) -> tuple[bytes, ...]:
    del folder
    return (Path(_ctypes.__file__).read_bytes(),)  # array is within some interpreters


def _fatbins(folder: Path) -> tuple[bytes, ...]:
    del folder
    entries = [fat_entry(kind, 90, b"\x7fELF....text.kernel") for kind in (1, 2)]
    return (fat_binary(*entries), fat_binary(*entries) + bytes(24) + fat_binary(entries[0]))


_HTML = '<a href="../tiny-1.0-py3-none-any.whl#sha256=00" data-requires-python="&gt;=3.9">tiny</a>'
_JSON = (
    '{"meta": {"api-version": "1.0"}, "name": "tiny", "files": [{"filename": '
    '"tiny-1.0-py3-none-any.whl", "url": "t.whl", "hashes": {"sha256": "00"}, "yanked": false}]}'
)
_WORKSPACE = """
load("//:more.bzl", "more")
_URL = "https://host.invalid/" + "a-%s.tar.gz" % "1.0"
http_archive(name = "a", urls = [_URL], sha256 = "00", strip_prefix = "a-{}".format(1))
"""
_LOCK = """
schema: 1
wheel: {filename: tiny-1.0-py3-none-any.whl, sha256: "00"}
plan: abc
versions: {python: "3.11"}
tools: {gcc: "12.2"}
artifacts: [{distribution: a, version: "1", filename: a.whl, sha256: "00", kind: cuda}]
"""
_EVENT = (
    '{"id": {"actionCompleted": {"label": "//a"}}, "action": {"success": false, "exitCode": 1, '
    '"stderr": {"uri": "bytestream://h/b"}, "type": "CppCompile"}}\n'
    '{"aborted": {"reason": "USER_INTERRUPTED", "description": "it was"}}\n'
)
PYTHON_TARGETS = {
    "wheel": PythonTarget(run=_wheel, inputs=_wheels),
    "elf": PythonTarget(refusals=_BROKEN, run=_elf, inputs=_libraries),
    "fatbin": PythonTarget(refusals=_BROKEN, run=_fatbin, inputs=_fatbins),
    "yaml": PythonTarget(
        refusals=_BROKEN, run=_yaml, inputs=_texts("a: [1, 3.10, {b: c}]\nd: |\n  e\n", _LOCK)
    ),
    "lock": PythonTarget(run=_lock, inputs=_texts(_LOCK)),
    "rc": PythonTarget(
        refusals=_BROKEN,
        run=_rc,
        inputs=_texts("build:a --b='c d' \\\n --e # f\nimport %workspace%/g\n"),
    ),
    "workspace": PythonTarget(run=_workspace, inputs=_texts(_WORKSPACE)),
    "requirement": PythonTarget(
        run=_requirement, inputs=_texts("a[b,c]>=1,<2; python_version < '3.9' and extra == 'x'")
    ),
    "index": PythonTarget(run=_index, inputs=_texts(_HTML, _JSON)),
    "log": PythonTarget(
        run=_log, inputs=_texts("ERROR: /a/BUILD:3:1: C++ compilation of rule '//a' failed\n")
    ),
    "events": PythonTarget(run=_events, inputs=_texts(_EVENT)),
}
