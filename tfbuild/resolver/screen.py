"""The answer on one screen: verdict, versions, what to watch out for, known cases, what to type."""

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tfbuild.core.records import Pairs
from tfbuild.core.settings import axis_name
from tfbuild.facts.fact import OF_TODAY, Fact
from tfbuild.facts.ranges import NONE, span
from tfbuild.facts.source_names import short_source
from tfbuild.facts.targets import usual_target
from tfbuild.resolver.documents import NO_WAY_OUT, in_words, shown
from tfbuild.resolver.resolution import (
    Neighbour,
    Resolution,
    ResolutionWarning,
    ResolvedVersion,
)

LINES = 25
_MOST_WARNINGS = 3
_OTHERS = 16  # letters
_TENSORFLOW = "https://github.com/tensorflow/tensorflow"
_WIDE = 100  # columns: what is narrower has no room for sources beside reasons
_NARROWEST = 40  # columns; lines are longer than a narrower terminal
_MOST_FACTS = 2
# With which sentences of the facts begin; other first words are names.
_PLAIN_WORDS = frozenset(
    ("A", "An", "Before", "Builds", "From", "In", "Linking", "No", "On", "Recipes",
     "Sources", "The", "These", "Trees", "Wheels", "With")
)  # fmt: skip
_UNREAD = frozenset({"meaningless", "open"})
_MEANS = {
    "tested": "a published or proven build has just these versions",
    "likely": "inside every known limit, and near builds that were tested",
}
# What says least about an answer comes last, and goes first where there is no room.
_KINDS = (
    "meaningless", "cut", "doubt", "unknown", "open", "advisory", "read", "unlisted", "uncovered",
    "untested", "stale",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is there beside the facts: it decides what can be typed next."""

    lacks: tuple[str, ...] = ()  # python 3.13: what was chosen and this machine does not have
    trees: tuple[str, ...] = ()  # folders with a source tree of TensorFlow


def trees_here() -> tuple[str, ...]:
    """The folders here that look like a source tree of TensorFlow by their names."""
    return tuple(path.name for path in Path.cwd().glob("tensorflow-*") if path.is_dir())


def screen_lines(
    resolution: Resolution,
    names: Mapping[str, str],
    words: Sequence[str],
    width: int,
    around: Around = Around(),
) -> list[str]:
    """At most 25 lines, none wider than width (40 at least); names are short names of sources.

    words are the question as it was typed: the command to type next repeats them.
    """
    width = max(width, _NARROWEST)
    head = _verdict(resolution, width)
    if resolution.choices:
        body = _versions(resolution, names, width)
    else:
        body = _collisions(resolution, names, width)
    last = next_lines(resolution, words, width, around)
    room = LINES - len(head) - len(body) - len(last)
    warned = _warned(resolution, width)
    cases = _cases(resolution.cases, width)
    room_of_cases = min(sum(map(len, cases)) + bool(cases), max(0, room - len(warned)))
    near = _fitting(cases, room_of_cases)
    warned = warned[: max(0, room - len(near))]
    return [*head, *body[: LINES - len(head) - len(last)], *warned, *near, *last]


def next_lines(
    resolution: Resolution,
    words: Sequence[str],
    width: int,
    around: Around,
    build: Sequence[str] = (),
) -> list[str]:
    """The command to type next, behind what must be there for it.

    build are words for a command that plans or builds: a recipe, options.
    """
    lost = {axis for w in resolution.warnings if w.kind in _UNREAD for axis in w.axes}
    words = [word for word in words if _axis(word) not in lost]
    if resolution.alternatives and not resolution.choices:
        changed = dict(resolution.alternatives[0].change)
        kept = [word for word in words if _axis(word) not in changed]
        new = [f"{axis}={shown(axis, value)}" for axis, value in changed.items()]
        return _command(["tfbuild", "resolve", *kept, *new], width)
    if not resolution.choices:
        return ["next: tfbuild facts list"]
    release = resolution.value("tensorflow")
    if not _built(resolution):
        return _command(["tfbuild", "resolve", "tensorflow=any", *words], width)
    chosen = [word for word in words if _axis(word) != "tensorflow"]
    cuda = resolution.value("cuda")
    if cuda not in {"", NONE} and not any(word.startswith("cuda") for word in chosen):
        chosen.append(f"cuda={cuda}")
    if not release and around.lacks:
        text = f"this machine has no {', no '.join(around.lacks)}: a build here takes others"
        return [cut(text, width), *_command(["tfbuild", "resolve", "--here", *words], width)]
    if not release:
        return _command(["tfbuild", "build", *build, *chosen], width)
    tree = f"tensorflow-{release}"
    last = _command(["tfbuild", "plan", *build, "--source", tree, *chosen], width)
    is_there = tree in around.trees or not re.fullmatch(r"[0-9.]+", release)
    return last if is_there else [*_clone(release, tree, width), *last]


def cut(text: str, width: int) -> str:
    """The text, or as many of its words as fit, with an ellipsis; a long word is cut in itself."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    kept = line[: max(1, width - 1)]
    whole = kept.rpartition(" ")[0] if line[len(kept)] != " " else kept
    return (whole if 2 * len(whole) > width else kept).rstrip(" ,;:") + "…"


# --- inside ------------------------------------------------------------------------------------


def _verdict(resolution: Resolution, width: int) -> list[str]:
    """The status with one sentence, on up to two lines."""
    doubt = next((w.message for w in resolution.warnings if w.kind == "doubt"), "")
    why = doubt or _MEANS.get(resolution.confidence, "")
    if not doubt and resolution.choices and not _built(resolution):
        why = "no known limit speaks against it"
    if resolution.conflicts:
        why = f"{', '.join(resolution.conflicts[0].axes)} collide"
    elif resolution.status == "unknown":
        why = next((w.message for w in resolution.warnings if w.kind == "unknown"), "")
    word = resolution.confidence or resolution.status
    status = f"status: {resolution.status}" + (f" ({word})" if resolution.status == "ok" else "")
    if (strange := _strange(resolution)) and resolution.choices:
        text = f"status: not understood: {strange.message}; the answer to the rest is {word}"
        return _wrapped(text, width, most=3)
    return _wrapped(f"{status}: {why}" if why else status, width, most=2)


def _strange(resolution: Resolution) -> ResolutionWarning | None:
    """The first word that was not understood: an answer without it may be none to the question."""
    return next((w for w in resolution.warnings if w.kind == "meaningless"), None)


def _versions(resolution: Resolution, names: Mapping[str, str], width: int) -> list[str]:
    """A line per axis: name, version, what else would do, one reason, its source.

    On a narrow terminal the reason is whole, and its source shown with -v.
    """
    facts = {fact.id: fact for fact in resolution.facts}
    rows = [_row(choice, facts, names) for choice in resolution.choices if _says_much(choice)]
    first = min(max(len(row[0]) for row in rows), width // 4)
    second = min(max(len(row[1]) for row in rows), width // 4)
    last = min(max(len(row[3]) for row in rows), width // 4) if width >= _WIDE else 0
    rest = min(max(len(row[2]) for row in rows), width - first - second - last - 7)
    return [
        f"  {cut(a, first):<{first}} {cut(b, second):<{second}}  {cut(why, rest):<{rest}}  "
        f"{cut(src, last) if last else ''}".rstrip()
        for a, b, why, src in rows
    ]


def _built(resolution: Resolution) -> str:
    """The release that the answer is about; empty where it is about tools alone."""
    return resolution.value("tensorflow") or resolution.value("runtime")


def _says_much(choice: ResolvedVersion) -> bool:
    """Whether the line is worth its room: what stands for itself is not."""
    return choice.axis != "platform" or choice.value != usual_target("linux").version


def _row(
    choice: ResolvedVersion, facts: Mapping[str, Fact], names: Mapping[str, str]
) -> tuple[str, str, str, str]:
    others = span(choice.others) if choice.others and choice.axis == "python" else ""
    value = shown(choice.axis, choice.value)
    if others and len(others) <= _OTHERS:
        value += f" ({others})"
    behind = [facts[name] for name in choice.because if facts[name].kind != "coverage"]
    is_asked = any(fact.kind == "request" for fact in behind)
    behind = [fact for fact in behind if fact.kind not in OF_TODAY] or behind
    if not behind or behind[0].kind == "request":
        return choice.axis, value, "asked for" if is_asked else "no known limit", ""
    if choice.evidence == "proven":
        return choice.axis, value, in_words(choice.evidence), short_source(behind[0].source, names)
    why = ("asked for; " if is_asked else "") + _reason(behind[0])
    return choice.axis, value, why, short_source(behind[0].source, names)


def _reason(fact: Fact) -> str:
    if fact.kind == "tested":
        return "as in a tested build of its series" if fact.evidence == "derived" else "as tested"
    return fact.short or fact.text


def _collisions(resolution: Resolution, names: Mapping[str, str], width: int) -> list[str]:
    """The first conflicts with their facts, and the nearest without a known conflict."""
    lines: list[str] = []
    for conflict in resolution.conflicts[:2]:
        lines.append(f"conflict of {', '.join(conflict.axes)}:")
        lines += [f"  asked for {cut(text, width - 12)}" for text in conflict.constraints]
        for fact in _most_useful(conflict.facts):
            source = short_source(fact.source, names)
            text = f"but {_clause(fact.text)}" + (f" [{source}]" if source else "")
            lines += [f"  {line}" for line in _wrapped(text, width - 2, most=2)]
            lines += [f"      {cut(fact.fix, width - 6)}"] if fact.fix else []
    if resolution.alternatives:
        lines.append("nearest without a known conflict:")
        for number, alternative in enumerate(resolution.alternatives[:3], 1):
            text = f"{number}. take {_joined(alternative.change)}"
            lines.append(f"  {cut(text, width - 2)}")
    elif resolution.conflicts:
        lines.append(NO_WAY_OUT)
    return lines


def _most_useful(facts: Sequence[Fact]) -> list[Fact]:
    """The two that say most: what has a remedy, before what a system or platform is made of."""
    first = sorted(facts, key=lambda fact: (not fact.fix, fact.kind == "rule"))[:_MOST_FACTS]
    return [fact for fact in facts if fact in first]


def _clause(sentence: str) -> str:
    """The sentence as it stands after another word: `but these trees look for it`."""
    word = sentence.partition(" ")[0]
    return f"{word.lower()}{sentence[len(word) :]}" if word in _PLAIN_WORDS else sentence


def _joined(versions: Pairs) -> str:
    return ", ".join(f"{axis}={shown(axis, value)}" for axis, value in versions)


def _warned(resolution: Resolution, width: int) -> list[str]:
    """What to watch out for, a line each; the rest is counted."""
    left = sorted(resolution.warnings, key=lambda warning: _KINDS.index(warning.kind))
    in_verdict = {"doubtful": "doubt", "unknown": "unknown"}.get(resolution.status, "")
    first = next((warning for warning in left if warning.kind == in_verdict), None)
    strange = _strange(resolution) if resolution.choices else None
    left = [warning for warning in left if warning not in {first, strange}]
    if not left:
        return []
    lines = ["watch out:"]
    for warning in left[:_MOST_WARNINGS]:
        begin, *rest = _wrapped(warning.message, width - 4, most=2)
        lines += [f"  - {begin}", *(f"    {line}" for line in rest)]
    more = len(left) - _MOST_WARNINGS
    return [*lines, f"  and {more} more: add -v"] if more > 0 else lines


def _cases(cases: Sequence[Neighbour], width: int) -> list[list[str]]:
    """Two lines for each: how it ended, and where that is written."""
    found = []
    for near in cases:
        differs = f" (differs: {', '.join(near.differs)})" if near.differs else ""
        head = cut(f"{near.case.outcome}{differs}: {near.case.says}", width - 2)
        found.append([f"  {head}", f"    {near.case.link}"])
    return found


def _fitting(cases: Sequence[Sequence[str]], room: int) -> list[str]:
    """The title and as many cases as there is room for."""
    count = (room - 1) // 2
    return ["similar reports:", *chain.from_iterable(cases[:count])] if cases and count > 0 else []


def _clone(release: str, tree: str, width: int) -> list[str]:
    """The command that gets the source of a release."""
    words = ["git", "clone", "--depth", "1", "-b", f"v{release}", _TENSORFLOW, tree]
    return _command(words, width, "first:")


def _command(words: Sequence[str], width: int, title: str = "next:") -> list[str]:
    """The command as it can be typed, on as many lines as a shell takes together."""
    lines = [title]
    for word in map(shlex.quote, words):
        if len(lines[-1]) + len(word) + len(" \\") > width - 1:
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {word}"
    return lines


def _axis(word: str) -> str:
    return axis_name(re.split("[=<>!~]", word)[0])


def _wrapped(text: str, width: int, *, most: int) -> list[str]:
    """The text on lines of that width; the last one is cut."""
    lines = textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False) or [""]
    if len(lines) <= most:
        return lines
    rest = " ".join(lines[most - 1 :])
    return [*lines[: most - 1], cut(rest, width)]
