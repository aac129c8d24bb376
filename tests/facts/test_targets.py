"""Platforms, as each tool calls them."""

from dataclasses import replace

import pytest

from tests.fakes import a_host
from tfbuild.facts.targets import (
    all_targets,
    find_target,
    name_in_tests,
    range_of_tested,
    systems_tested,
    target_of,
    usual_target,
)
from tfbuild.wheels.manylinux import loadable_platforms


@pytest.mark.parametrize(
    ("system", "machine", "name"),
    [
        ("Linux", "x86_64", "linux-x86_64"),
        ("Linux", "aarch64", "linux-aarch64"),
        ("Darwin", "arm64", "macos-arm64"),
        ("Darwin", "x86_64", "macos-x86_64"),
        ("Windows", "AMD64", "windows-x86_64"),
    ],
)
def test_a_machine_is_what_uname_says(system: str, machine: str, name: str) -> None:
    assert target_of(replace(a_host(), system=system, machine=machine)).version == name


def test_a_machine_without_a_row_is_what_it_says_of_itself() -> None:
    found = target_of(replace(a_host(), machine="riscv64"))
    assert (found.version, found.wheel_platform) == ("linux-riscv64", "linux_riscv64")
    assert (found.debian, found.multiarch) == ("riscv64", "riscv64-linux-gnu")


def test_each_tool_has_its_own_name() -> None:
    arm = find_target("linux-aarch64")
    assert (arm.debian, arm.conda, arm.bazel) == ("arm64", "linux-aarch64", "linux-arm64")
    assert (arm.multiarch, arm.wheel_platform) == ("aarch64-linux-gnu", "linux_aarch64")
    assert (arm.system, arm.machine) == ("linux", "aarch64")


def test_no_two_rows_are_called_the_same() -> None:
    said = [word for t in all_targets() for word in (t.version, *t.uname, *t.aliases)]
    assert len(said) == len(set(said))
    for field in ("debian", "multiarch", "conda", "bazel", "emulator"):
        names = [name for target in all_targets() if (name := getattr(target, field))]
        assert len(names) == len(set(names)), field


def test_a_system_stands_for_its_usual_platform() -> None:
    assert usual_target("linux").version == "linux-x86_64"
    assert usual_target("macos", "x86").version == "macos-x86_64"
    assert systems_tested() == {"linux", "macos", "windows"}
    assert range_of_tested("macos") == "macos-arm64 | macos-x86_64"
    assert (name_in_tests("macos-arm64"), name_in_tests("linux-aarch64")) == ("macos", "")


def test_a_machine_without_a_row_loads_wheels_from_manylinux2014_on() -> None:
    unknown = target_of(replace(a_host(), machine="s390x"))
    assert loadable_platforms("2.18", unknown) == (
        "manylinux_2_18_s390x", "manylinux_2_17_s390x", "manylinux2014_s390x", "linux_s390x",
    )  # fmt: skip
    assert (unknown.conda, unknown.bazel) == ("linux-s390x", "linux-s390x")
