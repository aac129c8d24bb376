"""Forges what is remembered: state of the user's own that another build wrote, or that was edited.

Every checksum is made anew, so it looks as if tfbuild had written it. What comes out must be the
right wheel or an error with a documented code.
"""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.attack.cache_entries import try_damage
from benchmarks.attack.inputs import Budget
from benchmarks.attack.mutations import changed
from benchmarks.attack.tally import Tally
from benchmarks.attack.workshop import Workshop, digest_of
from tests.shared_libraries import tiny_wheel
from tfbuild.core.kept_json import write_kept
from tfbuild.core.layout import MEMO, WHEELS
from tfbuild.core.safe_files import parse_json

_BEGIN = '{"sha256": "'
_LARGEST = 1 << 20
Forgery = Callable[[Workshop, random.Random], tuple[Path, str]]


def try_forged(shop: Workshop, budget: Budget, job: int, tally: Tally) -> None:
    """Forge one thing after the other, build on each, and count."""
    try_damage(_forge, shop, budget, job, tally)


def _forge(shop: Workshop, chance: random.Random) -> tuple[Path, str]:
    """Do one forgery; where it is, and in words what was done."""
    return chance.choice(FORGERIES)(shop, chance)


# --- the forgeries -----------------------------------------------------------------------------


def _edited(shop: Workshop, chance: random.Random) -> tuple[Path, str]:
    """Some values of a record are others."""
    path = chance.choice(_records(shop))
    subject, content = _read(path)
    write_kept(path, subject, changed(content, chance))
    return path, f"{path.parent.name} {path.relative_to(shop.folder)} edited"


def _exchanged(shop: Workshop, chance: random.Random) -> tuple[Path, str]:
    """A record has the values of another one, perhaps of another form."""
    path, other = chance.choice(_records(shop)), chance.choice(_records(shop))
    write_kept(path, _read(path)[0], _read(other)[1])
    return path, f"{path.parent.name} {path.relative_to(shop.folder)} has {other.name}"


def _of_another_build(shop: Workshop, chance: random.Random) -> tuple[Path, str]:
    """Every path in a record is that of another folder, in which there is nothing, or the same."""
    path = chance.choice(_records(shop))
    subject, content = _read(path)
    elsewhere = shop.folder / "another"
    if chance.random() < 0.5 and not elsewhere.exists():
        shutil.copytree(shop.work / WHEELS.name, elsewhere / WHEELS.name)
    write_kept(path, subject, _replaced(content, str(shop.work), str(elsewhere)))
    return path, f"{path.parent.name} {path.relative_to(shop.folder)} of another build"


def _foreign_wheel(shop: Workshop, chance: random.Random) -> tuple[Path, str]:
    """The remembered wheel is a stranger's, at its own place or at another; digest and size fit."""
    path = chance.choice(sorted((MEMO.path(shop.work) / "wheel").glob("*.json")))
    subject, content = _read(path)
    right = Path(content["result"]["path"]).name
    made = tiny_wheel(shop.folder / "foreign", {"tiny_thing/planted.py": b"x = 1\n"})
    digest = digest_of(made)
    folder = chance.choice((WHEELS.path(shop.work) / digest[:16], shop.folder / "foreign" / "in"))
    target = folder / chance.choice((right, made.name))
    folder.mkdir(parents=True, exist_ok=True)
    shutil.move(made, target)
    size = target.stat().st_size
    content["result"] |= {"path": str(target), "sha256": digest, "size": size}
    write_kept(path, subject, content)
    return path, f"wheel {path.relative_to(shop.folder)} is {target.relative_to(shop.folder)}"


FORGERIES: tuple[Forgery, ...] = (_edited, _edited, _exchanged, _of_another_build, _foreign_wheel)


# --- inside ------------------------------------------------------------------------------------


def _records(shop: Workshop) -> list[Path]:
    """All that is kept with a checksum, but for the mark of a work folder that is named."""
    found = []
    for root in (shop.work, shop.state, shop.cache):
        for path in root.rglob("*.json"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size < _LARGEST:
                with path.open("rb") as stream:
                    is_kept = stream.read(len(_BEGIN)) == _BEGIN.encode()
                if is_kept and path != shop.work / "project.json":
                    found.append(path)
    return sorted(found)


def _read(path: Path) -> tuple[str, Any]:
    document = parse_json(path.read_text())
    return document["subject"], document["content"]


def _replaced(value: Any, old: str, new: str) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: _replaced(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, old, new) for each in value]
    return value
