"""Asks a cache or a farm before a build, within seconds: is it there, how fast, what may we do."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from tfbuild.bazel.remote_api import RemoteService, ServiceFailed, instance_of, open_service
from tfbuild.core.errors import FetchFailed
from tfbuild.core.records import Pairs
from tfbuild.fetch.http import Access, HttpFailed, Web
from tfbuild.fetch.patience import TooLate, within_seconds

_BLOB = hashlib.shake_256(b"tfbuild: how fast is this cache?").digest(1 << 20)
_DIGEST = hashlib.sha256(_BLOB).hexdigest()
_ANSWER_SECONDS = 3.0  # without a word
_FARM_SECONDS = 10.0  # the same of a farm: it may be busy, and to build without it costs hours
_BLOB_SECONDS = 5.0  # for one megabyte, there or back
_LEAST_MB_PER_SECOND = 1.0  # below it, compiling is mostly faster than asking
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is to be expected of a service: why it is of no use, or what it can do."""

    why_not: str = ""
    can_write: bool = True
    mb_per_second: float = 0.0  # 0: not measured
    note: str = ""  # what is odd, though it can be used

    @property
    def is_usable(self) -> bool:
        """Whether the build should use it."""
        return not self.why_not


def probe_cache(url: str, headers: Pairs) -> Outlook:
    """What is to be expected of a cache; it never raises, and takes 20 seconds at most."""
    try:
        if url.startswith("grpc"):
            return _probe_service(url, headers, needs_execution=False)
        return _probe_http(url, headers)
    except FetchFailed as error:
        return Outlook(why_not=_reason(error))


def probe_executor(url: str, headers: Pairs) -> Outlook:
    """What is to be expected of a farm; as probe_cache."""
    try:
        return _probe_service(url, headers, needs_execution=True)
    except FetchFailed as error:
        return Outlook(why_not=_reason(error))


# --- HTTP --------------------------------------------------------------------------------------


def _probe_http(url: str, headers: Pairs) -> Outlook:
    web = Web(Access(timeout=_ANSWER_SECONDS, whole=_BLOB_SECONDS))
    place = f"{url}/cas/{_DIGEST}"
    named = dict(headers)

    def get() -> bytes | None:
        return _get_http(web, place, named)

    def put() -> None:
        web.put(place, _BLOB, named)

    return _measured(get, put)


def _get_http(web: Web, place: str, headers: dict[str, str]) -> bytes | None:
    """The blob; None where it is not kept. FetchFailed when it takes too long."""
    content = bytearray()

    def read() -> None:
        with web.open(place, headers) as body:
            while len(content) <= len(_BLOB) and (chunk := body.read(_CHUNK)):
                content.extend(chunk)

    try:
        within_seconds(_BLOB_SECONDS, read)
    except TooLate:
        raise _TooSlow(len(content)) from None
    except HttpFailed as error:
        if error.status == 404:
            return None
        raise
    return bytes(content)


# --- gRPC --------------------------------------------------------------------------------------


def _probe_service(url: str, headers: Pairs, *, needs_execution: bool) -> Outlook:
    with open_service(url, headers) as service:
        said = service.capabilities(_FARM_SECONDS if needs_execution else _ANSWER_SECONDS)
        if not said.has_sha256:
            return Outlook(why_not="it does not know SHA-256")
        if any(said.newest) and said.newest < (2, 0):
            return Outlook(why_not=f"it speaks version {said.newest[0]}.{said.newest[1]} only")
        if said.oldest > (2, 0):
            note = f"it speaks versions from {said.oldest[0]}.{said.oldest[1]}, which needs Bazel 7"
        else:
            note = ""
        if needs_execution:
            if not said.can_execute:
                where = instance_of(url)
                named = f"the instance '{where}'" if where else "this address without an instance"
                return Outlook(why_not=f"it is a cache that runs nothing at {named}")
            return Outlook(note=note)
        found = _measured(*_blob_calls(service, can_write=said.can_update))
        return Outlook(
            why_not=found.why_not,
            can_write=found.can_write and said.can_update,
            mb_per_second=found.mb_per_second,
            note=note or found.note,
        )


def _blob_calls(
    service: RemoteService, *, can_write: bool
) -> tuple[Callable[[], bytes | None], Callable[[], None]]:
    def get() -> bytes | None:
        try:
            return service.get(_DIGEST, len(_BLOB), _BLOB_SECONDS)
        except ServiceFailed as error:
            if error.word == "deadline exceeded":
                raise _TooSlow(0) from error
            raise

    def put() -> None:
        if not can_write:
            raise ServiceFailed(
                "permission denied",
                "it takes results from others only",
                code="remote-cache-read-only",
            )
        service.put(_DIGEST, _BLOB, _BLOB_SECONDS)

    return get, put


# --- both --------------------------------------------------------------------------------------


class _TooSlow(FetchFailed):
    code = "remote-cache-too-slow"

    def __init__(self, size: int) -> None:
        super().__init__(f"it gave {size >> 10} kB of a megabyte in {_BLOB_SECONDS:g} s")


def _measured(get: Callable[[], bytes | None], put: Callable[[], None]) -> Outlook:
    """How fast a megabyte comes back whole, and whether one is taken."""
    content, rate = _timed(get)
    was_damaged = content is not None and content != _BLOB
    can_write, note = True, ""
    if content != _BLOB:
        try:
            put()
        except (HttpFailed, ServiceFailed) as error:
            can_write, note = False, f"it takes no results: {error.why or error.message}"
            if _is_silent(error):
                return Outlook(why_not="it does not take a megabyte in time")
        else:
            content, rate = _timed(get)
            if content is None:
                can_write, note = False, "it takes results and does not keep them"
            elif content != _BLOB:
                return Outlook(why_not="what it gives is not what was put there")
    if was_damaged and not can_write:
        return Outlook(why_not="what it gives is damaged")
    if content == _BLOB and rate < _LEAST_MB_PER_SECOND:
        return Outlook(why_not=f"it gives {rate:.1f} MB a second only", mb_per_second=rate)
    if was_damaged:
        note = "a damaged blob was found in it, and written anew"
    return Outlook(can_write=can_write, mb_per_second=rate if content == _BLOB else 0.0, note=note)


def _timed(get: Callable[[], bytes | None]) -> tuple[bytes | None, float]:
    """What comes, and how many megabytes of it a second."""
    began = time.monotonic()
    content = get()
    return content, len(content or b"") / 1e6 / max(time.monotonic() - began, 1e-6)


def _is_silent(error: FetchFailed) -> bool:
    if isinstance(error, HttpFailed):
        return error.where == "connection"
    return isinstance(error, ServiceFailed) and error.word == "deadline exceeded"


def _reason(error: FetchFailed) -> str:
    if isinstance(error, HttpFailed) and error.status in {401, 403}:
        return f"it refuses the login ({error.why})"
    if isinstance(error, ServiceFailed):
        if error.word == "deadline exceeded":
            return "it takes connections and does not answer"
        if error.word in {"unauthenticated", "permission denied"}:
            return f"it refuses the login ({error.word})"
        return f"{error.word}: {error.why.splitlines()[0] if error.why else ''}".rstrip(": ")
    return error.why or error.message
