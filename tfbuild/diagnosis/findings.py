"""What a log says, as causes in order: the root cause first, with its place and its way out.

An action that failed speaks before the rest of the log, a cause before what is said in general,
and what came first before what followed from it. Want of memory or of disk explains all else.
"""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import BinaryIO

from tfbuild.core.masking import mask
from tfbuild.diagnosis.build_systems import build_system_of
from tfbuild.diagnosis.catalogue import FailureKind, Pitfall, PitfallKind, read_catalogue
from tfbuild.diagnosis.failed_actions import LoggedFailure, failed_actions
from tfbuild.diagnosis.log_lines import clean
from tfbuild.diagnosis.scan import Hit, LogScan, LogScanner

_SHOWN = 300  # letters of a line
_MOST_KEY_LINES = 6
_END, _FEW = 4_000, 4  # letters and lines of the end of a log that says nothing of an error
_NAME = re.compile(r"\{([a-z]+)\}")
_GAP = re.compile(r" +(?=[.,;] |\.$)| ( )+")  # where a part was named that the line does not have


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause that a log shows."""

    id: str  # of the row in matrices/pitfalls/
    kind: PitfallKind  # cause; general or vague: others say more; weak: it may be harmless
    phase: str  # where it is met: configure, fetch, analyse, compile, link, ...
    what: str  # the action that failed, in words
    where: str  # target, file and line, as far as the log has them
    cause: str  # why it failed, in words
    fix: str  # what to do
    versions: str  # where it is met; empty: anywhere
    failure: FailureKind  # what a build ends with for it; empty: a failed build
    line: int  # number of the line that shows it, from 1
    excerpt: str  # that line, without secrets
    sources: tuple[str, ...]  # documents and threads that know it


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLine:
    """A line that speaks of an error, or else a last one, of a log whose cause is not known."""

    line: int  # its number, from 1
    text: str  # the line, without secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The causes of a log, the root cause first; without any, its most informative lines."""

    findings: tuple[Finding, ...]  # the root cause first
    # without a known cause: lines that speak of an error, or the last ones
    key_lines: tuple[KeyLine, ...]
    lines: int  # how many the log has
    # whose log it is: bazel, meson, cmake, configure, make or ninja; empty: nothing shows it
    build_system: str = ""

    @property
    def is_known(self) -> bool:
        """Whether there is a cause, not only what may be harmless."""
        return any(finding.kind != "weak" for finding in self.findings)


def diagnosis_of(log: BinaryIO, build_system: str = "") -> Diagnosis:
    """What a log says; it is read in pieces, and must allow to seek.

    Remedies are for the build system that is named, or else for the one whose output it looks like.
    """
    scan = _scanner().scan(log)
    system = build_system or build_system_of(log)
    found = _diagnosis(scan, failed_actions(log, scan.hits), system)
    return (
        found if found.is_known or found.key_lines else replace(found, key_lines=_last(log, scan))
    )


def first_cause(text: str, build_system: str) -> Finding | None:
    """The root cause that some lines of a build show; None where they show none that is known."""
    found = diagnosis_of(io.BytesIO(text.encode(errors="replace")), build_system)
    return found.findings[0] if found.is_known else None


# --- inside ------------------------------------------------------------------------------------


@cache
def _scanner() -> LogScanner:
    return LogScanner(read_catalogue())


def _diagnosis(scan: LogScan, actions: tuple[LoggedFailure, ...], system: str) -> Diagnosis:
    hits = [hit for hit in scan.hits if hit.line > scan.succeeded_at]
    causes = [hit for hit in hits if hit.pitfall.kind != "messenger"]
    findings: list[Finding] = []
    for hit in sorted(_most_exact(causes), key=lambda hit: _rank(hit, actions)):
        if hit.pitfall.row.id not in {finding.id for finding in findings}:
            findings.append(_finding(hit, actions, system))
    lines = [(line, text) for line, text in scan.all_key_lines() if line > scan.succeeded_at]
    found = Diagnosis(findings=tuple(findings), key_lines=(), lines=scan.lines, build_system=system)
    return found if found.is_known else replace(found, key_lines=_most_informative(lines))


def _most_exact(hits: Iterable[Hit]) -> list[Hit]:
    """The hits without those that say only in general what a cause on the same line says."""
    hits = list(hits)
    exact = {hit.line for hit in hits if hit.pitfall.kind == "cause"}
    return [hit for hit in hits if hit.pitfall.kind == "cause" or hit.line not in exact]


def _rank(hit: Hit, actions: tuple[LoggedFailure, ...]) -> tuple[int, int, int]:
    tier = _tier(hit.pitfall, is_inside=_action_of(hit, actions) is not None)
    return tier, hit.line, hit.pitfall.place


def _tier(pitfall: Pitfall, *, is_inside: bool) -> int:
    """Zero for what explains all else, to six for what may be harmless."""
    if pitfall.kind in {"vague", "weak"}:
        return 5 if pitfall.kind == "vague" else 6
    if pitfall.failure in {"memory", "disk"}:
        return 0
    return (1 if is_inside else 3) + (pitfall.kind == "general")


def _action_of(hit: Hit, actions: tuple[LoggedFailure, ...]) -> LoggedFailure | None:
    return next((a for a in actions if a.first <= hit.line <= a.last), None)


def _finding(hit: Hit, actions: tuple[LoggedFailure, ...], system: str) -> Finding:
    row = hit.pitfall.row
    action = _action_of(hit, actions)
    named = ":".join(filter(None, (hit.groups.get("file"), hit.groups.get("line"))))
    named = named if "file" in hit.groups else ""
    places = (action.target, action.place, named) if action else (named,)
    where = ", ".join(dict.fromkeys(place for place in places if place))
    fix = row.fix if system in {"", "bazel"} else row.fix_elsewhere or row.fix
    return Finding(
        id=row.id,
        kind=hit.pitfall.kind,
        phase=row.phase,
        what=mask(action.what) if action else f"{row.phase} failed",
        where=mask(where),
        cause=_filled(row.cause, hit),
        fix=_filled(fix, hit),
        versions=row.versions,
        failure=hit.pitfall.failure,
        line=hit.line,
        excerpt=_shown(hit.text),
        sources=row.source,
    )


def _filled(text: str, hit: Hit) -> str:
    """The text with the parts of the line that it names."""
    filled = _NAME.sub(lambda name: hit.groups.get(name[1], "").strip()[:_SHOWN], text)
    return mask(_GAP.sub(lambda gap: gap[1] or "", filled).rstrip(": "))


def _shown(text: str) -> str:
    text = mask(text.strip())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _last(log: BinaryIO, scan: LogScan) -> tuple[KeyLine, ...]:
    """The last lines of a log that says nothing of an error."""
    log.seek(0, io.SEEK_END)
    log.seek(max(0, log.tell() - _END))
    lines = log.read().decode(errors="replace").splitlines()
    numbered = enumerate((clean(line) for line in lines), start=scan.lines - len(lines) + 1)
    said = [(number, text) for number, text in numbered if text.strip()]
    return tuple(KeyLine(line=n, text=_shown(text)) for n, text in said[-_FEW:])


def _most_informative(lines: list[tuple[int, str]]) -> tuple[KeyLine, ...]:
    """The first lines that speak of an error, and the last ones."""
    first_of = {text: line for line, text in reversed(lines) if text.strip()}
    unique = sorted((line, text) for text, line in first_of.items())
    if len(unique) > _MOST_KEY_LINES:
        unique = unique[: _MOST_KEY_LINES - 2] + unique[-2:]
    return tuple(KeyLine(line=line, text=_shown(text)) for line, text in unique)
