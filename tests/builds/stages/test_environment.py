"""The environment stage: what must be on the machine, and the command that brings what is not."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RUNNING, FakeEnvironment, a_host, a_request, says
from tests.planning import planned
from tfbuild.builds.stages import environment
from tfbuild.builds.stages.environment import open_environment
from tfbuild.core.errors import TfbuildError
from tfbuild.core.records import Artifact, Host, Interpreter, Pin, Program, Request
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel
from tfbuild.fetch.cache import prune_cache

BARE = Interpreter(path="/usr/bin/python3", version=f"{RUNNING}.1", tag="cp", headers="")


@pytest.fixture(autouse=True)
def no_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Bazel and wheels are there already."""

    def unpack(artifacts: tuple[Artifact, ...], *_: object, **__: object) -> tuple[Path, ...]:
        return tuple(tmp_path / artifact.distribution for artifact in artifacts)

    found = FoundBazel(path="/opt/bazel", version="4.2.3", origin="cache")
    monkeypatch.setattr(environment, "provide_bazel", lambda *_, **__: found)
    monkeypatch.setattr(environment, "unpack_all", unpack)
    monkeypatch.setattr(environment, "assemble_toolkit", lambda *_: tmp_path / "toolkit")


@pytest.mark.parametrize("name", ["Schöne Dinge", "é", "two words", "日本"])
def test_a_cache_that_bazel_cannot_write_is_reported_first(
    fake_env: FakeEnvironment, tables: Tables, tmp_path: Path, name: str
) -> None:
    plan = planned(a_request(tmp_path), tables, a_host())
    folders = replace(fake_env.tools.folders, cache=tmp_path / name)
    with (
        fails("path-unfit-for-bazel", name, "TFBUILD_CACHE_DIR"),
        open_environment(plan, replace(fake_env.tools, folders=folders)),
    ):
        pass
    assert not (tmp_path / name).exists()


def refusal(
    env: FakeEnvironment, tables: Tables, request: Request, host: Mapping[str, object]
) -> TfbuildError:
    machine = a_host(**host)
    plan = planned(request, tables, machine)
    tools = replace(env.tools, host=machine)
    with fails("build-tools-missing") as caught, open_environment(plan, tools):
        pass
    return caught.value


def test_everything_ready_is_named(
    fake_env: FakeEnvironment, tables: Tables, host: Host, tmp_path: Path
) -> None:
    request = a_request(tmp_path)
    plan = planned(request, tables, host)
    with open_environment(plan, fake_env.tools) as env:
        chain = env.toolchain
    assert (chain.bazel, chain.compiler, chain.cuda) == ("/opt/bazel", "/usr/bin/g++", "")
    assert chain.python_headers == "/include"
    assert dict(chain.artifacts)["nanobind"] == tmp_path / "nanobind"
    assert chain.lock.plan_id == plan.id
    assert {a.sha256 for a in chain.lock.artifacts} == {a.sha256 for a in plan.artifacts}


def test_a_toolkit_comes_with_cuda(
    fake_env: FakeEnvironment, tables: Tables, host: Host, tmp_path: Path
) -> None:
    request = a_request(tmp_path, recipe="cuda")
    with open_environment(planned(request, tables, host), fake_env.tools) as env:
        assert env.toolchain.cuda == str(tmp_path / "toolkit")


def test_the_cache_is_held_while_it_is_open(
    fake_env: FakeEnvironment, tables: Tables, host: Host, tmp_path: Path
) -> None:
    request = a_request(tmp_path)
    cache = fake_env.tools.folders.cache
    plan = planned(request, tables, host)
    with open_environment(plan, fake_env.tools), fails("cache-in-use", str(cache)):
        prune_cache(cache, older_than_days=0)
    assert prune_cache(cache, older_than_days=0) == ()


@pytest.mark.parametrize(
    ("host", "hint"),
    [
        (
            {"compilers": ()},
            "sudo apt-get install --no-install-recommends g++",
        ),
        (
            {"compilers": (), "pythons": (BARE,)},
            f"sudo apt-get install --no-install-recommends g++ python{RUNNING}-dev",
        ),
        (
            {"compilers": (), "is_root": True},
            ": apt-get install --no-install-recommends g++,",
        ),
        (
            {"pythons": (BARE,), "distribution": "fedora"},
            f"sudo dnf install python{RUNNING}-devel",
        ),
        ({"compilers": (), "distribution": "arch"}, "g++ >=9,<17"),
    ],
)
def test_what_is_missing_comes_with_the_very_command(
    fake_env: FakeEnvironment,
    tables: Tables,
    tmp_path: Path,
    host: dict[str, object],
    hint: str,
) -> None:
    error = refusal(fake_env, tables, a_request(tmp_path), host)
    assert hint in error.hint
    assert ("--install-system-packages" in error.hint) is ("is_root" in host)


def test_a_compiler_that_was_asked_for_is_not_replaced(
    fake_env: FakeEnvironment, tables: Tables, tmp_path: Path
) -> None:
    request = a_request(tmp_path, pins=(Pin(axis="gcc", spec="11"),))
    error = refusal(fake_env, tables, request, {})
    assert "g++ 11" in error.message
    assert "g++-11" in error.hint


def test_any_good_compiler_does_where_none_was_asked_for(
    fake_env: FakeEnvironment, tables: Tables, tmp_path: Path
) -> None:
    plan = planned(a_request(tmp_path), tables, a_host(compilers=()))
    others = (
        Program(name="g++", path="/usr/bin/g++", version="7.5.0"),
        Program(name="g++-14", path="/usr/bin/g++-14", version="14.2.0"),
    )
    tools = replace(fake_env.tools, host=a_host(compilers=others))
    with open_environment(plan, tools) as env:
        assert env.toolchain.compiler == "/usr/bin/g++-14"


def test_root_may_let_it_install(
    fake_env: FakeEnvironment,
    tables: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = a_request(tmp_path, install_system_packages=True)
    bare = a_host(compilers=(), is_root=True)
    plan = planned(request, tables, bare)
    fake_env.runner.answers["apt-get"] = says()
    monkeypatch.setattr(environment, "find_compilers", lambda _runner: a_host().compilers)
    monkeypatch.setattr(environment, "find_pythons", lambda _runner: a_host().pythons)
    with open_environment(plan, replace(fake_env.tools, host=bare)) as env:
        assert env.toolchain.compiler == "/usr/bin/g++"
    assert "g++" in fake_env.runner.commands[-1].argv
