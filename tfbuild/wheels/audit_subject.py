"""What is under audit, a wheel or libraries alone, and how one finding about it is worded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfbuild.core.plans import AuditPolicy
from tfbuild.core.records import State
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels.archive import Archive
from tfbuild.wheels.libraries import Library, UnreadLibrary
from tfbuild.wheels.manylinux import Analysis
from tfbuild.wheels.wheel_file import WheelContent

NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySubject:
    """The libraries under audit; `planned` where there is a plan to hold them against."""

    libraries: tuple[Library, ...]
    policy: AuditPolicy
    planned: bool
    unread: tuple[UnreadLibrary, ...] = ()  # that are not among the libraries

    @property
    def own(self) -> tuple[Library, ...]:
        """The libraries that were built, not copied in."""
        return tuple(library for library in self.libraries if library.own)

    @property
    def packing_planned(self) -> bool:
        """Whether the plan says how libraries are linked and what lies beside them.

        Rules of a source tree link and pack as they like: TensorFlow's wheels keep symbols, bring
        commands and look for libraries where Bazel had them.
        """
        return self.planned and not self.policy.packed_by_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSubject(LibrarySubject):
    """The wheel under audit, with its libraries."""

    archive: Archive
    content: WheelContent
    analysis: Analysis


def finding(
    name: str, asked: str, built: str, problems: Iterable[str] = (), *, skipped: str = ""
) -> AuditFinding:
    """A finding that fails when there are problems, and says what was not looked at."""
    found = tuple(problems)
    state: State = "failed" if found else "skipped" if skipped else "passed"
    return AuditFinding(
        name=name, asked=asked, built=built, state=state, detail="; ".join(found) or skipped
    )


def unplanned(name: str, built: str) -> AuditFinding:
    """A finding that only states what is there."""
    return finding(
        name, NOT_ASKED, built, skipped="no plan says what it should be: name one with --plan"
    )


def left_open(subject: LibrarySubject, name: str, built: str) -> AuditFinding:
    """A finding that only states what is there, as no plan says what it should be, or this one."""
    if not subject.planned:
        return unplanned(name, built)
    return finding(name, NOT_ASKED, built, skipped="the plan leaves it open")


def judged(
    subject: LibrarySubject,
    name: str,
    *,
    asked: str,
    built: str,
    wrong: Sequence[str],
    unasked: Sequence[str],
) -> AuditFinding:
    """A finding that fails on what is wrong in every wheel, and on what a plan does not allow.

    Where no plan says how it is packed the latter is only stated.
    """
    if subject.packing_planned:
        return finding(name, asked, built, some([*wrong, *unasked]))
    stated = "; ".join(some(unasked))
    return finding(
        name, asked, built, some(wrong), skipped=stated and f"stated, not judged: {stated}"
    )


def some(problems: Sequence[str]) -> list[str]:
    """The first five, and how many more."""
    more = [f"and {len(problems) - 5} more"] if len(problems) > 5 else []
    return [*problems[:5], *more]
