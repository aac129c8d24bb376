"""Installs the C++ library of a TensorFlow tree, of which Bazel only makes files."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tfbuild.core.outputs import BuildOutput
from tfbuild.core.paths import file_digest
from tfbuild.wheels.libraries import is_library_name

MODULE = "tensorflow_cc"  # of pkg-config
_LIBRARIES = Path("lib")


def install_library(output: BuildOutput, release: str, prefix: str, stage: Path) -> None:
    """Put libraries, headers and a file for pkg-config below the stage, as installed to prefix.

    Of libraries that are the same the shorter names become links to the longest: Bazel has them as
    links or, where they came from a cache, as copies.
    """
    top = stage / prefix.lstrip("/")
    whole: dict[str, Path] = {}
    for name, path in sorted(output.files, key=lambda file: (-len(file[0]), file[0])):
        place = _place(name)
        target = top / place
        target.parent.mkdir(parents=True, exist_ok=True)
        first = whole.setdefault(file_digest(path), place) if place.parent == _LIBRARIES else place
        if first == place:
            _link_or_copy(path, target)
        else:
            target.symlink_to(first.name)
    names = [path.name for path in (top / _LIBRARIES).glob("*")]
    _describe(release, prefix, names, top / _LIBRARIES / "pkgconfig" / f"{MODULE}.pc")


# --- inside ------------------------------------------------------------------------------------


def _place(name: str) -> Path:
    """Where a file of bazel-bin belongs: include/ as it is, libraries in lib/."""
    path = Path(name)
    is_header = path.parts[:2] == ("tensorflow", "include")
    return Path(*path.parts[1:]) if is_header else _LIBRARIES / path.name


def _link_or_copy(path: Path, target: Path) -> None:
    """The same file under another name, where the file system has that: it may be large."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)


def _describe(release: str, prefix: str, names: Sequence[str], path: Path) -> None:
    """Write what pkg-config says of the libraries."""
    libraries = sorted((n for n in names if is_library_name(n)), key=lambda name: (len(name), name))
    wanted = {name.partition(".so")[0]: name for name in reversed(libraries)}
    # Without the option a linker leaves out the library that registers devices and sessions.
    linked = " ".join(f"-l:{name}" for _, name in sorted(wanted.items()))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"prefix={prefix}\n"
        f"\nName: {MODULE}\nDescription: TensorFlow's C and C++ interfaces\n"
        f"Version: {release}\n"
        "Cflags: -I${prefix}/include\n"
        f"Libs: -L${{prefix}}/lib -Wl,--no-as-needed {linked}\n"
    )
