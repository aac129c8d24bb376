"""A cache of the Remote Execution API on this machine, which begins to send a byte now and then.

The service itself answers as it should: it knows no result, and takes all that it is sent. Between
it and who asks stands what slows it down, so that every frame of HTTP/2 drips.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import grpc

_DRIP_SECONDS = 2.0
_PREFIX = "build.bazel.remote.execution.v2"
# As messages of the API: SHA-256, whoever asks may write, and actions are run.
_CAPABILITIES = bytes.fromhex("0a070a01011202080112040801" + "1001")
Answer = Callable[[bytes, Any], bytes]


@dataclass(slots=True)
class GrpcCache:
    """Where it is, from when on it drips, and what was asked."""

    url: str = ""
    drips: threading.Event = field(default_factory=threading.Event)
    drips_at: str = ""  # the method with whose call it begins
    drips_after: int = 0  # calls of that method
    asked: list[str] = field(default_factory=list)
    blob: bytes = b""  # what was put last
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve_grpc_cache() -> Iterator[GrpcCache]:
    """A cache at a free port, gone when left."""
    cache = GrpcCache()
    server = grpc.server(ThreadPoolExecutor(8))
    for service, methods in _SERVICES.items():
        handlers = {name: _handler(cache, name, answer) for name, answer in methods.items()}
        named = f"{_PREFIX}.{service}"
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(named, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    front = socket.create_server(("127.0.0.1", 0))
    cache.url = f"grpc://127.0.0.1:{front.getsockname()[1]}"
    threading.Thread(target=_accept, args=(front, port, cache), daemon=True).start()
    try:
        yield cache
    finally:
        cache.over.set()
        front.close()
        server.stop(0).wait()


# --- what it answers ---------------------------------------------------------------------------


def _handler(cache: GrpcCache, name: str, answer: Answer) -> Any:
    def call(request: bytes, context: grpc.ServicerContext) -> bytes:
        cache.asked.append(name)
        if name == cache.drips_at and cache.asked.count(name) > cache.drips_after:
            cache.drips.set()
        if name == "BatchUpdateBlobs":
            cache.blob = request
        if name == "BatchReadBlobs":
            return _kept(cache.blob)
        return answer(request, context)

    return grpc.unary_unary_rpc_method_handler(call)


def _unknown(request: bytes, context: grpc.ServicerContext) -> bytes:
    context.abort(grpc.StatusCode.NOT_FOUND, "no such result")
    return request


def _nothing(request: bytes, context: grpc.ServicerContext) -> bytes:
    del request, context
    return b""


def _kept(put: bytes) -> bytes:
    """The answer to who reads the blob that was put: its first two fields are digest and data."""
    return b"\x0a" + put[1:] if put else b""


_SERVICES: dict[str, dict[str, Answer]] = {
    "Capabilities": {"GetCapabilities": lambda _, __: _CAPABILITIES},
    "ActionCache": {"GetActionResult": _unknown, "UpdateActionResult": lambda said, _: said},
    "ContentAddressableStorage": {
        "FindMissingBlobs": _nothing,
        "BatchUpdateBlobs": _nothing,
        "BatchReadBlobs": _nothing,
    },
}


# --- what slows it down ------------------------------------------------------------------------


def _accept(front: socket.socket, port: int, cache: GrpcCache) -> None:
    while True:
        try:
            client, _ = front.accept()
        except OSError:
            return
        behind = socket.create_connection(("127.0.0.1", port))
        for source, target, is_answer in ((client, behind, False), (behind, client, True)):
            threading.Thread(
                target=_carry, args=(source, target, cache, is_answer), daemon=True
            ).start()


def _carry(source: socket.socket, target: socket.socket, cache: GrpcCache, slowly: bool) -> None:
    with source, target, suppress(OSError):
        while content := source.recv(1 << 16):
            if not (slowly and cache.drips.is_set()):
                target.sendall(content)
                continue
            for at in range(len(content)):
                target.sendall(content[at : at + 1])
                if cache.over.wait(_DRIP_SECONDS):
                    return
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
