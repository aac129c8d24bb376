"""Questions that name nothing that is built: they are answered for the tools in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tfbuild.commands import resolve as front_resolve
from tfbuild.commands.resolve import ResolveOptions


class Ask:
    """Calls `resolve` on the project's facts, and gives back the document that it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def table(self, *words: str, **asked: Any) -> str:
        self.code = front_resolve.resolve(words, {}, ResolveOptions(**asked))
        return self._capsys.readouterr().out

    def __call__(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.table(*words, style="json"))
        return found


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Ask:
    """On a Debian 12 machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    return Ask(capsys)


@pytest.mark.parametrize(
    "words",
    [
        ("cuda=9.0", "xcode=9.0", "os=macos 10.13"),
        ("cuda=9.0", "gcc=6"),
        ("nccl=2.21.5", "cuda=12.2"),
        ("bazel=3.7.2", "gcc=11"),
        ("tensorflow=none", "cuda=9.0", "gcc=6"),
    ],
)
def test_tools_that_go_together_are_an_answer(ask: Ask, words: tuple[str, ...]) -> None:
    answer = ask(*words)
    assert ask.code == 0
    named = {word.partition("=")[0] for word in words} - {"tensorflow"}
    assert named <= answer["versions"].keys()
    assert "tensorflow" not in answer["versions"]


@pytest.mark.parametrize(
    ("words", "axes"),
    [
        (("cuda=9.0", "gcc=8"), ["cuda", "gcc"]),
        (("xcode=11", "cuda=10.2"), ["cuda", "xcode"]),
        (("python=3.12", "numpy=1.19"), ["python", "numpy"]),
        (("os=ubuntu 24.04", "cuda=11.8", "gcc=13"), ["cuda", "gcc"]),
        (("gcc=12", "gpu=K80"), ["gpu", "gcc"]),  # no CUDA is named in which they meet
        (("macos=10.13", "platform=linux-x86_64"), ["platform", "macos"]),
    ],
)
def test_tools_that_collide_are_reported_with_their_own_limits(
    ask: Ask, words: tuple[str, ...], axes: list[str]
) -> None:
    answer = ask(*words)
    assert ask.code == 3
    assert [sorted(conflict["axes"]) for conflict in answer["conflicts"]] == [sorted(axes)]
    assert all("runtime" not in fact["text"] for fact in answer["conflicts"][0]["facts"])
    assert answer["alternatives"]


def test_nothing_is_chosen_that_nobody_named(ask: Ask) -> None:
    assert ask("cuda=9.0", "gcc=6")["versions"].keys() == {"platform", "cuda", "gcc"}
    assert ask("keras=2.3", "h5py=3")["versions"].keys() == {"platform", "keras", "h5py"}


def test_what_is_named_comes_before_what_it_meets_in(ask: Ask) -> None:
    assert ask("nccl=2.21.5")["versions"]["cuda"]["version"].startswith("12.")


def test_that_the_runtime_is_not_meant_is_reported(ask: Ask) -> None:
    shown = ask.table("cuda=9.0", "gcc=6")
    assert "status: ok (likely): no known limit speaks against it" in shown
    assert "the bundled runtime cannot be built so" in shown
    assert "next: tfbuild resolve tensorflow=any cuda=9.0 gcc=6" in shown


def test_what_the_runtime_can_be_built_with_is_about_the_runtime(ask: Ask) -> None:
    assert ask("gcc=12")["versions"]["runtime"]
    answer = ask("runtime=any", "gcc=5")
    assert ask.code == 3
    assert "runtime" in answer["conflicts"][0]["facts"][0]["text"]


def test_a_version_that_nothing_covers_stays_unknown(ask: Ask) -> None:
    assert ask("cuda=99.0", "xcode=9.0")["status"] == "unknown"
    assert ask.code == 3


def test_a_lock_is_for_a_build(ask: Ask, tmp_path: Path) -> None:
    for asked in ({"lock": "a.yaml"}, {"style": "conda"}):
        with fails("axis-not-of-target", "xcode=9.0"):
            ask.table("cuda=13.0", "xcode=9.0", **asked)
    assert not (tmp_path / "a.yaml").exists()


def test_one_axis_can_be_explained(ask: Ask) -> None:
    found = json.loads(ask.table("xcode=9.0", explain="cuda", style="json"))
    verdicts = {row["value"]: row["verdict"] for row in found["values"]}
    assert verdicts["8.0"] == "impossible"
    assert verdicts["10.1"] != "impossible"
