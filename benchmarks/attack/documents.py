"""Files that tfbuild reads: locks, machines, cases, reports, plans, projects, matrices, recipes.

Each input is a real one that was damaged byte by byte, or whose data was changed and written well
formed again; or something in its place that is no file at all.
"""

import json
import os
import random
import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.attack.command_lines import make_places
from benchmarks.attack.mutations import changed, damaged
from benchmarks.attack.trial import Call
from tfbuild.core.paths import data_folder
from tfbuild.core.yaml_file import parse_yaml, to_yaml

Words = tuple[str, ...]
_INSTEAD = ("folder", "fifo", "loop", "large", "zero")


@dataclass(frozen=True, slots=True)
class Documents:
    """Makes one damaged file beside what belongs to it, and the words that have it read."""

    samples: tuple[tuple[str, bytes], ...]  # where it is put, and a good one
    words: tuple[Words, ...]
    beside: Path | None = None  # a folder whose files are linked to
    installation: str = ""

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A damaged file in the folder."""
        name, good = chance.choice(self.samples)
        if self.beside:
            _link_all(self.beside, folder)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if chance.random() < 0.01:
            make_places(folder)
            target.symlink_to((folder / chance.choice(_INSTEAD)).absolute())
        else:
            target.write_bytes(spoilt(name, good, chance))
        return Call(words=chance.choice(self.words), installation=self.installation)


def spoilt(name: str, good: bytes, chance: random.Random) -> bytes:
    """A file of that name after damage to its bytes, or to its data where it has a form."""
    if chance.random() < 0.4:
        return damaged(good, chance)
    text = good.decode()
    if name.endswith(".json"):
        return json.dumps(changed(json.loads(text), chance)).encode("utf-8", "surrogatepass")
    if name.endswith(".yaml"):
        return to_yaml(changed(parse_yaml(text), chance)).encode("utf-8", "replace")
    return _toml(changed(tomllib.loads(text), chance)).encode("utf-8", "replace")


def installation_samples() -> tuple[tuple[str, bytes], ...]:
    """Every matrix and recipe, by where it lies in an installation."""
    return tuple(
        (f"installed/{kind}/{path.relative_to(data_folder(kind))}", path.read_bytes())
        for kind, pattern in (("matrices", "*.yaml"), ("recipes", "**/*.yaml"))
        for path in sorted(data_folder(kind).glob(pattern))
    )


def recipe_samples() -> tuple[tuple[str, bytes], ...]:
    """The recipes of an installation as files of somebody's own, all of one name."""
    named = re.compile(rb"(?m)^name: .*$")
    return tuple(
        ("mine.yaml", named.sub(b"name: mine", path.read_bytes()))
        for path in sorted(data_folder("recipes").glob("*.yaml"))
    )


def lay_out_installation(folder: Path) -> Path:
    """A folder with an installation's data, to link to."""
    for kind in ("matrices", "recipes", "dockerfiles"):
        shutil.copytree(data_folder(kind), folder / "installed" / kind)
    (folder / "installed" / "tfbuild").mkdir()
    return folder


def project_samples() -> tuple[tuple[str, bytes], ...]:
    """pyproject.toml with every key that tfbuild takes."""
    text = """
[project]
name = "mine"
[tool.tfbuild]
python = "3.11"
cuda = "none"
gcc = ">=9,<14"
source = "runtime"
output = "dist"
jobs = 2
against = ["tensorflow-cpu==2.21.0", "numpy"]
skip-perf = true
strict = false
prefer = "newest,here"
env = "host"
cpus = "2"
memory = "6g"
"""
    simple = '[tool.tfbuild]\ntensorflow = "2.6.5"\ngpu = "RTX 3090"\nlock = "a.lock.yaml"\n'
    return (("pyproject.toml", text.encode()), ("pyproject.toml", simple.encode()))


# --- inside ------------------------------------------------------------------------------------


def _link_all(source: Path, folder: Path) -> None:
    """The same folders below folder, with the files linked hard."""
    for place, _, files in os.walk(source):
        target = folder / Path(place).relative_to(source)
        target.mkdir(parents=True, exist_ok=True)
        for name in files:
            os.link(Path(place, name), target / name)


def _toml(value: dict[str, Any]) -> str:
    """Data as TOML: tables one level below the top, all else inline."""
    lines = []
    for head, table in value.items():
        if isinstance(table, dict):
            for name, below in table.items():
                lines.append(f"{_key(head)}.{_key(name)} = {_inline(below)}")
        else:
            lines.append(f"{_key(head)} = {_inline(table)}")
    return "\n".join(lines) + "\n"


def _key(name: object) -> str:
    return json.dumps(str(name))


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    return '""' if value is None else json.dumps(value)
