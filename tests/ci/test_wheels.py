"""The axes of a pipeline of wheels, and what it builds."""

import pytest

from tfbuild.ci.wheels import WHEELS, wheel_axes
from tfbuild.core.errors import BadRequest
from tfbuild.core.layout import CACHE, SOURCES


def test_without_a_python_there_is_one() -> None:
    assert dict(wheel_axes(("cuda=none",))) == {"cuda": ("none",), "python": ("3.13",)}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("python",), "AXIS=VALUE"),
        (("python=",), "AXIS=VALUE"),
        (("python=3.11,,3.12",), "AXIS=VALUE"),
        (("cuda=>=12",), "AXIS=VALUE"),
        (("cuda=$(reboot)",), "AXIS=VALUE"),
        (("cuda=${{ secrets.A }}",), "AXIS=VALUE"),
        (("pyton=3.11",), "no axis 'pyton'"),
        (("python=3.11,3.11",), "twice"),
        (("python=3.11", "python=3.12"), "twice"),
        (("python=newest",), "no Python version"),
    ],
)
def test_words_that_are_none(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        wheel_axes(words)


def test_wheels_are_proven_and_go_to_the_index() -> None:
    assert (WHEELS.destination, WHEELS.distinct) == ("index", {"python"})
    assert [line.split()[1] for line in WHEELS.checks] == ["audit", "smoke"]
    assert set(WHEELS.kept) <= set(CACHE)
    assert SOURCES not in WHEELS.kept, "no wheel is built of one"
    assert WHEELS.variable("tf_keras") == "TFBUILD_TF_KERAS"
