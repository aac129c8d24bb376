"""What records of the resolver say of themselves."""

import pytest

from tfbuild.resolver.resolution import (
    Conflict,
    Constraint,
    Resolution,
    ResolutionWarning,
    ResolvedVersion,
)


def a_constraint(axis: str, spec: str, words: str = "") -> Constraint:
    return Constraint(axis=axis, spec=spec, origin="flag", values=frozenset(("1",)), words=words)


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (a_constraint("python", "3.11"), "python=3.11 (flag)"),
        (a_constraint("python", ">=3.9,<3.12"), "python>=3.9,<3.12 (flag)"),
        (a_constraint("os", "debian 12"), "os=debian 12 (flag)"),
        (a_constraint("gpu#2", "==8.6", "RTX 3090"), "gpu=RTX 3090 (8.6, flag)"),
    ],
)
def test_a_constraint_in_words(constraint: Constraint, text: str) -> None:
    assert constraint.text == text
    assert constraint.term == (constraint.axis, frozenset(("1",)))


def test_trouble_is_the_conflict_then_the_warning() -> None:
    conflict = Conflict(axes=("cuda",), message="it collides", constraints=(), facts=())
    warning = ResolutionWarning(kind="advisory", axes=("cuda",), message="take care", facts=())
    assert Resolution(status="ok", constraints=()).trouble == ""
    assert Resolution(status="ok", constraints=(), warnings=(warning,)).trouble == "take care"
    both = Resolution(status="conflict", constraints=(), conflicts=(conflict,), warnings=(warning,))
    assert both.trouble == "it collides"


def test_the_value_of_an_axis() -> None:
    chosen = ResolvedVersion(axis="cuda", value="13.0", evidence="measured", because=())
    resolution = Resolution(status="ok", constraints=(), choices=(chosen,))
    assert (resolution.value("cuda"), resolution.value("gpu")) == ("13.0", "")
