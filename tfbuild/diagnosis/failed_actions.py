"""The actions that Bazel reports as failed, each with the lines of its own output."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from tfbuild.diagnosis.log_lines import clean
from tfbuild.diagnosis.scan import Hit

ACTION = "bazel-action-failed"  # its row in the catalogue; the pattern has file, line and action
_MOST = 12  # the first ones suffice
_MOST_BYTES = 400_000  # of the output of one action
_NEXT = re.compile(
    r"^(?:INFO|ERROR|WARNING|FAILED|DEBUG|Loading|Analyzing): ?|^Target //|^\[[\d,]+ / [\d,]+\]"
    r"|^FAILED: |^Use --verbose_failures"
)
_TARGET = re.compile(
    r"(?:rule |from target |genrule |in target |[Tt]esting )'?(?P<label>@{0,2}[\w.+~-]*//[^\s'),]+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedFailure:
    """An action, what it was made for, and from which line to which it speaks."""

    what: str  # C++ compilation of rule '//x:y' failed
    target: str
    place: str  # file and line of the rule
    first: int
    last: int


def failed_actions(log: BinaryIO, hits: Iterable[Hit]) -> tuple[LoggedFailure, ...]:
    """The first actions that failed, in the order of the log, which must allow to seek."""
    failed = [hit for hit in hits if hit.pitfall.row.id == ACTION]
    return tuple(_action(log, hit) for hit in failed[:_MOST])


def _action(log: BinaryIO, hit: Hit) -> LoggedFailure:
    label = _TARGET.search(hit.text)
    return LoggedFailure(
        what=hit.groups.get("action", "an action failed"),
        target=label["label"] if label else "",
        place=f"{hit.groups.get('file', '')}:{hit.groups.get('line', '')}".strip(":"),
        first=hit.line,
        last=hit.line + _length(log, hit.offset),
    )


def _length(log: BinaryIO, offset: int) -> int:
    """How many lines after this one are the action's own."""
    log.seek(offset)
    lines = log.read(_MOST_BYTES).rstrip(b"\n").split(b"\n")[1:]
    for number, line in enumerate(lines):
        if _NEXT.match(clean(line[:200].decode(errors="replace"))):
            return number
    return len(lines)
