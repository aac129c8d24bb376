"""Small shared libraries and small wheels that tests make: compiled C, fat binaries, zip files."""

import os
import shutil
import struct
import subprocess
import sys
import sysconfig
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import RecordingReporter, a_host
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import Folders
from tfbuild.core.plans import AuditPolicy, BazelPlan
from tfbuild.core.process import ProcessRunner
from tfbuild.doctor.survey import look_at_host
from tfbuild.fetch.bazel import FoundBazel, provide_bazel
from tfbuild.wheels.archive import read_archive
from tfbuild.wheels.audit_subject import AuditSubject
from tfbuild.wheels.elf import Elf, Protection, read_elf
from tfbuild.wheels.libraries import Library
from tfbuild.wheels.manylinux import Analysis
from tfbuild.wheels.wheel_file import WheelContent, open_wheel, write_wheel

SOURCE = "int answer(void) { return 42; }\n"
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"
TAGS = f"{TAG}-{TAG}-linux_x86_64"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
_compiled: dict[tuple[object, ...], bytes] = {}


def needs(*programs: str) -> None:
    """Skip, and say which program is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")


def compile_c(folder: Path, source: str = SOURCE, *flags: str, name: str = "libtiny.so") -> Path:
    """A shared library made from C; one that no flag names a file for is compiled once."""
    needs("gcc")
    text, out = folder / f"{name}.c", folder / name
    text.write_text(source)
    words = ["gcc", "-shared", "-fPIC", "-O1", f"-ffile-prefix-map={folder}=."]
    reads_others = any(f"/{folder.parts[1]}/" in flag for flag in flags)
    asked = (source, flags, name)
    if asked in _compiled:
        out.write_bytes(_compiled[asked])
        out.chmod(0o755)
    else:
        subprocess.run([*words, "-o", out, text, *flags], check=True)
        if not reads_others:
            _compiled[asked] = out.read_bytes()
    return out


def elf_of(path: Path) -> Elf:
    return read_elf(path.name, path.read_bytes())


def real_tools(folder: Path) -> Tools:
    """Access to this machine with all folders below one."""
    work = folder / "work"
    return Tools(
        runner=ProcessRunner(log=folder / "log.txt"),
        reporter=RecordingReporter(),
        folders=Folders(cache=folder / "cache", work=work, run=work / "runs" / "one"),
        host=a_host(),
    )


def real_bazel(folder: Path) -> FoundBazel:
    """A Bazel as a build would get it; CHAIN_CACHE names a cache in which one may be."""
    tools = real_tools(folder)
    cache = Path(os.environ.get("CHAIN_CACHE") or tools.folders.cache)
    tools = replace(
        tools,
        folders=replace(tools.folders, cache=cache),
        host=look_at_host(tools.runner, cache),
    )
    plan = BazelPlan(
        preferred="4.2.3", accepted=">=3.5,<8", startup_flags=(), flags=(), targets=(), outputs=()
    )
    return provide_bazel(plan, tools)


def metadata(name: str, version: str, *more: str) -> bytes:
    return "\n".join(
        ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *more, ""]
    ).encode()


def tiny_wheel(
    folder: Path,
    files: dict[str, bytes] | None = None,
    *,
    name: str = "tiny_thing",
    version: str = "1.0",
    tags: str = TAGS,
    requires: tuple[str, ...] = (),
) -> Path:
    """A wheel with one package and whatever else is given."""
    info = f"{name}-{version}.dist-info"
    lines = [f"Requires-Dist: {text}" for text in requires]
    content = {
        f"{name}/__init__.py": f'__version__ = "{version}"\n'.encode(),
        f"{info}/METADATA": metadata(name.replace("_", "-"), version, *lines),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tags}\n".encode(),
    }
    return write_wheel(folder / f"{name}-{version}-{tags}.whl", content | (files or {}))


def add_entry(wheel: Path, name: str, raw: bytes = b"", *, mode: int = 0o100644) -> Path:
    """The wheel with one more entry, of which its RECORD knows nothing."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    with warnings.catch_warnings(), zipfile.ZipFile(wheel, "a") as archive:
        warnings.simplefilter("ignore")  # it warns of names that are there already
        archive.writestr(entry, raw)
    return wheel


def a_library(**changes: object) -> Library:
    """The facts of a library without faults."""
    facts: dict[str, object] = {
        "path": "tiny_thing/libtiny.so", "own": True, "machine": "x64", "soname": "libtiny.so",
        "needed": ("libc.so.6",), "search": ("$ORIGIN",), "glibc": "2.17", "libstdcxx": "3.4.19",
        "cxxabi": "1.3.7", "opened": (), "build_paths": (), "containers": (), "cpu": None,
        "isa_needed": "", "has_ifuncs": False, "has_symbol_table": False,
        "executable_stack": False, "writes_text": False, "needs_numpy": False,
        "versions": ("1.0",),
        "protection": Protection(
            is_program=False, is_position_independent=True, has_relro=True, binds_now=True,
            has_stack_protector=False,
        ),
    }  # fmt: skip
    return Library(**(facts | changes))  # type: ignore[arg-type]


def a_subject(
    wheel: Path | WheelContent,
    *libraries: Library,
    policy: AuditPolicy | None = None,
    platform: str = "manylinux_2_17_x86_64",
    external: tuple[str, ...] = (),
) -> AuditSubject:
    """A wheel under audit, held against a plan unless the policy is empty."""
    if policy is None:
        policy = AuditPolicy(version="1.0", python_tag=TAG, folders=("tiny_thing",))
    content = open_wheel(wheel) if isinstance(wheel, Path) else wheel
    return AuditSubject(
        archive=read_archive(content.path),
        content=content,
        libraries=libraries,
        policy=policy,
        analysis=Analysis(platform=platform, external=external),
        planned=bool(policy.version),
    )


# --- fat binaries --------------------------------------------------------------------------------


def fat_entry(kind: int, number: int, content: bytes, flags: int = 0x11) -> bytes:
    """One entry: kind 1 is PTX, 2 machine code."""
    header = bytearray(64)
    struct.pack_into("<HHIQ", header, 0, kind, 0x101, 64, len(content))
    struct.pack_into("<I", header, 28, number)
    struct.pack_into("<Q", header, 40, flags)
    return bytes(header) + content


def fat_binary(*entries: bytes) -> bytes:
    """A container of entries, padded as linkers do."""
    body = b"".join(entries)
    raw = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body
    return raw + b"\0" * (-len(raw) % 8)
