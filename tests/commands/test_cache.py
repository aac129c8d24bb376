"""What `tfbuild cache` prints of the folder and of the engine; the engine is a stand-in."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fetch.test_cache import put
from tests.schema_maker import check
from tfbuild.commands import cache as front_cache
from tfbuild.containers.engine import Engine
from tfbuild.containers.retention import RetainedItem
from tfbuild.core.errors import EnvironmentFailed

KEPT = (
    RetainedItem(
        kind="base",
        name="tfbuild/base:a",
        bytes=120_000_000,
        age_days=3.2,
        is_used=False,
        is_ours=True,
    ),
    RetainedItem(
        kind="volume", name="tfbuild-v", bytes=50_000_000, age_days=0.0, is_used=True, is_ours=True
    ),
    RetainedItem(
        kind="volume", name="tfbuild-w", bytes=0, age_days=90.0, is_used=False, is_ours=False
    ),
    RetainedItem(
        kind="step", name="x1", bytes=4_000_000, age_days=9.0, is_used=False, is_ours=True
    ),
    RetainedItem(
        kind="step", name="x2", bytes=5_000_000, age_days=7.0, is_used=False, is_ours=True
    ),
    RetainedItem(
        kind="packages", name="x3", bytes=1_000_000, age_days=7.0, is_used=False, is_ours=True
    ),
)


ONE = "1" * 64  # a digest, by which a wheel is kept


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    put(tmp_path / "cache", f"unpacked/{ONE}", size=400_000)
    return tmp_path / "cache"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """An engine that answers; what it was asked to remove."""
    days: list[float] = []

    @contextmanager
    def opened(patience: int) -> Iterator[Engine]:
        assert patience <= 5
        yield Engine(client=None, name="docker", version="20.10")

    def prune(
        _: Engine, __: Path, *, older_than_days: float, agreed: set[str] | None
    ) -> tuple[RetainedItem, ...]:
        days.append(older_than_days)
        return KEPT[:1]

    monkeypatch.setattr(front_cache, "open_engine", opened)
    monkeypatch.setattr(front_cache, "list_kept", lambda *_: KEPT)
    monkeypatch.setattr(front_cache, "prune_kept", prune)
    return days


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def opened(patience: int) -> Iterator[Engine]:
        raise EnvironmentFailed("no container engine answers here")
        yield

    monkeypatch.setattr(front_cache, "open_engine", opened)


def test_folder_and_engine_in_one_table(
    cache: Path, asked: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    front_cache.cache_show(as_json=False)
    said = capsys.readouterr().out
    lines = {line.split()[0]: line for line in said.splitlines() if line.strip()}
    assert "120.0 MB" in lines["base"] and "3 d" in lines["base"]
    volumes = [line for line in said.splitlines() if line.startswith("volume")]
    assert "in use" in volumes[0] and "by another cache" in volumes[1]
    assert "2 steps of images" in said and "9.0 MB" in said
    assert "1 packages for images" in said
    assert said.splitlines()[-1] == "180.0 MB cached in docker 20.10"
    assert asked == []


def test_the_document_obeys_its_schema(
    cache: Path, asked: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    front_cache.cache_show(as_json=True)
    shown = json.loads(capsys.readouterr().out)
    check("cache", shown)
    assert len(shown["engine"]["cached"]) == len(KEPT)
    front_cache.cache_prune(older_than_days=12, as_json=True)
    gone = json.loads(capsys.readouterr().out)
    check("cache", gone)
    assert [one["name"] for one in gone["engine"]["removed"]] == ["tfbuild/base:a"]
    assert asked == [12]


@pytest.mark.usefixtures("no_engine")
def test_every_folder_is_explained(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(cache, "bases", size=300_000)
    put(cache, "photos", size=200_000)
    front_cache.cache_show(as_json=False)
    head, _, _ = capsys.readouterr().out.partition("last used")
    lines = {line.split("  ")[0]: line for line in head.splitlines()}
    assert "unpacked wheels" in lines["unpacked"] and "0.4 MB" in lines["unpacked"]
    assert "which base images were made" in lines["bases"] and "nothing" in lines["bases"]
    assert "0.2 MB" in lines["not tfbuild's"] and "nothing" in lines["not tfbuild's"]


@pytest.mark.usefixtures("no_engine")
def test_without_an_engine_one_line_says_so(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    front_cache.cache_prune(older_than_days=0, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "images and volumes were not looked at: no container engine answers here"
    assert not (cache / "unpacked" / ONE).exists()
    front_cache.cache_show(as_json=True)
    shown = json.loads(capsys.readouterr().out)
    check("cache", shown)
    assert (shown["engine"]["name"], shown["engine"]["cached"]) == ("", [])


@pytest.mark.parametrize("days", [-1, -0.001, float("nan"), float("inf"), float("-inf")])
def test_an_age_that_is_none_removes_nothing(cache: Path, asked: list[float], days: float) -> None:
    with fails("cache-age-wrong", f"--older-than is {days:g}"):
        front_cache.cache_prune(older_than_days=days, as_json=False)
    assert (cache / "unpacked" / ONE).exists()
    assert asked == []


def test_a_dry_run_lists_what_would_go_and_removes_nothing(
    cache: Path, asked: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    front_cache.cache_prune(older_than_days=0, as_json=True, is_dry=True)
    shown = json.loads(capsys.readouterr().out)
    check("cache", shown)
    assert [one["name"] for one in shown["removable"]] == [ONE]
    names = {one["name"] for one in shown["engine"]["removable"]}
    assert names == {"tfbuild/base:a", "x1", "x2", "x3"}, "not what is in use or another's"
    front_cache.cache_prune(older_than_days=0, as_json=False, is_dry=True)
    assert "0.4 MB removable in" in capsys.readouterr().out
    assert (cache / "unpacked" / ONE).exists()
    assert asked == []


def on_terminal(cache: Path, *words: str, answer: str) -> str:
    """What `cache prune` says to somebody who sits at a terminal and types the answer."""
    ours, theirs = os.openpty()
    environ = {
        **os.environ, "TFBUILD_CACHE_DIR": str(cache), "DOCKER_HOST": f"unix://{cache}/none",
    }  # fmt: skip
    os.write(ours, answer.encode())
    ended = subprocess.run(
        [sys.executable, "-m", "tfbuild", "cache", "prune", *words],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environ, check=True, text=True,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            said += piece
    os.close(ours)
    return said.decode() + ended.stdout


def test_everything_goes_on_a_terminal_only_when_agreed_to(cache: Path) -> None:
    folder = cache / "unpacked" / ONE
    for answer in ("n\n", "\n", "\x04"):
        said = on_terminal(cache, "--all", answer=answer)
        assert "Remove 0.4 MB of" in said
        assert "unpacked" in said, "it shows what would go"
        assert "0.0 MB removed" in said
        assert folder.exists()
    document = on_terminal(cache, "--all", "--json", answer="n\n")
    assert folder.exists()
    check("cache", json.loads(document[document.index("{") :]))
    assert "0.4 MB removed" in on_terminal(cache, "--all", answer="y\n")
    assert not folder.exists()


def test_nobody_is_asked_who_has_agreed_or_for_little(cache: Path) -> None:
    assert "Remove" not in on_terminal(cache, "--older-than=1", answer="")
    assert "Remove" not in on_terminal(cache, "--all", "--yes", answer="")
    assert not (cache / "unpacked" / ONE).exists()
    assert "Remove" not in on_terminal(cache, "--all", answer=""), "there is nothing to remove"


def test_much_is_asked_for_at_any_age(
    cache: Path, asked: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[str] = []
    large = replace(KEPT[0], bytes=10_000_000_001)
    monkeypatch.setattr(front_cache, "list_kept", lambda *_: (large,))
    monkeypatch.setattr(front_cache, "can_ask", lambda: True)

    def refuse(text: str) -> bool:
        questions.append(text)
        return False

    monkeypatch.setattr(front_cache, "confirm", refuse)
    front_cache.cache_prune(older_than_days=3, as_json=False)
    assert questions and asked == []
    monkeypatch.setattr(front_cache, "list_kept", lambda *_: KEPT)
    front_cache.cache_prune(older_than_days=3, as_json=False)
    assert (len(questions), asked) == (1, [3])
