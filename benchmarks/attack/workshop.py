"""A project with a cache of its own, both filled by one build whose wheel is the reference."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.attack.oracles import unprintable
from benchmarks.attack.trial import judge
from tfbuild.core import paths
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.layout import (
    ARTIFACTS,
    BAZEL_OUTPUTS,
    CACHE_LOCK,
    CONTAINERS,
    ENVIRONMENTS,
    TOOLKITS,
    UNPACKED,
)
from tfbuild.fetch.cache import prunable, prune_cache

BUILD_SECONDS = 900.0
_MARK = "ATTACK_WORKSHOP"  # a variable that all that a build starts inherits
_ROOT = Path(__file__).resolve().parent.parent.parent
_NOT_COPIED = (TOOLKITS, BAZEL_OUTPUTS, ENVIRONMENTS, CONTAINERS, CACHE_LOCK)
# A copy of a work folder is not believed before it has a mark of its own.
_MARKING = (
    "import sys; from pathlib import Path; from tfbuild.core.state_folder import mark_work; "
    "mark_work(*map(Path, sys.argv[1:]))"
)
_QUIET_SECONDS = 10.0  # what was killed may need as long to be gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a build ended: its code (None where it hung), what it said, how long it took."""

    code: int | None
    said: bytes
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """A folder with cache, work folder and output of builds, and the digest of the right wheel."""

    folder: Path
    digest: str = ""
    number: int = 0  # of a neighbour

    @property
    def cache(self) -> Path:
        """The cache of its builds alone."""
        return self.folder / "cache"

    @property
    def work(self) -> Path:
        """The work folder."""
        return self.folder / f"work{self.number or ''}"

    @property
    def output(self) -> Path:
        """Where wheels are delivered."""
        return self.folder / "dist"

    @property
    def state(self) -> Path:
        """The user's state folder."""
        return self.folder / "state"

    @property
    def said(self) -> Path:
        """The file with what its last build has said."""
        return self.folder / f"said{self.number or ''}"

    def neighbour(self, number: int) -> "Workshop":
        """The same with a work folder of its own: cache, state and output are shared."""
        return replace(self, number=number)

    def start(self, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """A build that runs, or a command, in a session of its own; what it says goes to a file.

        The words before it start it in some way.
        """
        words = words or ("build", "--skip-perf", f"--output={self.output}")
        environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("TFBUILD_")},
            "TFBUILD_CACHE_DIR": str(self.cache), "TFBUILD_WORK_DIR": str(self.work),
            "XDG_STATE_HOME": str(self.state), "PYTHONPATH": str(_ROOT), _MARK: str(self.folder),
        }  # fmt: skip
        with self.said.open("wb") as said:
            return subprocess.Popen(
                [*before, sys.executable, "-m", "tfbuild", *words], env=environ, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip

    def build(self) -> Ended:
        """Build, to its end."""
        began = time.monotonic()
        with self.start() as child:
            code = ended_by(child, BUILD_SECONDS)
        seconds = time.monotonic() - began
        return Ended(code=code, said=self.said.read_bytes(), seconds=seconds)

    def fault_of(self, ended: Ended, *, may_fail: bool) -> str:
        """What is wrong with how a build ended and with what it delivered; empty for nothing."""
        if fault := judge(ended.code, ended.said):
            return fault
        if ended.code != 0:
            return "" if may_fail else f"refused with {ended.code}"
        return self.fault_of_output() or ("" if self.wheels() else "no wheel")

    def fault_of_output(self) -> str:
        """What is wrong with what is visible in the output folder."""
        names = {p.name for p in self.output.iterdir()} if self.output.is_dir() else set()
        visible = {name for name in names if not name.startswith(".")}
        if any(digest_of(wheel) != self.digest for wheel in self.wheels()):
            return "wrong wheel"
        for page in (self.output / name for name in visible):
            if page.suffix != ".whl" and (fault := unprintable(page.read_bytes())):
                return f"{page.name} {fault}"
        if "report.json" in visible:
            report = json.loads((self.output / "report.json").read_text())
            if report["wheel"]["sha256"] != self.digest or len(visible) != 5:
                return f"not delivered together: {', '.join(sorted(visible))}"
        return ""

    def wheels(self) -> list[Path]:
        """The wheels that are delivered."""
        return sorted(self.output.glob("*.whl"))

    def left_running(self) -> str:
        """What of its builds still runs, but for Bazel's server; empty where all ends soon."""
        deadline = time.monotonic() + _QUIET_SECONDS
        while found := [words for words in self._processes() if not _is_server(words)]:
            if time.monotonic() > deadline:
                return "left running: " + "; ".join(" ".join(words)[:200] for words in found)
            time.sleep(0.1)
        return ""

    def stop_servers(self) -> None:
        """End the Bazel servers of this cache."""
        for pid in self._pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def _processes(self) -> Iterable[list[str]]:
        for pid in self._pids():
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if state not in "ZX":
                yield words.split("\0")

    def _pids(self) -> Iterable[int]:
        mark = f"{_MARK}={self.folder}\0".encode()
        for entry in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in entry.read_bytes() + b"\0":
                    yield int(entry.parent.name)
            except OSError:
                continue


def make_workshop(folder: Path) -> Workshop:
    """A workshop whose cache began as a copy of the user's, after its first build."""
    theirs = paths.cache_folder()
    made = Workshop(folder=folder)
    for entry in sorted(theirs.iterdir()) if theirs.is_dir() else ():
        if entry.name not in {place.name for place in _NOT_COPIED}:
            _copy(entry, made.cache / entry.name)
    folder.mkdir(parents=True, exist_ok=True)
    began = time.time()
    for _ in range(2):  # the second one has nothing to do
        ended = made.build()
        if ended.code != 0:
            sys.exit(f"the reference build ended with {ended.code}: {ended.said.decode()}")
    _drop_unused(made.cache, (time.time() - began) / 86400)
    (wheel,) = made.wheels()
    return Workshop(folder=folder, digest=digest_of(wheel))


def copy_workshop(shop: Workshop, folder: Path) -> Workshop:
    """The same in another folder, after a build that has found what has moved."""
    shutil.copytree(shop.folder, folder, symlinks=True)
    remove_tree(BAZEL_OUTPUTS.path(folder / "cache"))
    made = Workshop(folder=folder, digest=shop.digest)
    marks = [sys.executable, "-c", _MARKING, str(made.work), str(folder)]
    subprocess.run(marks, env={**os.environ, "XDG_STATE_HOME": str(made.state)}, check=True)
    if fault := made.fault_of(made.build(), may_fail=False):
        sys.exit(f"a copied workshop is faulty: {fault}: {(folder / 'said').read_text()}")
    return made


def ended_by(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    """The code with which it ends in that time; else None, and all of it is killed."""
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return None


def digest_of(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _copy(source: Path, target: Path) -> None:
    """A file or a tree that shares nothing with its source."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)


def _drop_unused(cache: Path, days: float) -> None:
    """Drop packages that no build has used for so long: they would be copied for nothing."""
    kinds = {ARTIFACTS.name, UNPACKED.name}
    unused = prunable(cache, older_than_days=days)
    prune_cache(
        cache, older_than_days=days, agreed=[one.path for one in unused if one.kind in kinds]
    )


def _is_server(words: list[str]) -> bool:
    return words[0].startswith("bazel(")
