"""BuildGrid as the scheduler of a farm, with BuildBox as its store and its two workers.

BuildGrid comes from the package index; the PostgreSQL that it keeps its queue in from the
distribution.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.services import casd_words, free_port, running
from tests.workshop import CppTree
from tfbuild.bazel.probe import probe_executor
from tfbuild.core.environments import Services
from tfbuild.fetch.bazel import FoundBazel

pytestmark = [pytest.mark.bazel, pytest.mark.network, pytest.mark.long]
_PACKAGES = ("buildgrid==0.4.4", "psycopg2-binary==2.9.13")
_WORKER = Path(__file__).with_name("farm_worker.py")
_SETTINGS = """
server:
  - !channel {{address: "127.0.0.1:{port}", insecure-mode: true}}
authorization: {{method: none}}
monitoring: {{enabled: false}}
connections:
  - !sql-connection &queue {{connection-string: "{database}", pool-size: 5, max-overflow: 10}}
storages:
  - !remote-storage &store {{url: "http://127.0.0.1:{store}", instance-name: ""}}
caches:
  - !remote-action-cache &results {{url: "http://127.0.0.1:{store}", instance-name: ""}}
schedulers:
  - !sql-scheduler &scheduler
    {{sql: *queue, storage: *store, action-cache: *results, poll-interval: 0.5,
      bot-session-keepalive-timeout: 20}}
instances:
  - name: ""
    services:
      - !action-cache {{cache: *results}}
      - !execution {{scheduler: *scheduler}}
      - !cas {{storage: *store}}
      - !bytestream {{storage: *store}}
thread-pool-size: 100
"""


@dataclass(frozen=True, slots=True)
class Farm:
    """A scheduler, the store beside it, and its workers."""

    scheduler: str
    store: str
    workers: tuple[subprocess.Popen[bytes], ...]


@pytest.fixture(scope="module")
def buildgrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of BuildGrid's programs."""
    folder = tmp_path_factory.mktemp("buildgrid")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", *_PACKAGES], check=True)
    return folder / "bin"


@pytest.fixture
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an empty database; PostgreSQL does not run as root."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        pytest.skip("there is no PostgreSQL here")
    folder, port = tmp_path_factory.mktemp("postgresql"), free_port()
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["setpriv", "--reuid=nobody", "--clear-groups"]
        shutil.chown(folder, "nobody")
        for parent in (folder, *folder.parents):
            parent.chmod(parent.stat().st_mode | 0o711)
    make = ["initdb", "--username=grid", "--auth=trust", f"--pgdata={folder / 'data'}"]
    run = ["postgres", "-D", f"{folder / 'data'}", "-p", f"{port}", "-k", f"{folder}"]
    for words in (make, run):
        words[0] = str(found[-1] / words[0])
    subprocess.run([*as_user, *make], check=True, capture_output=True, cwd="/")
    with running([*as_user, *run], port, folder.parent / "postgresql.log"):
        yield f"postgresql+psycopg2://grid@127.0.0.1:{port}/postgres"


@pytest.fixture
def farm(buildgrid: Path, buildbox: Path, database: str, tmp_path: Path) -> Iterator[Farm]:
    """Two workers of one slot each."""
    store, port = free_port(), free_port()
    text = _SETTINGS.format(port=port, store=store, database=database)
    (tmp_path / "grid.yml").write_text(text)
    bgd = str(buildgrid / "bgd")
    subprocess.run([bgd, "migrate", "apply", database], check=True, capture_output=True)
    far = [f"--{what}-remote=http://127.0.0.1:{store}" for what in ("cas", "ac")]
    with ExitStack() as stack:

        def start(words: list[str], at: int, name: str) -> subprocess.Popen[bytes]:
            return stack.enter_context(running(words, at, tmp_path / f"{name}.log"))

        start(casd_words(buildbox, store, tmp_path / "store"), store, "store")
        start([bgd, "server", "start", str(tmp_path / "grid.yml")], port, "scheduler")
        workers = []
        for name in ("one", "two"):
            at = free_port()
            words = casd_words(buildbox, at, tmp_path / name, *far, "--jobs=1")
            start(words, at, f"{name}-box")
            words = [str(buildgrid / "python"), str(_WORKER), f"127.0.0.1:{port}"]
            workers.append(start([*words, f"127.0.0.1:{at}", name, "1"], 0, name))
        yield Farm(f"grpc://127.0.0.1:{port}", f"grpc://127.0.0.1:{store}", tuple(workers))


def test_two_workers_share_a_build(tree: CppTree, farm: Farm) -> None:
    tree.build()
    alone = tree.digest()
    assert probe_executor(farm.scheduler, ()).is_usable
    services = Services(executor=farm.scheduler, cache=farm.store, jobs=4)
    tree.forget_all()
    cold = tree.build(services)
    assert tree.warnings() == []
    assert cold.actions == cold.actions_elsewhere > 0
    assert tree.digest() == alone
    tree.forget_all()
    warm = tree.build(services)
    assert (warm.actions, warm.remote_hits, tree.digest()) == (0, cold.actions, alone)


def test_a_worker_that_dies(tmp_path: Path, a_bazel: FoundBazel, farm: Farm) -> None:
    tree = CppTree(tmp_path / "tree", a_bazel)
    os.killpg(farm.workers[0].pid, signal.SIGKILL)
    services = Services(executor=farm.scheduler, cache=farm.store, jobs=4)
    output = tree.build(services)
    tree.close()
    assert output.actions > 0
    assert output.files
