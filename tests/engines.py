"""Engines of a test's own: a dockerd in a folder, and an image of this machine's programs."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import tarfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shared_libraries import needs
from tfbuild.containers.base_image import REPOSITORY, make_base, write_archive
from tfbuild.containers.engine import Engine
from tfbuild.core.environments import System
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import data_folder
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import find_target

_TOOLS = ("sh", "bash", "cat", "chmod", "chown", "cp", "head", "mkdir", "rm", "sleep", "tail",
          "touch")  # fmt: skip
_TINY = System(name="tiny 1", suite="tiny", glibc="")


@dataclass
class OwnEngine:
    """A dockerd that nobody else uses; everything of it lies in one folder."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What DOCKER_HOST says for it."""
        return f"unix://{self.folder / 's'}"

    def start(self) -> None:
        """Start it, or start it again, and wait until it answers."""
        place = self.folder
        for name in ("pid", "exec/containerd/containerd.pid"):  # of one that was killed
            (place / name).unlink(missing_ok=True)
        # In a network of its own: without a bridge it would remove that of the machine's engine.
        words = ("unshare", "--net", "dockerd", f"--data-root={place}/data",
                 f"--exec-root={place}/exec", f"--pidfile={place}/pid",
                 f"--host={self.address}", "--bridge=none",
                 "--iptables=false", "--ip6tables=false")  # fmt: skip
        with (place / "log").open("ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + 30
        while not self._answers():
            said = (place / "log").read_text(errors="replace")[-2000:]
            assert self.process.poll() is None and time.monotonic() < until, said
            time.sleep(0.1)

    def kill(self) -> None:
        """End the daemon as a crash does: at once, its containers' keepers live on."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """End it and all that it has started, however it stands."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        for pid in self._own_processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for line in reversed(Path("/proc/self/mounts").read_text().splitlines()):
            if line.split()[1].startswith(f"{self.folder}/"):
                subprocess.run(["umount", "--lazy", line.split()[1]], check=False)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as wire:
            wire.settimeout(5)
            wire.connect(str(self.folder / "s"))
            wire.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return b" 200 " in wire.recv(200)
        return False

    def _own_processes(self) -> list[int]:
        """Daemon, containerd and the keepers of containers: each has the folder in its words."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if (
                    entry.name.isdigit()
                    and f"{self.folder}/exec".encode() in (entry / "cmdline").read_bytes()
                ):
                    found.append(int(entry.name))
        return found


@contextmanager
def own_engine(folder: Path) -> Iterator[OwnEngine]:
    """A dockerd of one's own, whose address is in DOCKER_HOST; nothing of it is left afterwards."""
    needs("dockerd")
    if os.geteuid() != 0:
        pytest.skip("only root can start a dockerd")
    engine = OwnEngine(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", engine.address)
        try:
            engine.start()
            yield engine
        finally:
            engine.end()


def tiny_archive(folder: Path, programs: Sequence[str] = _TOOLS) -> tuple[Path, str]:
    """An archive with an image of a few of this machine's programs, and the image's name."""
    layer, archive = folder / "layer.tar", folder / "tiny.tar"
    with tarfile.open(layer, "w") as stream:
        for path in sorted(_with_libraries(programs)):
            stream.add(Path(path).resolve(), path.lstrip("/"))
        for name, mode in (("tmp", 0o1777), ("run", 0o755), ("dev", 0o755), ("proc", 0o755)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            stream.addfile(entry)
    tag, _ = write_archive(layer, archive, _TINY, find_target(f"linux-{os.uname().machine}").debian)
    layer.unlink()
    return archive, tag


def tiny_image(engine: Engine, folder: Path) -> str:
    """The name of that image, which the engine then has."""
    archive, tag = tiny_archive(folder)
    engine.load(archive)
    archive.unlink()
    return tag


def all_tables() -> Tables:
    """The facts and recipes of the project."""
    return Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))


def base_image(engine: Engine, system: System, tools: Tools) -> str:
    """The name of a base image that the engine has from an earlier time, else of a new one."""
    label = f"org.tfbuild.base={system.suite}"
    for found in engine.client.api.images(filters={"label": label}):
        for name in found["RepoTags"] or ():
            if name.removeprefix("localhost/").startswith(f"{REPOSITORY}:"):
                return str(name)
    return make_base(system, tools, engine).tag


def _with_libraries(programs: Sequence[str]) -> set[str]:
    """Programs as /bin/NAME, and each library where the loader looks for it."""
    found = set()
    for name in programs:
        found.add(f"/bin/{name}")
        said = subprocess.run(["ldd", f"/bin/{name}"], capture_output=True, text=True, check=True)
        found |= set(re.findall(r"(/\S+) \(0x", said.stdout))
    return found
