"""Names of systems, and what their packages have."""

import pytest

from tests.failing import fails
from tfbuild.containers.systems import is_ended, match_offer, read_system
from tfbuild.core.environments import System
from tfbuild.facts.tables import Tables


@pytest.mark.parametrize(
    "name", ["debian 12", "debian:bookworm", "debian:12", "bookworm", " Debian  12 "]
)
def test_a_release_has_many_names(name: str, tables: Tables) -> None:
    system = read_system(name, tables.axis("os"))
    assert (system.name, system.suite, system.glibc) == ("debian 12", "bookworm", "2.36")
    assert (system.family, system.image) == ("debian", "debian:bookworm")


@pytest.mark.parametrize("name", ["debian:bokworm", "windows", "rocky 9", ""])
def test_what_apt_does_not_handle_is_refused(name: str, tables: Tables) -> None:
    with fails("system-unknown", f"'{name}'"):
        read_system(name, tables.axis("os"))


def test_a_typing_error_is_answered_with_the_nearest_name(tables: Tables) -> None:
    with fails("system-unknown", "'debian:bokworm'", "'debian:bookworm'"):
        read_system("debian:bokworm", tables.axis("os"))


def test_of_a_compiler_the_first_number_counts_of_a_python_the_second_too() -> None:
    system = System(
        name="debian 9",
        suite="x",
        glibc="2",
        offers=(("gcc", ("9.3", "10.2")), ("python", ("3.9",))),
    )
    assert match_offer(system, "gcc", "10") == "10.2"
    assert match_offer(system, "gcc", "10.4.0") == "10.2"
    assert match_offer(system, "gcc", "1") == ""
    assert match_offer(system, "python", "3.9.2") == "3.9"
    assert match_offer(system, "python", "3.90") == ""
    assert match_offer(system, "bazel", "4.2.3") == ""


def test_a_system_ends_with_its_last_day_of_updates(tables: Tables) -> None:
    assert is_ended(read_system("buster", tables.axis("os")))
    assert not is_ended(System(name="debian 99", suite="x", glibc="2", ends="2999-12-31"))
    assert not is_ended(System(name="debian 99", suite="x", glibc="2"))
