"""A copy of the runtime in a folder of its own, built with a real Bazel."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tfbuild.core.paths import data_folder

ROOT = Path(__file__).parent.parent.parent


class Project:
    """A folder with a copy of the runtime, and a cache that may be shared."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.source = folder / "runtime"
        shutil.copytree(data_folder("runtime"), self.source, symlinks=True)
        shutil.copy(data_folder("runtime").parent / "LICENSE", folder / "LICENSE")
        self.output = folder / "dist"

    def command(self, *words: str) -> list[str]:
        options = [f"--source={self.source}", f"--output={self.output}", "--skip-perf"]
        return [sys.executable, "-m", "tfbuild", "build", *options, *words]

    def environment(self) -> dict[str, str]:
        places = {
            "TFBUILD_CACHE_DIR": self.cache, "TFBUILD_WORK_DIR": self.folder / "work",
            "XDG_STATE_HOME": self.folder / "state",
        }  # fmt: skip
        return {**os.environ, "PYTHONPATH": str(ROOT), **{k: str(v) for k, v in places.items()}}

    def build(self, *words: str, before: tuple[str, ...] = ()) -> Path:
        done = subprocess.run(
            [*before, *self.command(*words)], env=self.environment(), capture_output=True,
            text=True, cwd=self.folder, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (wheel,) = self.output.glob("*.whl")
        return wheel

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.output / "report.json").read_text())
        return found

    def python(self) -> str:
        """The interpreter that the wheel was built for: of several the resolver has chosen one."""
        report = self.report()
        wanted = report["versions"]["python"]["value"] + "."
        pythons = report["host"]["pythons"]
        return str(next(p["path"] for p in pythons if p["version"].startswith(wanted)))
