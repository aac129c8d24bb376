"""How many passed, and which versions, in a few words."""

from pathlib import Path

import pytest

from tfbuild.reporting.summary import (
    counted_text,
    install_command,
    install_command_here,
    tally,
    versions_text,
)


def test_tally() -> None:
    assert tally(["passed", "skipped", "passed"]) == "2 passed, 1 skipped"
    assert tally([]) == ""


@pytest.mark.parametrize(
    ("wheel", "command"),
    [
        ("dist/a-1.0-cp313-cp313-linux_x86_64.whl", "python3.13 -m pip install "),
        ("dist/a-1.0-1cu130-cp39-cp39-manylinux_2_35_x86_64.whl", "python3.9 -m pip install "),
        ("dist-cp38-a-b/a-1.0-py3-none-any.whl", "pip install "),
    ],
)
def test_a_wheel_is_installed_by_the_python_that_it_is_for(wheel: str, command: str) -> None:
    assert install_command(wheel) == command + wheel


def test_versions_are_said_in_one_order() -> None:
    assert versions_text({"numpy": "2.0", "python": "3.9", "gcc": "9.3"}) == "gcc 9.3, numpy 2.0"


def test_other_machines_are_named_where_they_had_a_part() -> None:
    assert counted_text(3, 0, 9, 0) == "3 actions, 9 from the cache"
    assert counted_text(3, 2, 9, 4) == (
        "3 actions (2 on other machines), 9 from the cache (4 over the network)"
    )


def test_a_python_of_the_system_takes_a_wheel_in_an_environment_alone(tmp_path: Path) -> None:
    wheel = "dist/a-1-cp311-cp311-linux_x86_64.whl"
    assert install_command_here(wheel, tmp_path) == f"python3.11 -m pip install {wheel}"
    (tmp_path / "python3.11").mkdir()
    (tmp_path / "python3.11" / "EXTERNALLY-MANAGED").touch()
    said = install_command_here(wheel, tmp_path)
    assert said == f"python3.11 -m venv venv && venv/bin/pip install {wheel}"
    assert install_command_here("dist/a-1-py3-none-any.whl", tmp_path).startswith("pip install ")
