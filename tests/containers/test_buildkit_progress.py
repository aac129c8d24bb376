"""BuildKit's messages, Podman's and what is none of both."""

import json

import pytest

from tests.buildkit_messages import event, message, moment, said, step, varint
from tests.fakes import RecordingReporter
from tfbuild.containers.buildkit_progress import BuildLog, field_of, fields, step_reporter


def test_a_step_is_named_when_it_begins_and_only_once() -> None:
    log = BuildLog()
    assert log.take(step(b"a", b"[1/2] RUN make")) == []
    assert log.take(step(b"a", b"[1/2] RUN make", f5=moment(1))) == ["[1/2] RUN make"]
    assert log.take(step(b"a", b"[1/2] RUN make", f5=moment(1), f6=moment(2))) == []
    assert log.take(step(b"b", b"[internal] load", f5=moment(1))) == []
    assert log.take(step(b"c", b"[2/2] COPY", f4=1)) == ["[2/2] COPY (kept)"]


def test_chunks_become_lines_for_each_step_apart() -> None:
    log = BuildLog()
    assert log.take(said(b"a", b"one\ntw")) == ["one"]
    assert log.take(said(b"b", b"other\n")) == ["other"]
    assert log.take(said(b"a", b"o\r\n\n")) == ["two"]
    assert log.tail == ["one", "other", "two"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("executor failed running [/bin/sh -c false]: exit code: 9", 9),
        ('process "false" did not complete successfully: exit code: 100', 100),
        ('building at STEP "RUN false": while running runtime: exit status 3', 3),
        ("The command '/bin/sh' returned a non-zero code: 7", 7),
        ("dockerfile parse error line 3: unknown instruction: ECHO", 0),
    ],
)
def test_the_end_and_its_code(text: str, code: int) -> None:
    log = BuildLog()
    log.take(json.dumps({"error": text, "errorDetail": {"message": text}}).encode())
    assert (log.error, log.code) == (text, code)


def test_the_image_and_the_older_format() -> None:
    log = BuildLog()
    log.take(b'{"id": "moby.image.id", "aux": {"ID": "sha256:1"}}')
    assert log.take(b'{"stream": "STEP 1: FROM a\\n"}') == ["STEP 1: FROM a"]
    assert log.image == "sha256:1"


@pytest.mark.parametrize("raw", [b"", b"not json", b"{}", event(b"\xff\xff"), event(b"\x0b")])
def test_what_is_not_understood_is_no_error(raw: bytes) -> None:
    assert BuildLog().take(raw) == []


@pytest.mark.parametrize("raw", [b"[]", b"3", b"null", event(b"\x08" + b"\xff" * 20 + b"\x01")])
def test_an_event_that_is_none_is_no_error(raw: bytes) -> None:
    assert BuildLog().take(raw) == []


def test_a_message_that_is_cut_short_anywhere_is_left_out_and_the_next_one_read() -> None:
    inner = message(f1=b"a", f3=b"[1/2] RUN make", f5=moment(1))
    for response in (message(f1=inner), message(f3=message(f1=b"a", f3=1, f4=b"one\n"))):
        for end in range(1, len(response)):
            log = BuildLog()
            assert log.take(event(response[:end])) == []
            assert log.take(step(b"b", b"[2/2] COPY", f5=moment(1))) == ["[2/2] COPY"]
    for end in range(1, len(inner)):
        log = BuildLog()
        log.take(event(message(f1=inner[:end])))
        assert log.take(step(b"b", b"[2/2] COPY", f5=moment(1))) == ["[2/2] COPY"]


def test_fields_of_every_kind() -> None:
    raw = varint(1 << 3) + varint(300) + b"\x11" + b"12345678" + b"\x1d" + b"1234"
    assert list(fields(raw)) == [(1, 300), (2, b"12345678"), (3, b"1234")]


def test_steps_are_reported_and_the_rest_is_output() -> None:
    reporter = RecordingReporter()
    lines: list[str] = []
    reporter.line = lines.append  # type: ignore[method-assign,assignment]
    report = step_reporter(reporter)
    steps = ["[toolchain 2/5] RUN apt-get update", "[1/3] FROM a (kept)", "STEP 1/2: FROM a"]
    output = ["Get:1 http://m/ InRelease", "[internal] load", "exporting to image"]
    for line in (*steps, *output):
        report(line)
    assert reporter.said == [("step", line) for line in steps]
    assert lines == output
    report(f"[2/2] RUN {'x' * 500}")
    assert len(reporter.said[-1][1]) == 100


def test_when_steps_ran_is_kept_from_their_first_begin_to_their_last_end() -> None:
    log = BuildLog()
    log.take(step(b"a", b"copy /context /", f5=moment(10.25)))
    assert log.done == {}
    for began, ended in ((10.25, 10.5), (11, 12)):
        log.take(step(b"a", b"copy /context /", f5=moment(began), f6=moment(ended)))
    log.take(step(b"b", b"[network 3/4] COPY", f4=1, f5=moment(13), f6=moment(13)))
    first, second = log.done.values()
    assert (first.name, first.began, first.ended, first.is_kept) == (
        "copy /context /", 10.25, 12, False,
    )  # fmt: skip
    assert (second.digest, second.is_kept) == ("b", True)


def test_a_field_is_written_as_it_is_read() -> None:
    content = b"x" * 200
    assert list(fields(field_of(3, content) + field_of(17, b""))) == [(3, content), (17, b"")]
