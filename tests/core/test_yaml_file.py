"""YAML to plain data and back; what could surprise is refused with its line."""

import pytest
import yaml

from tfbuild.core.yaml_file import lines_of, parse_yaml, to_yaml


def test_versions_and_dates_stay_as_they_are_written() -> None:
    text = "a: 3.10\nb: 2026-11-20\nc: 12\nd: true\ne: [1.0, none]\n"
    assert parse_yaml(text) == {
        "a": "3.10", "b": "2026-11-20", "c": 12, "d": True, "e": ["1.0", "none"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "line 5: 'c' stands there twice"),
        ("a: &x [1]\nb: *x\n", r"line 2: references \(\*name\) are not read"),
        ("a: [\n", "line 2"),
        ("a: 1\n b: 2\n", "line 2"),
        ("a: !!python/name:os.system\n", "line 1"),
        ("? [1]\n: 2\n", "unhashable"),
        ("a: \x00\n", "control characters"),
        ("---\na\n---\nb\n", "single document"),
        ("a: !!int x\n", r"line 1: types \(!name\) are not read"),
        ("a: 1\nb: !!timestamp x\n", r"line 2: types \(!name\) are not read"),
        ("a: 1\nb: " + "9" * 400 + "\n", "line 2: a number of 400 digits"),
        ("? a\n: [0x" + "f" * 5000 + "]\n", "line 2: a number of 5,002 digits"),
        ("%TAG !a! x\n---\na: 1\n", "line 1: directives"),
        ("\ufeff%YAML 1.1\n---\na: 1\n", "line 1: directives"),
        ("a: 1\n...\n%TAG !a! x\n---\nb: 1\n", "line 3: directives"),
        ("# a\x85%TAG !a! x\n---\na: 1\n", "line 1: directives"),
        ("a: &x [1" + ":59" * 3000 + "]\n", "line 1: a number of 9,001 digits"),
    ],
)
def test_what_is_broken_is_reported_with_its_line(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_yaml(text)


@pytest.mark.parametrize("text", ["[" * 200_000, "{a: " * 200_000, "- " * 60 + "a"])
def test_deep_nesting_is_refused_and_does_not_end_the_process(text: str) -> None:
    # libyaml from 0.2.6 on has its own limit, met before the first level is counted.
    with pytest.raises(ValueError, match=r"nested more than 50 levels|maximum nesting depth"):
        parse_yaml(text)


def test_many_directives_cost_no_time() -> None:
    text = "".join(f"%TAG !{number:x}! x\n" for number in range(200_000)) + "---\na: 1\n"
    with pytest.raises(ValueError, match="directives"):
        parse_yaml(text)
    assert parse_yaml("a: 5 %\nb: '%'\nc: |\n  %TAG\n")["c"] == "%TAG\n"


def test_what_is_written_is_read_back() -> None:
    value = {"b": "3.10", "a": ["1", 1, "none", "yes", "12e3", "1:30", "é"], "c": {"x:y": "2.0"}}
    assert parse_yaml(to_yaml(value)) == value
    assert list(parse_yaml(to_yaml(value))) == ["b", "a", "c"]


def test_scripts_are_blocks_and_nothing_stands_there_by_reference() -> None:
    step = {"run": "first\nsecond\n", "with": ["3.10", "on"]}
    text = to_yaml([step, step])
    assert "run: |\n    first\n    second\n" in text
    assert "&" not in text
    assert yaml.safe_load(text) == [step, step]


def test_keys_and_items_have_lines() -> None:
    text = "a:\n  on: {b: 1}\nc:\n- x\n- d:\n    e: 2\n"
    assert lines_of(text) == {
        ("a",): 1,
        ("a", "on"): 2,
        ("a", "on", "b"): 2,
        ("c",): 3,
        ("c", "[1]"): 4,
        ("c", "[2]"): 5,
        ("c", "[2]", "d"): 5,
        ("c", "[2]", "d", "e"): 6,
    }
    assert lines_of("") == lines_of("3") == {}
