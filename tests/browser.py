"""A Chromium without a window, for tests of how pages look: spoken to through two pipes."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, Any, Literal

import pytest

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_HEIGHT = 900
Scheme = Literal["light", "dark"]


@dataclass(slots=True)
class Browser:
    """One tab of a browser that runs."""

    requests: IO[bytes]
    answers: IO[bytes]
    session: str = ""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def ask(self, method: str, **parameters: Any) -> Any:
        """What the browser answers; see the Chrome DevTools Protocol."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        message |= {"sessionId": self.session} if self.session else {}
        self.requests.write(json.dumps(message).encode() + b"\0")
        self.requests.flush()
        while (found := self._next()).get("id") != number:
            pass
        assert "error" not in found, f"{method}: {found}"
        return found["result"]

    def open(
        self, address: str, *, width: int, scheme: Scheme = "light", media: str = "screen"
    ) -> None:
        """Show a page, whose own rules about scripts do not hold for what tests run in it."""
        size = {"width": width, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        self.ask("Page.setBypassCSP", enabled=True)
        failed = self.ask("Page.navigate", url=address).get("errorText")
        assert not failed, f"{address}: {failed}"
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        found = self.ask("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self) -> bytes:
        """The whole page as PNG."""
        asked = {"format": "png", "captureBeyondViewport": True}
        return base64.b64decode(self.ask("Page.captureScreenshot", **asked)["data"])

    def printed(self) -> bytes:
        """The page as PDF, on A4."""
        asked = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
        return base64.b64decode(self.ask("Page.printToPDF", **asked)["data"])

    def _next(self) -> Any:
        text = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            text += byte
        return json.loads(text)


def chromium() -> str:
    """The browser's program; the test is skipped where there is none."""
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if not found:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    return found


@contextmanager
def a_browser(folder: Path) -> Iterator[Browser]:
    """A browser with nobody's settings, which keeps what it writes in the folder."""
    read_requests, requests = os.pipe()
    answers, write_answers = os.pipe()
    # A browser reads what it is asked from number 3, and answers to number 4.
    wanted = f'exec "$@" 3<&{read_requests} 4>&{write_answers}'
    words = ["bash", "-c", wanted, "bash", chromium(), "--headless", "--no-sandbox"]
    words += ["--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]
    words += [f"--user-data-dir={folder}/profile", "about:blank"]
    with (
        subprocess.Popen(
            words,
            pass_fds=(read_requests, write_answers),
            env=os.environ | {"HOME": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
        os.fdopen(requests, "wb") as asked,
        os.fdopen(answers, "rb") as answered,
    ):
        os.close(read_requests)
        os.close(write_answers)
        browser = Browser(asked, answered)
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.ask("Target.attachToTarget", targetId=target, flatten=True)
        browser.session = attached["sessionId"]
        browser.ask("Page.enable")
        yield browser
        browser.session = ""
        browser.ask("Browser.close")
        process.wait(timeout=60)
