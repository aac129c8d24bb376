"""What a wheel requires."""

from email.parser import Parser

import pytest

from tests.failing import fails
from tfbuild.wheels.requirements import (
    MOST_REQUIREMENTS,
    is_for_extra,
    parse_requirement,
    read_requirements,
)


def test_lines_keep_their_words_and_get_a_meaning() -> None:
    text = "Requires-Dist: NumPy (<2,>=1.23)\nRequires-Dist:  zstd[all] ; extra == 'z'\n"
    found = read_requirements(Parser().parsestr(text))
    assert list(found) == ["NumPy (<2,>=1.23)", "zstd[all] ; extra == 'z'"]
    assert [one.name for one in found.values()] == ["NumPy", "zstd"]
    assert read_requirements(Parser().parsestr("Name: x\n")) == {}


@pytest.mark.parametrize("text", ["", "what?", "numpy>=1,,2", "numpy>=", "./numpy", "a b"])
def test_what_pip_would_refuse_is_refused_with_a_remedy(text: str) -> None:
    with fails("requirement-invalid", f"'{text}'", "numpy>=1.26") as caught:
        parse_requirement(text)
    assert "\n" not in caught.value.why


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a; extra == 'x'", True),
        ("a; 'x' == extra", True),
        ("a; python_version >= '3' and (extra=='x' or extra=='y')", True),
        ("a; python_version >= '3'", False),
        ("a; extra != 'never'", False),
        ("a; extra not in 'x y'", True),
        ("a; extra in 'x y'", False),  # as "" is in any text
        ("a; extra == ''", False),
        ("a; extra == 'x' or os_name == 'nt'", False),
        ("a; os_name == 'nt' and (extra == 'x' or extra != 'y')", False),
        ("a; os_name == 'nt' and python_version < '3' and extra == 'x\"y'", True),
        ("a; platform_version == 'extra == \"x\"'", False),
        ("a; 'extra' in platform_version and extra == 'x'", True),
        ("a; extra ~= '1'", False),
        ("a[extra]>=1", False),
        ("extra", False),
    ],
)
def test_a_marker_says_whether_an_extra_asks(text: str, answer: bool) -> None:
    assert is_for_extra(parse_requirement(text)) is answer


def test_there_are_only_so_many_lines() -> None:
    lines = [f"Requires-Dist: a{n}\n" for n in range(MOST_REQUIREMENTS + 1)]
    assert len(read_requirements(Parser().parsestr("".join(lines[1:])))) == MOST_REQUIREMENTS
    with fails("requirements-too-many", "2,001"):
        read_requirements(Parser().parsestr("".join(lines)))
