"""What a published wheel is bound to."""

import pytest

from tests.matrix_files import pins
from tfbuild.core.records import Pairs
from tfbuild.facts.published_wheels import never_published, published_pythons, wheel_libraries
from tfbuild.facts.ranges import select
from tfbuild.facts.rows import AxisRow
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def project(tables: Tables) -> Facts:
    return load_facts(tables)


def a_row(version: str, **wheels: str) -> AxisRow:
    pairs: Pairs = tuple((name.replace("__", "-"), tags) for name, tags in wheels.items())
    return AxisRow(version=version, source=("an index",), checked="2026-11-20",
                   evidence="metadata", wheels=pairs)  # fmt: skip


ROWS = (
    a_row("2.3.0", linux__x86_64="3.9 3.10", macos__arm64="3.9"),
    a_row("2.2.0", linux__x86_64="3.8 3.9"),
    a_row("2.1.1", linux__x86_64="3.8 3.9"),
    a_row("2.1.0"),
)


def test_releases_with_the_same_wheels_share_a_fact() -> None:
    found = {fact.text: (when, needs) for fact, when, needs in published_pythons(ROWS)}
    said = "TensorFlow 2.1.1, 2.2.0 have wheels on linux-x86_64 for Python 3.8 3.9 only"
    when, needs = found[said]
    assert when == (("tensorflow", "==2.2.0 | ==2.1.1"), ("platform", "linux-x86_64"))
    assert needs == ("python", "3.8 | 3.9")


def test_a_tag_without_a_wheel_is_none_that_was_published() -> None:
    ((fact, when),) = never_published(ROWS)
    assert fact.text == "TensorFlow 2.1.0 has no published wheels"
    assert when == (("tensorflow", "==2.1.0"),)
    assert list(never_published(ROWS[-1:])) == []


def test_platforms_without_wheels_are_left() -> None:
    pairs = [(when, needs) for _, when, needs in published_pythons(ROWS) if needs[0] == "platform"]
    assert pairs == [
        ((("tensorflow", "==2.3.0"),), ("platform", "linux-x86_64 | macos-arm64")),
        ((("tensorflow", "==2.2.0 | ==2.1.1"),), ("platform", "linux-x86_64")),
    ]


def test_nothing_is_said_of_a_release_without_wheels() -> None:
    for _, when, _ in published_pythons(ROWS):
        assert not select(dict(when)["tensorflow"], ["2.1.0"])


def test_each_fact_says_where_it_stands() -> None:
    facts = [fact for fact, _, _ in published_pythons(ROWS)]
    assert len({fact.id for fact in facts}) == len(facts)
    assert {(fact.source, fact.checked) for fact in facts} == {("an index", "2026-11-20")}
    assert all("build it" in fact.fix for fact in facts)


@pytest.mark.parametrize(
    ("cuda", "cudnn", "fits", "other"),
    [
        ("10.1", "7.6", {"cuda": "10.1", "cudnn": "7.6.5"}, {"cuda": "10.2", "cudnn": "7.5"}),
        ("10", "7", {"cuda": "10.0", "cudnn": "7.6"}, {"cuda": "10.1", "cudnn": "8.0"}),
        ("11.0", "8.0", {"cuda": "11.1", "cudnn": "8.9"}, {"cuda": "11.2", "cudnn": "7.6"}),
        ("11.2", "8.1", {"cuda": "11.8", "cudnn": "8.6"}, {"cuda": "11.0", "cudnn": "8.0"}),
        ("11.8", "8.6", {"cuda": "11.2", "cudnn": "8.9"}, {"cuda": "12.0", "cudnn": "8.5"}),
        ("12.5", "9.3", {"cuda": "12.0", "cudnn": "9.9"}, {"cuda": "13.0", "cudnn": "8.9"}),
    ],
)
def test_libraries_that_a_wheel_opens(
    cuda: str, cudnn: str, fits: dict[str, str], other: dict[str, str]
) -> None:
    found = wheel_libraries(cuda, cudnn)
    for axis, spec in found.items():
        assert select(spec, [fits[axis]]), (axis, spec)
        assert not select(spec, [other[axis]]), (axis, spec)


def test_without_cuda_nothing_is_opened() -> None:
    assert wheel_libraries("", "") == {}


def test_every_release_of_the_project_s_facts_with_wheels_is_covered(tables: Tables) -> None:
    rows = tables.axis("tensorflow")
    specs = [dict(when)["tensorflow"] for _, when, _ in published_pythons(rows)]
    for row in rows:
        is_covered = any(select(spec, [row.version]) for spec in specs)
        assert is_covered == bool(row.wheels), row.version


def published(project: Facts, *words: str) -> Resolution:
    return resolve(Question(pins=pins(*words), published=True), project)


@pytest.mark.parametrize(
    ("words", "axes"),
    [
        (("tensorflow=2.3.1", "cpu=Core i7 920"), {"tensorflow", "cpu"}),
        (("tensorflow=2.4.0", "cpu=without AVX2"), {"tensorflow", "cpu"}),
        (("tensorflow=2.10", "platform=ppc64le"), {"tensorflow", "platform"}),
        (("tensorflow=2.8", "platform=win32"), {"tensorflow", "platform"}),
        (("tensorflow=2.6", "tensorflow_text=2.5"), {"tensorflow", "tensorflow_text"}),
        (("tensorflow=2.17", "tensorflow_addons=0.23"), {"tensorflow", "tensorflow_addons"}),
        (("tensorflow=2.6.0", "keras=2.7"), {"tensorflow", "keras"}),
        (("tensorflow=2.0", "keras=2.2.4"), {"tensorflow", "keras"}),
        (("tensorflow=2.13", "keras=2.12"), {"tensorflow", "keras"}),
        (("tensorflow=2.4", "h5py=3.1"), {"tensorflow", "h5py"}),
        (("tensorflow=2.4", "absl=1.0"), {"tensorflow", "absl"}),
        (("tensorflow=2.2.0", "scipy=1.5"), {"tensorflow", "scipy"}),
        (
            ("tensorflow=2.13", "cuda=11.8", "platform=aarch64"),
            {"tensorflow", "cuda", "platform"},
        ),
    ],
)
def test_what_a_published_wheel_cannot_be_beside(
    project: Facts, words: tuple[str, ...], axes: set[str]
) -> None:
    answer = published(project, *words)
    assert answer.status == "conflict"
    assert axes in [set(conflict.axes) for conflict in answer.conflicts]


@pytest.mark.parametrize(
    "words",
    [
        ("tensorflow=2.4.1", "cpu=without AVX2"),
        ("tensorflow=2.3.1", "cpu=Xeon E5-2670"),
        ("tensorflow=2.6.2", "keras=2.6"),
        ("tensorflow=2.13", "keras=2.13", "tensorflow_text=2.13"),
        ("tensorflow=2.2.0", "scipy=1.4.1"),
    ],
)
def test_what_a_published_wheel_runs_beside(project: Facts, words: tuple[str, ...]) -> None:
    assert published(project, *words).is_possible


@pytest.mark.parametrize("tool", ["gcc=13", "bazel=7.0.0", "clang=18"])
def test_what_it_was_made_with_is_no_question_any_more(project: Facts, tool: str) -> None:
    pinned = pins("tensorflow=2.11", tool)
    assert not resolve(Question(pins=pinned), project).is_possible
    assert resolve(Question(pins=pinned, published=True), project).is_possible
