"""CUDA toolkits that checks look at: installed ones, and those in tfbuild's cache."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.layout import TOOLKITS
from tfbuild.core.paths import real_path
from tfbuild.core.safe_files import text_of
from tfbuild.doctor.checks.model import CheckContext, accepts
from tfbuild.facts.targets import target_of

_CALL = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
if sys.argv[2] == "cudnn":
    library.cudnnGetVersion.restype = ctypes.c_size_t
    print(library.cudnnGetVersion())
else:
    number = ctypes.c_int()
    library.cudaRuntimeGetVersion(ctypes.byref(number))
    print(number.value)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaToolkit:
    """A toolkit with nvcc, and the folders that nvcc takes headers and libraries from."""

    nvcc: str
    version: str
    includes: tuple[Path, ...]
    libraries: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Headers and libraries that belong together."""

    name: str
    includes: tuple[Path, ...]
    libraries: tuple[Path, ...]
    nvcc_version: str = ""


def needed_kits(context: CheckContext) -> list[CudaToolkit]:
    """Toolkits of the needed versions: those of the system first, then the newest of the cache."""
    found = [
        kit
        for program in context.tools.host.toolkits
        if accepts(_range(context), program.version)
        for kit in [_installed(context, program.path, program.version)]
    ]
    cached = _cached(context)
    return [*found, *(kit for kit in cached[:1] if accepts(_range(context), kit.version))]


def system_folders(context: CheckContext) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Where packages of the system put headers, and where libraries."""
    multiarch = target_of(context.tools.host).multiarch
    headers = (Path("/usr/include"), Path("/usr/include", multiarch))
    return headers, (Path("/usr/lib", multiarch), Path("/usr/lib64"))


def trees(context: CheckContext) -> list[Tree]:
    """Every context with headers and libraries of CUDA or cuDNN: toolkits and unpacked wheels."""
    headers, libraries = system_folders(context)
    kits = [_installed(context, p.path, p.version) for p in context.tools.host.toolkits]
    found = [
        Tree(
            name=str(Path(kit.nvcc).parent.parent),
            includes=(*kit.includes, *headers),
            libraries=(*kit.libraries, *libraries),
            nvcc_version=kit.version,
        )
        for kit in kits
    ]
    found += [
        Tree(
            name=str(Path(kit.nvcc).parent.parent),
            includes=kit.includes,
            libraries=kit.libraries,
            nvcc_version=kit.version,
        )
        for kit in _cached(context)
    ]
    for header in sorted(context.tools.folders.unpacked.glob("*/nvidia/*/include/*.h")):
        if header.name in {"cuda.h", "cudnn_version.h"}:
            root = header.parents[1]
            found.append(
                Tree(
                    name=f"{root.name} in the cache",
                    includes=(header.parent,),
                    libraries=(root / "lib", root / "lib64"),
                )
            )
    return found


def header_number(folders: Sequence[Path], header: str, *macros: str) -> tuple[int, ...]:
    """The numbers that a header defines these macros to, the first folder that has it deciding."""
    for folder in folders:
        text = text_of(folder / header)
        found = [
            re.search(rf"^[ \t]*#[ \t]*define[ \t]+{m}[ \t]+(\d+)", text, re.MULTILINE)
            for m in macros
        ]
        if all(found):
            return tuple(int(match[1]) for match in found if match)
    return ()


def library_number(
    context: CheckContext, folders: Sequence[Path], name: str
) -> tuple[Path | None, int]:
    """A library and the version that it answers when asked; 0 where it cannot be loaded here."""
    for folder in folders:
        files = sorted(folder.glob(f"lib{name}.so*"), key=lambda path: len(path.name))
        if files:
            answer = context.ask(sys.executable, "-I", "-B", "-c", _CALL, str(files[-1]), name)
            text = answer.text.strip()
            return files[-1], int(text) if answer.is_ok and text.isdigit() else 0
    return None, 0


# --- inside ------------------------------------------------------------------------------------


def _range(context: CheckContext) -> str:
    """CUDA of any version where the build does without: what is here is looked at all the same."""
    return "" if context.needs.cuda == "none" else context.needs.cuda


def _installed(context: CheckContext, nvcc: str, version: str) -> CudaToolkit:
    """nvcc itself knows where it belongs, also where PATH has a link or a script."""
    answer = context.ask(nvcc, "--dryrun", "-E", context.write("empty.cu", ""))
    top = re.search(r"^#\$ TOP=(.+)$", answer.text, re.MULTILINE)
    root = real_path(Path(top[1].strip())) if top else real_path(Path(nvcc)).parents[1]
    includes = [Path(word) for word in re.findall(r'"-I([^"]+)"', answer.text)]
    libraries = [Path(word) for word in re.findall(r'"-L([^"]+)"', answer.text)]
    return CudaToolkit(
        nvcc=str(root / "bin" / "nvcc") if (root / "bin" / "nvcc").is_file() else nvcc,
        version=version,
        includes=tuple(dict.fromkeys([root / "include", *includes])),
        libraries=tuple(
            path for path in [root / "lib64", root / "lib", *libraries] if path.name != "stubs"
        ),
    )


def _cached(context: CheckContext) -> list[CudaToolkit]:
    """Toolkits that earlier builds have assembled, the one used last first."""
    folder = TOOLKITS.path(context.tools.folders.cache)
    roots = [path.parents[1] for path in folder.glob("*/bin/nvcc")]
    kits = []
    for root in sorted(roots, key=lambda path: path.stat().st_mtime, reverse=True):
        numbers = header_number((root / "include",), "cuda.h", "CUDA_VERSION")
        if numbers:
            kits.append(
                CudaToolkit(
                    nvcc=str(root / "bin" / "nvcc"),
                    version=f"{numbers[0] // 1000}.{numbers[0] % 1000 // 10}",
                    includes=(root / "include",),
                    libraries=(root / "lib",),
                )
            )
    return kits
