"""The adapter for HTTP: the user's proxy, certificates and passwords; failures in clear words."""

import base64
import os
import re
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urljoin, urlsplit

from tfbuild.core.errors import FetchFailed
from tfbuild.core.masking import mask, mask_address
from tfbuild.fetch.http_reasons import LATE, is_unmade, reason_of
from tfbuild.fetch.patience import TooLate, within_seconds

if TYPE_CHECKING:
    import requests

Result = TypeVar("Result")
# refused: an answer that says no. address: nothing that could be asked, or nobody to be trusted.
# connection: no answer at all. transfer: an answer that broke off or was not what it should be.
Where = Literal["refused", "address", "connection", "transfer"]

_ATTEMPTS = 3
# What may follow a redirection to another server.
_NEUTRAL_HEADERS = frozenset(
    {"Accept", "Accept-Encoding", "Connection", "Content-Length", "Range", "User-Agent"}
)
_PAGE_BYTES = 64 << 20
_CA_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE")
_HINT = "check the network and the usual proxy and CA variables (https_proxy, SSL_CERT_FILE)"


class HttpFailed(FetchFailed):
    """A request that failed: where it did, and the HTTP status if there was one."""

    def __init__(self, url: str, reason: str, *, code: str, where: Where, status: int = 0) -> None:
        said = f"cannot download {mask_address(url)}"
        super().__init__(said, code=code, why=reason, hint=_HINT)
        self.where = where
        self.status = status

    @property
    def is_passing(self) -> bool:
        """Whether asking again may help."""
        return self.status >= 500 or self.where == "transfer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How the outside is reached, beyond what the usual environment variables say."""

    ca: str = ""  # file or folder; empty: the usual variables, else those of the system
    client_cert: str = ""
    proxy: str = ""
    trusted_hosts: tuple[str, ...] = ()  # HOST or HOST:PORT whose certificates are not checked
    timeout: float = 15.0  # seconds without a byte
    whole: float = 120.0  # seconds for a page with all redirections; of a download, until it begins
    grace: float = 30.0  # seconds for a part of a download, however small
    floor: float = 4096.0  # and bytes a second below which it is given up


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A small answer, whole; url is where it came from after redirections."""

    url: str
    kind: str  # the content type without its parameters, in small letters
    content: bytes

    @property
    def text(self) -> str:
        """The content as UTF-8."""
        return self.content.decode("utf-8", "replace")


class Body:
    """An answer that is being read; every failure is an HttpFailed."""

    def __init__(self, url: str, response: "requests.Response", access: Access) -> None:
        self._url = url
        self._access = access
        self._response = response
        self.status = response.status_code
        self.url = response.url
        self.headers: Mapping[str, str] = response.headers
        self._is_left = False  # to a thread that still reads it

    @property
    def length(self) -> int:
        """What Content-Length says; 0 when it says nothing."""
        said = self.headers.get("Content-Length", "")
        return int(said) if re.fullmatch("[0-9]{1,18}", said) else 0

    def read(self, size: int, seconds: float = inf) -> bytes:
        """Up to size bytes as the server sent them, none at the end; in so many seconds at most."""
        access = self._access
        try:
            return _in_time(
                self._url,
                min(access.grace + size / access.floor, seconds),
                lambda: bytes(self._response.raw.read(size, decode_content=False)),
                lambda _content: self._response.close(),
            )
        except HttpFailed as error:
            self._is_left = error.where == "connection"
            raise

    def close(self) -> None:
        """Give the connection back; one that is still read from is closed by who reads it."""
        if not self._is_left:
            self._response.close()


class Web:
    """Asks servers. One session: connections are kept, redirections followed, netrc is read."""

    def __init__(self, access: Access | None = None) -> None:
        self._access = access or Access()
        self._session: requests.Session | None = None

    @contextmanager
    def open(self, url: str, headers: Mapping[str, str] | None = None) -> Iterator[Body]:
        """The answer to GET, as the server sent it; HttpFailed when it is none of success."""
        response = self._asked(url, headers or {})
        body = Body(url, response, self._access)
        with closing(body):
            if response.status_code >= 400:
                status, words = response.status_code, f"HTTP {response.status_code}"
                said = f"{words} {response.reason or ''}".strip()
                raise HttpFailed(url, said, code="http-refused", where="refused", status=status)
            yield body

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Page:
        """A whole page, asked for again where trouble may pass; HttpFailed when it stays."""
        for attempt in range(_ATTEMPTS):
            time.sleep(0.0 if attempt == 0 else 0.3 * 2**attempt)
            try:
                named = {"Accept-Encoding": "gzip, deflate"} | dict(headers or {})
                return _in_time(url, self._access.whole, partial(self._get, url, named))
            except HttpFailed as error:
                if not error.is_passing or attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def put(self, url: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Put a file there; HttpFailed when it is not taken."""
        with self._asked(url, headers or {}, content) as response:
            if response.status_code >= 300:
                status = response.status_code
                said = f"HTTP {status} {response.reason or ''}".strip()
                raise HttpFailed(url, said, code="http-refused", where="refused", status=status)

    def _get(self, url: str, headers: Mapping[str, str]) -> Page:
        with self.open(url, headers) as body:
            sent = bytearray()
            while len(sent) <= _PAGE_BYTES and (part := body.read(_PAGE_BYTES + 1 - len(sent))):
                sent += part
            content = _unpacked(url, bytes(sent), body.headers)
            if len(content) > _PAGE_BYTES:
                limit = f"the page is larger than {_PAGE_BYTES >> 20} MB"
                raise HttpFailed(url, limit, code="page-too-large", where="address")
            kind = body.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            return Page(url=body.url, kind=kind, content=content)

    def _asked(
        self, url: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> "requests.Response":
        """The head of an answer, in time."""
        return _in_time(
            url,
            self._access.whole,
            lambda: self._send(url, headers, content),
            lambda response: response.close(),
        )

    def _send(
        self, url: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> "requests.Response":
        from requests.utils import get_auth_from_url  # slow to load, as all of the library

        access = self._access
        if self._session is None:
            self._session = _new_session(access)
        login = get_auth_from_url(url)
        named = {"http": access.proxy, "https": access.proxy} if access.proxy else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # who trusts a host has said so
            return self._session.request(
                "GET" if content is None else "PUT",
                url,
                data=content,
                headers={"User-Agent": "tfbuild", "Accept-Encoding": "identity"} | dict(headers),
                timeout=access.timeout,
                auth=login if any(login) else None,  # else that of .netrc, which would win
                stream=True,
                cert=access.client_cert or None,
                proxies=named,
            )


class _LeavesTls(ValueError):
    """A redirection from https to http."""


def _new_session(access: Access) -> "requests.Session":
    """A session that never goes from TLS to plain HTTP, and keeps the login that it was given.

    Each host that it is led to is trusted or not by its own name.
    """
    import requests  # takes a tenth of a second, which most commands need not wait

    class Session(requests.Session):
        def send(
            self,
            request: requests.PreparedRequest,
            **named: Any,  # noqa: ANN401  (as requests declares it)
        ) -> requests.Response:
            trusted = _is_trusted(request.url or "", access)
            named["verify"] = False if trusted else certificates(access)
            return super().send(request, **named)

        def get_redirect_target(self, resp: requests.Response) -> str | None:
            target = super().get_redirect_target(resp)
            place = urljoin(resp.url, target or "")
            if target:
                resp.close()  # what stands beside it could be endless
            if resp.url.startswith("https:") and not place.startswith("https:"):
                raise _LeavesTls(f"it leads from https to {mask_address(place)}")
            return target

        def rebuild_auth(
            self, prepared_request: requests.PreparedRequest, response: requests.Response
        ) -> None:
            there = prepared_request.url or ""
            here = response.request.url or ""
            is_same = urlsplit(here)[:2] == urlsplit(there)[:2]
            if not is_same:  # whatever else is among them may be a password of the user
                for name in {*prepared_request.headers} - _NEUTRAL_HEADERS:
                    del prepared_request.headers[name]
            if not is_same or "Authorization" not in prepared_request.headers:
                super().rebuild_auth(prepared_request, response)  # type: ignore[no-untyped-call]

    session = Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _new_adapter())
    return session


def _new_adapter() -> "requests.adapters.HTTPAdapter":
    """What a session sends with: connections that take no chunk without a size."""
    from requests.adapters import HTTPAdapter

    from tfbuild.fetch.transport import POOLS

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *words: Any, **named: Any) -> None:  # noqa: ANN401
            super().init_poolmanager(*words, **named)
            self.poolmanager.pool_classes_by_scheme = POOLS

        def proxy_manager_for(self, *words: Any, **named: Any) -> Any:  # noqa: ANN401
            manager = super().proxy_manager_for(*words, **named)
            manager.pool_classes_by_scheme = POOLS
            return manager

    return Adapter()


def netrc_header(url: str) -> str:
    """The value of a header that logs in at the address with what .netrc knows; often empty."""
    from requests.utils import get_netrc_auth

    login = get_netrc_auth(url)
    if not login:
        return ""
    return "Basic " + base64.b64encode(":".join(login).encode()).decode("ascii")


def translated(url: str, act: Callable[[], Result]) -> Result:
    """What act returns; what the libraries below raise becomes an HttpFailed."""
    from http.client import HTTPException

    from requests import exceptions as e

    base: type[Exception] = e.BaseHTTPError  # type: ignore[attr-defined]
    try:
        return act()
    except (e.InvalidURL, e.MissingSchema, e.InvalidSchema) as error:
        # What cannot be parsed may be a piece of a password.
        unparsed = "it, or a proxy's, has no valid host or port"
        said = unparsed if "Failed to parse" in str(error) else mask(str(error))
        raise HttpFailed(url, said, code="url-malformed", where="address") from error
    except _LeavesTls as error:
        raise HttpFailed(url, str(error), code="redirect-to-http", where="address") from error
    except e.TooManyRedirects as error:
        said = mask(str(error))
        raise HttpFailed(url, said, code="too-many-redirects", where="address") from error
    except e.SSLError as error:
        raise HttpFailed(
            url, reason_of(error), code="certificate-refused", where="address"
        ) from error
    except (e.RequestException, OSError, HTTPException, ValueError, base) as error:
        said = reason_of(error)
        if type(error) is OSError and not error.errno:  # so requests reports a missing file
            raise HttpFailed(url, said, code="certificate-file-missing", where="address") from error
        if said == LATE:
            raise HttpFailed(url, said, code="no-answer-in-time", where="connection") from error
        if is_unmade(error):
            raise HttpFailed(url, said, code="server-unreachable", where="connection") from error
        raise HttpFailed(url, said, code="transfer-broken", where="transfer") from error


def certificates(access: Access) -> str | bool:
    """The file or folder of certificates to trust; True leaves it to the library."""
    for named in (access.ca, *(os.environ.get(name, "") for name in _CA_VARIABLES)):
        if named:
            return named
    import ssl  # slow to load, and most commands fetch nothing

    system = ssl.get_default_verify_paths()
    if system.cafile:
        return system.cafile
    folder = Path(system.capath) if system.capath else None
    return str(folder) if folder and any(folder.iterdir()) else True


# --- inside ------------------------------------------------------------------------------------


def _in_time(
    url: str,
    seconds: float,
    act: Callable[[], Result],
    discard: Callable[[Result], None] | None = None,
) -> Result:
    """What act returns within that time, however often a byte comes; else an HttpFailed."""
    try:
        return within_seconds(seconds, lambda: translated(url, act), discard)
    except TooLate:
        late = f"no whole answer within {round(seconds, 1):g} seconds"
        raise HttpFailed(url, late, code="answer-too-slow", where="connection") from None


def _unpacked(url: str, content: bytes, headers: Mapping[str, str]) -> bytes:
    """The content of a page without its compression, as far as a page may go."""
    coding = headers.get("Content-Encoding", "").strip().lower()
    if coding in {"", "identity"}:
        return content
    if coding not in {"gzip", "x-gzip", "deflate"}:
        raise HttpFailed(
            url, f"it is compressed as '{coding[:40]}'", code="compression-unknown", where="address"
        )
    for bits in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):  # gzip or zlib; deflate without a frame
        with suppress(zlib.error):
            stream = zlib.decompressobj(bits)
            page = stream.decompress(content, _PAGE_BYTES + 1)
            if stream.eof or len(page) > _PAGE_BYTES:
                return page
    raise HttpFailed(
        url, "its compression is damaged", code="compression-damaged", where="transfer"
    )


def _is_trusted(url: str, access: Access) -> bool:
    parts = urlsplit(url)
    return bool({parts.hostname or "", parts.netloc.rpartition("@")[2]} & {*access.trusted_hosts})
