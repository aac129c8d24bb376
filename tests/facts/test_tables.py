"""The data folders: what is there is valid."""

from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.axes import axes, is_word, with_matrix
from tfbuild.core.versions import newest_first
from tfbuild.core.yaml_rows import EVIDENCE, read_facts_file, read_rows
from tfbuild.facts.ranges import select
from tfbuild.facts.rows import TestedRow as RowOfTested
from tfbuild.facts.tables import Recipe, Tables

FILES = with_matrix()
OTHERS = ("configure", "rules", "tested", "images", "gpus", "wheels", "runners", "lite", "needs")


@pytest.mark.parametrize(
    ("field", "value"),
    [("platform", "linuks"), ("device", "gpu"), ("cuda", "1!2"), ("cudnn", ">=8")],
)
def test_tested_rows_know_few_platforms_and_devices(tmp_path: Path, field: str, value: str) -> None:
    row = {"platform": "linux", "device": "cpu", "python": "3.11", "bazel": "7", "tensorflow": "2"}
    row |= {"checked": "2026-11-20", "evidence": "documented", field: value}
    entry = ", ".join(f"{key}: '{word}'" for key, word in row.items())
    (tmp_path / "tested.yaml").write_text(f"sources: {{a: A}}\nrows:\n- {{{entry}, source: [a]}}\n")
    with fails("entry-field-wrong", f"field {field}", f"'{value}'"):
        read_rows(tmp_path / "tested.yaml", RowOfTested)


@pytest.mark.parametrize("axis", FILES)
def test_an_axis_is_valid_and_newest_first(tables: Tables, axis: str) -> None:
    found = tables.axis(axis)
    versions = [row.version for row in found]
    assert versions
    assert len(versions) == len(set(versions))
    if not is_word(axis):
        assert versions == newest_first(versions)
    for row in found:
        for other, spec in (*row.requires, *row.expects):
            assert other in axes(), f"{axis} {row.version} requires the unknown axis {other}"
            select(spec, [], words=is_word(other))


@pytest.mark.parametrize("name", [*FILES, *OTHERS])
def test_a_file_says_what_it_is_and_uses_each_source(tables: Tables, name: str) -> None:
    content = read_facts_file(tables.matrices / f"{name}.yaml")
    assert len(content["about"]) > 20
    entries = [*content["rows"], *content.get("absent", [])]
    used = {key for entry in entries for key in entry["source"]}
    assert used == set(content["sources"])
    assert all("://" not in words for words in content["sources"].values()), "words, no addresses"
    assert {entry["evidence"] for entry in entries} <= set(EVIDENCE)


@pytest.mark.parametrize("axis", sorted({*FILES} - {"platform"}))  # which has many names
def test_one_line_is_one_version(tables: Tables, axis: str) -> None:
    lines = (tables.matrices / f"{axis}.yaml").read_text().splitlines()
    starts = [line for line in lines if line.startswith("- ")]
    assert len(starts) == len(tables.axis(axis)) + len(tables.absent(axis))
    assert all(line.startswith("- {version: ") and line.endswith("}") for line in starts)


def test_versions_that_never_were_are_not_among_those_that_are(tables: Tables) -> None:
    for axis in FILES:
        known = {row.version for row in tables.axis(axis)}
        assert not known & {row.version for row in tables.absent(axis)}, axis


def test_each_toolkit_has_a_cudnn(tables: Tables) -> None:
    for toolkit in tables.axis("cuda"):
        fitting = [
            row
            for row in tables.axis("cudnn")
            if select(dict(row.requires).get("cuda", "any"), [toolkit.version])
        ]
        assert fitting, toolkit.version


def test_rules_have_names_of_their_own_and_one_sentence(tables: Tables) -> None:
    names = [row.id for row in tables.rules()]
    assert len(names) == len(set(names))
    for row in tables.rules():
        assert row.effect in {"conflict", "warning"}, row.id
        assert {axis for axis, _ in (*row.when, *row.requires)} <= axes().keys(), row.id
        assert row.when, row.id


def test_tested_rows_name_a_target_and_values_that_are_known(tables: Tables) -> None:
    known = {axis: [row.version for row in tables.axis(axis)] for axis in FILES}
    for row in tables.tested():
        assert bool(row.tensorflow) != bool(row.runtime), row
        assert row.device in {"cpu", "cuda"}
        assert row.platform in {"linux", "macos", "windows"}
        assert bool(row.cuda) == (row.device == "cuda")
        assert set(row.python.split()) <= set(known["python"]), row


def test_wheels_have_hashes(tables: Tables) -> None:
    wheels = tables.wheels()
    assert wheels
    for row in wheels:
        assert len(row.sha256) == 64
        assert row.kind in {"build", "cuda", "tool", "smoke", "perf"}
        assert row.size > 0


def test_needs_have_names_of_their_own_and_show_somehow(tables: Tables) -> None:
    found = tables.needs()
    assert len({row.need for row in found}) == len(found)
    for row in found:
        assert row.program or row.pkg_config or row.header, row.need
        assert row.debian, row.need
        assert all(".so" in name for name in row.sonames), row.need


def test_gpu_names_are_unique(tables: Tables) -> None:
    names = [row.name for row in tables.gpus()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_recipe_is_valid(tables: Tables, name: str) -> None:
    recipe = tables.recipe(name)
    assert isinstance(recipe, Recipe)
    assert len(recipe.targets) == len(recipe.outputs)


def test_an_unknown_recipe_gets_a_suggestion(tables: Tables) -> None:
    with fails("recipe-unknown", "'cudaa'", "'cuda'"):
        tables.recipe("cudaa")
