"""Each kind of step has its driver."""

from typing import Any

import pytest

from tfbuild.drivers.driver import driver_of
from tfbuild.recipes.records import BuildStep, CMakeBuild, ConfigureMake, MesonBuild

FIELDS: dict[str, Any] = {
    "folder": "sub",
    "arguments": ("--x",),
    "targets": ("t",),
    "environment": (),
    "expect": (),
}


@pytest.mark.parametrize(
    ("step", "program"),
    [
        (CMakeBuild(**FIELDS), "cmake"),
        (ConfigureMake(**FIELDS), "./configure"),
        (MesonBuild(**FIELDS), "meson"),
    ],
)
def test_a_step_has_three_commands(step: BuildStep, program: str) -> None:
    commands = driver_of(step).commands(step, prefix="/opt/toy", jobs=3)
    assert [command.stage for command in commands] == ["configure", "build", "install"]
    assert commands[0].argv[0] == program
    assert commands[0].argv[-1] == "--x"
    assert {"3", "-j3"} & set(commands[1].argv)
    assert commands[1].argv[-1] == "t"
    assert "{stage}" in " ".join((*commands[2].argv, *dict(commands[2].env).values()))


def test_a_step_without_a_driver() -> None:
    with pytest.raises(KeyError):
        driver_of(BuildStep(**FIELDS))
