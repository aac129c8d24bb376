from hypothesis import given
from hypothesis import strategies as st

from tfbuild.wheels.loops import loop_depths


def test_a_straight_way() -> None:
    assert loop_depths([[1], [2], []]) == [0, 0, 0]


def test_a_block_that_leads_to_itself() -> None:
    assert loop_depths([[1], [1, 2], []]) == [0, 1, 0]


def test_a_loop_in_a_loop() -> None:
    #  0 -> 1 -> 2 -> 3 -> 4;  3 -> 2 within 4 -> 1
    assert loop_depths([[1], [2], [3], [2, 4], [1, 5], []]) == [0, 1, 2, 2, 1, 0]


def test_two_ways_back_to_one_place_are_one_loop() -> None:
    assert loop_depths([[1], [2, 3], [1], [1, 4], []]) == [0, 1, 1, 1, 0]


def test_thousands_of_blocks() -> None:
    count = 20_000
    edges = [[i + 1] for i in range(count - 1)] + [[0]]
    assert set(loop_depths(edges)) == {1}


def reaches(edges: list[list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    work = list(edges[start])
    while work:
        if (block := work.pop()) not in seen:
            seen.add(block)
            work += edges[block]
    return seen


@given(st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)
))  # fmt: skip
def test_in_a_loop_is_what_reaches_itself(edges: list[list[int]]) -> None:
    depths = loop_depths(edges)
    assert [depth > 0 for depth in depths] == [i in reaches(edges, i) for i in range(len(edges))]
