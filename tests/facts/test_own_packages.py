"""What a system's own packages have, and who has what it lacks."""

import pytest

from tfbuild.facts.own_packages import (
    NO_PACKAGES,
    OwnPackages,
    complete_systems,
    read_own_packages,
)
from tfbuild.facts.rows import AxisRow


def a_row(name: str, **offers: str) -> AxisRow:
    return AxisRow(
        version=name, source=("a",), checked="2026-11-20", evidence="measured",
        offers=tuple(offers.items()),
    )  # fmt: skip


ROWS = (
    a_row("debian 12", gcc="11.3 12.2", python="3.11", bazel="4.2.3"),
    a_row("debian 11", gcc="9.3 10.2", python="3.9", bazel="3.5.1"),
    a_row("fedora 42", gcc="9.9"),
    a_row("macos"),
)


@pytest.fixture
def bookworm() -> OwnPackages:
    return read_own_packages("debian 12", ROWS)


@pytest.mark.parametrize(
    ("axis", "spec", "lacks"),
    [
        ("gcc", "9", True),
        ("gcc", "11", False),
        ("gcc", ">=9", False),
        ("gcc", "any", False),
        ("gcc", "none", False),
        ("gcc", "", False),
        ("python", "3.11.2", False),
        ("python", "3.12", True),
        ("clang", "15", False),
    ],
)
def test_what_is_lacking_is_known_where_the_packages_are(
    bookworm: OwnPackages, axis: str, spec: str, lacks: bool
) -> None:
    assert bookworm.lacks(axis, spec) is lacks
    assert not NO_PACKAGES.lacks(axis, spec)
    assert not read_own_packages("arch", ROWS).lacks(axis, spec)


def test_elsewhere_is_where_a_container_can_be_built_in(bookworm: OwnPackages) -> None:
    assert bookworm.elsewhere("gcc", "9") == ("debian 11",)
    assert bookworm.elsewhere("gcc", "4.8") == ()
    assert complete_systems(ROWS) == ("debian 12", "debian 11")
