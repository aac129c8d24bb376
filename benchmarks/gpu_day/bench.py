"""Where the pieces work: folders, the time that is left, and how programs are run there."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tfbuild.core.process import find_program
from tfbuild.core.records import Gpu


class PieceFailed(Exception):
    """A piece that did not come to its end, and why in one line."""


@dataclass(kw_only=True)
class Bench:
    """The folder of the day, for one GPU. A program is killed when its piece has had its time."""

    root: Path  # of the repository
    folder: Path
    gpu: Gpu
    deadline: float = field(default=0.0)  # by time.monotonic
    tfbuild: tuple[str, ...] = (sys.executable, "-m", "tfbuild")

    @property
    def dist(self) -> Path:
        """Where the wheel is delivered."""
        return self.folder / "dist"

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
        scripts = sorted((self.root / ".tfbuild" / "runs").glob("*/rerun.sh"))
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
        search = {"LD_LIBRARY_PATH": (self.tests / "search").read_text()}
        return self.run([*wrapper, str(path), *words], env={**search, **env})

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
        self.environment(program, [requirement])
        place = self.folder / "environments" / program
        paths = sorted(place.glob(f"lib/python*/site-packages/nvidia/**/bin/{program}"))
        if not paths:
            raise PieceFailed(f"{requirement} holds no {program}")
        paths[0].chmod(0o755)
        return str(paths[0])
