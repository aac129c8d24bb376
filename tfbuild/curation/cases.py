"""Real combinations from public threads, and whether the resolver judges them as they ended."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.records import Pairs, Pin
from tfbuild.facts.rules import Facts
from tfbuild.facts.tables import read_facts_record
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve

# What a thread calls the system, the resolver may call the platform.
_SAME = {"platform": "os", "glibc": "os"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One report: what was tried, how it ended, and which axes collided."""

    source: str
    says: str
    request: Pairs
    outcome: str  # conflict, works
    kind: str  # build, run
    axes: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """A case and what the resolver made of it."""

    case: Case
    status: str
    axes: tuple[tuple[str, ...], ...]
    is_right: bool
    message: str


def read_cases(folder: Path) -> tuple[Case, ...]:
    """The cases of a folder; BadRequest where it has none, BadRecipe for a wrong file."""
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise BadRequest(f"there are no case files in {folder}", hint="name a folder of *.yaml")
    return tuple(_read(path) for path in paths)


def judge_cases(cases: Iterable[Case], facts: Facts) -> tuple[JudgedCase, ...]:
    """Each case, resolved and compared with how it ended."""
    return tuple(_judge(case, facts) for case in cases)


def score(judged: Sequence[JudgedCase]) -> str:
    """The sum in words: `88 of 100 (conflict 60 of 70, works 28 of 30)`."""
    parts = []
    for outcome in ("conflict", "works"):
        group = [item for item in judged if item.case.outcome == outcome]
        parts.append(f"{outcome} {sum(item.is_right for item in group)} of {len(group)}")
    return f"{sum(item.is_right for item in judged)} of {len(judged)} ({', '.join(parts)})"


def _read(path: Path) -> Case:
    case = read_facts_record(Case, path)
    if case.outcome not in {"conflict", "works"}:
        raise BadRecipe(f"{path.name}: outcome is '{case.outcome}'", hint="conflict or works")
    return Case(
        source=case.source, says=case.says, request=case.request, outcome=case.outcome,
        kind=case.kind, axes=case.axes, name=path.stem,
    )  # fmt: skip


def _judge(case: Case, facts: Facts) -> JudgedCase:
    pins = tuple(Pin(axis=axis, spec=spec, origin=case.source) for axis, spec in case.request)
    try:
        answer = resolve(Question(pins=pins, published=case.kind == "run"), facts)
    except BadRequest as error:
        message = f"{error.message}; {error.hint}"
        return JudgedCase(case=case, status="refused", axes=(), is_right=False, message=message)
    found = tuple(conflict.axes for conflict in answer.conflicts)
    return JudgedCase(
        case=case,
        status=answer.status,
        axes=found,
        is_right=_is_right(case, answer),
        message=answer.trouble or "no obstacle known",
    )


def _is_right(case: Case, answer: Resolution) -> bool:
    """Works means ok; conflict means a conflict, one of them of just these axes.

    The system may be named beside them: a thread takes for granted on what it happened.
    """
    if case.outcome == "works":
        return answer.status == "ok"
    wanted = _plain(case.axes)
    found = [_plain(conflict.axes) for conflict in answer.conflicts]
    return any(axes in {wanted, wanted | {"os"}} for axes in found)


def _plain(axes: Sequence[str]) -> frozenset[str]:
    return frozenset(_SAME.get(axis, axis) for axis in axes)
