"""The section of a lock that says what a container held."""

import pytest

from tests.sample_report import an_environment
from tfbuild.core.environment_lock import environment_document, read_environment
from tfbuild.core.records import EnvironmentLock

HELD = an_environment("dpkg libc6 2.36-9 amd64", "dpkg libc6 2.36-9 i386", "pip3.11 numpy 1.26.4")


def test_a_line_for_each_package() -> None:
    assert environment_document(HELD)["packages"] == {
        "dpkg": {"libc6:amd64": "2.36-9", "libc6:i386": "2.36-9"},
        "pip3.11": {"numpy": "1.26.4"},
    }


def test_it_is_read_back() -> None:
    assert read_environment(environment_document(HELD)) == HELD
    assert read_environment(None) == EnvironmentLock()


@pytest.mark.parametrize(
    "changes",
    [{"packages": []}, {"packages": {"dpkg": ["libc6"]}}, {"packages": {"dpkg": {"libc6": 2.36}}},
     {"packages": {1: {"a": "1"}}}, {"id": 7}, {"colour": "blue"}],
)  # fmt: skip
def test_another_shape_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"unexpected|missing"):
        read_environment({**environment_document(HELD), **changes})


def test_a_section_without_packages_is_refused() -> None:
    with pytest.raises(ValueError, match="missing"):
        read_environment({"id": "sha256:1"})
    with pytest.raises(ValueError, match="missing"):
        read_environment("debian")
