"""What a wheel says twice, or by an address."""

from pathlib import Path

import pytest

from tests.shared_libraries import TAGS, a_library, a_subject, metadata, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels import metadata_checks as check
from tfbuild.wheels.wheel_file import write_wheel

INFO = "tiny_thing-1.0.dist-info"
NO_PLAN = AuditPolicy()


def test_a_plain_wheel_passes(tmp_path: Path) -> None:
    subject = a_subject(tiny_wheel(tmp_path, requires=("numpy>=1.23",)))
    assert check.check_metadata(subject).state == "passed"
    assert check.check_requirements(subject).state == "passed"
    assert check.check_requirements(subject).built == "numpy>=1.23"


@pytest.mark.parametrize("line", ["Name: evil", "Version: 2.0", "Requires-Python: >=2"])
def test_a_line_that_stands_twice_fails_in_every_wheel(tmp_path: Path, line: str) -> None:
    said = metadata("tiny-thing", "1.0", "Requires-Python: >=3.11", line)
    wheel = tiny_wheel(tmp_path, {f"{INFO}/METADATA": said})
    found = check.check_metadata(a_subject(wheel, policy=NO_PLAN))
    assert found.state == "failed"
    assert f"METADATA has 2 lines {line.partition(':')[0]}" in found.detail


def test_wheel_says_each_thing_once(tmp_path: Path) -> None:
    said = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nRoot-Is-Purelib: false\nTag: {TAGS}\n"
    wheel = tiny_wheel(tmp_path, {f"{INFO}/WHEEL": said.encode()})
    assert "WHEEL has 2 lines" in check.check_metadata(a_subject(wheel, policy=NO_PLAN)).detail


def test_the_build_tag_is_that_of_the_name(tmp_path: Path) -> None:
    said = f"Wheel-Version: 1.0\nBuild: 1cu130\nTag: {TAGS}\n"
    wheel = tiny_wheel(tmp_path, {f"{INFO}/WHEEL": said.encode()})
    assert "build tag 1cu130" in check.check_metadata(a_subject(wheel)).detail
    named = wheel.rename(wheel.with_name(wheel.name.replace("1.0-", "1.0-1cu130-")))
    assert check.check_metadata(a_subject(named)).state == "passed"


def test_the_folder_of_another(tmp_path: Path) -> None:
    files = {"other-1.0.dist-info/METADATA": metadata("tiny-thing", "1.0")}
    wheel = write_wheel(tmp_path / f"tiny_thing-1.0-{TAGS}.whl", files)
    found = check.check_metadata(a_subject(wheel, policy=NO_PLAN))
    assert "other-1.0.dist-info is another's" in found.detail


def test_machine_code_that_is_called_pure(tmp_path: Path) -> None:
    said = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {TAGS}\n"
    wheel = tiny_wheel(tmp_path, {f"{INFO}/WHEEL": said.encode()})
    assert check.check_metadata(a_subject(wheel)).state == "passed"
    assert check.check_metadata(a_subject(wheel, a_library())).state == "failed"
    assert check.check_metadata(a_subject(wheel, a_library(), policy=NO_PLAN)).state == "skipped"


@pytest.mark.parametrize(
    "line", ["evil @ https://elsewhere.example/evil-1-py3-none-any.whl", "evil @ file:///tmp/evil"]
)
def test_a_requirement_by_its_address(tmp_path: Path, line: str) -> None:
    wheel = tiny_wheel(tmp_path, requires=(line,))
    found = check.check_requirements(a_subject(wheel))
    assert (found.state, found.detail) == ("failed", f"'{line}' names an address")
    assert check.check_requirements(a_subject(wheel, policy=NO_PLAN)).state == "skipped"


def test_a_requirement_that_is_none_fails_in_every_wheel(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, requires=("numpy>=1,,2",))
    assert check.check_requirements(a_subject(wheel, policy=NO_PLAN)).state == "failed"
