"""Asks servers that misbehave: each must be given up in its time, and none learn or bring anything.

What is asked are the functions that speak to servers; the server lives in the same process, so an
input is two words and a number.
"""

import hashlib
import os
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.bad_servers import BEHAVIOURS, CONTENT, BadServer
from benchmarks.attack.oracles import make_canary
from benchmarks.attack.trial import Call, fresh
from tests.fakes import RecordingReporter
from tfbuild.bazel.probe import probe_cache, probe_executor
from tfbuild.containers.engine import open_engine
from tfbuild.core.errors import TfbuildError
from tfbuild.fetch.download import fetch_file, fetch_text
from tfbuild.fetch.http import Access
from tfbuild.fetch.package_index import PackageIndex
from tfbuild.fetch.pip_config import PipConfig
from tfbuild.reporting.console import ConsoleReporter, print_text

_SLACK = 15.0  # for a machine with much else to do


@dataclass(frozen=True, slots=True)
class BadServers:
    """Makes a client, a behaviour and a number that decides the rest."""

    def make(self, chance: random.Random, folder: Path) -> Call:
        """The words of one meeting; the canary's secret is the password for the server."""
        canary = make_canary(fresh(folder.with_name(f"{folder.name}.canary")), chance)
        client, behaviour = chance.choice(list(CLIENTS)), chance.choice(list(BEHAVIOURS))
        words = (client, behaviour, str(chance.getrandbits(32)), canary.secret, str(canary.key))

        def after(said: bytes) -> str:
            return canary.fault(said, folder)

        return Call(words=words, after=after, seconds=CLIENTS[client][1] + _SLACK)


def bad_servers(stock: Path) -> BadServers:
    """The maker."""
    return BadServers()


def ask_servers() -> None:
    """Meet one server; ends with the code of the error that is raised, 1 where a lie was taken."""
    client, behaviour, seed, secret, canary = sys.argv[1:]
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        os.environ.pop(name, None)
    server = BadServer(behaviour, random.Random(seed), Path(canary))
    try:
        CLIENTS[client][0](server, secret)
    except TfbuildError as error:
        ConsoleReporter().error(error)
        sys.exit(error.exit_code)
    finally:
        if any(secret.encode() in sent for sent in server.sent_elsewhere):
            sys.exit("the password was sent to another host")


# --- who asks, and the seconds after which it must have given up ---------------------------------


def _login(server: BadServer, secret: str) -> str:
    server.start()
    return server.url.replace("://", f"://user:{secret}@")


def _cache(server: BadServer, secret: str) -> None:
    print_text(probe_cache(_login(server, secret), (("Authorization", secret),)).why_not)


def _grpc_cache(server: BadServer, secret: str) -> None:
    server.start()
    url = server.url.replace("http", "grpc")
    print_text(probe_cache(url, (("x-password", secret),)).why_not)


def _farm(server: BadServer, secret: str) -> None:
    server.start()
    url = server.url.replace("http", "grpc")
    print_text(probe_executor(url, (("x-password", secret),)).why_not)


def _index(server: BadServer, secret: str) -> None:
    login = _login(server, secret)
    index = PackageIndex(PipConfig(indexes=(login,), access=Access(timeout=1.0)))
    for file in index.files("thing")[:3]:
        index.metadata(file)


def _text(server: BadServer, secret: str) -> None:
    fetch_text(f"{_login(server, secret)}/text")


def _tls(server: BadServer, secret: str) -> None:
    fetch_text(_login(server, secret).replace("http:", "https:"))


def _file(server: BadServer, secret: str) -> None:
    wanted = hashlib.sha256(CONTENT).hexdigest()
    target = fetch_file(f"{_login(server, secret)}/f", Path("f"), wanted, RecordingReporter())
    if target.read_bytes() != CONTENT:
        sys.exit("a wrong file was taken")


def _engine(server: BadServer, secret: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server.start(unix=Path(folder, "s"))
        os.environ["DOCKER_HOST"] = f"unix://{folder}/s"
        with open_engine(patience=2) as engine:
            print_text(engine.name)


_PAGE = Access().whole
CLIENTS: dict[str, tuple[Callable[[BadServer, str], None], float]] = {
    "cache": (_cache, 20.0), "gRPC cache": (_grpc_cache, 20.0), "farm": (_farm, 20.0),
    "index": (_index, _PAGE), "text": (_text, _PAGE), "TLS": (_tls, _PAGE), "file": (_file, 180.0),
    "engine": (_engine, 20.0),
}  # fmt: skip
