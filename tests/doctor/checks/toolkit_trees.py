"""CUDA toolkits made up: headers, a library that says its version, an nvcc that is a script."""

from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_script
from tfbuild.core.process import ProcessRunner, find_program
from tfbuild.core.records import Command

needs_gxx = pytest.mark.skipif(not find_program("g++"), reason="there is no g++ here")


def a_kit(root: Path, *, cuda: int = 13000, runtime: int = 13000, newest_gcc: int = 15) -> Path:
    """Headers of a toolkit and an nvcc beside them that takes everything; root comes back."""
    for name, text in {
        "cuda.h": f"#define CUDA_VERSION {cuda}\n",
        "cuda_runtime_api.h": f"#define CUDART_VERSION  {runtime}\n",
        "crt/host_config.h": f"#if __GNUC__ > {newest_gcc}\n#error -- unsupported GNU version!\n",
    }.items():
        path = root / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "lib").mkdir(exist_ok=True)
    an_nvcc(root)
    return root


def an_nvcc(root: Path, *lines: str) -> str:
    """An nvcc that knows its context; lines decide what else it does."""
    where = f"#$ TOP={root}/bin/.."
    dry = f'case "$*" in *--dryrun*) echo "{where}" >&2; exit 0;; esac'
    return a_script(root / "bin" / "nvcc", dry, *lines)


def a_library(folder: Path, name: str, number: int) -> Path:
    """A real shared library that answers with this version when asked."""
    folder.mkdir(parents=True, exist_ok=True)
    bodies = {
        "cudart": f"int cudaRuntimeGetVersion(int* out) {{ *out = {number}; return 0; }}",
        "cudnn": f"unsigned long cudnnGetVersion() {{ return {number}; }}",
    }
    source, target = folder / f"{name}.cc", folder / f"lib{name}.so.9"
    source.write_text(f'extern "C" {bodies[name]}\n')
    words = (find_program("g++"), "-shared", "-fPIC", str(source), "-o", str(target))
    ProcessRunner().run(Command(argv=words, quiet=True))
    source.unlink()
    return target


def a_cudnn(folder: Path, *numbers: int) -> None:
    """The header of cuDNN."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("MAJOR", "MINOR", "PATCHLEVEL")
    lines = (f"#define CUDNN_{name} {n}\n" for name, n in zip(names, numbers, strict=True))
    (folder / "cudnn_version.h").write_text("".join(lines))
