"""A complete set of matrices from a few Python mappings, written into a folder of the test."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfbuild.core.axes import with_matrix
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Pin
from tfbuild.facts.ranges import select
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.problem import Frame, Problem, make_problem
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolution import Resolution
from tfbuild.resolver.resolver import resolve

Row = Mapping[str, Any]
GROUND = {"source": ["paper"], "checked": "2099-01-01", "evidence": "documented"}
# The least that makes a build: one value on each axis that has to have one.
LEAST: Mapping[str, Sequence[Row]] = {
    "platform": [{"version": "linux-x86_64"}, {"version": "linux-aarch64"}],
    "tensorflow": [{"version": "2.0.0"}],
    "runtime": [{"version": "0.1.0"}],
    "python": [{"version": "3.11"}],
    "numpy": [{"version": "1.26.4"}],
    "protobuf": [{"version": "4.21.12"}],
    "bazel": [{"version": "5.0.0"}],
    "os": [{"version": "debian 12"}],
}
_OTHERS = ("rules", "tested", "series", "gpu_families", "gpus", "images", "wheels", "build_tools")
_FILES = (*with_matrix(), *_OTHERS)


def small_tables(folder: Path, **files: Sequence[Row]) -> Tables:
    """Tables whose matrices hold these rows and, in files that are not named, the least.

    A row needs no source, date or evidence; `NAME_absent` are versions that never were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        content: dict[str, Any] = {"about": "a test", "sources": {"paper": "a paper"}}
        content["rows"] = [{**GROUND, **row} for row in files.get(name, LEAST.get(name, ()))]
        if absent := files.get(f"{name}_absent"):
            content["absent"] = [{**GROUND, **row} for row in absent]
        (folder / f"{name}.yaml").write_text(json.dumps(content))
    return Tables(matrices=folder, recipes=data_folder("recipes"))


def small_facts(folder: Path, **files: Sequence[Row]) -> Facts:
    """The facts of such matrices."""
    return load_facts(small_tables(folder, **files))


def small_problem(facts: Facts, *, gpus: int = 0, strict: bool = False) -> Problem:
    """The problem of a TensorFlow build on these facts, on any platform, without a constraint."""
    levels = frozenset(("hard", "tested") if strict else ("hard",))
    return make_problem(facts, Frame(target="tensorflow", gpus=gpus, levels=levels))


def pins(*words: str, **specs: str) -> tuple[Pin, ...]:
    """Pins from `python=3.11` and from keywords; >=5 as in `bazel>=5`."""
    found = []
    for word in words:
        at = min(i for i in (word.find(sign) for sign in "=<>!~") if i > 0)
        spec = word[at:] if word[at] != "=" or word[at + 1 :][:1] == "=" else word[at + 1 :]
        found.append(Pin(axis=word[:at], spec=spec))
    return (*found, *(Pin(axis=axis, spec=spec) for axis, spec in specs.items()))


def ask(facts: Facts, *words: str, strict: bool = False, **specs: str) -> Resolution:
    """The answer to a question without a machine."""
    return resolve(Question(pins=pins(*words, **specs), strict=strict), facts)


def chosen(resolution: Resolution) -> dict[str, str]:
    """Axis -> value of an answer; several GPUs are one value, joined by commas."""
    found: dict[str, str] = {}
    for choice in resolution.choices:
        before = found.get(choice.axis)
        found[choice.axis] = f"{before},{choice.value}" if before else choice.value
    return found


def pinned(values: Mapping[str, str]) -> tuple[Pin, ...]:
    """Pins on exactly these values."""
    return tuple(Pin(axis=axis, spec=value) for axis, value in values.items())


def can_be(spec: str, value: str, *, words: bool = False) -> bool:
    """Whether the range allows the value, by the plain reading of the contract."""
    return value in select(spec, (value,), words=words)
