"""A web server on this machine that can misbehave in every way a download must survive."""

import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


@dataclass
class Site:
    """What is served, how it misbehaves, and what was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    break_after: list[int] = field(default_factory=list)  # bytes sent before each broken answer
    codes: list[int] = field(default_factory=list)  # error codes to answer first
    ranges: bool = True
    kinds: dict[str, str] = field(default_factory=dict)  # path -> content type
    moved: dict[str, str] = field(default_factory=dict)  # path -> where it is now
    is_silent: bool = False  # take every request and never answer
    asked: list[tuple[str, str]] = field(default_factory=list)  # path, Range
    headers: list[Message] = field(default_factory=list)  # of each request
    over: threading.Event = field(default_factory=threading.Event)


# For 127.0.0.1 alone, with its key: it vouches for nothing but itself.
CERTIFICATE = Path(__file__).parent / "certificates" / "this_machine.pem"


@contextmanager
def serve(*, over_tls: bool = False, host: str = "127.0.0.1") -> Iterator[Site]:
    """A site on a free port, gone when left."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, site)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    if over_tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "https" if over_tls else "http"
    site.url = f"{scheme}://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        site.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def only_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let no connection leave this machine; the hosts that were looked for are in the list."""
    wanted: list[str] = []
    look_up = socket.getaddrinfo

    def guarded(host: str, *rest: object, **named: object) -> object:
        wanted.append(host)
        if host != "127.0.0.1":
            raise socket.gaierror(f"a test asked for {host}")
        return look_up(host, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", guarded)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return wanted


def _answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    wanted = handler.headers.get("Range", "")
    path = handler.path.lstrip("/")
    site.asked.append((handler.path, wanted))
    site.headers.append(handler.headers)
    if site.is_silent:
        site.over.wait(30)
        return
    if path in site.moved:
        handler.send_response(302)
        handler.send_header("Location", site.moved[path])
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    body = site.files.get(path)
    if site.codes or body is None:
        handler.send_error(site.codes.pop(0) if site.codes else 404)
        return
    span = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted) if site.ranges else None
    start = int(span[1]) if span else 0
    if start and start >= len(body):
        handler.send_error(416)
        return
    end = int(span[2]) + 1 if span and span[2] else len(body)
    _send(handler, site, body, (start, min(end, len(body))) if span else None)


def _send(
    handler: BaseHTTPRequestHandler, site: Site, body: bytes, span: tuple[int, int] | None
) -> None:
    part = body[slice(*span)] if span else body
    handler.send_response(206 if span else 200)
    handler.send_header("Content-Length", str(len(part)))
    if span:
        handler.send_header("Content-Range", f"bytes {span[0]}-{span[1] - 1}/{len(body)}")
    if kind := site.kinds.get(handler.path.lstrip("/")):
        handler.send_header("Content-Type", kind)
    handler.end_headers()
    if site.break_after:
        handler.wfile.write(part[: site.break_after.pop(0)])
        handler.close_connection = True
        return
    handler.wfile.write(part)
