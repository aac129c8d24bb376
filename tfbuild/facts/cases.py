"""Real combinations from public threads: what was tried, how it ended, and what decided it."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfbuild.core.axes import axes
from tfbuild.core.cache_mark import is_cache
from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.kept_json import read_kept, state_of, write_kept
from tfbuild.core.paths import real_path
from tfbuild.core.records import Pairs
from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import did_you_mean
from tfbuild.core.yaml_rows import read_facts_record

# What threads speak of and no axis has yet: it is kept, and takes part as soon as an axis has it.
_NO_AXES = (
    "pandas", "jax", "jaxlib", "cmake", "cython", "mkl", "torch", "tensorflow_probability",
)  # fmt: skip
_KINDS = ("build", "run")
_OUTCOMES = ("failed", "worked")
# Read by those who made the rules, before a third was drawn.
_SEEN = "seen-"
_HELD_OUT_SALT = "tfbuild cases, drawn 2026-11-22:"
_HELD_OUT_EVERY = 3
_GITHUB = re.compile(r"([\w.-]+)/([\w.-]+)#(\d+)$")
_DATE = re.compile(r"20\d\d(-(0[1-9]|1[0-2])(-([0-2]\d|3[01]))?)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One report of somebody who tried.

    `thread` is `owner/repository#number` or an address, `date` the day, month or year of the
    report, where it is known. `tried` has the words of the thread. `kind` is build, or run of what
    others had built. `cause` names what collided, `helped` what came to the rescue. A failure
    without a cause was not decided by versions, and what worked with help not by them alone:
    neither is counted.
    """

    thread: str
    tried: Pairs
    kind: str
    outcome: str
    says: str
    date: str = ""
    cause: tuple[str, ...] = ()
    helped: str = ""
    also: tuple[str, ...] = ()  # more threads about it
    name: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether versions alone decided how it ended."""
        return not self.helped if self.outcome == "worked" else bool(self.cause)

    @property
    def link(self) -> str:
        """The address of the thread."""
        match = _GITHUB.match(self.thread)
        return (
            f"https://github.com/{match[1]}/{match[2]}/issues/{match[3]}" if match else self.thread
        )


def is_held_out(name: str) -> bool:
    """Whether the case of that name is in the third from which no rule may be derived.

    It hangs on the name alone, so that a new case falls in by itself; cases of one thread (`-b`,
    `-c`) fall together. What was read before the third was drawn (`seen-`) is never in it.
    """
    if name.startswith(_SEEN):
        return False
    digest = hashlib.sha256((_HELD_OUT_SALT + _without_letter(name)).encode()).digest()
    return int.from_bytes(digest[:8]) % _HELD_OUT_EVERY == 0


def case_name(thread: str) -> str:
    """What the file of a thread is called: `tensorflow-24124`, or the words of its address."""
    if match := _GITHUB.match(thread):
        owner, repository, number = match[1].lower(), match[2].lower(), match[3]
        return f"{owner}-{number}" if owner == repository else f"{owner}-{repository}-{number}"
    words = re.findall(r"[a-z0-9]+", re.sub(r"^https?://(www\.)?", "", thread.lower()))
    return "-".join(words)


def read_cases(folder: Path) -> tuple[Case, ...]:
    """The cases of a folder, by name; BadRequest where it has none, BadRecipe for a wrong file."""
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise BadRequest(
            f"there are no case files in {folder}",
            code="cases-missing",
            hint="name a folder of *.yaml",
        )
    for path in paths:  # what a link leads to was never shown to whoever made the folder
        if not real_path(path).is_relative_to(real_path(folder)):
            raise BadRequest(
                f"{path} is a link out of {folder}",
                code="case-outside-folder",
                hint="copy the file into the folder",
            )
    cases = tuple(_read(path) for path in paths)
    _check_distinct(cases)
    return cases


def load_cases(folder: Path, kept: Path) -> tuple[Case, ...]:
    """The cases of a folder out of the file `kept`, which is made anew where a case has changed."""
    if not folder.is_dir():
        return read_cases(folder)
    subject = state_of(folder, *Case.__slots__)
    if isinstance(plain := read_kept(kept, subject), list):
        with suppress(KeyError, TypeError, ValueError, AttributeError):  # another wrote it
            return tuple(_from_kept(entry) for entry in plain)
    cases = read_cases(folder)
    if is_cache(kept.parent):  # what only asks makes none
        with suppress(OSError):  # it only saves time
            write_kept(kept, subject, [_to_kept(case) for case in cases])
    return cases


# --- inside ------------------------------------------------------------------------------------


def _read(path: Path) -> Case:
    case = replace(read_facts_record(Case, path), name=path.stem)
    where = f"cases/{path.name}"
    for field, value, known in (("kind", case.kind, _KINDS), ("outcome", case.outcome, _OUTCOMES)):
        if value not in known:
            raise BadRecipe(
                f"{where}: {field} is '{value}'", code="case-word-unknown", hint=" or ".join(known)
            )
    parts = (*axes(), *_NO_AXES)
    for part in (*dict(case.tried), *case.cause):
        if part not in parts:
            raise BadRecipe(
                f"{where}: '{part}' is no axis",
                code="case-axis-unknown",
                hint=did_you_mean(part, parts),
            )
    if not case.tried or not case.says:
        raise BadRecipe(f"{where}: tried and says must not be empty", code="case-field-empty")
    if case.cause and case.outcome == "worked":
        raise BadRecipe(
            f"{where}: what worked has no cause",
            code="case-cause-needless",
            hint="leave the field cause out",
        )
    if case.date and not _DATE.match(case.date):
        raise BadRecipe(
            f"{where}: date is '{case.date}'",
            code="case-date-wrong",
            hint="write 2026-11-22, 2026-11 or 2026",
        )
    if not (_GITHUB.match(case.thread) or case.thread.startswith("https://")):
        raise BadRecipe(
            f"{where}: thread is '{case.thread}'",
            code="case-thread-wrong",
            hint="write owner/repository#number or an address",
        )
    return case


def _check_distinct(cases: Sequence[Case]) -> None:
    """BadRecipe where one report stands in two files, one of which may say more."""
    of_thread = defaultdict[tuple[str, ...], list[Case]](list)
    for case in cases:
        others = of_thread[case.thread.lower(), case.kind, case.outcome]
        for other in others:
            if _is_within(case, other) or _is_within(other, case):
                raise BadRecipe(
                    f"cases/{case.name}.yaml is what cases/{other.name}.yaml is",
                    code="case-twice",
                    hint="remove one",
                )
        others.append(case)


def _is_within(case: Case, other: Case) -> bool:
    """Whether all that one tried is in the other, where it may be stated more precisely."""
    tried, more = dict(case.tried), dict(other.tried)
    return tried.keys() <= more.keys() and all(
        _steps(more[part])[: len(steps)] == steps
        for part, steps in ((part, _steps(value)) for part, value in tried.items())
    )


def _steps(version: str) -> list[str]:
    return version.lower().split(".")


def _without_letter(name: str) -> str:
    return re.sub(r"-[b-z]$", "", name)


def _to_kept(case: Case) -> dict[str, object]:
    plain = {**to_plain(case), "tried": dict(case.tried)}
    return {field: value for field, value in plain.items() if value}


def _from_kept(entry: dict[str, Any]) -> Case:
    """The case of an entry that was checked when it was kept; ValueError where it holds no case."""
    values = dict(entry, tried=tuple(entry["tried"].items()))
    for field in {"cause", "also"} & values.keys():
        values[field] = tuple(values[field])
    if not _is_text(tuple(values.values())):
        raise ValueError("another wrote it")
    return Case(**values)


def _is_text(value: object) -> bool:
    """Whether it is a text, or texts within one another."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(map(_is_text, value)))
