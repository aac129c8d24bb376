"""Damages what is kept, in the cache and in the work folder, and builds on it.

After each damage the same wheel must come out, or an error with a documented code; the build after
that must succeed where nothing but the damage stood in its way.
"""

import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from benchmarks.attack.inputs import Budget, chance_of, keep
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.workshop import Workshop
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.layout import (
    ARTIFACTS,
    CACHE,
    MEMO,
    OWNER,
    PRODUCTS,
    RUNS,
    UNPACKED,
    WHEELS,
    WORK,
    Place,
)
from tfbuild.fetch.seals import SEAL

Damage = Callable[[Workshop, random.Random], tuple[Path, str]]
_STRANGER = 54321  # the number of a user who is not there
# What is forgotten besides, so that more of what is kept is read; what takes long but seldom.
_FORGOTTEN = ((), (), ("wheel",), ("wheel",), ("wheel", "audit"), ("audit",), ("smoke",))
_WEIGHTS = {ARTIFACTS.name: 2, UNPACKED.name: 4, MEMO.name: 4, PRODUCTS.name: 2, WHEELS.name: 3}


def try_entries(shop: Workshop, budget: Budget, job: int, tally: Tally) -> None:
    """Damage one thing after the other, build on each, and count."""
    try_damage(damage, shop, budget, job, tally)


def try_damage(do: Damage, shop: Workshop, budget: Budget, job: int, tally: Tally) -> None:
    """Do one damage after the other, build on each, and count; each is put right again."""
    seed = budget.seed
    pristine = shop.folder.with_name(f"{shop.folder.name}.pristine")
    shutil.rmtree(pristine, ignore_errors=True)
    for number in budget.numbers(job):
        _copy_once(shop, pristine)
        chance = chance_of(seed, tally.kind, number)
        damaged, what = do(shop, chance)
        first = shop.build()
        fault = shop.fault_of(first, may_fail=True)
        ending = f"{what.partition(' ')[0]}: {'same wheel' if first.code == 0 else 'refused'}"
        tally.endings[fault or ending] += 1
        if fault:
            kept = keep(shop.folder.parent, tally.kind, seed, number, pristine / "none")
            said = first.said.decode(errors="replace")
            (kept / "attack.txt").write_text(f"{what}\nended: {first.code} {fault}\n\n{said}")
            tally.faults.append(
                Fault(kind=tally.kind, number=number, seed=seed, what=fault, kept=str(kept))
            )
        restore(shop, pristine, damaged)


def damage(shop: Workshop, chance: random.Random) -> tuple[Path, str]:
    """Do one damage; where it is, and in words its place, path and change."""
    for stage in chance.choice(_FORGOTTEN):
        shutil.rmtree(MEMO.path(shop.work) / stage, ignore_errors=True)
    place, root = _choose_place(shop, chance)
    target = choose_path(place.path(root), chance)
    name, change = chance.choice(CHANGES)
    change(target, chance)
    return target, f"{place.name} {target.relative_to(shop.folder)} {name}"


def mirror(good: Path, bad: Path) -> None:
    """Let a tree be as another one: only what differs is copied, what is more is removed."""
    if good.is_symlink() or not good.is_dir():
        if not _is_same(good, bad):
            _make_room(bad)
            shutil.copy2(good, bad, follow_symlinks=False)
        return
    if bad.is_symlink() or not bad.is_dir():
        _make_room(bad)
        bad.mkdir()
    state = good.stat()
    os.chown(bad, state.st_uid, state.st_gid)
    bad.chmod(state.st_mode | 0o700)
    names = {path.name for path in good.iterdir()}
    for path in bad.iterdir():
        if path.name not in names:
            remove_tree(path)
    for name in names:
        mirror(good / name, bad / name)


# --- the changes -------------------------------------------------------------------------------


def _flip(path: Path, chance: random.Random) -> None:
    if not _is_plain(path) or not path.stat().st_size:
        _plant(path, chance)
        return
    state = path.stat()
    raw = bytearray(path.read_bytes())
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.chmod(0o644)
    path.write_bytes(raw)
    path.chmod(state.st_mode)
    if chance.random() < 0.7:  # as the disk or the memory would do it: no time changes
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def _truncate(path: Path, chance: random.Random) -> None:
    if not _is_plain(path):
        _plant(path, chance)
    else:
        path.chmod(0o644)
        os.truncate(path, chance.randrange(path.stat().st_size + 1))


def _empty(path: Path, chance: random.Random) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_tree(path)
        path.mkdir()
    else:
        _make_room(path)
        path.write_bytes(b"")


def _delete(path: Path, chance: random.Random) -> None:
    _make_room(path)


def _to_folder(path: Path, chance: random.Random) -> None:
    _make_room(path)
    path.mkdir()
    (path / "inside").write_text("x")


def _to_link(path: Path, chance: random.Random) -> None:
    _make_room(path)
    path.symlink_to(chance.choice(("/nowhere", path.name, "..", "/etc/passwd", "/dev/null")))


def _to_fifo(path: Path, chance: random.Random) -> None:
    _make_room(path)
    os.mkfifo(path)


def _to_strangers(path: Path, chance: random.Random) -> None:
    """Give it to a user who is not there; where that is not allowed, let everybody write it."""
    try:
        os.chown(path, _STRANGER, _STRANGER, follow_symlinks=False)
    except PermissionError:
        path.chmod(0o777)


def _no_rights(path: Path, chance: random.Random) -> None:
    if not path.is_symlink():
        path.chmod(0)


def _swap(path: Path, chance: random.Random) -> None:
    """Put what its neighbour holds in its place: whole, and of something else."""
    others = sorted(p for p in path.parent.iterdir() if p != path and _is_plain(p))
    if others and _is_plain(path):
        shutil.copyfile(chance.choice(others), path)
    else:
        _plant(path, chance)


def _plant(path: Path, chance: random.Random) -> None:
    """Put a file there that nobody made."""
    folder = path if path.is_dir() else path.parent
    (folder / chance.choice(("planted.py", "libplanted.so", ".x.1.part", "x.json"))).write_text("x")


def _double(path: Path, chance: random.Random) -> None:
    if _is_plain(path):
        with path.open("ab") as stream:
            stream.write(path.read_bytes()[: chance.choice((1, 100, 1 << 20))])


# Every change that a file or a folder can meet, by name.
CHANGES: tuple[tuple[str, Callable[[Path, random.Random], None]], ...] = (
    ("flip", _flip), ("flip", _flip), ("flip", _flip), ("truncate", _truncate),
    ("empty", _empty), ("delete", _delete), ("folder", _to_folder), ("link", _to_link),
    ("fifo", _to_fifo), ("stranger", _to_strangers), ("no rights", _no_rights), ("swap", _swap),
    ("plant", _plant), ("double", _double),
)  # fmt: skip


# --- inside ------------------------------------------------------------------------------------


def _choose_place(shop: Workshop, chance: random.Random) -> tuple[Place, Path]:
    """A place in which there is something."""
    found = [(place, shop.cache) for place in CACHE]
    # A folder that is named and whose mark is damaged is refused, on purpose.
    found += [(place, shop.work) for place in WORK if place != OWNER]
    there = [(place, root) for place, root in found if os.path.lexists(place.path(root))]
    return chance.choices(there, [_WEIGHTS.get(place.name, 1) for place, _ in there])[0]


def choose_path(top: Path, chance: random.Random) -> Path:
    """A file or a folder below: each level as likely as the next, seals more than others."""
    path = top
    if chance.random() < 0.03:
        return path
    while path.is_dir() and not path.is_symlink():
        below = sorted(path.iterdir())
        if not below or (path != top and chance.random() < 0.05):
            return path
        seals = [one for one in below if one.name == SEAL]
        path = chance.choice(seals if seals and chance.random() < 0.15 else below)
    return path


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _copy_once(shop: Workshop, pristine: Path) -> None:
    """Keep how it is before the first damage."""
    if not pristine.is_dir():
        shop.stop_servers()
        # An attack before this one has taken the output folder away.
        shutil.rmtree(shop.output, ignore_errors=True)
        shutil.copytree(shop.folder, pristine, symlinks=True)


def restore(shop: Workshop, pristine: Path, damaged: Path) -> None:
    """Let cache and work folder be as they were; only what differs is copied again."""
    shop.stop_servers()
    shutil.rmtree(RUNS.path(shop.work), ignore_errors=True)
    shutil.rmtree(shop.output, ignore_errors=True)
    if os.path.lexists(damaged):
        remove_tree(damaged)  # a flipped bit changes neither size nor time
    for root in (shop.cache, shop.work, shop.state):
        if (pristine / root.name).is_dir():
            mirror(pristine / root.name, root)


def _make_room(path: Path) -> None:
    if os.path.lexists(path):
        remove_tree(path)


def _is_same(good: Path, bad: Path) -> bool:
    """Whether a file has kept its owner, mode, size and time."""
    if not os.path.lexists(bad):
        return False
    mine, theirs = good.lstat(), bad.lstat()
    if stat.S_ISLNK(mine.st_mode) and stat.S_ISLNK(theirs.st_mode):
        return good.readlink() == bad.readlink()
    return all(
        getattr(mine, name) == getattr(theirs, name)
        for name in ("st_mode", "st_size", "st_uid", "st_mtime_ns")
    )
