"""Which names and versions recipes may have."""

import pytest

from tfbuild.recipes.forms import is_name, is_too_long, is_version, leads_out


@pytest.mark.parametrize(
    ("text", "is_good"),
    [("zlib-ng", True), ("a", True), ("Zlib", False), ("", False), ("a/b", False)],
)
def test_names(text: str, is_good: bool) -> None:
    assert is_name(text) == is_good


@pytest.mark.parametrize(
    ("text", "is_good"), [("1.5.7", True), ("2024-01-01", True), ("../x", False), ("", False)]
)
def test_versions(text: str, is_good: bool) -> None:
    assert is_version(text) == is_good


def test_what_leads_out_of_a_product() -> None:
    assert leads_out("../a")
    assert leads_out("/etc/passwd")
    assert not leads_out("lib/a.so")


def test_patterns_have_a_limit() -> None:
    assert is_too_long(["a" * 4001])
    assert not is_too_long(["a" * 10])
