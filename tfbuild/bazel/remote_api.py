"""The adapter for the Remote Execution API: what a service can do, and a blob to it and back.

Four small messages are read and written here; stubs for the whole interface would bring 2 MB.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tfbuild.core.errors import FetchFailed
from tfbuild.core.masking import mask
from tfbuild.core.records import Pairs

if TYPE_CHECKING:
    import grpc

_PREFIX = "/build.bazel.remote.execution.v2"
_MESSAGE_BYTES = 8 << 20


class ServiceFailed(FetchFailed):
    """A service that does not answer, or says no; word is the status of gRPC in small letters."""

    def __init__(self, word: str, said: str, *, code: str) -> None:
        super().__init__(f"the service said {word}", code=code, why=said)
        self.word = word


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a service says of itself; versions are (major, minor)."""

    has_sha256: bool
    can_update: bool  # whether it takes results from this client
    can_execute: bool
    oldest: tuple[int, int]
    newest: tuple[int, int]


class RemoteService:
    """One service under one instance name; every failure is a ServiceFailed."""

    def __init__(self, channel: "grpc.Channel", instance: str, headers: Pairs) -> None:
        self._channel = channel
        self._instance = instance
        self._headers = tuple((name.lower(), value) for name, value in headers)

    def capabilities(self, seconds: float) -> Capabilities:
        """What it says of itself within that time."""
        answer = self._ask("Capabilities/GetCapabilities", self._named(), seconds)
        said = _fields(answer)
        cache, execution = _fields(_bytes(said, 1)), _fields(_bytes(said, 2))
        return Capabilities(
            has_sha256=1 in _numbers(cache, 1),
            can_update=bool(sum(_numbers(_fields(_bytes(cache, 2)), 1))),
            can_execute=bool(sum(_numbers(execution, 2))),
            oldest=_version(_bytes(said, 4)),
            newest=_version(_bytes(said, 5)),
        )

    def put(self, digest: str, content: bytes, seconds: float) -> None:
        """Put a blob into its store."""
        blob = _field(1, _digest(digest, len(content))) + _field(2, content)
        self._ask(
            "ContentAddressableStorage/BatchUpdateBlobs", self._named() + _field(2, blob), seconds
        )

    def get(self, digest: str, size: int, seconds: float) -> bytes | None:
        """A blob of its store; None where it has none of that digest."""
        wanted = self._named() + _field(2, _digest(digest, size))
        answer = self._ask("ContentAddressableStorage/BatchReadBlobs", wanted, seconds)
        for response in (content for field, content in _fields(answer) if field == 1):
            if isinstance(response, bytes):
                parts = _fields(response)
                if not sum(_numbers(_fields(_bytes(parts, 3)), 1)):
                    return _bytes(parts, 2)
        return None

    def _named(self) -> bytes:
        return _field(1, self._instance.encode()) if self._instance else b""

    def _ask(self, method: str, message: bytes, seconds: float) -> bytes:
        import grpc

        call: Callable[..., bytes] = self._channel.unary_unary(f"{_PREFIX}.{method}", None, None)
        try:
            return bytes(call(message, timeout=seconds, metadata=self._headers))
        except grpc.RpcError as error:
            status: Any = error
            word = status.code().name.lower().replace("_", " ")
            raise ServiceFailed(
                word, mask(str(status.details())), code="remote-service-refused"
            ) from error


@contextmanager
def open_service(url: str, headers: Pairs) -> Iterator[RemoteService]:
    """The service at grpc(s)://HOST:PORT[/INSTANCE]; nothing is sent before it is asked."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # it would write to the screen
    import grpc  # slow to load, and only services of gRPC need it

    parts = urlsplit(url)
    options = [
        ("grpc.max_receive_message_length", _MESSAGE_BYTES),
        ("grpc.enable_retries", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    place = parts.netloc
    if parts.scheme == "grpcs":
        channel = grpc.secure_channel(place, grpc.ssl_channel_credentials(), options)
    else:
        channel = grpc.insecure_channel(place, options)
    with channel:
        yield RemoteService(channel, instance_of(url), headers)


def instance_of(url: str) -> str:
    """The name of the instance at the end of an address, often empty."""
    return urlsplit(url).path.strip("/")


# --- messages: fields of numbers and of bytes ----------------------------------------------------

Fields = Sequence[tuple[int, int | bytes]]


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _digest(sha256: str, size: int) -> bytes:
    return _field(1, sha256.encode()) + _varint(2 << 3) + _varint(size)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _fields(message: bytes) -> Fields:
    """Number and content of each field; ServiceFailed for what is no message."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    try:
        while at < len(message):
            key, at = _read_varint(message, at)
            kind = key & 7
            if kind == 0:
                value, at = _read_varint(message, at)
                found.append((key >> 3, value))
                continue
            size, at = _read_varint(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            if at + size > len(message):
                raise IndexError
            found.append((key >> 3, message[at : at + size]))
            at += size
    except (IndexError, KeyError) as error:
        raise _no_message() from error
    return found


def _no_message() -> ServiceFailed:
    return ServiceFailed(
        "nothing that is understood", "its answer is no message", code="remote-answer-malformed"
    )


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise IndexError


def _bytes(fields: Fields, number: int) -> bytes:
    return next((v for n, v in fields if n == number and isinstance(v, bytes)), b"")


def _numbers(fields: Fields, number: int) -> list[int]:
    """The numbers of a field, single or packed."""
    found: list[int] = []
    for n, value in fields:
        if n == number and isinstance(value, int):
            found.append(value)
        elif n == number and isinstance(value, bytes):
            at = 0
            while at < len(value):
                try:
                    one, at = _read_varint(value, at)
                except IndexError as error:
                    raise _no_message() from error
                found.append(one)
    return found


def _version(message: bytes) -> tuple[int, int]:
    fields = _fields(message)
    major, minor = (sum(_numbers(fields, number)) for number in (1, 2))
    return major, minor
