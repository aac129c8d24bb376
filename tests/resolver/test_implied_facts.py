"""What follows for the wheel: NumPy's interface, the tag, the system's packages."""

import pytest

from tfbuild.facts.rules import load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.implied_facts import implied_facts

BEST = {
    "tensorflow": "2.15.0", "python": "3.11", "numpy": "1.26.4", "os": "debian 12",
    "glibc": "2.36", "platform": "linux-x86_64", "bazel": "6.1.0",
}  # fmt: skip


def texts(tables: Tables, axis: str, **changes: str) -> list[str]:
    return [fact.text for fact in implied_facts(load_facts(tables), {**BEST, **changes}, axis)]


@pytest.mark.parametrize(
    ("numpy", "words"),
    [
        ("1.19.5", "runs with NumPy 1.19 and later 1.x"),
        ("1.26.4", "runs with NumPy 1.19 and later 1.x"),
        ("2.0.2", "runs with NumPy 1.19 and newer ones"),
        ("2.4.6", "runs with NumPy 1.23 and newer ones"),
    ],
)
def test_with_which_numpy_a_wheel_runs(tables: Tables, numpy: str, words: str) -> None:
    assert texts(tables, "numpy", numpy=numpy, tensorflow="2.6.5")[-1].endswith(words)


def test_a_hermetic_build_brings_its_numpy(tables: Tables) -> None:
    assert "compiled against NumPy 1.23.5 for Python 3.11" in texts(tables, "numpy")[0]
    assert len(texts(tables, "numpy", tensorflow="2.6.5")) == 1


def test_the_tag_follows_from_glibc(tables: Tables) -> None:
    (text,) = texts(tables, "glibc")
    assert "manylinux_2_36_x86_64" in text
    (text,) = texts(tables, "glibc", glibc="2.17", platform="linux-aarch64")
    assert "manylinux_2_17_aarch64" in text


def test_what_a_system_has(tables: Tables) -> None:
    (text,) = texts(tables, "os")
    assert text.startswith("debian 12 has in its own packages GCC 11.3, 12.2")
    assert texts(tables, "os", os="arch") == []


def test_most_axes_have_none(tables: Tables) -> None:
    assert texts(tables, "bazel") == []
