"""Damages packages, trees, toolkits and results that are kept, and asks for them without a build.

What comes back must be what was kept, to the byte, or be refused; a hundred of them take as long as
one build.
"""

import json
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.attack.cache_entries import CHANGES, choose_path
from benchmarks.attack.documents import spoilt
from benchmarks.attack.kinds import Maker
from benchmarks.attack.trial import Call
from tests.fakes import RecordingReporter, a_host
from tests.sample_report import a_smoke
from tests.shared_libraries import tiny_wheel
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import ARTIFACTS, MEMO, TOOLKITS, UNPACKED
from tfbuild.core.paths import Folders, file_digest
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Artifact
from tfbuild.core.reports import SmokeReport
from tfbuild.core.stage_cache import StageCache
from tfbuild.core.system_errors import foreseen
from tfbuild.fetch.cuda_toolkit import assemble_toolkit
from tfbuild.fetch.seals import SEAL
from tfbuild.fetch.wheelhouse import unpack_all

_PACKAGES = {
    "nvcc": ("cu13/bin/nvcc", "cu13/bin/ptxas", "cu13/nvvm/bin/cicc"),
    "nvvm": ("cu13/nvvm/libdevice/libdevice.10.bc", "cu13/include/crt/host_config.h"),
    "runtime": ("cu13/include/cuda_runtime.h", "cu13/lib/libcudart_static.a"),
    "cublas": ("cu13/include/cublas_v2.h", "cu13/lib/libcublas.so.13"),
    "cudnn": ("cudnn/include/cudnn.h", "cudnn/lib/libcudnn.so.9"),
}


@dataclass(frozen=True, slots=True)
class KeptPackages:
    """A cache with packages, unpacked and as a toolkit, of which something is damaged."""

    stock: Path

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A copy of the cache with one to three damages."""
        shutil.copytree(self.stock / "cache", folder / "cache", symlinks=True)
        shutil.copy(self.stock / "plan.json", folder)
        for _ in range(chance.randint(1, 3)):
            place = chance.choice((ARTIFACTS, UNPACKED, TOOLKITS))
            if place.path(folder / "cache").is_dir():
                _, change = chance.choice(CHANGES)
                change(choose_path(place.path(folder / "cache"), chance), chance)
        return Call(words=("toolkit",))


@dataclass(frozen=True, slots=True)
class KeptResults:
    """A remembered result that is damaged, or another in its place."""

    sample: bytes

    def make(self, chance: random.Random, folder: Path) -> Call:
        """The file that the result would be read from, with other bytes."""
        (folder / "good").write_bytes(self.sample)
        (folder / "bad").write_bytes(spoilt("memo.json", self.sample, chance))
        return Call(words=("remembered",))


def kept_packages(stock: Path, copies: int = 0) -> KeptPackages:
    """The maker; its cache is filled by the program itself. A package has so many more files."""
    plan = []
    for name, files in _PACKAGES.items():
        content = {f"nvidia/{file}": f"{file}\n".encode() * 40 for file in files}
        content |= {f"nvidia/more/{name}/{n}.txt": b"more\n" * 400 for n in range(copies)}
        wheel = tiny_wheel(_made(stock / "wheels"), content, name=name, tags="py3-none-any")
        digest = file_digest(wheel)
        target = stock / "cache" / ARTIFACTS.name / ARTIFACTS.below / digest / wheel.name
        target.parent.mkdir(parents=True)
        shutil.copy(wheel, target)
        plan.append([name, wheel.name, digest])
    (stock / "plan.json").write_text(json.dumps({"packages": plan, "copies": copies}))
    check_toolkit(stock / "cache")
    return KeptPackages(stock)


def kept_results(stock: Path) -> KeptResults:
    """The maker; its sample is written by the program itself."""
    _remembered(_made(stock), "made")
    (path,) = MEMO.path(stock).glob("*/*.json")
    return KeptResults(path.read_bytes())


KEPT: dict[str, Callable[[Path], Maker]] = {
    "kept packages": kept_packages,
    "kept results": kept_results,
}


def ask() -> None:
    """What stands for the command line here: ends with 1 where something else was given."""
    try:
        if sys.argv[1] == "toolkit":
            check_toolkit(Path("cache").absolute())
        else:
            _check_remembered(Path.cwd())
    except TfbuildError as error:
        sys.stderr.write(f"{error.message}\n{error.why}\n")
        sys.exit(error.exit_code)
    except OSError as error:
        known = foreseen(error)
        sys.stderr.write(f"{known.message}\n")
        sys.exit(known.exit_code)


def check_toolkit(cache: Path) -> None:
    """Ask for the toolkit of a cache, and end the process with 1 where a wrong one is given.

    Twice, as a build that follows another: what was put right must be believed, and right.
    """
    for _ in range(2):
        root, folders = _toolkit(cache)
        for name, folder in folders.items():
            for file in _PACKAGES[name]:
                _expect(folder / "nvidia" / file, f"{file}\n".encode() * 40)
                place = file.partition("/")[2]
                _expect(root / place, f"{file}\n".encode() * 40)
            found = sorted(p.name for p in folder.rglob("*") if not p.is_dir() and p.name != SEAL)
            more = json.loads((cache.parent / "plan.json").read_text())["copies"]
            wanted = len(_PACKAGES[name]) + more + 4  # the package, METADATA, WHEEL and RECORD
            if len(found) != wanted:
                sys.exit(f"{name} holds {found}")


# --- inside ------------------------------------------------------------------------------------


def _expect(path: Path, content: bytes) -> None:
    if path.read_bytes() != content:
        sys.exit(f"{path} was believed")


def _toolkit(cache: Path) -> tuple[Path, dict[str, Path]]:
    """The toolkit and the unpacked packages, everything read in full."""
    work = cache.parent / "work"
    tools = Tools(
        runner=ProcessRunner(),
        reporter=RecordingReporter(),
        folders=Folders(cache=cache, work=work, run=work / "runs" / "one"),
        host=a_host(),
    )
    artifacts = [
        Artifact(distribution=name, version="1.0", filename=filename, sha256=digest, kind="cuda")
        for name, filename, digest in json.loads((cache.parent / "plan.json").read_text())[
            "packages"
        ]
    ]
    folders = unpack_all(artifacts, tools, in_full=True)
    root = assemble_toolkit(list(zip(artifacts, folders, strict=True)), tools, in_full=True)
    return root, {one.distribution: path for one, path in zip(artifacts, folders, strict=True)}


def _check_remembered(folder: Path) -> None:
    """Read a result where the damaged file lies: the one that was kept, or a new one."""
    _remembered(folder, "made")
    (path,) = MEMO.path(folder).glob("*/*.json")
    (folder / "bad").replace(path)
    found = _remembered(folder, "made anew")
    again = _remembered(folder, "not made")
    for one in (found, again):
        # How long it took to make it anew is of that moment.
        plain = replace(one, wheel="", reused_from="", seconds=0.0)
        if one.wheel not in {"made", "made anew"} or plain != replace(a_smoke(), wheel=""):
            sys.exit(f"a damaged result was believed: {one}")


def _remembered(folder: Path, wheel: str) -> SmokeReport:
    """The result that is remembered, else one with the name of that wheel."""
    folders = Folders(cache=folder, work=folder, run=folder / "runs" / "one")
    made = replace(a_smoke(), wheel=wheel)
    return StageCache(folders=folders).get_or_make("smoke", ["key"], SmokeReport, lambda: made)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
