"""Options that let slow or demanding tests run, and the fixtures that many tests share."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import count
from pathlib import Path

import pytest
import typer.main

from tests.fakes import FakeEnvironment, RecordingReporter, a_host
from tests.shared_libraries import real_bazel
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Host
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel

_DEMANDS = {
    "bazel": "runs a real Bazel",
    "docker": "runs a real container engine",
    "docs": "builds the documentation, or draws pages in a browser",
    "gpu": "needs a GPU",
    "long": "takes many minutes",
    "network": "reaches package indexes",
    "slow": "takes more than a few seconds",
}

_LONGEST_NAME = 100  # of what a test is given, where it stands in the test's name
# The groups of tests that take longest.
_LONGEST = ("tests/integration/test_chain.py", "engine", "tests/integration/test_caches.py")


# What one process compiles need not be compiled by each worker, each run and each program again.
sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, what in _DEMANDS.items():
        parser.addoption(f"--run-{name}", action="store_true", help=f"run tests that: {what}")
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden files anew")


def pytest_configure() -> None:
    """Let programs that tests start be interrupted: a shell's job in the background cannot be."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors, as some test always waits: for a server, a time limit."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what was not asked for. With --dist=loadgroup a file's tests run one after the other,
    and so do all that share the container engine, whose images and containers they count; what
    takes longest begins first, so that no worker is left with it alone.
    """
    places: dict[str, int] = {}
    for item in items:
        group = "engine" if item.get_closest_marker("docker") else item.nodeid.split("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
        places[item.nodeid] = _LONGEST.index(group) if group in _LONGEST else len(_LONGEST)
        for name, what in _DEMANDS.items():
            if item.get_closest_marker(name) and not config.getoption(f"--run-{name}"):
                item.add_marker(pytest.mark.skip(reason=f"{what}: give --run-{name}"))
    items.sort(key=lambda item: places[item.nodeid])


def pytest_make_parametrize_id(val: object) -> str | None:
    """The name of a test says how a long word begins: some have a million letters."""
    if isinstance(val, str | bytes) and len(val) > _LONGEST_NAME:
        return f"{val[:30]!a} and {len(val) - 30} more"
    return None


# What the program and the programs that it runs read, and no test may take from its caller.
_SETTINGS = (
    "TFBUILD_*", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CLICOLOR*", "NO_COLOR", "FORCE_COLOR",
    "COLUMNS", "LINES", "SOURCE_DATE_EPOCH", "USE_BAZEL_VERSION", "BAZELISK_*", "PYENV_ROOT",
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
)  # fmt: skip
# How the outside is reached, and real tools are run: tests that do so need it.
_OUTSIDE = ("PIP_*", "UV_*", "XDG_CONFIG_HOME", "NETRC", "*_PROXY", "*_proxy", "JAVA_HOME")
_ENGINE = ("DOCKER_*", "CONTAINER*", "BUILDKIT_*", "BUILDX_*", "XDG_RUNTIME_DIR")
_GOES_OUT = ("network", "docker", "bazel", "slow", "long")


@dataclass(frozen=True, slots=True)
class _Shared:
    """A place that is the same for all tests of a process, in whichever cache it is looked for."""

    there: Path

    def path(self, _folder: Path) -> Path:
        return self.there


_folders = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder. Pytest's own fixture looks through the folders of all tests before it."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    return tmp_path_factory.mktemp(f"{name}_{next(_folders)}", numbered=False)


@pytest.fixture(autouse=True, scope="session")
def commands_made_once() -> Iterator[None]:
    """Make the tree of commands once in a process, as a start of the program does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(autouse=True, scope="session")
def disk_not_waited_for() -> Iterator[None]:
    """Leave what tests write to the system: no test outlives a power failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _file: None)
        yield


@pytest.fixture(scope="session")
def kept_facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the facts are kept that tests read again and again."""
    return tmp_path_factory.mktemp("kept-facts")


@pytest.fixture(autouse=True)
def facts_read_once(kept_facts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the project's YAML once in a process: each test has a cache of its own, without it."""
    for module, name in (("facts.installed", "MATRICES"), ("commands.context", "CASES")):
        monkeypatch.setattr(f"tfbuild.{module}.{name}", _Shared(kept_facts / f"{name}.json"))


@pytest.fixture(autouse=True)
def bases_made_once(
    request: pytest.FixtureRequest, kept_facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make a base image once in a process: the engine has it, and each test a cache of its own."""
    if request.node.get_closest_marker("docker"):
        bases = _Shared(kept_facts / "bases")
        monkeypatch.setattr("tfbuild.containers.base_image.BASES", bases)


@cache
def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@pytest.fixture(autouse=True)
def clean_environment(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No test sees the caller's settings, or writes into the real cache or a real engine."""
    goes_out = any(request.node.get_closest_marker(name) for name in _GOES_OUT)
    meets_engine = request.node.get_closest_marker("docker")
    left_out = (
        *_SETTINGS,
        *(() if goes_out else _OUTSIDE),
        *(() if meets_engine else _ENGINE),
    )
    for name in list(os.environ):
        if _is_one_of(name, left_out):
            monkeypatch.delenv(name)
    if not meets_engine:
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path / 'no-engine'}")
    monkeypatch.setenv("TFBUILD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TFBUILD_WORK_DIR", str(tmp_path / "work"))
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}.state")  # beside what tests list


@pytest.fixture
def tables() -> Tables:
    return Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))


@pytest.fixture(scope="session")
def a_bazel(tmp_path_factory: pytest.TempPathFactory) -> FoundBazel:
    """A real Bazel: that of the machine, or one that is got for it."""
    return real_bazel(tmp_path_factory.mktemp("bazel"))


@pytest.fixture
def host() -> Host:
    return a_host()


@pytest.fixture
def reporter() -> RecordingReporter:
    return RecordingReporter()


@pytest.fixture
def fake_env(tmp_path: Path) -> FakeEnvironment:
    return FakeEnvironment(tmp_path)
