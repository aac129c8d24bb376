"""Which records of an engine's build cache are ours, and taking records out of it.

BuildKit's records have no labels, but each names the command that made it, and which record it
stands on. Ours are the steps that mount or prepare the folder with this machine's way to the
outside, as every Dockerfile of ours does first, and what stands on them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tfbuild.containers.engine_errors import explained

# In our Dockerfiles; others may have a folder of that name.
_FETCHING = ("/run/network/apt.conf", "/run/network/pip.conf")
PREPARING = "touch apt.conf"
COPY = "fileop target"
_COUNTING_SECONDS = 300.0  # the engine adds up every file in its volumes
_MOUNT = "exec.cachemount"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRecord:
    """One record; bytes are those that nothing else holds."""

    id: str
    parents: tuple[str, ...]
    is_mount: bool  # a folder that steps share, such as apt's packages
    in_use: bool
    bytes: int
    created: float
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
            created=read_time(row.get("CreatedAt")),
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
    """The steps of our Dockerfiles, what stands on them, and what they were copied into; what
    stands on others first.
    """
    marks = (*_FETCHING, PREPARING)
    marked = {r.id for r in records if any(mark in r.said for mark in marks)}
    while more := {r.id for r in records if r.id not in marked and marked & {*r.parents}}:
        marked |= more
    by_id = {record.id: record for record in records}
    above = [name for r in records if PREPARING in r.said for name in r.parents]
    while above:
        found = by_id.get(above.pop())
        if found and found.said == COPY and found.id not in marked:
            marked.add(found.id)
            above += found.parents
    return children_first([r for r in records if r.id in marked])


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


def children_first(records: Sequence[CacheRecord]) -> tuple[CacheRecord, ...]:
    """An engine keeps what another record stands on."""
    left, ordered = {record.id: record for record in records}, []
    while left:
        needed = {name for record in left.values() for name in record.parents}
        free = [r for r in left.values() if r.id not in needed] or list(left.values())
        ordered += free
        for record in free:
            del left[record.id]
    return tuple(ordered)
