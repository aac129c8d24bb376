"""What answers at the address of the engine and speaks something else: an error in words."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.failing import fails
from tfbuild.containers.engine import open_engine
from tfbuild.containers.ownership import OWNER
from tfbuild.containers.retention import list_kept

GOOD: dict[str, Any] = {
    "version": {"ApiVersion": "1.43", "Version": "24", "Components": [{"Name": "Engine"}]},
    "info": {"ID": "x", "SecurityOptions": [], "Runtimes": {}, "CgroupVersion": "2"},
    "containers/json": [],
    "images/json": [],
    "volumes": {"Volumes": []},
    "system/df": {"BuildCache": []},
}


class _Handler(BaseHTTPRequestHandler):
    documents: ClassVar[dict[str, Any]] = {}

    def address_string(self) -> str:
        return "a socket without addresses"

    def log_message(self, *_words: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer with the document of the path, whatever the version before it."""
        path = self.path.partition("?")[0].strip("/")
        head, _, rest = path.partition("/")
        name = rest if head.startswith("v1") else path
        body = json.dumps(self.documents.get(name, {})).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def answering(socket: Path, documents: dict[str, Any]) -> Iterator[None]:
    handler = type("Handler", (_Handler,), {"documents": documents})
    with socketserver.ThreadingUnixStreamServer(str(socket), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "wrong",
    [
        {"info": []},
        {"info": {"SecurityOptions": 5}},
        {"info": {"Runtimes": 5}},
        {"version": {"ApiVersion": "1.43", "Components": "abc"}},
        {"containers/json": [{}]},
        {"containers/json": [{"Id": "1", "Labels": None}]},
        {"images/json": [5]},
        {"images/json": [{"RepoTags": 5}]},
        {"volumes": {"Volumes": [{"Name": 5, "Labels": 7}]}},
        {"system/df": {"Images": 5}},
    ],
)
def test_an_answer_that_is_garbage_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/s")
    with (
        answering(tmp_path / "s", GOOD | wrong),
        fails("container-engine-garbled", "not one of its API"),
        open_engine() as engine,
    ):
        engine.labelled(OWNER)
        list_kept(engine, tmp_path / "cache")


def test_the_good_answers_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/s")
    with answering(tmp_path / "s", GOOD), open_engine() as engine:
        assert engine.labelled(OWNER) == []
        assert list_kept(engine, tmp_path / "cache") == ()
