"""The adapter for the solver: one value per axis, named clauses, smallest conflicts."""

from collections.abc import Mapping, Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tfbuild.resolver.solver import Solver, Terms

AXES: Mapping[str, Sequence[str]] = {"a": ("1", "2", "3"), "b": ("1", "2"), "c": ("1",)}
Clause = tuple[str, Terms]


def term(axis: str, *values: str) -> tuple[str, frozenset[str]]:
    return axis, frozenset(values)


def solver(*clauses: Clause) -> Solver:
    made = Solver(AXES)
    made.forbid(clauses)
    return made


def conflict(
    made: Solver, wanted: Mapping[str, tuple[str, frozenset[str]]], *names: str
) -> set[str]:
    found = made.conflict(wanted, names)
    assert found is not None
    return set(found)


def test_every_axis_has_exactly_one_value() -> None:
    model = solver().model([])
    assert model is not None
    assert model.keys() == AXES.keys()
    assert all(model[axis] in values for axis, values in AXES.items())


def test_a_clause_forbids() -> None:
    made = solver(("x", [term("a", "1", "2"), term("b", "1")]))
    assert made.model([term("a", "1"), term("b", "1")]) is None
    assert made.model([term("a", "1")]) == {"a": "1", "b": "2", "c": "1"}
    assert made.is_possible([term("a", "3"), term("b", "1")])
    assert not made.is_possible([term("a", "2"), term("b", "1")])


def test_a_value_that_there_is_not_cannot_be() -> None:
    made = solver()
    assert not made.is_possible([term("a", "9")])
    assert not made.is_possible([term("a")])
    assert made.is_possible([term("a", "9", "1")])


def test_two_constraints_on_one_axis_must_both_hold() -> None:
    made = solver()
    assert made.model([term("a", "1", "2"), term("a", "2", "3")])["a"] == "2"  # type: ignore[index]
    assert made.model([term("a", "1"), term("a", "3")]) is None


def test_asking_leaves_nothing_behind() -> None:
    made = solver(("x", [term("a", "1"), term("b", "1")]))
    assert conflict(made, {"w": term("a", "1"), "v": term("b", "1")}, "x") == {"w", "v", "x"}
    for _ in range(3):
        assert made.model([term("a", "1"), term("b", "1")]) is None
        assert made.model([term("a", "1"), term("b", "2")]) is not None
        assert made.model([term("b", "1")]) is not None


def test_clauses_may_come_later() -> None:
    made = solver()
    assert made.is_possible([term("a", "1")])
    made.forbid([("late", [term("a", "1")])])
    assert not made.is_possible([term("a", "1")])
    made.forbid([("late", [term("a", "2")])])
    assert made.model([]) == {"a": "3", "b": made.model([])["b"], "c": "1"}  # type: ignore[index]


def test_a_conflict_is_the_smallest() -> None:
    made = solver(
        ("far", [term("a", "1"), term("c", "1")]),
        ("near", [term("b", "2")]),
        ("idle", [term("a", "3"), term("b", "1")]),
    )
    constraints = {"a is 1": term("a", "1"), "b is 2": term("b", "2"), "any c": term("c", "1")}
    found = conflict(made, constraints, "far", "near", "idle")
    assert found in ({"a is 1", "far"}, {"b is 2", "near"})


def test_a_switched_off_clause_takes_no_part() -> None:
    made = solver(("x", [term("a", "1")]), ("y", [term("a", "1"), term("b", "1")]))
    constraints = {"a": term("a", "1"), "b": term("b", "1")}
    assert conflict(made, constraints, "y") == {"a", "b", "y"}
    assert made.conflict(constraints, []) is None
    assert made.conflict(constraints, ["there is none of this name"]) is None


def test_constraints_alone_may_collide() -> None:
    constraints = {"one": term("a", "1"), "two": term("a", "2"), "three": term("b", "1")}
    assert conflict(solver(), constraints) == {"one", "two"}


def test_facts_alone_may_collide() -> None:
    made = solver(("all of b", [term("b", "1", "2")]))
    assert conflict(made, {"a": term("a", "1")}, "all of b") == {"all of b"}


def test_clauses_of_one_name_are_one_switch() -> None:
    made = solver(("x", [term("a", "1")]), ("x", [term("a", "2")]), ("y", [term("a", "3")]))
    assert conflict(made, {}, "x", "y") == {"x", "y"}


def test_an_axis_without_a_value_cannot_be() -> None:
    assert Solver({"a": ()}).model([]) is None


# --- against counting everything -----------------------------------------------------------------

TERMS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.sets(st.sampled_from(["1", "2", "3"]), min_size=1).map(frozenset),
    min_size=1,
).map(lambda found: list(found.items()))


def models(clauses: Sequence[Terms], wanted: Terms) -> list[dict[str, str]]:
    """Every assignment that obeys, by going through all of them."""
    return [
        model
        for values in product(*AXES.values())
        if (model := dict(zip(AXES, values, strict=True)))
        and all(model[axis] in allowed for axis, allowed in wanted)
        and not any(all(model[axis] in bad for axis, bad in clause) for clause in clauses)
    ]


@given(st.lists(TERMS, max_size=6), TERMS)
def test_the_solver_agrees_with_counting(clauses: list[Terms], wanted: Terms) -> None:
    made = solver(*((f"x{number}", clause) for number, clause in enumerate(clauses)))
    expected = models(clauses, wanted)
    assert made.is_possible(wanted) == bool(expected)
    found = made.model(wanted)
    assert (found in expected) if expected else (found is None)


@given(st.lists(TERMS, min_size=1, max_size=6), st.lists(TERMS, min_size=1, max_size=4))
def test_a_conflict_is_infeasible_and_minimal(
    clauses: list[Terms], constraints: list[Terms]
) -> None:
    named = {f"x{number}": clause for number, clause in enumerate(clauses)}
    wanted = {f"w{n}": constraint[0] for n, constraint in enumerate(constraints)}
    found = solver(*named.items()).conflict(wanted, named)

    def hold(names: frozenset[str] | set[str]) -> bool:
        return bool(
            models(
                [clause for name, clause in named.items() if name in names],
                [constraint for name, constraint in wanted.items() if name in names],
            )
        )

    if found is None:
        assert hold({*named, *wanted})
        return
    assert not hold(found)
    for name in found:
        assert hold(found - {name}), f"without {name} it is still a conflict"


def test_a_long_life_does_not_make_it_forget() -> None:
    made = solver(("x", [term("a", "1"), term("b", "1")]))
    for number in range(3000):
        wanted = [term("a", str(number % 3 + 1)), term("b", str(number % 2 + 1))]
        assert made.is_possible(wanted) == (number % 6 != 0)
