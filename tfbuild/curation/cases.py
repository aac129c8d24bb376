"""Whether the resolver judges the cases of public threads as they ended, counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfbuild.core.axes import axes
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pin
from tfbuild.facts.cases import Case, is_held_out
from tfbuild.facts.rules import Facts
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import judge

# What a thread calls the system, the resolver may call the platform.
_SAME = {"platform": "os", "glibc": "os", "macos": "os"}
_REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """A case and what the resolver made of it."""

    case: Case
    status: str
    axes: tuple[tuple[str, ...], ...]
    is_right: bool
    message: str
    confidence: str = ""  # tested, likely or doubtful; empty where it cannot be or is not known

    @property
    def is_false_alarm(self) -> bool:
        """Whether what worked was called impossible."""
        return self.case.outcome == "worked" and self.status == "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseScore:
    """How many of some cases were judged as they ended; undecided failures are not counted."""

    failures: int  # cases that failed
    foreseen: int  # of those that failed, how many were called impossible for the right axes
    blamed_others: int  # of those that failed, how many were called so for other axes
    worked: int  # cases that worked
    false_alarms: int  # of those that worked, how many were called impossible
    unanswered: int  # cases on which there is no verdict
    tested: int  # cases that were judged tested
    tested_worked: int  # of those judged tested, how many worked
    likely: int  # judged likely
    likely_worked: int  # of those, how many worked
    doubtful: int  # judged doubtful
    doubtful_failed: int  # of those, how many failed

    def confidence_in_words(self) -> str:
        """`judged tested, 9 of 9 worked (100 %); likely, 80 of 90; doubtful, 9 of 20 failed`."""
        return (
            f"judged tested, {self.tested_worked} of {self.tested} worked"
            f"{_percent(self.tested_worked, self.tested)}; "
            f"likely, {self.likely_worked} of {self.likely} worked"
            f"{_percent(self.likely_worked, self.likely)}; "
            f"doubtful, {self.doubtful_failed} of {self.doubtful} failed"
            f"{_percent(self.doubtful_failed, self.doubtful)}"
        )

    def in_words(self) -> str:
        """`60 of 70 failures foreseen with the right axes (86 %), 4 with others; ...`."""
        return (
            f"{self.foreseen} of {self.failures} failures foreseen with the right axes"
            f"{_percent(self.foreseen, self.failures)}, {self.blamed_others} with others; "
            f"{self.false_alarms} of {self.worked} that worked called impossible"
            f"{_percent(self.false_alarms, self.worked)}; {self.unanswered} left without an answer"
        )


def judge_cases(cases: Iterable[Case], facts: Facts) -> tuple[JudgedCase, ...]:
    """Each case that versions decided, resolved and compared with how it ended."""
    return tuple(_judge(case, facts) for case in cases if case.is_decided)


def split_held_out(
    judged: Sequence[JudgedCase],
) -> tuple[tuple[JudgedCase, ...], tuple[JudgedCase, ...]]:
    """Those that no rule may come from, and the rest."""
    held_out = tuple(item for item in judged if is_held_out(item.case.name))
    return held_out, tuple(item for item in judged if not is_held_out(item.case.name))


def score(judged: Sequence[JudgedCase]) -> CaseScore:
    """The counts."""
    failures = [item for item in judged if item.case.outcome == "failed"]
    worked = [item for item in judged if item.case.outcome == "worked"]
    stood = Counter((item.confidence, item.case.outcome) for item in judged)
    return CaseScore(
        failures=len(failures),
        foreseen=sum(item.is_right for item in failures),
        blamed_others=sum(item.status == "conflict" and not item.is_right for item in failures),
        worked=len(worked),
        false_alarms=sum(item.is_false_alarm for item in worked),
        unanswered=sum(item.status in {_REFUSED, "unknown"} for item in judged),
        tested=stood["tested", "worked"] + stood["tested", "failed"],
        tested_worked=stood["tested", "worked"],
        likely=stood["likely", "worked"] + stood["likely", "failed"],
        likely_worked=stood["likely", "worked"],
        doubtful=stood["doubtful", "worked"] + stood["doubtful", "failed"],
        doubtful_failed=stood["doubtful", "failed"],
    )


def _judge(case: Case, facts: Facts) -> JudgedCase:
    pins = tuple(
        Pin(
            axis=axis,
            spec=_with_day(spec, case) if axis == "tensorflow" else spec,
            origin=case.thread,
        )
        for axis, spec in case.tried
        if axis in axes()
    )
    try:
        answer = judge(Question(pins=pins, published=case.kind == "run", unsaid=""), facts)
    except BadRequest as error:
        message = f"{error.message}; {error.hint}"
        return JudgedCase(case=case, status=_REFUSED, axes=(), is_right=False, message=message)
    found = tuple(conflict.axes for conflict in answer.conflicts)
    return JudgedCase(
        case=case,
        status=answer.status,
        axes=found,
        is_right=_is_right(case, answer),
        message=answer.trouble or "no obstacle known",
        confidence=answer.confidence,
    )


def _with_day(spec: str, case: Case) -> str:
    """A word such as `master` with the day of the report: it meant something else each day."""
    is_word = spec not in {"any", "none"} and not any(map(str.isdigit, spec))
    return f"{spec} ({case.date})" if case.date and is_word else spec


def _is_right(case: Case, answer: Resolution) -> bool:
    """Worked means ok; failed means a conflict, one of them of just these axes.

    The system may be named beside them: a thread takes for granted on what it happened.
    """
    if case.outcome == "worked":
        return answer.status == "ok"
    wanted = _plain(case.cause)
    found = [_plain(conflict.axes) for conflict in answer.conflicts]
    return any(axes in {wanted, wanted | {"os"}} for axes in found)


def _plain(axes: Sequence[str]) -> frozenset[str]:
    return frozenset(_SAME.get(axis, axis) for axis in axes)


def _percent(part: int, whole: int) -> str:
    return f" ({100 * part / whole:.0f} %)" if whole else ""
