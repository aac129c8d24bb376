"""The image of a native container."""

import pytest

from tests.failing import fails
from tfbuild.containers.packages import dockerfile_with


def test_the_dockerfile_has_the_packages() -> None:
    text = dockerfile_with(("cmake", "g++"))
    assert 'ARG PACKAGES="cmake g++"\n' in text
    assert text.count("ARG PACKAGES=") == 1


@pytest.mark.parametrize("name", ["x; reboot", "-o", "", "$(id)", 'a"'])
def test_what_is_no_package_is_refused(name: str) -> None:
    with fails("package-name-invalid", f"'{name}'"):
        dockerfile_with((name,))
