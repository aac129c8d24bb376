"""What Bazel reports of the actions that it ran: why (--explain), how long (profile), for whom.

All three call an action differently; they are brought together by what an action works on.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfbuild.bazel.profile import read_profile
from tfbuild.core.foreign_tree import lines_of_file
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import EVENTS, EXPLAIN, PROFILE
from tfbuild.core.safe_files import parse_json

_REASON = re.compile(r"Executing action '(.*)': (.*)")
_MORE = re.compile(r"\. Now using| \(try --verbose_explanations")
_ALWAYS = "unconditional execution is requested"  # what Bazel does in every build
_FOR_TOOLS = re.compile(r" \[for (?:tool|host)\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RanAction:
    """One action that ran; target is empty, and seconds are 0, where Bazel does not say."""

    name: str  # as it is shown: Compiling a.cc
    reason: str
    target: str = ""
    seconds: float = 0.0


def read_explanation(env: Environment) -> tuple[RanAction, ...]:
    """Every action that the last call of Bazel ran, but for those that run in every build."""
    work = env.toolchain.work
    reasons = _reasons(EXPLAIN.path(work))
    if not reasons:
        return ()
    targets = _targets(EVENTS.path(work), [name for name, _ in reasons])
    seconds = _seconds(work)
    return tuple(
        RanAction(
            name=name,
            reason=reason,
            target=targets[name].pop() if targets[name] else "",
            seconds=seconds.get(name, 0.0),
        )
        for name, reason in reasons
    )


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file that Bazel wrote; none where there is none."""
    with suppress(OSError):
        for line in lines_of_file(path):
            yield line.decode(errors="replace")


def event_of(line: str) -> dict[str, Any]:
    """An event of a line; empty for one that was cut short."""
    try:
        found = parse_json(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def part_of(event: object, *names: str) -> dict[str, Any]:
    """What an event has by these names, one within the other; empty where it has no such thing.

    A build in a container may have written anything into the file.
    """
    for name in names:
        event = event.get(name) if isinstance(event, dict) else None
    return event if isinstance(event, dict) else {}


def list_of(event: object, name: str) -> list[Any]:
    """A list that an event has; empty where it has none."""
    found = event.get(name) if isinstance(event, dict) else None
    return found if isinstance(found, list) else []


# --- inside ------------------------------------------------------------------------------------


def _reasons(explain: Path) -> list[tuple[str, str]]:
    """Each action with its reason; two that compile one file for two uses have one name."""
    # A reason may go on with variables and their values, which `rebuild.py` compares itself.
    return [
        (match[1], _MORE.split(match[2])[0].rstrip(". "))
        for line in lines_of(explain)
        if (match := _REASON.match(line)) and not match[2].startswith(_ALWAYS)
    ]


def _targets(events: Path, names: list[str]) -> dict[str, list[str]]:
    """The targets of each action: its name says what it works on, which its command names too."""
    by_subject = {_FOR_TOOLS.sub("", name).rpartition(" ")[2]: name for name in names}
    found: dict[str, list[str]] = defaultdict(list)
    for line in lines_of(events):
        if '"action":{' not in line:
            continue
        event = event_of(line)
        action, of = part_of(event, "action"), part_of(event, "id", "actionCompleted")
        if label := str(action.get("label", "")):
            output = str(of.get("primaryOutput", ""))
            below_bin = output.partition("/bin/")[2]
            words = (label, below_bin, output, *map(str, list_of(action, "commandLine")))
            if subject := next((word for word in words if word in by_subject), ""):
                found[by_subject[subject]].append(label)
    return found


def _seconds(work: Path) -> Mapping[str, float]:
    """What each action took, by name; a mean where several have one name."""
    took: dict[str, list[float]] = defaultdict(list)
    for action in read_profile(PROFILE.path(work)).actions:
        took[action.name].append(action.seconds)
    return {name: sum(each) / len(each) for name, each in took.items()}
