"""A few words that stand for many lines: how many passed, which versions."""

from collections.abc import Mapping, Sequence

# What the cells of a matrix are compared by, beside what was asked for.
COMPARED = ("gcc", "clang", "bazel", "numpy", "cuda", "cudnn", "glibc")


def tally(states: Sequence[str]) -> str:
    """How many of each: 12 passed, 2 skipped."""
    counts = {state: states.count(state) for state in ("passed", "failed", "skipped")}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def versions_text(versions: Mapping[str, str]) -> str:
    """The versions that cells are compared by: gcc 12.2, bazel 4.2.3."""
    return ", ".join(f"{axis} {versions[axis]}" for axis in COMPARED if axis in versions)
