"""The few messages of the Remote Execution API, against a server of the real library."""

import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest

from tests.failing import fails
from tfbuild.bazel.remote_api import Capabilities, ServiceFailed, instance_of, open_service

# As BuildBox casd 1.3.11 answers: SHA-256, results are taken, actions are run, versions 2.0 to 2.3.
CASD = (
    b"\n\t\n\x01\x01\x12\x02\x08\x01(\x02"
    b"\x12\x07\x08\x01\x10\x01*\x01\x01"
    b'"\x02\x08\x02*\x04\x08\x02\x10\x03'
)
CACHE_ONLY = b'\n\x07\n\x01\x01\x12\x02\x08\x01"\x02\x08\x02*\x02\x08\x02'
READ_ONLY = b'\n\x03\n\x01\x01"\x02\x08\x02*\x02\x08\x02'


@dataclass
class FakeService:
    """What it answers to each method, and what was asked."""

    url: str = ""
    capabilities: bytes = CASD
    is_silent: bool = False
    code: grpc.StatusCode | None = None
    blobs: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, bytes, dict[str, Any]]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve_api() -> Iterator[FakeService]:
    """A service on a free port, gone when left."""
    service = FakeService()

    class Handler(grpc.GenericRpcHandler):
        def service(self, call: Any) -> Any:
            method = call.method.rpartition("/")[2]
            said = dict(call.invocation_metadata)

            def answer(request: bytes, context: Any) -> bytes:
                service.asked.append((method, request, said))
                if service.is_silent:
                    service.over.wait(30)
                if service.code:
                    context.abort(service.code, "because")
                return _answer(service, method, request)

            return grpc.unary_unary_rpc_method_handler(answer)

    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((Handler(),))
    service.url = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield service
    finally:
        service.over.set()
        server.stop(0).wait()


def _answer(service: FakeService, method: str, request: bytes) -> bytes:
    if method == "GetCapabilities":
        return service.capabilities
    if method == "BatchUpdateBlobs":
        content = request[request.rindex(b"\x12\x80\x80\x40") + 4 :]  # one of a megabyte
        service.blobs[hashlib.sha256(content).hexdigest()] = content
        return b""
    digest = next((d for d in service.blobs if d.encode() in request), "")
    found = service.blobs.get(digest)
    if found is None:
        return b"\n\x04\x1a\x02\x08\x05"  # one response with the status NOT_FOUND
    body = b"\x12\x80\x80\x40" + found
    return b"\n" + b"\x84\x80\x40" + body


@pytest.fixture
def service() -> Iterator[FakeService]:
    with serve_api() as found:
        yield found


def test_what_a_service_says_of_itself(service: FakeService) -> None:
    with open_service(service.url, ()) as api:
        assert api.capabilities(5) == Capabilities(
            has_sha256=True, can_update=True, can_execute=True, oldest=(2, 0), newest=(2, 3)
        )
        service.capabilities = CACHE_ONLY
        assert not api.capabilities(5).can_execute
        service.capabilities = READ_ONLY
        assert not api.capabilities(5).can_update


def test_a_blob_there_and_back(service: FakeService) -> None:
    blob = bytes(range(256)) * 4096
    digest = hashlib.sha256(blob).hexdigest()
    with open_service(service.url, ()) as api:
        assert api.get(digest, len(blob), 5) is None
        api.put(digest, blob, 5)
        assert api.get(digest, len(blob), 5) == blob


def test_headers_and_instance_are_sent(service: FakeService) -> None:
    with open_service(f"{service.url}/team/a", (("Authorization", "Bearer x"),)) as api:
        api.capabilities(5)
    ((_, request, said),) = service.asked
    assert said["authorization"] == "Bearer x"
    assert request == b"\n\x06team/a"
    assert instance_of("grpc://host:1") == ""


def test_every_failure_has_its_word(service: FakeService) -> None:
    with open_service(service.url, ()) as api:
        service.code = grpc.StatusCode.UNAUTHENTICATED
        with pytest.raises(ServiceFailed, match="unauthenticated") as caught:
            api.capabilities(5)
        assert (caught.value.code, caught.value.why) == ("remote-service-refused", "because")
        service.code, service.is_silent = None, True
        with pytest.raises(ServiceFailed) as caught:
            api.capabilities(0.2)
        assert caught.value.word == "deadline exceeded"
    with open_service("grpc://127.0.0.1:1", ()) as api, pytest.raises(ServiceFailed) as caught:
        api.capabilities(5)
    assert caught.value.word == "unavailable"


@pytest.mark.parametrize(
    "nonsense", [b"\xff", b"\n\x7f", b"\x0b", b"\n\x01\xff", b"\xff" * 40, b"\n\x03\n\x01\xff"]
)
def test_what_is_no_message_is_a_failure(service: FakeService, nonsense: bytes) -> None:
    service.capabilities = nonsense
    with open_service(service.url, ()) as api, fails("remote-answer-malformed"):
        api.capabilities(5)
