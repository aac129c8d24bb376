"""What engines keep of ours from build to build: images, cache volumes, build cache; what may go.

An engine serves many caches: what another one's builds have made is shown and never removed. Whose
an image or a volume is says its label, by the name that a cache has in itself. What has none
(bases, which are the same for all) is ours where the cache folder remembers its use, in
containers/NAME.used; else the engine's time counts.
"""

import contextlib
import platform
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfbuild.containers.base_image import REPOSITORY
from tfbuild.containers.build_cache import (
    disk_use,
    drop_records,
    our_records,
    read_records,
    read_time,
)
from tfbuild.containers.engine import Engine
from tfbuild.containers.engine_errors import explained
from tfbuild.containers.ownership import CACHE_ID_OF, CACHE_OF, KIND, LABEL, clear
from tfbuild.core.errors import TfbuildError
from tfbuild.core.file_locks import try_lock
from tfbuild.core.layout import CONTAINERS
from tfbuild.core.paths import real_path
from tfbuild.fetch.cache import cache_id, forget_use, has_used_engine, last_use, note_use, own_cache

_BASE_NAME = "org.opencontainers.image.base.name"
_BASE = f"{LABEL}.base"
_OURS = f"{REPOSITORY.partition('/')[0]}/"
_DAY_SECONDS = 86400.0
_OLDEST = 365.25 * 20 * _DAY_SECONDS  # base images are dated 1980, so as to be the same each time


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedItem:
    """One thing that an engine keeps; bytes are what its removal frees.

    kind is environment, trial, base (images), volume, step or packages (build cache).
    """

    kind: str  # environment, trial, base (images), volume, step or packages (build cache)
    name: str  # as the engine calls it
    bytes: int  # what its removal frees
    age_days: float  # days since it was last used
    is_used: bool  # whether a container that is there uses it
    is_ours: bool  # whether it is of the cache folder in use, as far as that is known


def list_kept(engine: Engine, cache: Path) -> tuple[RetainedItem, ...]:
    """Everything of ours that the engine keeps, images first, the oldest use first.

    Raises EnvironmentFailed when the engine goes away.
    """
    return tuple(one.item for one in _look(engine, cache))


def may_go(one: RetainedItem, *, older_than_days: float) -> bool:
    """Whether it is ours, unused, and was last used longer ago."""
    return one.is_ours and not one.is_used and one.age_days >= older_than_days


def prune_kept(
    engine: Engine, cache: Path, *, older_than_days: float, agreed: Collection[str] | None = None
) -> tuple[RetainedItem, ...]:
    """Remove what may go, or what of it was agreed to by name, and say what went.

    Containers whose maker is gone go first, and what killed builds of images have sent. Raises
    EnvironmentFailed while a build uses the cache, or when the engine goes away.
    """
    with own_cache(cache):
        clear(engine)
        engine.forget_left()
        found = _look(engine, cache)
        note_use(cache, *(one.id for one in found if one.is_undated and one.item.is_ours))
        old = [one for one in found if may_go(one.item, older_than_days=older_than_days)]
        wanted = [one for one in old if agreed is None or one.item.name in agreed]
        return tuple(one.item for one in wanted if one.remove())


# --- what there is -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thing:
    """Something that can be removed; names are what the engine calls it."""

    engine: Engine
    cache: Path
    item: RetainedItem
    id: str
    names: tuple[str, ...] = ()
    is_undated: bool = False
    record: Any = None

    def remove(self) -> bool:
        """Whether it went; what has come into use meanwhile stays."""
        api = self.engine.client.api
        with contextlib.suppress(TfbuildError), explained(f"removing {self.item.name}"):
            if self.record is not None:
                return bool(drop_records(api, [self.record]))
            if self.item.kind == "volume":
                return self._remove_volume()
            for name in self.names or (self.id,):
                api.remove_image(name)
            forget_use(self.cache, self.id)
            return True
        return False

    def _remove_volume(self) -> bool:
        with _locked(CONTAINERS.path(self.cache) / f"{self.id}.lock") as is_free:
            if is_free:
                self.engine.client.api.remove_volume(self.id)
                forget_use(self.cache, self.id)
            return is_free


def _look(engine: Engine, cache: Path) -> list[_Thing]:
    """What there is, by the engine's lists, and how large, by its count: Podman's has no labels."""
    with explained("listing what the engine keeps"):
        return _listed(engine, cache)


def _listed(engine: Engine, cache: Path) -> list[_Thing]:
    api = engine.client.api
    containers = api.containers(all=True)
    images, volumes = api.images(), api.volumes().get("Volumes") or ()
    count = disk_use(api)
    shared = {str(row["Id"]): row.get("SharedSize") or 0 for row in count.get("Images") or ()}
    sizes = {str(row["Name"]): row.get("UsageData") or {} for row in count.get("Volumes") or ()}
    images = [{**row, "SharedSize": shared.get(str(row["Id"]), 0)} for row in images]
    volumes = [{**row, "UsageData": sizes.get(str(row["Name"]), {})} for row in volumes]
    things = [
        *_images(engine, cache, images, containers),
        *_volumes(engine, cache, volumes, containers),
    ]
    # A record names no cache: it is only ours where no other can have made it.
    is_ours = has_used_engine(cache) and all(one.item.is_ours for one in things)
    for record in our_records(read_records(count.get("BuildCache"))):
        item = RetainedItem(
            kind="packages" if record.is_mount else "step",
            name=record.id,
            bytes=record.bytes,
            age_days=_age(record.used),
            is_used=record.in_use,
            is_ours=is_ours,
        )
        things.append(_Thing(engine=engine, cache=cache, item=item, id=record.id, record=record))
    return things


def _images(
    engine: Engine,
    cache: Path,
    rows: Iterable[Mapping[str, Any]],
    containers: Iterable[Mapping[str, Any]],
) -> list[_Thing]:
    """Our images; a base counts as used whenever an image that stands on it was."""
    in_use = {str(one.get("ImageID", "")) for one in containers}
    found = []
    for row in rows:
        names = tuple(n for n in row.get("RepoTags") or () if n != "<none>:<none>")
        labels = row.get("Labels") or {}
        kind = _kind(names, labels)
        # Without a name it may as well have been made of ours by hand, whose labels it has then.
        if kind and (names or last_use(cache, str(row["Id"]))):
            used = _last_use(engine, cache, row)
            found.append((row, names, kind, used, str(labels.get(_BASE_NAME, ""))))
    things = []
    theirs = {str(row["Id"]) for row, *_ in found if not _is_ours(cache, row, str(row["Id"]))}
    needed = {base for row, *_, base in found if str(row["Id"]) in theirs}
    for row, names, kind, used, _ in found:
        latest = max([used, *(u for _, _, _, u, base in found if base in map(_plain, names))])
        item = RetainedItem(
            kind=kind,
            name=_plain(names[0]) if names else str(row["Id"]).removeprefix("sha256:")[:12],
            bytes=max(0, int(row.get("Size") or 0) - max(0, int(row.get("SharedSize") or 0))),
            age_days=_age(latest),
            is_used=str(row["Id"]) in in_use,
            is_ours=str(row["Id"]) not in theirs and not needed & set(map(_plain, names)),
        )
        things.append(
            _Thing(
                engine=engine, cache=cache, item=item, id=str(row["Id"]), names=names,
                is_undated=not latest,
            )
        )  # fmt: skip
    return sorted(things, key=lambda one: (one.item.kind, -one.item.age_days))


def _plain(name: str) -> str:
    """A name without the registry that Podman puts before what was made here."""
    return name.removeprefix("localhost/").removeprefix("docker.io/")


def _kind(names: tuple[str, ...], labels: Mapping[str, str]) -> str:
    """What an image of ours is for; empty for others, which inherit labels when made from ours."""
    if not all(_plain(name).startswith(_OURS) for name in names):
        return ""
    if labels.get(LABEL):
        return labels.get(KIND, "image")
    return "base" if names and labels.get(_BASE) else ""


def _volumes(
    engine: Engine,
    cache: Path,
    rows: Iterable[Mapping[str, Any]],
    containers: Iterable[Mapping[str, Any]],
) -> list[_Thing]:
    """Volumes with our label; when another's was used says its own cache folder."""
    in_use = {str(m.get("Name")) for one in containers for m in one.get("Mounts") or ()}
    things = []
    for row in rows:
        labels, name = row.get("Labels") or {}, str(row["Name"])
        if not labels.get(LABEL):
            continue
        is_ours = _is_ours(cache, row, name)
        home = cache if is_ours else Path(labels.get(CACHE_OF) or cache)
        usage = row.get("UsageData") or {}
        try:
            used = last_use(home, name)
        except PermissionError:  # another user's: theirs to remove
            used = time.time()
        item = RetainedItem(
            kind="volume",
            name=name,
            bytes=max(0, int(usage.get("Size") or 0)),
            age_days=_age(used or read_time(row.get("CreatedAt"))),
            is_used=name in in_use,
            is_ours=is_ours,
        )
        things.append(_Thing(engine=engine, cache=home, item=item, id=name))
    return sorted(things, key=lambda one: -one.item.age_days)


def _is_ours(cache: Path, row: Mapping[str, Any], name: str) -> bool:
    """Whether its labels name the cache; without a name in them, whether its use is remembered.

    Of a cache that is gone, what its folder and this machine made is removed by the folder's name.
    """
    labels = row.get("Labels") or {}
    home, (identity, _, machine) = labels.get(CACHE_OF), labels.get(CACHE_ID_OF, "").partition("@")
    is_here = not home or real_path(Path(home)) == real_path(cache)
    if not identity:  # of a release without that label
        return is_here and last_use(cache, name) > 0
    if own := cache_id(cache):
        return bool(identity == own)
    return is_here and machine == platform.node()


# --- when it was used ----------------------------------------------------------------------------


def _last_use(engine: Engine, cache: Path, row: Mapping[str, Any]) -> float:
    """By our record, else by what the engine remembers of an image; 0 where nobody does."""
    if noted := last_use(cache, str(row["Id"])):
        return noted
    with explained("looking for an image"):
        known = engine.client.api.inspect_image(row["Id"]).get("Metadata") or {}
    times = (float(row.get("Created") or 0), read_time(known.get("LastTagTime")))
    return max((t for t in times if t > _OLDEST), default=0.0)


def _age(used: float) -> float:
    """Days since then; what has no date is new, and counts from now on."""
    return max(0.0, (time.time() - used) / _DAY_SECONDS) if used else 0.0


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether no build holds a volume, and none can while this is open."""
    with contextlib.ExitStack() as stack:
        try:
            is_free = stack.enter_context(try_lock(path))
        except (FileNotFoundError, NotADirectoryError):  # the cache of its builds is gone
            is_free = True
        except OSError:  # another user's
            is_free = False
        yield is_free
