"""A CUDA toolkit with cuDNN as one tree, assembled from unpacked wheels by hard links."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import TOOLKITS
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.process import find_program
from tfbuild.core.records import Artifact
from tfbuild.fetch.seals import discard, find_damage, seal_tree, sealed_digests
from tfbuild.fetch.unpack import move_folder

_ROOTS = ("nvidia/cu13", "nvidia/cudnn")
_FOLDERS = ("bin", "include", "lib", "nvvm")
_NEEDED = (
    "bin/nvcc",
    "bin/ptxas",
    "nvvm/bin/cicc",
    "nvvm/libdevice/libdevice.10.bc",
    "include/crt/host_config.h",
    "include/cuda_runtime.h",
    "include/cublas_v2.h",
    "include/cudnn.h",
    "lib/libcudart_static.a",
    "lib/libcublas.so",
    "lib/libcudnn.so",
)


def assemble_toolkit(
    wheels: Sequence[tuple[Artifact, Path]], tools: Tools, *, in_full: bool = False
) -> Path:
    """The root of the toolkit made of these wheels and their unpacked folders.

    It is made once per set of hashes, and again when it is damaged; in_full reads all of it to
    know. nvcc finds everything from its own place, so no variable is needed. Raises
    EnvironmentFailed when the wheels do not make a whole toolkit.
    """
    hashes = "\n".join(sorted(artifact.sha256 for artifact, _ in wheels))
    base = TOOLKITS.path(tools.folders.cache)
    target = base / hashlib.sha256(hashes.encode()).hexdigest()[:24]
    if os.path.lexists(target) and (damage := find_damage(target, in_full=in_full)):
        tools.reporter.warn(
            f"damaged in the cache, and made anew: the CUDA toolkit ({damage})",
            code="cache-entry-damaged",
        )
        discard(target)
    if not target.is_dir():
        tools.reporter.progress("assembling the CUDA toolkit")
        base.mkdir(parents=True, exist_ok=True)
        sweep(base)
        with part_folder(base) as aside:
            digests: dict[str, str] = {}
            for _, folder in wheels:
                digests |= _merge(folder, aside)
            listed = {place for _, folder in wheels for place in _parts(folder)}
            links = _complete(aside)
            seal_tree(aside, listed | links, name=target.name, known=digests)
            move_folder(aside, target)
    os.utime(target)
    return target


def find_toolkit_program(name: str, tools: Tools) -> str:
    """A program of a CUDA toolkit: on PATH, or of the one used last in the cache, or ""."""
    if found := find_program(name):
        return found
    cached = TOOLKITS.path(tools.folders.cache).glob(f"[!.]*/bin/{name}")
    newest = sorted(cached, key=lambda path: path.parent.parent.stat().st_mtime)
    return str(newest[-1]) if newest else ""


def _merge(folder: Path, target: Path) -> dict[str, str]:
    """Link what belongs to a toolkit; the digests that the files had when they were unpacked."""
    sealed, digests = sealed_digests(folder), {}

    def link(source: str, name: str) -> str:
        if not Path(name).exists():
            _link(source, name)
            place = Path(source).relative_to(folder).as_posix()
            digests[Path(name).relative_to(target).as_posix()] = sealed.get(place, "")
        return name

    for root in _ROOTS:
        for name in _FOLDERS:
            source = folder / root / name
            if source.is_dir():
                shutil.copytree(
                    source, target / name, copy_function=link, dirs_exist_ok=True, symlinks=True
                )
    return digests


def _link(source: str, target: str) -> None:
    """A hard link, or a copy where the file system has none."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _parts(folder: Path) -> Iterator[str]:
    """The places in a toolkit of what an unpacked wheel has for it, as its seal lists them."""
    for place in sealed_digests(folder):
        for root in _ROOTS:
            inner = place.removeprefix(f"{root}/")
            if inner != place and inner.partition("/")[0] in _FOLDERS and "/" in inner:
                yield inner


def _complete(root: Path) -> set[str]:
    """Add the names that build systems look for, and say which; see that all is there."""
    added = {"lib64"}
    for library in sorted((root / "lib").glob("lib*.so.*")):
        plain = library.with_name(library.name.partition(".so.")[0] + ".so")
        if not plain.exists():
            plain.symlink_to(library.name)
            added.add(f"lib/{plain.name}")
    (root / "lib64").symlink_to("lib")
    missing = [name for name in _NEEDED if not (root / name).exists()]
    if missing:
        raise EnvironmentFailed(
            "the wheels do not make a whole CUDA toolkit",
            code="cuda-toolkit-incomplete",
            why=f"missing: {', '.join(missing)}",
            hint="see matrices/wheels.yaml: nvcc, crt, nvvm, cccl, runtime, cublas and cudnn of "
            "one release are needed",
        )
    return added
