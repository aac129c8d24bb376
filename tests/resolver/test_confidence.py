"""Tested, likely or doubtful, and why."""

import pytest

from tests.matrix_files import ask
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.confidence import confidence_of
from tfbuild.resolver.resolution import ResolutionWarning


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


@pytest.mark.parametrize(
    ("words", "confidence", "axes"),
    [
        (("tensorflow=2.6.5", "gpu=RTX 3090"), "tested", ()),
        (("tensorflow=2.8.0", "gcc=9.4"), "likely", ()),
        (("tensorflow=2.11.0", "cuda=11.8"), "likely", ()),
        (("tensorflow=master",), "likely", ()),
        (("tensorflow=2.18.0", "gcc=14"), "likely", ()),
        (("tensorflow=1.15.5", "gcc=10"), "doubtful", ("tensorflow", "gcc")),
        (("tensorflow=2.4.1", "cuda=10.1", "cudnn=7.6"), "doubtful", ("tensorflow", "cuda")),
        (("tensorflow=2.7.0", "cuda=11.8", "gcc=9"), "likely", ()),
        (("tensorflow=2.13.0", "cuda=12.2"), "doubtful", ("tensorflow", "cuda")),
        (("tensorflow=2.4.0", "python=3.9"), "doubtful", ("tensorflow", "python")),
    ],
)
def test_how_well_it_is_known(
    facts: Facts, words: tuple[str, ...], confidence: str, axes: tuple[str, ...]
) -> None:
    answer = ask(facts, *words)
    assert answer.confidence == confidence
    assert answer.status == ("doubtful" if confidence == "doubtful" else "ok")
    if axes:
        assert answer.warnings[0].kind == "doubt"
        assert answer.warnings[0].axes == axes


def test_what_nobody_asked_for_is_no_doubt(facts: Facts) -> None:
    assert ask(facts, "tensorflow=2.8.4", "platform=linux-aarch64").status == "ok"


def test_the_worst_that_is_said_counts() -> None:
    def warning(kind: str) -> ResolutionWarning:
        return ResolutionWarning(kind=kind, axes=(), message="", facts=())  # type: ignore[arg-type]

    assert confidence_of(()) == confidence_of((warning("stale"), warning("advisory"))) == "tested"
    assert confidence_of((warning("untested"), warning("stale"))) == "likely"
    assert confidence_of((warning("untested"), warning("doubt"))) == "doubtful"
