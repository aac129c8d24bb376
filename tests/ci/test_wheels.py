"""The axes of a pipeline of wheels, and what it builds."""

import pytest

from tests.failing import fails
from tfbuild.ci.wheels import WHEELS, wheel_axes
from tfbuild.core.layout import CACHE, SOURCES


def test_without_a_python_there_is_one() -> None:
    assert dict(wheel_axes(("cuda=none",))) == {"cuda": ("none",), "python": ("3.13",)}


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("python",), "not-axis-values", "'python'"),
        (("python=",), "not-axis-values", "'python='"),
        (("python=3.11,,3.12",), "not-axis-values", "'python=3.11,,3.12'"),
        (("cuda=>=12",), "not-axis-values", "'cuda=>=12'"),
        (("cuda=$(reboot)",), "not-axis-values", "'cuda=$(reboot)'"),
        (("cuda=${{ secrets.A }}",), "not-axis-values", "'cuda=${{ secrets.A }}'"),
        (("pyton=3.11",), "axis-unknown", "'pyton'"),
        (("python=3.11,3.11",), "matrix-value-twice", "'python=3.11,3.11'"),
        (("python=3.11", "python=3.12"), "matrix-value-twice", "'python=3.12'"),
        (("python=newest",), "not-a-python-version", "'newest'"),
    ],
)
def test_words_that_are_none(words: tuple[str, ...], code: str, named: str) -> None:
    with fails(code, named):
        wheel_axes(words)


def test_wheels_are_proven_and_go_to_the_index() -> None:
    assert WHEELS.destination == "index"
    assert set(WHEELS.distinct) == {"python"}
    assert [line.split()[1] for line in WHEELS.checks] == ["audit", "smoke"]
    assert set(WHEELS.kept) <= set(CACHE)
    assert SOURCES not in WHEELS.kept, "no wheel is built of one"
    assert WHEELS.variable("tf_keras") == "TFBUILD_TF_KERAS"
