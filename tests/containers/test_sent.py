"""What a build has sent, separated from what others have sent in the same moments."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tfbuild.containers import sent as module
from tfbuild.containers.build_cache import read_records, read_time
from tfbuild.containers.buildkit_progress import DoneStep
from tfbuild.containers.ownership import owner
from tfbuild.containers.sent import (
    Sent,
    context_digest,
    forget_left,
    forgetting_sent,
    records_of,
)
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import CONTAINERS
from tfbuild.core.paths import cache_folder

# As a real engine (20.10.24) has called the step of a context, and the record.
ADDRESS = "http url http://build-context-nz8rqn4aiqzah67wozu8vo8sd"
RUN = "mount / from exec /bin/sh -c touch apt.conf && chmod --recursive a+rX ."
BEGIN = read_time("2026-01-02T03:04:05Z")


def row(name: str, said: str, at: float, *parents: str, **more: Any) -> dict[str, Any]:
    time = f"2026-01-02T03:04:{5 + at:09.6f}Z"
    return {
        "ID": name, "Parents": list(parents), "Type": "regular", "Description": said, "Size": 10,
        "CreatedAt": time, "LastUsedAt": time,
    } | more  # fmt: skip


def done(name: str, began: float, ended: float, *, is_kept: bool = False) -> DoneStep:
    digest = context_digest(ADDRESS) if name.startswith("[internal]") else name
    return DoneStep(
        digest=digest, name=name, began=BEGIN + began, ended=BEGIN + ended, is_kept=is_kept
    )


STEPS = (
    done("[internal] load remote build context", 0.5, 0.5),
    done("copy /context /", 1, 1.2),
    done("[network 2/4] WORKDIR /network", 1.5, 1.6),
    done("[network 3/4] COPY networ[k]/ ./", 2, 2.2),
    done("[network 4/4] RUN touch apt.conf && chmod --recursive a+rX .", 3, 4),
)
OURS = [
    row("context", ADDRESS, 0.2),
    row("unpacked", "fileop target", 1.1),
    row("copy", "fileop target", 2.1, "workdir"),
    row("prepare", RUN, 3.1, "copy"),
]
OTHERS = [
    row("workdir", "fileop target", 1.55, "base"),
    row("other-context", "http url http://build-context-abc", 0.2),
    row("other-unpacked", "fileop target", 0.9),
    row("other-copy", "fileop target", 2.3, "base"),
    row("other-prepare", RUN, 4.5, "other-copy"),
    row("other-run", "mount / from exec /bin/sh -c ls", 3.2, "base"),
]


def noted(steps: Sequence[DoneStep], size: int = 10) -> Sent:
    sent = Sent(owner="me", engine="one", size=size)
    note = module.SentNote(path=cache_folder() / "note", sent=sent)
    note.heed(steps)
    return note.sent


def found(steps: Sequence[DoneStep], rows: list[dict[str, Any]], size: int = 10) -> list[str]:
    records, _ = records_of(noted(steps, size), read_records(rows))
    return [record.id for record in records]


def test_the_digest_of_a_contexts_step_is_that_of_its_address() -> None:
    assert context_digest(ADDRESS).startswith("sha256:dd679b64d46b6")
    assert context_digest(ADDRESS) != context_digest(ADDRESS + "e")
    assert context_digest("fileop target") == ""


def test_others_who_send_in_the_same_seconds_keep_theirs() -> None:
    names = found(STEPS, [*OTHERS, *OURS])
    assert set(names) == {"context", "unpacked", "copy", "prepare"}
    assert names.index("prepare") < names.index("copy"), "what stands on others goes first"


def test_a_step_that_began_before_the_one_below_it_ended_has_the_last_record() -> None:
    early = [*STEPS[:3], replace(STEPS[3], began=STEPS[2].began), STEPS[4]]
    records, unknown = records_of(noted(early), read_records([*OTHERS, *OURS]))
    assert {record.id for record in records} == {"context", "unpacked", "copy", "prepare"}
    assert unknown == 0


def test_of_two_that_were_unpacked_at_once_the_size_shows_ours() -> None:
    other = row("other-at-once", "fileop target", 1.15, Size=11)
    assert "unpacked" in found(STEPS, [*OURS, other])
    assert "other-at-once" not in found(STEPS, [*OURS, other])


def test_where_no_size_is_ours_none_is_taken_and_that_is_counted() -> None:
    other = row("other-at-once", "fileop target", 1.15, Size=11)
    records, unknown = records_of(noted(STEPS, size=99), read_records([*OURS, other]))
    assert not {"unpacked", "other-at-once"} & {record.id for record in records}
    assert unknown == 1


def test_what_cannot_be_distinguished_from_anothers_stays_and_is_counted() -> None:
    others = [
        row("same-size", "fileop target", 1.15),
        row("copied-at-once", "fileop target", 2.15, "base"),
    ]
    records, unknown = records_of(noted(STEPS), read_records([*OURS, *others]))
    assert {record.id for record in records} == {"context", "prepare"}
    assert unknown == 2


def test_a_context_whose_step_an_engine_names_otherwise_stays_and_is_counted() -> None:
    steps = [replace(STEPS[0], digest="sha256:other"), *STEPS[1:]]
    records, unknown = records_of(noted(steps), read_records([*OURS, *OTHERS]))
    assert "context" not in {record.id for record in records}
    assert unknown == 1
    _, unknown = records_of(noted(steps), read_records(OURS[1:]))
    assert unknown == 0, "there is none any more"


def test_a_step_that_was_kept_is_the_one_that_was_used() -> None:
    kept = [*STEPS[:4], replace(STEPS[4], is_kept=True)]
    old = row("prepare", RUN, -50, "copy", LastUsedAt="2026-01-02T03:04:09Z")
    unused = row("older", RUN, -50, "copy")
    assert "prepare" in found(kept, [*OURS[:3], old, unused])
    assert "older" not in found(kept, [*OURS[:3], old, unused])


def test_before_the_engine_has_said_anything_nothing_is_ours() -> None:
    assert found((), [*OURS, *OTHERS]) == []


class Api:
    """An engine that says what it keeps, and notes what is taken out."""

    base_url, api_version = "http://engine", "1.41"

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows, self.gone = rows, []  # type: ignore[var-annotated]

    def info(self) -> dict[str, str]:
        return {"ID": "one"}

    def get(self, *_: Any, **__: Any) -> Any:
        return _Answer({"BuildCache": self.rows})

    def post(self, _url: str, *, params: dict[str, str], **__: Any) -> Any:
        self.gone.append(params["filters"])
        return _Answer({"CachesDeleted": []})


class _Answer:
    ok = True

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def raise_for_status(self) -> None:
        """It went well."""

    def json(self) -> dict[str, Any]:
        return self.document


def notes() -> list[Path]:
    return sorted(CONTAINERS.path(cache_folder()).glob("*.sent.json"))


def test_what_stays_is_reported_and_no_note_is_left() -> None:
    said: list[str] = []
    same = row("same-size", "fileop target", 1.15)
    for rows, count in (([*OURS], 0), ([*OURS, same], 1)):
        api = Api(rows)
        with forgetting_sent(api, 10, said.append) as note:
            note.heed(STEPS)
            assert len(notes()) == 1
        assert notes() == []
        assert len(said) == count
    assert "docker builder prune" in said[0]


def test_what_a_killed_build_has_sent_is_known_from_its_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = Api([*OURS, *OTHERS])
    with pytest.raises(OSError, match="killed"), monkeypatch.context() as patch:
        patch.setattr(module, "_forget", _killed)
        with forgetting_sent(api, 10, print) as note:
            note.heed(STEPS[:4])
    assert forget_left(api) == 0, "it lives"
    (path,) = notes()
    sent = read_record(path, path.name, Sent)
    assert sent and sent.owner == owner()
    write_kept(path, path.name, replace(sent, owner=_gone()))
    assert forget_left(api) == 1
    assert len(api.gone) == 3  # context, what was unpacked, the copy
    assert (forget_left(api), notes()) == (0, [])


def _killed(*_: object) -> int:
    raise OSError("killed")


def _gone() -> str:
    """The owner of a process that has ended."""
    child = os.fork()
    if not child:
        os._exit(0)
    words = owner().split(":")
    os.waitpid(child, 0)
    return ":".join(str(child) if word == str(os.getpid()) else word for word in words)
