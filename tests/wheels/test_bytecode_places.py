"""Bytecode and descriptions in a wheel that Python takes for those of other distributions."""

from pathlib import Path

import pytest

from tests.shared_libraries import a_subject, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels import place_checks as check

DATA = "tiny_thing-1.0.data"


@pytest.mark.parametrize(
    "name",
    [
        *("__pycache__/six.cpython-311.pyc", "__pycache__/_virtualenv.cpython-311.pyc"),
        *(
            "requests/__pycache__/__init__.cpython-311.pyc",
            "__pycache__/strange.cpython-39.opt-1.pyc",
        ),
        *(
            f"{DATA}/purelib/__pycache__/six.cpython-311.pyc",
            "tiny_thing/__pycache__/gone.cpython-311.pyc",
        ),
    ],
)
def test_bytecode_of_a_module_that_the_wheel_does_not_hold_fails_in_every_wheel(
    tmp_path: Path, name: str
) -> None:
    wheel = tiny_wheel(tmp_path, {name: b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert f"{name} is bytecode of " in found.detail


@pytest.mark.parametrize(
    "name", ["numpy.egg-info", "numpy-2.3-py3.11.egg-info/PKG-INFO", "six-1.0.dist-info/RECORD"]
)
def test_the_description_of_another_distribution_fails_in_every_wheel(
    tmp_path: Path, name: str
) -> None:
    wheel = tiny_wheel(tmp_path, {name: b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "another distribution" in found.detail


def test_bytecode_beside_its_source_is_no_place_of_others(tmp_path: Path) -> None:
    held = {"tiny_thing/a.py": b"", "tiny_thing/__pycache__/a.cpython-311.pyc": b""}
    assert check.check_places(a_subject(tiny_wheel(tmp_path, held))).state == "passed"
