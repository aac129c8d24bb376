"""What befalls an engine, for real: each ends with one clear message, and leaves nothing behind."""

import base64
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

from tests.engines import OwnEngine, all_tables, base_image, own_engine, tiny_image
from tests.failing import fails
from tests.shared_libraries import real_tools
from tfbuild.containers import host_network
from tfbuild.containers.engine import ContainerSpec, Mount, open_engine
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.ownership import OWNER, clear
from tfbuild.containers.runner import ContainerRunner
from tfbuild.containers.systems import read_system
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Command
from tfbuild.facts.targets import find_target

pytestmark = pytest.mark.docker
ROOT = Path(__file__).parent.parent.parent
# A person's build in small: a program in a container, and how it ended as one line.
_BUILD = """
import json, sys
from tfbuild.containers.engine import ContainerSpec, open_engine
from tfbuild.containers.runner import ContainerRunner
from tfbuild.core.errors import TfbuildError
from tfbuild.core.records import Command
try:
    spec = ContainerSpec(image=sys.argv[1], kind="build")
    with open_engine() as engine, engine.open(spec) as container:
        words = ("sh", "-c", "echo begun; sleep 4711")
        ContainerRunner(container=container).run(
            Command(argv=words), lambda line: line and print(line, flush=True)
        )
except TfbuildError as error:
    print(json.dumps([error.exit_code, error.code]), flush=True)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose name is short: sockets lie in it."""
    place = Path(tempfile.mkdtemp(prefix="tfbuild-e-"))
    yield place
    shutil.rmtree(place, ignore_errors=True)
    assert not place.exists(), "an engine still holds its folder"


@pytest.fixture
def own(folder: Path) -> Iterator[OwnEngine]:
    with own_engine(folder) as engine:
        yield engine


def python(code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip


def tfbuild(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    places = {
        "TFBUILD_CACHE_DIR": f"{folder}/cache", "TFBUILD_WORK_DIR": f"{folder}/work",
        "XDG_STATE_HOME": f"{folder}/state",
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "tfbuild", *words], check=False, capture_output=True, text=True,
        cwd=ROOT, env={**os.environ, **places},
    )  # fmt: skip


def running(word: str) -> list[str]:
    """Programs of the whole machine with that word in their command."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [entry.parent.name] if word.encode() in entry.read_bytes() else []
    return found


def until(true: Callable[[], object], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


# --- the engine goes away ------------------------------------------------------------------------


def test_an_engine_that_is_killed_while_a_program_runs(own: OwnEngine, folder: Path) -> None:
    with open_engine() as engine:
        image = tiny_image(engine, folder)
    with python(_BUILD, image) as child:
        assert child.stdout
        assert child.stdout.readline() == "begun\n"
        own.kill()
        ended = json.loads(child.stdout.readline())
    assert ended == [4, "container-engine-gone"]
    own.start()
    with open_engine() as engine:
        clear(engine)
        assert engine.labelled(OWNER) == []
        until(lambda: not running("sleep\x004711"))
        with engine.open(ContainerSpec(image=image, kind="build")) as container:
            again = ContainerRunner(container=container).run(Command(argv=("sh", "-c", "echo on")))
    assert again.stdout == "on\n"


def test_an_engine_that_is_killed_while_it_makes_an_image(own: OwnEngine, folder: Path) -> None:
    with open_engine() as engine:
        spec = ImageSpec(
            dockerfile=f"FROM {tiny_image(engine, folder)}\nRUN echo begun; sleep 4712\n",
            tag="tfbuild/env:killed",
            host_network=True,
        )

        def kill(line: str) -> None:
            if line == "begun":
                own.kill()

        with fails("container-engine-gone"):
            engine.build_image(spec, kill)
    own.start()
    with open_engine() as engine:
        assert engine.image_id(spec.tag) == ""
    for pid in running("sleep\x004712"):  # the engine's own orphan: it forgets its steps
        os.kill(int(pid), signal.SIGKILL)


def test_no_engine_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/s")
    for left in (False, True):
        if left:  # as a crashed engine leaves it: a socket that nobody listens on
            with socket.socket(socket.AF_UNIX) as dead:
                dead.bind(f"{folder}/s")
        ended = tfbuild(folder, "build", "--env", "docker", "--image", "tiny", "--json")
        assert ended.returncode == 4, ended.stderr
        error = json.loads(ended.stdout)
        assert error["code"] == "engine-not-answering"
        assert f"DOCKER_HOST=unix://{folder}/s" in error["message"]
    shown = tfbuild(folder, "cache", "show")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[-1].startswith("images and volumes were not looked at: no ")


def test_an_engine_that_says_nothing_keeps_nobody_waiting(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/s")
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(f"{folder}/s")
        deaf.listen()
        began = time.monotonic()
        shown = tfbuild(folder, "cache", "show", "--json")
        assert time.monotonic() - began < 15
    engine = json.loads(shown.stdout)["engine"]
    assert (shown.returncode, engine["name"], engine["cached"]) == (0, "", [])


def test_a_socket_that_is_not_for_this_user(own: OwnEngine, folder: Path) -> None:
    folder.chmod(0o755)
    code = """
import os, docker, docker.errors
from tfbuild.containers.engine import open_engine
from tfbuild.core.errors import EnvironmentFailed
os.setgroups([]); os.setgid(4321); os.setuid(4321)
try:
    with open_engine(): pass
except EnvironmentFailed as error:
    print(error.exit_code, error.code, "|", error.hint)
"""
    with python(code) as child:
        said, _ = child.communicate()
    assert said.startswith("4 container-engine-forbidden | run: sudo usermod")


# --- the network goes away -----------------------------------------------------------------------


class Mirror:
    """Lets in who knows the password, and vanishes in the middle of the first file it gives."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # it has vanished
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        known = b"Basic " + base64.b64encode(b"me:word")
        while not self.asked:
            with contextlib.suppress(ConnectionError):  # who asked has hung up
                try:
                    visitor, _ = self._listener.accept()
                except OSError:
                    return
                with visitor, visitor.makefile("rb") as lines:
                    head = b"".join(iter(lambda: lines.readline().strip(b"\r\n"), b""))
                    if known in head:
                        self.asked.append(head)
                        self._listener.close()
                        visitor.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhalf")
                    elif head:
                        visitor.sendall(
                            b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
                            b"Connection: close\r\n\r\n"
                        )


@pytest.mark.network
@pytest.mark.parametrize("password", ["word", "wrong"])
def test_a_mirror_on_this_machine_alone_that_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    """It is reached over the loopback, with the password of apt's auth.conf."""
    tools, system = real_tools(tmp_path), read_system("debian:bookworm", all_tables().axis("os"))
    with open_engine() as engine, Mirror() as mirror:
        base = base_image(engine, system, tools)
        (tmp_path / "auth.conf").write_text(
            f"machine {mirror.address} login me password {password}\n"
        )
        monkeypatch.setattr(host_network, "_LOGINS", tmp_path)
        monkeypatch.setattr(
            host_network, "apt_sources", lambda *_: f"deb {mirror.address}/debian bookworm main\n"
        )
        files = host_network.network_files(tools.runner, tools.host, system)
        spec = ImageSpec(
            dockerfile=(data_folder("dockerfiles") / "trial.Dockerfile").read_text(),
            tag=f"tfbuild/trial:never-{os.getpid()}",
            files=tuple(files.items()),
            args=(("BASE", base), ("PYTHON", "3.11")),
            host_network=host_network.needs_host_network(files, engine),
        )
        code = "image-not-built" if password == "word" else "mirror-login-missing"
        with fails(code) as caught:
            engine.build_image(spec, lambda _: None)
        assert engine.image_id(spec.tag) == ""
    error = caught.value
    assert mirror.address not in error.why, "addresses may hold passwords"
    assert bool(mirror.asked) == (password == "word"), error.why
    assert ("proxy" if password == "word" else "auth.conf") in error.hint, error.why


# --- the engine's disk is full -------------------------------------------------------------------


@pytest.fixture
def small(folder: Path) -> Iterator[OwnEngine]:
    """An engine whose disk holds one tiny image, and not two."""
    (folder / "data").mkdir()
    words = ("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder / "data"))
    if subprocess.run(words, check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a small disk")
    with own_engine(folder) as engine:
        yield engine


def test_an_engine_without_room(small: OwnEngine, folder: Path, tmp_path: Path) -> None:
    fill = "head -c 40000000 /dev/zero > {}/x"
    with open_engine() as engine:
        image = tiny_image(engine, folder)
        spec = ImageSpec(
            dockerfile=f"FROM {image}\nRUN {fill.format('')}\n",
            tag="tfbuild/env:full",
            host_network=True,
        )
        with fails("container-engine-full", "tfbuild cache prune"):
            engine.build_image(spec, lambda _: None)
        assert engine.image_id(spec.tag) == ""
        engine.make_volume("tfbuild-full", {"org.tfbuild": "1"})
        volume = Mount(source="tfbuild-full", target="/run/v", writable=True, is_volume=True)
        wanted = ContainerSpec(image=image, kind="build", mounts=(volume,), as_root=True)
        with fails("container-disk-full"), engine.open(wanted) as container:
            words = ("sh", "-c", fill.format("/run/v"))
            ContainerRunner(container=container).run(Command(argv=words))
        large = larger_archive(tmp_path)
        with fails("container-engine-full"):
            engine.load(large)
        assert engine.labelled(OWNER) == []
        assert [one["RepoTags"] for one in engine.client.api.images()] == [[image]]


def larger_archive(folder: Path) -> Path:
    """An image with far more in it than the small disk holds."""
    from tfbuild.containers.base_image import write_archive
    from tfbuild.core.environments import System

    (folder / "x").write_bytes(os.urandom(40_000_000))
    subprocess.run(["tar", "-cf", folder / "layer.tar", "-C", folder, "x"], check=True)
    system = System(name="large 1", suite="large", glibc="")
    architecture = find_target(f"linux-{os.uname().machine}").debian
    write_archive(folder / "layer.tar", folder / "large.tar", system, architecture)
    return folder / "large.tar"
