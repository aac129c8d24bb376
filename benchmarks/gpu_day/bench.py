"""Where the pieces work: folders, the time that is left, and how programs are run there."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tfbuild.core.layout import RUNS, SCRIPT
from tfbuild.core.paths import work_folder_of
from tfbuild.core.process import find_program
from tfbuild.core.records import Gpu

FRONTEND_NEEDS = ("hypothesis", "ml_dtypes", "pytest>=8.0,<9.2", "pytest-xdist>=3.6")
_CUDA_LIBRARIES = """
import importlib.metadata, pathlib
files = importlib.metadata.files
found = [*files("nvidia-cublas"), *files("nvidia-cuda-runtime"), *files("nvidia-cudnn-cu13")]
print(*{str(f.locate().parent) for f in found if ".so" in f.name})
"""
_FIND = """
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name)))
"""


class PieceFailed(Exception):
    """A piece that did not come to its end, and why in one line."""


@dataclass(kw_only=True)
class Bench:
    """The folder of the day, for one GPU. A program is killed when its piece has had its time."""

    root: Path  # of the repository
    folder: Path
    gpu: Gpu
    request: tuple[str, ...] = ()  # what else the wheel must be, as in python=3.12
    python: str = ""  # an interpreter to use as it is; else environments are made
    deadline: float = field(default=0.0)  # by time.monotonic
    tfbuild: tuple[str, ...] = (sys.executable, "-m", "tfbuild")
    is_installed: bool = False  # the wheel, in the interpreter that was given

    @property
    def dist(self) -> Path:
        """Where the wheel is delivered."""
        return self.folder / "dist"

    @property
    def outcomes(self) -> Path:
        """What came of each piece."""
        return self.folder / "outcomes.json"

    @property
    def tests(self) -> Path:
        """Where the test programs and their library lie, side by side."""
        return self.folder / "tests"

    def wheel(self) -> Path:
        """The wheel of the piece `build`; PieceFailed where there is none."""
        wheels = sorted(self.dist.glob("*.whl"))
        if not wheels:
            raise PieceFailed("there is no wheel: run the piece `build` first")
        return wheels[-1]

    def rerun_script(self) -> str:
        """The commands of the builds in the work folder, the latest last."""
        scripts = sorted(RUNS.path(work_folder_of(self.root)).glob(f"*/{SCRIPT}"))
        return "\n".join(script.read_text() for script in scripts)

    def run(
        self, words: Sequence[str], *, folder: Path | None = None, env: Mapping[str, str] = {}
    ) -> str:
        """What the program wrote to its standard output; PieceFailed where it does not end well.

        All that it says is in `log.txt`.
        """
        left = self.deadline - time.monotonic()
        name = Path(words[0]).name
        if left <= 0:
            raise PieceFailed(f"no time was left for {name}")
        with (self.folder / "log.txt").open("a") as log:
            log.write(f"\n$ {' '.join(words)}\n")
            log.flush()
            try:
                done = subprocess.run(
                    words, cwd=folder or self.root, env={**os.environ, **env}, text=True,
                    stdout=subprocess.PIPE, stderr=log, timeout=left, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired as error:
                raise PieceFailed(f"{name} was stopped when the piece's time was over") from error
            log.write(done.stdout)
        if done.returncode != 0:
            last = (done.stdout.strip().splitlines() or [""])[-1]
            raise PieceFailed(f"{name} ended with {done.returncode}: {last}".rstrip(": "))
        return done.stdout

    def run_test(
        self, program: str, *words: str, env: Mapping[str, str] = {}, wrapper: Sequence[str] = ()
    ) -> str:
        """A test program beside the library with kernels; PieceFailed where it was not built."""
        path = self.tests / program
        if not path.is_file():
            raise PieceFailed(f"there is no {program}: run the piece `programs` first")
        libraries = [str(self.tests), *self.cuda_libraries()]
        search = {"LD_LIBRARY_PATH": ":".join(libraries)}
        return self.run([*wrapper, str(path), *words], env={**search, **env})

    def cuda_libraries(self) -> list[str]:
        """The folders of CUDA's libraries, out of the packages beside the wheel."""
        return self.run([self.with_wheel(), "-c", _CUDA_LIBRARIES]).split()

    def with_wheel(self) -> str:
        """An interpreter with the wheel, CUDA's libraries and what the frontend's tests need."""
        wheel = self.wheel()
        if not self.python:
            return self.environment("tfbuild_runtime", [f"{wheel}[cuda13]", *FRONTEND_NEEDS])
        if not self.is_installed:
            words = ["--quiet", "--no-index", "--no-deps", "--force-reinstall", str(wheel)]
            self.run([self.python, "-m", "pip", "install", *words])
            self.is_installed = True
        return self.python

    def with_library(self, name: str, requirement: str) -> str:
        """An interpreter with another library; empty where the one given lacks it."""
        if not self.python:
            return self.environment(name, [requirement])
        return self.python if name in self.run([self.python, "-c", _FIND, name]).split() else ""

    def environment(self, name: str, requirements: Sequence[str]) -> str:
        """The interpreter of a virtual environment with those packages, made where it is not."""
        place = self.folder / "environments" / name
        python = place / "bin" / "python"
        if not (place / "whole").is_file():
            self.run([sys.executable, "-m", "venv", "--clear", str(place)])
            self.run([str(python), "-m", "pip", "install", "--quiet", *requirements])
            (place / "whole").write_text("")
        return str(python)

    def find(self, program: str, requirement: str) -> str:
        """A program: on PATH, or out of a package."""
        if found := find_program(program):
            return found
        if self.python:
            raise PieceFailed(f"there is no {program} on PATH")
        self.environment(program, [requirement])
        place = self.folder / "environments" / program
        paths = sorted(place.glob(f"lib/python*/site-packages/nvidia/**/bin/{program}"))
        if not paths:
            raise PieceFailed(f"{requirement} holds no {program}")
        paths[0].chmod(0o755)
        return str(paths[0])
