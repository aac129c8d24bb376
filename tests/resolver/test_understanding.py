"""Pins in a person's words, and what is said about how they were read."""

import pytest

from tests.matrix_files import ask, chosen, pins
from tfbuild.core.records import Pin
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.understanding import is_changed, is_of_others, tree_day, understand


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


def specs(facts: Facts, *words: str) -> dict[str, str]:
    found, _ = understand(pins(*words), facts)
    return {pin.axis: pin.spec for pin in found}


def test_what_a_pin_says_of_another_axis_yields_to_that_axis(facts: Facts) -> None:
    both = specs(facts, "cuda=10.1 / 7.6.5", "cudnn=7.6.0")
    assert both == {"cuda": "10.1", "cudnn": "7.6.0"}
    assert specs(facts, "cuda=10.1 / 7.6.5")["cudnn"] == "7.6.5"


def test_what_means_nothing_is_left_out_and_reported(facts: Facts) -> None:
    found, remarks = understand(pins("python=banana", "cuda=11.2"), facts)
    assert [pin.axis for pin in found] == ["cuda"]
    assert [(remark.kind, remark.axes) for remark in remarks] == [("meaningless", ("python",))]


def test_a_release_that_cannot_be_read_is_still_what_is_asked_about(facts: Facts) -> None:
    answer = ask(facts, "tensorflow=banana", "python=3.9")
    assert "tensorflow" in chosen(answer)


def test_what_a_machine_has_is_taken_as_it_is(facts: Facts) -> None:
    pin = Pin(axis="os", spec="plan9 4", kind="machine")
    assert understand((pin,), facts) == ((pin,), ())


@pytest.mark.parametrize(
    ("words", "others", "changed"),
    [
        (("tensorflow=2.4",), False, False),
        (("tensorflow=2.4", "os=ubuntu 18.04 (docker)"), False, False),  # as its makers' images
        (("tensorflow=2.7", "gpu=Jetson Nano"), True, False),
        (("tensorflow=2.7", "os=JetPack 4.6"), True, False),
        (("tensorflow=1.15.4+nv20.12",), True, True),
        (("tensorflow=2.15 (NGC 24.01)",), True, True),
        (("tensorflow=2.10 from conda-forge",), True, True),
    ],
)
def test_whose_build_it_is(words: tuple[str, ...], *, others: bool, changed: bool) -> None:
    assert is_of_others(pins(*words)) == others
    assert is_changed(pins(*words)) == changed


def test_a_development_tree_is_asked_for_by_its_day() -> None:
    assert tree_day(pins("bazel=0.29.1", "tensorflow=master (2019-10-09)")) == "2019-10-09"
    assert tree_day(pins("tensorflow=2.0.0", "bazel=master (2019-10-09)")) == ""


def test_a_development_tree_needs_the_bazel_of_its_day(facts: Facts) -> None:
    tree = "tensorflow=master (2019-10-09)"
    assert ask(facts, tree, "bazel=0.29.1", "cuda=none").conflicts[0].axes == (
        "tensorflow",
        "bazel",
    )
    assert not ask(facts, tree, "bazel=0.26.1", "cuda=none").conflicts
