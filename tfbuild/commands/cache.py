"""What `tfbuild cache` does: the cache folder, and what container engines keep beside it."""

import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from tfbuild.containers.engine import Engine, open_engine
from tfbuild.containers.retention import RetainedItem, list_kept, may_go, prune_kept
from tfbuild.core.errors import BadRequest, TfbuildError
from tfbuild.core.layout import CACHE, PROJECTS
from tfbuild.core.paths import cache_folder
from tfbuild.core.serialization import to_plain
from tfbuild.fetch.cache import STRANGER, CacheEntry, list_cache, prunable, prune_cache
from tfbuild.fetch.projects import list_projects, prunable_projects, prune_projects
from tfbuild.reporting.console import ConsoleReporter, can_ask, confirm, print_json, print_text

_REMOVAL = {
    "entries": "what was not used lately",
    "whole": "all of it, if not used lately",
    "never": "nothing",
}
_MUCH_BYTES = 10_000_000_000  # more than this is not removed unasked
_COLUMNS = ("kind", "name", "size", "last used")
_PATIENCE_SECONDS = 3  # an engine that hangs keeps nobody waiting


def cache_show(*, as_json: bool) -> None:
    """Print what is in the cache, and what the container engine keeps of ours."""
    cache = cache_folder()
    kept = _engine(lambda engine: list_kept(engine, cache), "cached")
    entries = (*list_cache(cache), *list_projects())
    if entries and not as_json:
        columns = ("folder", "what is in it", "size", "prune takes")
        ConsoleReporter().table("", columns, _folder_rows(entries))
    _print(entries, kept, "cached", as_json=as_json)


def cache_prune(
    *, older_than_days: float, as_json: bool, is_dry: bool = False, is_agreed: bool = False
) -> None:
    """Remove what was not used lately, and print what went; when dry, what would.

    On a terminal much of it is only removed when that is agreed to. Raises BadRequest where the
    age is none, EnvironmentFailed while a build uses the cache.
    """
    if not math.isfinite(older_than_days) or older_than_days < 0:
        raise BadRequest(
            f"--older-than is {older_than_days:g}",
            code="cache-age-wrong",
            why="an age is a number of days, from 0",
            hint="write for example --older-than 30, or --all to remove everything",
        )
    if is_dry:
        _print(*_prunable(older_than_days), "removable", as_json=as_json)
    elif is_agreed or not can_ask():
        _prune(older_than_days, as_json=as_json)
    else:
        _prune_if_agreed(older_than_days, as_json=as_json)


# --- inside ------------------------------------------------------------------------------------


def _prunable(older_than_days: float) -> tuple[tuple[CacheEntry, ...], dict[str, Any]]:
    """What prune would take of the folder and of the engine, now."""
    cache = cache_folder()
    kept = _engine(
        lambda engine: [
            one for one in list_kept(engine, cache) if may_go(one, older_than_days=older_than_days)
        ],
        "removable",
    )
    projects = prunable_projects(older_than_days=older_than_days)
    return (*prunable(cache, older_than_days=older_than_days), *projects), kept


def _prune_if_agreed(older_than_days: float, *, as_json: bool) -> None:
    """Show what would go, and ask where it is much; only what was shown goes then."""
    entries, kept = _prunable(older_than_days)
    size = sum(entry.bytes for entry in entries) + kept["bytes"]
    if (entries or kept["removable"]) and (size > _MUCH_BYTES or not older_than_days):
        ConsoleReporter().outlook(_COLUMNS, _rows(entries, kept["removable"]))
        if not confirm(f"Remove {size / 1e6:.1f} MB of {cache_folder()} and of the engine?"):
            _print((), {**kept, "removed": [], "bytes": 0}, "removed", as_json=as_json)
            return
    paths = {entry.path for entry in entries}
    names = {one["name"] for one in kept["removable"]}
    _prune(older_than_days, as_json=as_json, paths=paths, names=names)


def _prune(
    older_than_days: float,
    *,
    as_json: bool,
    paths: Collection[Path] | None = None,
    names: Collection[str] | None = None,
) -> None:
    cache = cache_folder()
    gone = prune_cache(cache, older_than_days=older_than_days, agreed=paths)
    gone += prune_projects(older_than_days=older_than_days, agreed=paths)
    kept = _engine(
        lambda engine: prune_kept(engine, cache, older_than_days=older_than_days, agreed=names),
        "removed",
    )
    _print(gone, kept, "removed", as_json=as_json)


def _engine(ask: Callable[[Engine], Sequence[RetainedItem]], word: str) -> dict[str, Any]:
    """What the engine answers, as a part of the document; why it does not, where it does not."""
    try:
        with open_engine(patience=_PATIENCE_SECONDS) as engine:
            found = ask(engine)
            name = f"{engine.name} {engine.version}"
    except TfbuildError as error:
        return {"name": "", "why": error.message, word: [], "bytes": 0}
    rows = [to_plain(one) for one in found]
    return {"name": name, "why": "", word: rows, "bytes": sum(one.bytes for one in found)}


def _print(
    entries: Sequence[CacheEntry], kept: dict[str, Any], word: str, *, as_json: bool
) -> None:
    total = sum(entry.bytes for entry in entries)
    if as_json:
        rows = [to_plain(entry) for entry in entries]
        part = {key: kept[key] for key in ("name", "why", word, "bytes")}
        print_json({"schema": "tfbuild.cache/1", word: rows, "bytes": total, "engine": part})
        return
    if table := _rows(entries, kept[word]):
        ConsoleReporter().table("", _COLUMNS, table)
    print_text(f"{total / 1e6:.1f} MB {word} in {cache_folder()}")
    if kept["name"]:
        print_text(f"{kept['bytes'] / 1e6:.1f} MB {word} in {kept['name']}")
    else:
        print_text(f"images and volumes were not looked at: {kept['why']}")


def _rows(entries: Sequence[CacheEntry], kept: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [_row(e.kind, e.title, e.bytes, e.age_days) for e in entries] + _engine_rows(kept)


def _folder_rows(entries: Sequence[CacheEntry]) -> list[tuple[str, ...]]:
    """A row for each folder that is there: what is in it, how much, and whether that may go."""
    places = [(place.name, place.holds, _REMOVAL[place.removal]) for place in CACHE]
    places += [(PROJECTS.name, PROJECTS.holds, "all of gone projects, else old parts")]
    rows: list[tuple[str, ...]] = []
    for kind, holds, removal in (*places, (STRANGER, "unknown to tfbuild", _REMOVAL["never"])):
        sizes = [entry.bytes for entry in entries if entry.kind == kind]
        if sizes:
            rows.append((kind, holds, f"{sum(sizes) / 1e6:.1f} MB", removal))
    return rows


def _engine_rows(kept: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """A row for each image and volume; the many records of the build cache share one a kind."""
    rows = []
    for kind, names in (("step", "steps of images"), ("packages", "packages for images")):
        of_kind = [one for one in kept if one["kind"] == kind]
        if of_kind:
            size = sum(one["bytes"] for one in of_kind)
            latest = min(one["age_days"] for one in of_kind)
            rows.append(_row("build cache", f"{len(of_kind)} {names}", size, latest))
    single = [one for one in kept if one["kind"] not in {"step", "packages"}]
    return [
        *(_kept_row(one) for one in single),
        *rows,
    ]


def _kept_row(one: dict[str, Any]) -> tuple[str, ...]:
    *words, used = _row(one["kind"], one["name"], one["bytes"], one["age_days"])
    used = used if one["is_ours"] else "by another cache"
    return *words, "in use" if one["is_used"] else used


def _row(kind: str, name: str, size: int, age_days: float) -> tuple[str, ...]:
    return kind, name, f"{size / 1e6:.1f} MB", f"{age_days:.0f} d"
