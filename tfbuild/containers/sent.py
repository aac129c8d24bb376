"""What a build of an image sends to an engine, and taking just that out of its build cache again.

It may hold passwords, and serves once. BuildKit's records carry no name of ours. But BuildKit gives
the digest of the step that takes a context, which is that of its address, and when each step ran:
what one step has made within its own time is its own, where it is the only one of its kind.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from tfbuild.containers.build_cache import (
    COPY,
    PREPARING,
    CacheRecord,
    children_first,
    disk_use,
    drop_records,
    read_records,
)
from tfbuild.containers.buildkit_progress import DoneStep, field_of
from tfbuild.containers.engine_errors import explained
from tfbuild.containers.ownership import lives, owner
from tfbuild.core.errors import TfbuildError
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import CONTAINERS
from tfbuild.core.paths import cache_folder

Kind = Literal["unpacked", "copied", "prepared"]

_TAKES = "[internal] load remote build context"
_UNPACKS = "copy /context /"
_STAGE = "[network "  # of our Dockerfiles
_ADDRESS = "http url "
_NOTE = ".sent.json"
_UNKNOWN = (
    "what was sent for this image cannot be distinguished from what others sent then: it stays in "
    "the engine until BuildKit removes what was unused for long (`docker builder prune` does now)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentStep:
    """A step that holds what was sent: its kind, and when it ran in the engine's own time."""

    kind: Kind
    began: float
    ended: float
    is_kept: bool  # it was made by an earlier build, and used by this one


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What a build has sent to an engine, as far as the engine has said that it has it."""

    owner: str
    engine: str
    size: int = 0  # bytes of all files
    contexts: tuple[str, ...] = ()  # digests of the steps that took them
    steps: tuple[SentStep, ...] = ()


@dataclass(slots=True, kw_only=True)
class SentNote:
    """A file that says what was sent, for a later start where this process is killed."""

    path: Path
    sent: Sent

    def heed(self, done: Collection[DoneStep]) -> None:
        """Note those of all steps so far that hold what was sent."""
        contexts = tuple(step.digest for step in done if step.name == _TAKES)
        steps = tuple(made for step in done if (made := _sent_step(step)))
        known = replace(self.sent, contexts=contexts, steps=steps)
        if known != self.sent:
            self.sent = known
            self.write()

    def write(self) -> None:
        """Write it where `forget_left` finds it."""
        write_kept(self.path, self.path.name, self.sent)


@contextmanager
def forgetting_sent(
    api: Any,  # noqa: ANN401  (untyped library)
    size: int,
    report: Callable[[str], None],
) -> Iterator[SentNote]:
    """Take what a build sends out of the engine's cache, however the build ends.

    size is that of all files together. What cannot be distinguished from what others have sent
    stays, and report gets a line that says so.
    """
    path = CONTAINERS.path(cache_folder()) / f"{os.getpid()}-{time.time():.3f}{_NOTE}"
    note = SentNote(path=path, sent=Sent(owner=owner(), engine=_engine(api), size=size))
    note.write()
    try:
        yield note
    finally:
        with contextlib.suppress(TfbuildError):
            unknown = _forget(api, note.sent)
            note.path.unlink(missing_ok=True)
            if unknown:
                report(_UNKNOWN)


def forget_left(
    api: Any,  # noqa: ANN401  (untyped library)
) -> int:
    """Take out what killed builds have sent to this engine, and say how many builds there were.

    Raises EnvironmentFailed when the engine goes away.
    """
    count = 0
    for path in sorted(CONTAINERS.path(cache_folder()).glob(f"*{_NOTE}")):
        left = read_record(path, path.name, Sent)  # none where another start was faster
        if left and left.engine == _engine(api) and not lives(left.owner):
            _forget(api, left)
            path.unlink(missing_ok=True)
            count += 1
    return count


def records_of(sent: Sent, records: Sequence[CacheRecord]) -> tuple[tuple[CacheRecord, ...], int]:
    """The records that hold what was sent, what stands on others first; and how many steps there
    are whose record cannot be distinguished from another's.
    """
    contexts = {digest: r for r in records if (digest := context_digest(r.said))}
    found = {contexts[name].id: contexts[name] for name in sent.contexts if name in contexts}
    # An engine may name the step otherwise one day: then ours is among those of others.
    unknown = len({*sent.contexts} - {*contexts}) if contexts else 0
    for step in sent.steps:
        # A step may begin before the one that it stands on has ended: its record is the last one.
        near = _last([r for r in records if _is_near(r, step)])
        are_several = len(near) > 1
        if are_several and step.kind == "unpacked":
            near = [r for r in near if r.bytes == sent.size]
        if len(near) == 1:
            found[near[0].id] = near[0]
        elif are_several:
            unknown += 1
    return children_first(list(found.values())), unknown


def context_digest(said: str) -> str:
    """The digest of the step that takes a context, from what its record says; empty for others.

    It is that of BuildKit's message: a source with its address, and as which file it is kept.
    """
    if not said.startswith(_ADDRESS):
        return ""
    named = field_of(1, b"http.filename") + field_of(2, b"context")
    source = field_of(1, said.removeprefix(_ADDRESS).encode()) + field_of(2, named)
    message = field_of(3, source) + field_of(11, b"")  # with no constraints
    return f"sha256:{hashlib.sha256(message).hexdigest()}"


# --- inside ------------------------------------------------------------------------------------


def _sent_step(step: DoneStep) -> SentStep | None:
    kind: Kind
    if step.name == _UNPACKS:
        kind = "unpacked"
    elif step.name.startswith(_STAGE) and PREPARING in step.name:
        kind = "prepared"
    elif step.name.startswith(_STAGE) and "] COPY " in step.name:
        kind = "copied"
    else:
        return None
    return SentStep(kind=kind, began=step.began, ended=step.ended, is_kept=step.is_kept)


def _last(records: Sequence[CacheRecord]) -> list[CacheRecord]:
    """Those on which no other of them stands."""
    below = {name for record in records for name in record.parents}
    return [record for record in records if record.id not in below]


def _is_near(record: CacheRecord, step: SentStep) -> bool:
    """Whether a step may have made a record, or used it where it was made before."""
    is_copy = record.said == COPY
    if step.kind == "prepared":
        is_kind = PREPARING in record.said
    else:
        is_kind = is_copy and bool(record.parents) == (step.kind == "copied")
    if step.is_kept:
        return is_kind and record.used >= step.began
    return is_kind and step.began <= record.created <= step.ended


def _forget(
    api: Any,  # noqa: ANN401  (untyped library)
    sent: Sent,
) -> int:
    """Drop what was sent, and say how many steps there are whose record is not known."""
    rows = disk_use(api, only="build-cache").get("BuildCache")
    records, unknown = records_of(sent, read_records(rows))
    drop_records(api, records)
    return unknown


def _engine(
    api: Any,  # noqa: ANN401  (untyped library)
) -> str:
    with explained("asking the container engine"):
        return str(api.info().get("ID") or "")
