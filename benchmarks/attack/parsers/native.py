"""Compiles the runtime's targets with Clang, its sanitisers and libFuzzer, once for each state."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.attack.trial import fresh
from tfbuild.core.layout import UNPACKED

RUNTIME = Path(__file__).resolve().parents[3] / "runtime"
_FUZZ = RUNTIME / "fuzz"
_SEEDS = "seeds"
_STAND_IN = "any_checksum"
_COMPILER = "clang++"
_SANITIZERS = "address,undefined"
_WORDS = (
    "-std=c++17", "-O1", "-g1", "-fno-omit-frame-pointer", "-fno-math-errno", "-fopenmp", "-w",
    f"-fsanitize=fuzzer-no-link,{_SANITIZERS}", "-fno-sanitize-recover=all",
)  # fmt: skip
_LIBRARIES = ("-ldl", "-lpthread")
# Of the kernels only these parse by themselves: all others would make the build minutes longer.
# What they include of the others is compiled with them.
_KERNELS = ("parsing/json_reader", "parsing/example_features", "string/regex")
_INCLUDES = re.compile(r'^#include "(kernels/[\w/]+)\.h"', re.MULTILINE)
# Checksums are those of the stand-in.
_LEFT_OUT = {"io/crc32c.cc"}


def native_targets() -> tuple[str, ...]:
    """The names of the targets, which are the files of `runtime/fuzz`."""
    return tuple(
        sorted(path.stem for path in _FUZZ.glob("*.cc") if path.stem not in {_SEEDS, _STAND_IN})
    )


def build_native(names: Sequence[str], folder: Path, cache: Path, jobs: int) -> Path:
    """Compile these targets below a folder, unless that was done; the folder with the programs.

    In it lies `inputs`, with a folder for each target. Ends the program where Clang or the package
    of libjpeg is missing.
    """
    if not shutil.which(_COMPILER):
        sys.exit(f"there is no {_COMPILER}: install clang, libclang-rt-dev and libomp-dev")
    libjpeg = _libjpeg(cache)
    built = folder / _state(libjpeg)
    objects = built / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    parsers = _side_by_side(lambda path: _compiled(path, objects, libjpeg), _sources(), jobs)
    wanted = [*names, _SEEDS]
    mains = _side_by_side(
        lambda name: _compiled(_FUZZ / f"{name}.cc", objects, libjpeg), wanted, jobs
    )
    archive = objects / "parsers.a"
    if not archive.exists():
        _run(["ar", "rcs", f"{archive}.part", *map(str, parsers)])
        Path(f"{archive}.part").replace(archive)
    _side_by_side(lambda main: _linked(main, archive, libjpeg, built), mains, jobs)
    _run([str(built / _SEEDS), str(fresh(built / "inputs"))], ASAN_OPTIONS="detect_leaks=0")
    return built


def kernel_sources() -> list[Path]:
    """The kernels that are linked with the targets: those that parse, and what they include."""
    found: dict[Path, None] = {}
    names = [f"kernels/{name}" for name in _KERNELS]
    for name in names:  # grows on the way
        files = [path for end in (".cc", ".h") if (path := RUNTIME / f"{name}{end}").is_file()]
        if files[:1] == [RUNTIME / f"{name}.cc"]:
            found[files[0]] = None
        included = (word for path in files for word in _INCLUDES.findall(path.read_text()))
        names += [word for word in dict.fromkeys(included) if word not in names]
    return list(found)


# --- inside ------------------------------------------------------------------------------------


def _libjpeg(cache: Path) -> Path:
    found = sorted(UNPACKED.path(cache).glob("*/libjpeg/install/lib/libjpeg.a"))
    if not found:
        sys.exit(f"{cache} has no package of libjpeg: `tfbuild build` fetches it")
    return found[0].parent.parent


def _sources() -> list[Path]:
    """What the targets are linked with."""
    found = [
        path
        for folder in ("base", "tensor", "graph", "io")
        for path in sorted((RUNTIME / folder).glob("*.cc"))
        if not path.stem.endswith("_test") and path.relative_to(RUNTIME).as_posix() not in _LEFT_OUT
    ]
    on_host = [p for p in found if not p.stem.startswith("cuda_") or p.stem == "cuda_library"]
    return [*on_host, *kernel_sources(), _FUZZ / f"{_STAND_IN}.cc"]


def _state(libjpeg: Path) -> str:
    """What all that is compiled hangs on, as a name."""
    digest = hashlib.sha256(f"{_COMPILER} {_WORDS} {_LIBRARIES} {libjpeg}".encode())
    digest.update(subprocess.check_output([_COMPILER, "--version"]))
    headers = (
        p for f in ("base", "tensor", "graph", "io", "kernels") for p in (RUNTIME / f).rglob("*.h")
    )
    for path in sorted({*headers, *_sources(), *_FUZZ.iterdir()}):
        digest.update(path.relative_to(RUNTIME).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _side_by_side(work: Callable[..., Path], items: Sequence[object], jobs: int) -> list[Path]:
    with ThreadPoolExecutor(jobs) as threads:
        return list(threads.map(work, items))


def _compiled(source: Path, objects: Path, libjpeg: Path) -> Path:
    name = source.relative_to(RUNTIME).as_posix().replace("/", "+")
    made = objects / f"{name}.o"
    if not made.exists():
        # What one change leaves as it was comes from ccache, where that is installed.
        compiler = [*(["ccache"] if shutil.which("ccache") else []), _COMPILER]
        words = [*_WORDS, f"-I{RUNTIME}", "-isystem", str(libjpeg / "include")]
        _run([*compiler, *words, "-c", str(source), "-o", f"{made}.part"])
        Path(f"{made}.part").replace(made)
    return made


def _linked(main: Path, archive: Path, libjpeg: Path, built: Path) -> Path:
    name = main.name.removeprefix("fuzz+").removesuffix(".cc.o")
    program = built / name
    if not program.exists():
        sanitizers = _SANITIZERS if name == _SEEDS else f"fuzzer,{_SANITIZERS}"
        words = [f"-fsanitize={sanitizers}", "-fopenmp", str(main), str(archive)]
        library = str(libjpeg / "lib" / "libjpeg.a")
        _run([_COMPILER, *words, library, *_LIBRARIES, "-o", f"{program}.part"])
        Path(f"{program}.part").replace(program)
    return program


def _run(words: list[str], **environ: str) -> None:
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, **environ}
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr[-4000:]}")
