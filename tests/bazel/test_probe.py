"""A service is asked before the build: what is of use is used, anything else is named in time."""

import time
from collections.abc import Iterator

import grpc
import pytest

import tfbuild.bazel.probe as bazel_probe
from tests.bazel.test_remote_api import CACHE_ONLY, READ_ONLY, FakeService, serve_api
from tests.cache_servers import CacheServer, flipped, serve_cache, truncated
from tests.slow_servers import dripping, serve_pieces
from tfbuild.bazel.probe import Outlook, probe_cache, probe_executor


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bazel_probe, "_ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(bazel_probe, "_BLOB_SECONDS", 0.7)
    monkeypatch.setattr(bazel_probe, "_LEAST_MB_PER_SECOND", 0.01)


@pytest.fixture
def cache() -> Iterator[CacheServer]:
    with serve_cache() as server:
        yield server


@pytest.fixture
def service() -> Iterator[FakeService]:
    with serve_api() as found:
        yield found


def test_a_good_cache_is_measured_and_asked_once_the_next_time(cache: CacheServer) -> None:
    first = probe_cache(cache.url, ())
    assert (first.is_usable, first.can_write, first.note) == (True, True, "")
    assert first.mb_per_second > 0
    asked = len(cache.asked)
    assert probe_cache(cache.url, ()).is_usable
    assert [method for method, *_ in cache.asked[asked:]] == ["GET"]


@pytest.mark.parametrize(("change", "word"), [(flipped, "not what"), (truncated, "not what")])
def test_a_cache_that_gives_other_bytes_is_of_no_use(
    cache: CacheServer, change: object, word: str
) -> None:
    cache.change = change  # type: ignore[assignment]
    assert word in probe_cache(cache.url, ()).why_not


def test_a_damaged_blob_is_written_anew_where_it_may_be(cache: CacheServer) -> None:
    probe_cache(cache.url, ())
    (path,) = cache.kept
    cache.kept[path] = b"damaged"
    outlook = probe_cache(cache.url, ())
    assert outlook.is_usable
    assert "written anew" in outlook.note
    cache.kept[path] = b"damaged"
    cache.is_read_only = True
    assert probe_cache(cache.url, ()).why_not == "what it gives is damaged"


@pytest.mark.parametrize(("trouble", "code"), [("is_read_only", "403"), ("is_full", "507")])
def test_a_cache_that_takes_nothing_is_only_read(
    cache: CacheServer, trouble: str, code: str
) -> None:
    setattr(cache, trouble, True)
    outlook = probe_cache(cache.url, ())
    assert (outlook.is_usable, outlook.can_write) == (True, False)
    assert code in outlook.note


def test_a_login_that_is_wrong_is_named(cache: CacheServer) -> None:
    cache.wanted_header = ("X-Token", "s")
    assert "refuses the login" in probe_cache(cache.url, (("X-Token", "t"),)).why_not
    assert probe_cache(cache.url, (("X-Token", "s"),)).is_usable


def test_silence_and_slowness_end_in_time(cache: CacheServer) -> None:
    began = time.monotonic()
    cache.is_silent = True
    assert "no answer in time" in probe_cache(cache.url, ()).why_not
    cache.is_silent = False
    cache.bytes_per_second = 200_000
    assert not probe_cache(cache.url, ()).is_usable
    assert time.monotonic() - began < 8


def test_a_slow_one_is_named_with_its_speed(
    cache: CacheServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_probe, "_LEAST_MB_PER_SECOND", 1e9)
    assert "MB a second only" in probe_cache(cache.url, ()).why_not


def test_nobody_there(cache: CacheServer) -> None:
    assert "refused" in probe_cache("http://127.0.0.1:1", ()).why_not.lower()
    assert "refused" in probe_cache("grpc://127.0.0.1:1", ()).why_not
    # What takes connections and speaks another language.
    assert not probe_cache(cache.url.replace("http", "grpc"), ()).is_usable


def test_a_cache_of_grpc(service: FakeService) -> None:
    assert probe_cache(service.url, ()).can_write
    service.capabilities = READ_ONLY
    service.blobs = {}
    assert probe_cache(service.url, ()).can_write is False
    service.is_silent = True
    assert probe_cache(service.url, ()).why_not == "it takes connections and does not answer"


def test_a_farm_must_run_what_is_sent(service: FakeService) -> None:
    assert probe_executor(service.url, ()) == Outlook()
    service.capabilities = CACHE_ONLY
    assert "runs nothing" in probe_executor(service.url, ()).why_not
    service.capabilities = b'\n\x03\n\x01\x02"\x02\x08\x02*\x02\x08\x02'
    assert "SHA-256" in probe_executor(service.url, ()).why_not
    service.code = grpc.StatusCode.PERMISSION_DENIED
    assert "refuses the login" in probe_executor(service.url, ()).why_not


def test_a_service_that_is_newer_than_most_bazels_is_reported(service: FakeService) -> None:
    versions = b'"\x04\x08\x02\x10\x01*\x04\x08\x02\x10\x0c'
    service.capabilities = b"\n\t\n\x01\x01\x12\x02\x08\x01(\x02\x12\x04\x08\x01\x10\x01" + versions
    assert "from 2.1" in probe_executor(service.url, ()).note


HTTP2_SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
HTTP2_PING = b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + bytes(8)
BLOB_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n"


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("http", b"HTTP/1.1 200 " + b"x" * 2000),
        ("http", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2000),
        ("http", BLOB_HEAD + b"x" * 2000),
        ("https", b"\x16\x03\x03\x10\x00\x02\x00\x0f\xfc\x03\x03" + bytes(2000)),
        ("grpcs", b"\x16\x03\x03\x10\x00\x02\x00\x0f\xfc\x03\x03" + bytes(2000)),
        ("grpc", HTTP2_SETTINGS + HTTP2_PING * 200),
        ("grpc", HTTP2_SETTINGS + b"\x00\xff\xff\x01\x04\x00\x00\x00\x01" + bytes(2000)),
    ],
    ids=["status", "headers", "body", "tls", "tls of grpc", "frames", "headers of grpc"],
)
def test_a_cache_that_drips_is_given_up(
    scheme: str, text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What drips goes on for 40 seconds, and each byte comes in time."""
    monkeypatch.setattr(bazel_probe, "_ANSWER_SECONDS", 1.0)
    with serve_pieces(dripping(text)) as server:
        began = time.monotonic()
        outlook = probe_cache(f"{scheme}://127.0.0.1:{server.port}", ())
        assert time.monotonic() - began < 20  # the limit that is documented
    assert outlook.why_not
