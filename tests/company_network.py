"""A company's network in small: a proxy that forwards, and a mirror below a path of its own."""

import http.server
import select
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_LEFT_OUT = {"transfer-encoding", "connection", "keep-alive", "proxy-connection"}


@dataclass
class Forwarder:
    """Where it listens, and what was asked of it."""

    address: str
    mirrors: dict[str, str] = field(default_factory=dict)  # path -> what lies below it
    asked: list[str] = field(default_factory=list)
    passwords: set[str] = field(default_factory=set)  # Proxy-Authorization, as it came
    logins: set[str] = field(default_factory=set)  # Authorization


@contextmanager
def forwarding(host: str) -> Iterator[Forwarder]:
    """A forwarder that listens on one address of this machine until it is left."""
    server = http.server.ThreadingHTTPServer((host, 0), _Handler)
    forwarder = Forwarder(address=f"{host}:{server.server_address[1]}")
    server.forwarder = forwarder  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield forwarder
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Fetch what was asked for, from where it really is."""
        url = self._real(self._noted(self.path))
        if not url.startswith("http"):
            self.send_error(404)
            return
        headers = {
            name: self.headers[name]
            for name in ("If-Modified-Since", "If-Range", "Range", "Accept")
            if name in self.headers
        }
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            answer = opener.open(urllib.request.Request(url, headers=headers), timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            body = answer.read()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in _LEFT_OUT | {"content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def do_CONNECT(self) -> None:
        """Pass bytes in both directions."""
        host, _, port = self._noted(self.path).rpartition(":")
        with socket.create_connection((host, int(port)), timeout=60) as far:
            self.send_response(200)
            self.end_headers()
            ends = {self.connection: far, far: self.connection}
            while True:
                ready, _, _ = select.select(list(ends), [], [], 60)
                chunks = [(end, end.recv(1 << 16)) for end in ready]
                if not ready or not all(chunk for _, chunk in chunks):
                    break
                for end, chunk in chunks:
                    ends[end].sendall(chunk)
        self.close_connection = True

    @property
    def _forwarder(self) -> Forwarder:
        found: Forwarder = self.server.forwarder  # type: ignore[attr-defined]
        return found

    def _noted(self, path: str) -> str:
        self._forwarder.asked.append(path)
        self._forwarder.passwords.add(self.headers.get("Proxy-Authorization", ""))
        self._forwarder.logins.add(self.headers.get("Authorization", ""))
        return path

    def _real(self, path: str) -> str:
        """The address behind a path of ours; any other is one already."""
        own = path.removeprefix(f"http://{self._forwarder.address}")
        for prefix, target in self._forwarder.mirrors.items():
            if own.startswith(prefix):
                return target + own.removeprefix(prefix)
        return path
