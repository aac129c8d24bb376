"""What holds for every answer, whatever is asked: over the project's own tables.

Rules are read here once more, by code that shares nothing with the problem or its solver but the
meaning of a single range.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.matrix_files import chosen, pinned
from tfbuild.core.axes import axes, beside, is_word
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Pin
from tfbuild.facts.ranges import NONE, asked, select
from tfbuild.facts.rules import Facts, Rule, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.facts.tree_days import rules_of_day
from tfbuild.resolver.question import Question, compile_question
from tfbuild.resolver.ranking import PREFERENCES
from tfbuild.resolver.resolution import Alternative, Conflict
from tfbuild.resolver.resolver import resolve
from tfbuild.resolver.solver import Solver

OPTIONAL = ("cuda", "cudnn", "nccl", "gcc", "clang", "glibc", "driver")
NOT_OF = {"tensorflow": {"runtime"}, "runtime": {"tensorflow", "protobuf", "nccl", *beside()}}
TIMES = [pytest.param(1, id="few"), pytest.param(8, id="many", marks=pytest.mark.slow)]
LEVELS = {True: {"hard", "tested"}, False: {"hard"}}


@cache
def the_facts() -> Facts:
    return load_facts(Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes")))


# --- questions -----------------------------------------------------------------------------------


def _spec(axis: str) -> st.SearchStrategy[str]:
    """A constraint on an axis: a version, a shorter one, a range, `none`, `any`; a GPU or two."""
    values = [v for v in the_facts().versions(axis) if v != NONE]
    value = st.sampled_from(values)
    if axis == "gpu":
        names = st.sampled_from([row.name for row in the_facts().gpus if "," not in row.name])
        several = st.lists(value, min_size=1, max_size=3, unique=True).map(",".join)
        return st.one_of(names, several, st.just(NONE))
    if is_word(axis):
        return value
    pairs = st.tuples(value, value).map(lambda pair: f">={pair[0]},<={pair[1]}")
    shorter = value.map(lambda v: ".".join(v.split(".")[:2]))
    found = [
        value,
        value,
        shorter,
        value.map(lambda v: f">={v}"),
        value.map(lambda v: f"<{v}"),
        pairs,
    ]
    if axis in OPTIONAL:
        found += [st.just(NONE), st.just("any")]
    return st.one_of(found)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A question on one to five axes; mostly about TensorFlow."""
    target = draw(st.sampled_from(["tensorflow", "tensorflow", "tensorflow", "runtime"]))
    others = sorted(set(axes()) - NOT_OF[target] - {target})
    named = draw(st.lists(st.sampled_from(others), max_size=4, unique=True))
    requested = [Pin(axis=target, spec=draw(_spec(target)))]
    requested += [Pin(axis=axis, spec=draw(_spec(axis))) for axis in named]
    prefer = draw(st.sampled_from([PREFERENCES, tuple(reversed(PREFERENCES))]))
    return Question(pins=tuple(requested), strict=draw(st.booleans()), prefer=prefer)


def many(examples: int) -> Callable[[Callable[[Question], None]], Callable[[int], None]]:
    """The property, tried on so many questions; on many times as many where tests may be slow.

    The few are the same ones in every run.
    """

    def decorate(holds_for: Callable[[Question], None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("times", TIMES)
        def test(times: int) -> None:
            relaxed = settings(
                max_examples=examples * times,
                deadline=None,
                derandomize=times == 1,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            )
            relaxed(given(questions())(holds_for))()

        return test

    return decorate


# --- rules, read once more -----------------------------------------------------------------------


def allows(spec: str, value: str, axis: str) -> bool:
    return value in _select(spec, value, is_word(axis))


@cache
def _select(spec: str, value: str, words: bool) -> frozenset[str]:
    return select(spec, (value,), words=words)


def spares_none(rule: Rule) -> bool:
    """What is not there needs no version; but what was tested was there."""
    axis, spec = rule.needs or ("", "")
    return spec != "any" and not is_word(axis) and rule.level != "tested"


def says_no(rule: Rule, build: Mapping[str, str]) -> bool:
    """Whether a build (one GPU or none) is what the rule speaks against."""
    mentioned = {axis for axis, _ in rule.when} | {*rule.needs[:1]}
    if not mentioned <= build.keys():
        return False
    if not all(allows(spec, build[axis], axis) for axis, spec in rule.when):
        return False
    if not rule.needs:
        return True
    axis, spec = rule.needs
    if build[axis] == NONE and spares_none(rule):
        return False
    return not allows(spec, build[axis], axis)


def builds(versions: Mapping[str, str], target: str) -> Iterable[dict[str, str]]:
    """The whole assignment behind an answer, once for each of its GPUs."""
    whole = {axis: NONE for axis in axes() if axis not in NOT_OF[target]} | dict(versions)
    for gpu in whole["gpu"].split(","):
        yield {**whole, "gpu": gpu}


def broken(versions: Mapping[str, str], question: Question) -> list[str]:
    """The ids of binding rules that the versions break."""
    levels = LEVELS[question.strict]
    of_releases = rules_of_day(the_facts().rules, "")
    rules = [r for r in of_releases if r.level in levels and r.only != "wheel"]
    return [
        rule.fact.id
        for build in builds(versions, question.target)
        for rule in rules
        if says_no(rule, build)
    ]


def versions_of(alternative: Alternative) -> dict[str, str]:
    """Axis -> value; several GPUs are one value, joined by commas."""
    found: dict[str, str] = {}
    for name, value in alternative.versions:
        axis = name.partition("#")[0]
        found[axis] = f"{found[axis]},{value}" if axis in found else value
    return found


def holds(question: Question, versions: Mapping[str, str], but: Sequence[str] = ()) -> None:
    """Every constraint of the question is kept, apart from those on some axes."""
    compiled = compile_question(question, the_facts())
    for constraint in compiled.constraints:
        axis, _, number = constraint.axis.partition("#")
        if axis not in but:
            values = versions.get(axis, NONE).split(",")
            assert values[int(number or 1) - 1] in constraint.values, constraint.text


# --- answers -------------------------------------------------------------------------------------


@many(16)
def test_an_answer_breaks_no_rule_and_keeps_every_constraint(question: Question) -> None:
    answer = resolve(question, the_facts())
    assume(answer.is_possible)
    versions = chosen(answer)
    assert broken(versions, question) == []
    holds(question, versions)
    assert question.target in versions
    assert not answer.conflicts
    assert not answer.alternatives


@many(10)
def test_an_answer_pinned_whole_is_the_same_answer(question: Question) -> None:
    answer = resolve(question, the_facts())
    assume(answer.is_possible)
    again = resolve(replace(question, pins=pinned(chosen(answer))), the_facts())
    assert again.is_possible
    assert chosen(again) == chosen(answer)


@many(8)
def test_what_may_take_its_place_breaks_no_rule(question: Question) -> None:
    answer = resolve(question, the_facts())
    assume(answer.is_possible)
    versions = chosen(answer)
    for choice in answer.choices:
        if choice.axis != "gpu":
            for other in (*choice.others[:2], *choice.others[-1:]):
                assert other != choice.value
                assert broken({**versions, choice.axis: other}, question) == []


@many(8)
def test_the_order_of_constraints_does_not_matter(question: Question) -> None:
    answer = resolve(question, the_facts())
    backwards = resolve(replace(question, pins=question.pins[::-1]), the_facts())
    assert chosen(backwards) == chosen(answer)
    assert backwards.status == answer.status


@many(5)
def test_the_same_question_has_the_same_answer(question: Question) -> None:
    assert resolve(question, the_facts()) == resolve(question, the_facts())


@many(12)
def test_another_pin_makes_nothing_possible(question: Question) -> None:
    fewer = resolve(replace(question, pins=question.pins[:-1]), the_facts())
    more = resolve(question, the_facts())
    if len(question.pins) > 1 and more.is_possible:
        assert fewer.is_possible
    if fewer.status == "conflict":
        assert more.status == "conflict"


@many(8)
def test_what_is_strictly_possible_is_possible(question: Question) -> None:
    strict = resolve(replace(question, strict=True), the_facts())
    if strict.is_possible:
        assert resolve(replace(question, strict=False), the_facts()).is_possible


# --- conflicts -----------------------------------------------------------------------------------


def can_hold(question: Question, constraints: Iterable[str], facts: Iterable[str]) -> bool:
    """Whether these constraints and facts alone leave something; by a solver of the test's own."""
    names, ids = list(constraints), set(facts)
    compiled = compile_question(question, the_facts())
    domains = compiled.problem.domains
    solver = Solver(domains)
    rules = [rule for rule in the_facts().rules if rule.fact.id in ids]
    gpus = [name for name in domains if name.startswith("gpu")]
    clauses = [(rule.fact.id, _terms(rule, gpu, domains)) for rule in rules for gpu in gpus]
    solver.forbid(clauses)
    return solver.is_possible(
        [constraint.term for constraint in compiled.constraints if constraint.text in names]
    )


def _terms(
    rule: Rule, gpu: str, domains: Mapping[str, Sequence[str]]
) -> list[tuple[str, frozenset[str]]]:
    """The values that make the rule's condition hold, and those that it then forbids."""

    def values(axis: str) -> Sequence[str]:
        return domains[gpu if axis == "gpu" else axis]

    def term(axis: str, found: Iterable[str]) -> tuple[str, frozenset[str]]:
        return (gpu if axis == "gpu" else axis, frozenset(found))

    terms = [term(axis, (v for v in values(axis) if allows(s, v, axis))) for axis, s in rule.when]
    if rule.needs:
        axis, spec = rule.needs
        wrong = {value for value in values(axis) if not allows(spec, value, axis)}
        terms.append(term(axis, wrong - ({NONE} if spares_none(rule) else set())))
    return terms


def of_a_version_that_never_was(conflict: Conflict) -> bool:
    return any(fact.id.endswith("-absent") for fact in conflict.facts)


@many(12)
def test_a_conflict_is_infeasible_and_minimal(question: Question) -> None:
    answer = resolve(question, the_facts())
    assume(answer.status == "conflict")
    assert answer.conflicts
    assert not answer.choices
    for conflict in answer.conflicts:
        if of_a_version_that_never_was(conflict):
            continue
        ids = [fact.id for fact in conflict.facts]
        assert conflict.constraints, "facts alone contradict each other"
        assert not can_hold(question, conflict.constraints, ids)
        for text in conflict.constraints:
            rest = [other for other in conflict.constraints if other != text]
            assert can_hold(question, rest, ids), f"{text} is not needed"
        for name in ids:
            assert can_hold(question, conflict.constraints, [i for i in ids if i != name]), (
                f"{name} is not needed"
            )


@many(15)
def test_an_alternative_works_and_changes_what_it_says(question: Question) -> None:
    answer = resolve(question, the_facts())
    for alternative in answer.alternatives:
        versions = versions_of(alternative)
        axes = [axis for axis, _ in alternative.change]
        assert axes
        assert broken(versions, question) == []
        holds(question, versions, but=axes)
        changed = {axis: versions.get(axis, NONE) for axis in axes}
        assert dict(alternative.change) == changed
        kept = tuple(pin for pin in question.pins if pin.axis not in axes)
        again = resolve(replace(question, pins=(*kept, *pinned(changed))), the_facts())
        assert again.is_possible, alternative.change


@many(8)
def test_alternatives_are_different_and_the_cheapest_comes_first(question: Question) -> None:
    answer = resolve(question, the_facts())
    changes = [alternative.change for alternative in answer.alternatives]
    assert len(set(changes)) == len(changes)
    assert len(changes) <= 5
    for change in changes:
        named = {axis for axis, _ in change}
        assert not any({axis for axis, _ in other} < named for other in changes if other != change)


# --- every version there is ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("axis", sorted(set(axes()) - {"gpu", "runtime", "platform"}))
def test_every_value_of_an_axis_is_judged(axis: str) -> None:
    """No version breaks the resolver; what it answers obeys the rules."""
    for value in the_facts().versions(axis):
        requested = [Pin(axis=axis, spec=value)]
        requested += [Pin(axis="tensorflow", spec="any")] if axis != "tensorflow" else []
        question = Question(pins=tuple(requested))
        answer = resolve(question, the_facts())
        assert answer.status != "unknown"
        if answer.is_possible:
            assert broken(chosen(answer), question) == []
            assert asked(value, [chosen(answer)[axis]], words=is_word(axis))
