"""What all drivers do alike."""

import pytest

from tfbuild.drivers.course import definitions, folder_in, is_same
from tfbuild.recipes.records import CMakeBuild


@pytest.mark.parametrize(
    ("asked", "got", "same"),
    [
        ("ON", "true", True), ("1", "yes", True), ("OFF", "no", True), ("shared", "shared", True),
        ("ON", "OFF", False), ("2", "yes", False), ("Shared", "shared", False), ("", "OFF", False),
        ("a b", "a b", True), ("/opt/A", "/opt/a", False),
    ],
)  # fmt: skip
def test_values_that_mean_the_same(asked: str, got: str, same: bool) -> None:
    assert is_same(asked, got) == same


def test_names_that_arguments_define() -> None:
    words = ("-DA=1", "-DB:BOOL=ON", "--c", "-D", "-Dd=e=f", "x")
    assert definitions(words) == ("A", "B", "d")


@pytest.mark.parametrize(("folder", "found"), [("", "{x}"), (".", "{x}"), ("a/b", "{x}/a/b")])
def test_the_folder_of_a_step(folder: str, found: str) -> None:
    step = CMakeBuild(folder=folder, arguments=(), targets=(), environment=(), expect=())
    assert folder_in("{x}", step) == found
