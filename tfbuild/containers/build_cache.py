"""Which records of an engine's build cache are ours, and taking them out of it.

BuildKit's records have no labels, but each tells the command that made it, and which record it
stands on. Ours are the steps that mount or prepare the folder with this machine's way to the
outside, as every Dockerfile of ours does first, and what stands on them.
"""

import contextlib
import json
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tfbuild.containers.engine_errors import explained
from tfbuild.containers.ownership import lives, owner
from tfbuild.core.errors import TfbuildError
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import CONTAINERS
from tfbuild.core.paths import cache_folder

# In our Dockerfiles; others may have a folder of that name.
_FETCHING = ("/run/network/apt.conf", "/run/network/pip.conf")
_PREPARING = "touch apt.conf"
_CONTEXT = "http url http://build-context-"  # a number for each: nobody can ask for it again
_COPY = "fileop target"
_TOGETHER_SECONDS = 10.0
_SENDING_SECONDS = 120.0  # from the begin of a build until what it sends has been unpacked
_NOTE = ".sent.json"
_COUNTING_SECONDS = 300.0  # the engine adds up every file in its volumes
_MOUNT = "exec.cachemount"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """A build that sends files to an engine: whose it is, to which one, and when it began."""

    owner: str
    engine: str
    began: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRecord:
    """One record; used is a time, bytes are those that nothing else holds."""

    id: str
    parents: tuple[str, ...]
    is_mount: bool  # a folder that steps share, such as apt's packages
    in_use: bool
    bytes: int
    used: float
    said: str


def read_records(rows: Iterable[Mapping[str, Any]] | None) -> tuple[CacheRecord, ...]:
    """The records of an engine's answer to how its disk is used."""
    return tuple(
        CacheRecord(
            id=str(row["ID"]),
            parents=tuple(row.get("Parents") or filter(None, (row.get("Parent"),))),
            is_mount=row.get("Type") == _MOUNT,
            in_use=bool(row.get("InUse")),
            bytes=0 if row.get("Shared") else int(row.get("Size") or 0),
            used=read_time(row.get("LastUsedAt") or row.get("CreatedAt")),
            said=str(row.get("Description") or ""),
        )
        for row in rows or ()
    )


def read_time(text: object) -> float:
    """A time as engines write it, in seconds; 0 for none, or for the year 1."""
    try:
        return max(0.0, datetime.fromisoformat(str(text)).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0.0


def our_records(records: Sequence[CacheRecord]) -> tuple[CacheRecord, ...]:
    """The steps of our Dockerfiles, and what was sent for them; what stands on others first."""
    marks = (*_FETCHING, _PREPARING)
    marked = {r.id for r in records if any(mark in r.said for mark in marks)}
    while more := {r.id for r in records if r.id not in marked and marked & {*r.parents}}:
        marked |= more
    sent = {record.id for record in sent_records(records)}
    return _children_first([r for r in records if r.id in marked | sent])


def sent_records(
    records: Sequence[CacheRecord], *, since: float = math.inf, until: float = math.inf
) -> tuple[CacheRecord, ...]:
    """What holds the content of the context that we have sent: it may hold passwords.

    That is the step that prepares it and the copies it stands on, and the context itself as it
    came and was unpacked. These carry no name of ours, but were used within seconds of that step,
    or since the build began that sent them (until it must have): the step may be kept from an
    earlier one.
    """
    by_id = {record.id: record for record in records}
    ours = {record.id for record in records if _PREPARING in record.said}
    times = [by_id[name].used for name in ours]
    above = [name for own in ours for name in by_id[own].parents]
    while above:
        found = by_id.get(above.pop())
        if found and found.said == _COPY and found.id not in ours:
            ours.add(found.id)
            above += found.parents
    for record in records:
        is_context, is_copy = record.said.startswith(_CONTEXT), record.said == _COPY
        is_near = any(abs(record.used - time) < _TOGETHER_SECONDS for time in times)
        is_unpacked = is_context or (is_copy and not record.parents)
        is_of_build = (is_context or is_copy) and since <= record.used <= until
        if (is_unpacked and is_near) or is_of_build:
            ours.add(record.id)
    return _children_first([r for r in records if r.id in ours])


@contextmanager
def forgetting_sent(
    api: Any,  # noqa: ANN401  (untyped library)
) -> Iterator[None]:
    """Take the context of a build out of the engine's cache, however the build ends.

    It may hold passwords, and serves once. A note in the cache lets a later start do it where
    this process is killed, or the engine dies.
    """
    began = time.time()
    note = _notes() / f"{os.getpid()}-{began:.3f}{_NOTE}"
    write_kept(note, note.name, _Sent(owner=owner(), engine=_engine(api), began=began))
    try:
        yield
    finally:
        with contextlib.suppress(TfbuildError):
            _forget(api, began, math.inf)
            note.unlink(missing_ok=True)


def forget_left(
    api: Any,  # noqa: ANN401  (untyped library)
) -> int:
    """Take out what killed builds have sent to this engine, and say how many builds there were.

    Raises EnvironmentFailed when the engine goes away.
    """
    count = 0
    for note in sorted(_notes().glob(f"*{_NOTE}")):
        left = read_record(note, note.name, _Sent)  # none where another start was faster
        if left and left.engine == _engine(api) and not lives(left.owner):
            _forget(api, left.began, left.began + _SENDING_SECONDS)
            note.unlink(missing_ok=True)
            count += 1
    return count


def _notes() -> Path:
    return CONTAINERS.path(cache_folder())


def _forget(
    api: Any,  # noqa: ANN401  (untyped library)
    since: float,
    until: float,
) -> None:
    rows = disk_use(api, only="build-cache").get("BuildCache")
    drop_records(api, sent_records(read_records(rows), since=since, until=until))


def _engine(
    api: Any,  # noqa: ANN401  (untyped library)
) -> str:
    with explained("asking the container engine"):
        return str(api.info().get("ID") or "")


def disk_use(
    api: Any,  # noqa: ANN401  (untyped library)
    *,
    only: str = "",
) -> dict[str, Any]:
    """What an engine keeps: images, containers, volumes and build cache, in its own words.

    only names one of them, for engines that can answer for one alone; that is faster.
    """
    with explained("asking the engine what it keeps"):
        url = f"{api.base_url}/v{api.api_version}/system/df"
        answer = api.get(url, params={"type": only} if only else {}, timeout=_COUNTING_SECONDS)
        answer.raise_for_status()
        return dict(answer.json())


def drop_records(
    api: Any,  # noqa: ANN401  (untyped library)
    records: Iterable[CacheRecord],
) -> tuple[CacheRecord, ...]:
    """Take records out of the engine's build cache, and say which; one in use stays."""
    gone = []
    for record in records:
        with explained("clearing the engine's build cache"):
            query = {"all": "1", "filters": json.dumps({"id": [record.id]})}
            url = f"{api.base_url}/v{api.api_version}/build/prune"
            answer = api.post(url, params=query, timeout=_COUNTING_SECONDS)
            if answer.ok and record.id in (answer.json().get("CachesDeleted") or ()):
                gone.append(record)
    return tuple(gone)


def _children_first(records: Sequence[CacheRecord]) -> tuple[CacheRecord, ...]:
    """An engine keeps what another record stands on."""
    left, ordered = {record.id: record for record in records}, []
    while left:
        needed = {name for record in left.values() for name in record.parents}
        free = [r for r in left.values() if r.id not in needed] or list(left.values())
        ordered += free
        for record in free:
            del left[record.id]
    return tuple(ordered)
