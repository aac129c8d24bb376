"""Expressions that are searched for in time proportional to the text."""

import pytest

from tfbuild.core.linear_patterns import linear_pattern


@pytest.mark.parametrize("expression", ["(a+)+b", "(a|a)*b", "(?:.*a){12}b", "a*a*a*a*a*a*b"])
def test_no_text_takes_more_than_its_length(expression: str) -> None:
    """An engine that tries one way after the other would not come to an end here."""
    assert linear_pattern(expression).search("a" * 100_000) is None
    assert linear_pattern(expression).search("a" * 100_000 + "b") is not None


@pytest.mark.parametrize("expression", [r"(a)\1", "a(?=b)", "(?<!a)b", "a(?!b)", "a++b", "(a", "["])
def test_what_needs_another_engine_is_refused(
    expression: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="RE2 does not take"):
        linear_pattern(expression)
    assert capfd.readouterr() == ("", "")


def test_groups_are_named() -> None:
    pattern = linear_pattern(r"no room on (?P<disk>\S+)(?: of (?P<host>\w+))?")
    assert set(pattern.groupindex) == {"disk", "host"}
    found = pattern.search("\u00fc: no room on sda")
    assert found is not None
    assert found.groupdict() == {"disk": "sda", "host": None}


def test_whole_files_are_searched_line_by_line() -> None:
    pattern = linear_pattern(r"(?m)^\s*include (\w+)")
    assert pattern.findall("include a\n\n  include b\nno include c\n") == ["a", "b"]
    assert pattern.findall("\n" * 1_000_000) == []
    declared = linear_pattern(r"(?ms)Declare\((.*?)^\)")
    found = declared.search("Declare(\n a\n)\n")
    assert found is not None
    assert found[1] == "\n a\n"
    assert declared.search("Declare(\n" * 100_000) is None
