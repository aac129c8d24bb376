"""A cache of the Remote Execution API on this machine that speaks well and lies.

Its frames and messages are right; what is in them is not, as dice decide with each call: other
bytes than were asked for, sizes, counts, results that name places outside, and other abilities.
"""

import hashlib
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from benchmarks.attack.messages import Field, fields_of, first, message_of

_PREFIX = "/build.bazel.remote.execution.v2."
_PIECE = 1 << 16
_ENDLESS = 1 << 26  # bytes of a stream that nobody waits for
_STEERING = "\x1b[31mno\x07\u202e\r\n" * 200
# Zstandard: a frame without a content size, and blocks that say 128 kB of one letter each.
_BOMB = bytes.fromhex("28b52ffd0058") + bytes.fromhex("020010") + b"\0" + b"\x02\x00\x10\0" * 50_000
_SHA256, _VERSIONS = (1, b"\x01"), [(4, message_of([(1, 2)])), (5, message_of([(1, 2), (2, 3)]))]
_MAY = message_of([_SHA256, (2, message_of([(1, 1)]))])
_RUNS = message_of([(1, 1), (2, 1)])
HONEST = message_of([(1, _MAY), (2, _RUNS), *_VERSIONS])


@dataclass(slots=True)
class LyingServer:
    """Where it is, what it keeps, and with what probability it lies."""

    chance: random.Random
    lies: float = 0.0
    outside: str = ""  # a folder of the user's, into which results may lead
    url: str = ""
    blobs: dict[str, bytes] = field(default_factory=dict)
    results: dict[str, bytes] = field(default_factory=dict)
    honest: frozenset[str] = frozenset()  # methods that are answered without a lie
    given: bytes | None = None  # the blob that was given last; None where there was none
    lied: int = 0  # times so far

    def lie(self, method: str = "") -> bool:
        """Whether to lie now, in answer to that."""
        says = self.chance.random() < self.lies and method not in self.honest
        self.lied += says
        return says

    def wrong(self, right: bytes) -> bytes:
        """Other bytes than the right ones."""
        middle = self.chance.randrange(len(right) + 1)
        return self.chance.choice(
            (
                b"", right[:middle], right * 2, right + b"x", bytes(len(right)), _BOMB, right[::-1],
                right[:middle] + b"\1" + right[middle + 1 :], self.chance.randbytes(100),
                next(iter(self.blobs.values()), b""), bytes(9 << 20),
            )
        )  # fmt: skip


@contextmanager
def serve_lies(chance: random.Random, lies: float, outside: str = "") -> Iterator[LyingServer]:
    """A server on a free port, gone when left."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # before it is loaded
    import grpc

    server = LyingServer(chance, lies, outside)

    class Handler(grpc.GenericRpcHandler):
        def service(self, call: Any) -> Any:  # noqa: ANN401
            method = call.method.rpartition("/")[2]
            if method == "Read":
                return grpc.unary_stream_rpc_method_handler(
                    lambda asked, context: _read(server, asked, context)
                )
            if method == "Write":
                return grpc.stream_unary_rpc_method_handler(
                    lambda pieces, _context: _write(server, pieces)
                )
            return grpc.unary_unary_rpc_method_handler(
                lambda asked, context: _answer(server, method, asked, context)
            )

    serving = grpc.server(ThreadPoolExecutor(8), options=[("grpc.max_receive_message_length", -1)])
    serving.add_generic_rpc_handlers((Handler(),))
    server.url = f"grpc://127.0.0.1:{serving.add_insecure_port('127.0.0.1:0')}"
    serving.start()
    try:
        yield server
    finally:
        serving.stop(0).wait(5)


# --- what it answers ---------------------------------------------------------------------------


def _answer(server: LyingServer, method: str, asked: bytes, context: Any) -> bytes:  # noqa: ANN401
    import grpc

    if server.lie(method) and server.chance.random() < 0.15:
        said = server.chance.choice((_STEERING, "no", "", "x" * 4000))
        context.abort(server.chance.choice(tuple(grpc.StatusCode)[1:]), said)
    if server.lie(method) and server.chance.random() < 0.1:
        time.sleep(server.chance.choice((0.5, 4.0, 30.0)))
    if method == "GetActionResult" and _key(asked, 2) not in server.results:
        context.abort(grpc.StatusCode.NOT_FOUND, "no such result")
    known = _METHODS.get(method)
    return known(server, asked) if known else b""


def _capabilities(server: LyingServer, _asked: bytes) -> bytes:
    if not server.lie("GetCapabilities"):
        return HONEST
    cache = server.chance.choice(
        (
            b"", message_of([(1, b"\x02")]), message_of([_SHA256]), _MAY,
            message_of([(1, b"\xff")]), message_of([(1, 1)] * 5000),
            message_of([_SHA256, (2, b"\xff" * 9), (4, 1)]), message_of([(1, b"\xff" * 70_000)]),
            message_of([_SHA256, (4, 1 << 63), (3, b"x" * 10_000), (6, b"\1\2\3")]),
        )
    )  # fmt: skip
    runs = server.chance.choice((b"", _RUNS, message_of([(1, 1 << 40), (2, 7)]), b"\x10"))
    versions = server.chance.choice(
        (
            [], _VERSIONS, [(4, message_of([(1, 99)]))], [(5, message_of([(1, 1)]))],
            [(4, message_of([(1, 1 << 62)])), (5, message_of([(2, 1 << 62), (3, b"x\x1b")]))],
            [(4, b"\xff")], [(5, b"\x08")],
        )
    )  # fmt: skip
    said = message_of([(1, cache), (2, runs), *versions])
    return server.chance.choice((said, said, said, b"", said * 3, said[:-1], b"\xff" * 1000))


def _missing(server: LyingServer, asked: bytes) -> bytes:
    digests = [value for number, value in fields_of(asked) if number == 2]
    if server.lie("FindMissingBlobs"):
        return message_of((2, one) for one in server.chance.choice(([], digests, digests * 99)))
    return message_of(
        (2, d) for d in digests if isinstance(d, bytes) and _name(d) not in server.blobs
    )


def _update(server: LyingServer, asked: bytes) -> bytes:
    said: list[Field] = []
    for number, one in fields_of(asked):
        if number == 2 and isinstance(one, bytes):
            content = first(one, 2)
            lies = server.lie("BatchUpdateBlobs")
            server.blobs[_name(first(one, 1))] = server.wrong(content) if lies else content
            code = server.chance.choice((0, 0, 7, 8, 16, 99)) if lies else 0
            status = message_of([(1, code), (2, _STEERING.encode())]) if code else b""
            said.append((1, message_of([(1, first(one, 1)), (2, status)])))
    return message_of(said)


def _batch(server: LyingServer, asked: bytes) -> bytes:
    said: list[Field] = []
    server.given = None
    for number, digest in fields_of(asked):
        if number != 2 or not isinstance(digest, bytes):
            continue
        content = server.blobs.get(_name(digest))
        if server.lie("BatchReadBlobs"):
            content = server.wrong(content or b"something")
        if content is None:
            said.append((1, message_of([(1, digest), (3, message_of([(1, 5)]))])))
            continue
        server.given = content
        more: list[Field] = [(4, 1)] if content == _BOMB else []
        said.append((1, message_of([(1, digest), (2, content), *more])))
    if server.lie("BatchReadBlobs"):
        said = server.chance.choice(
            ([], said * 3, [(1, b"\xff"), *said], [(9, b"x" * 1000), *said])
        )
        server.given = None
    return message_of(said)


def _result(server: LyingServer, asked: bytes) -> bytes:
    right = server.results[_key(asked, 2)]
    return lied(server, right) if server.lie("GetActionResult") else right


def _keep_result(server: LyingServer, asked: bytes) -> bytes:
    result = first(asked, 3)
    server.results[_key(asked, 2)] = result
    return result


_METHODS: dict[str, Callable[[LyingServer, bytes], bytes]] = {
    "GetCapabilities": _capabilities, "FindMissingBlobs": _missing, "BatchUpdateBlobs": _update,
    "BatchReadBlobs": _batch, "GetActionResult": _result, "UpdateActionResult": _keep_result,
}  # fmt: skip


def _read(server: LyingServer, asked: bytes, context: Any) -> Iterator[bytes]:  # noqa: ANN401
    import grpc

    name = first(asked, 1).decode().split("/")[-2]
    content = server.blobs.get(name)
    if content is None:
        context.abort(grpc.StatusCode.NOT_FOUND, "no such blob")
        return
    lies, left = server.lie("Read"), 0
    if lies:
        content = server.wrong(content)
        left = server.chance.choice((0, 0, _ENDLESS))
    for at in range(0, len(content) or 1, _PIECE):
        yield message_of([(10, content[at : at + _PIECE])])
    while left > 0 and context.is_active():
        yield message_of([(10, bytes(_PIECE))])
        left -= _PIECE


def _write(server: LyingServer, pieces: Iterable[bytes]) -> bytes:
    name, content = "", b""
    for piece in pieces:
        name = name or first(piece, 1).decode()
        content += first(piece, 10)
    with suppress(IndexError):
        server.blobs[name.split("/blobs/")[1].split("/")[0]] = content
    size = server.chance.choice((0, 1, 1 << 62)) if server.lie("Write") else len(content)
    return message_of([(1, size)])


# --- results that lie --------------------------------------------------------------------------


def lied(server: LyingServer, right: bytes) -> bytes:
    """A result of an action with something else in it: places, sizes, links, codes or bytes."""
    fields = fields_of(right)
    files = [one for one in fields if one[0] == 2]
    others = [one for one in fields if one[0] != 2]
    planted = b"planted by a cache"
    digest = hashlib.sha256(planted).hexdigest()
    server.blobs[digest] = planted
    content = message_of([(1, digest.encode()), (2, len(planted))])
    out = server.outside.encode()
    places = (b"../" * 40 + out.lstrip(b"/") + b"/b", out + b"/new", b"../../new", b"a/../../../x")
    place = server.chance.choice(places)
    if b".o" in right and server.chance.random() < 0.3:  # what is compiled: that is what is checked
        return message_of([*others, *((2, _replaced(one, content)) for _, one in files)])
    return server.chance.choice(
        (
            message_of([*fields, (2, message_of([(1, place), (2, content)]))]),
            message_of([*others, *((2, _moved(one, place)) for _, one in files)]),
            message_of([*fields, (6, message_of([(1, place), (2, b"/etc/passwd")]))]),
            message_of([*fields, (3, message_of([(1, place), (3, content)]))]),
            message_of([*others, *((2, _sized(one, 1 << 50)) for _, one in files)]),
            message_of([*fields, *files * 2000]), message_of([*fields, (4, 1)]),
            message_of([*others]), b"", right[: len(right) // 2], b"\xff" * 500,
        )
    )  # fmt: skip


def _replaced(file: int | bytes, digest: bytes) -> bytes:
    """An output file with another content."""
    assert isinstance(file, bytes)
    return message_of((n, digest if n == 2 else v) for n, v in fields_of(file))


def _moved(file: int | bytes, place: bytes) -> bytes:
    """An output file at another place."""
    assert isinstance(file, bytes)
    return message_of((n, place if n == 1 else v) for n, v in fields_of(file))


def _sized(file: int | bytes, size: int) -> bytes:
    """An output file that is said to be of another size."""
    assert isinstance(file, bytes)
    return _replaced(file, message_of([(1, first(first(file, 2), 1)), (2, size)]))


def _key(asked: bytes, number: int) -> str:
    return _name(first(asked, number))


def _name(digest: bytes) -> str:
    return first(digest, 1).decode("ascii", "replace")
