"""A few words that stand for many lines: how many passed, which versions."""

from collections.abc import Mapping, Sequence

# What the cells of a matrix are compared by, beside what was asked for.
COMPARED = ("gcc", "clang", "bazel", "numpy", "cuda", "cudnn", "glibc")


def tally(states: Sequence[str], order: Sequence[str] = ("passed", "failed", "skipped")) -> str:
    """How many of each: 12 passed, 2 skipped."""
    counts = {state: states.count(state) for state in order}
    return ", ".join(f"{count} {state}" for state, count in counts.items() if count)


def peak_text(name: str, *, achieved: float, peak: float, low: float, high: float) -> str:
    """The share of the machine's peak that a measurement reaches, with the spread of its rounds.

    More than the peak is no share of it: then the two cannot be told apart.
    """
    spread = f"{low:.0%} to {high:.0%} in the rounds"
    if achieved >= peak:
        return f"{name}: at this machine's measured peak ({spread})"
    return f"{name}: {achieved / peak:.0%} of this machine's measured peak ({spread})"


def counted_text(executed: int, elsewhere: int, cache_hits: int, remote_hits: int) -> str:
    """How many actions ran and how many came from caches: 3 actions, 90 from the cache.

    Other machines are named where they had a part in it.
    """
    ran = f"{executed} actions"
    if elsewhere:
        ran += f" ({elsewhere} on other machines)"
    hits = f"{cache_hits} from the cache"
    if remote_hits:
        hits += f" ({remote_hits} over the network)"
    return f"{ran}, {hits}"


def versions_text(versions: Mapping[str, str]) -> str:
    """The versions that cells are compared by: gcc 12.2, bazel 4.2.3."""
    return ", ".join(f"{axis} {versions[axis]}" for axis in COMPARED if axis in versions)
