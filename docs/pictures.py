"""Makes the pictures of the pages: python -m docs.pictures [--report FILE --browser PROGRAM].

The terminal shows what commands print that are run now. The report is the page of a build that was
made before, such as `tfbuild build zstd` leaves it, as a Chromium without a window draws it.
"""

import argparse
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

_ROOT = Path(__file__).parents[1]
_IMAGES = _ROOT / "docs" / "pages" / "images"
_COLUMNS = 100
_LOG = _ROOT / "tests" / "diagnosis" / "fixtures" / "nvcc-arch-unsupported.log"  # of a real build
SHOWN = (
    ("resolve", "tensorflow=2.6", "gpu=RTX 3060"),
    ("diagnose", "build.log"),
)
_FONT_FACE = re.compile(r" *@font-face \{.*?\}\n", re.DOTALL)  # of a font that would be loaded
_WINDOW = "1200,1150"
MOST_BYTES = 200_000


def terminal(commands: Sequence[Sequence[str]] = SHOWN) -> str:
    """What the commands print now, as an SVG that loads nothing."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "build.log").write_bytes(_LOG.read_bytes())
        for words in commands:
            console.print(Text("$ ", "bold green") + Text(_typed(words), "bold"))
            console.print(Text(_printed(words, folder)))
    picture = console.export_svg(title="tfbuild", theme=DIMMED_MONOKAI)
    return _FONT_FACE.sub("", picture).replace("Fira Code", "ui-monospace")


def report_picture(page: Path, browser: str) -> bytes:
    """The upper part of a report's page, as PNG."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "report.png"
        words = [browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        words += [f"--user-data-dir={folder}/profile", f"--window-size={_WINDOW}"]
        words += [f"--screenshot={picture}", page.resolve().as_uri()]
        subprocess.run(words, check=True, capture_output=True, timeout=120)
        return picture.read_bytes()


def main() -> int:
    """Make the picture of the terminal, and that of a report where one is named."""
    parser = argparse.ArgumentParser(prog="python -m docs.pictures", description=__doc__)
    parser.add_argument("--report", type=Path, metavar="FILE", help="a report.html")
    parser.add_argument("--browser", default="chromium", metavar="PROGRAM")
    asked = parser.parse_args()
    if asked.report and not asked.report.is_file():
        parser.error(f"{asked.report} is no file")
    _IMAGES.mkdir(exist_ok=True)
    (_IMAGES / "terminal.svg").write_text(terminal(), encoding="utf-8")
    if asked.report:
        picture = report_picture(asked.report, asked.browser)
        if len(picture) > MOST_BYTES:
            sys.exit(f"the picture has {len(picture):,} bytes, more than {MOST_BYTES:,}")
        (_IMAGES / "report.png").write_bytes(picture)
    return 0


# --- inside ------------------------------------------------------------------------------------


def _typed(words: Sequence[str]) -> str:
    """A command as it is typed."""
    return " ".join(["tfbuild", *(f"'{word}'" if " " in word else word for word in words)])


def _printed(words: Sequence[str], folder: str) -> str:
    """What a command prints on a terminal, with the settings of nobody."""
    variables = {name: text for name, text in os.environ.items() if not name.startswith("TFBUILD")}
    variables |= {"COLUMNS": str(_COLUMNS), "PYTHONPATH": str(_ROOT), "TERM": "xterm"}
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "tfbuild", *words]
    with io.FileIO(ours) as screen, ThreadPoolExecutor(1) as pool:
        said = pool.submit(_until_end, screen)
        try:
            subprocess.run(command, cwd=folder, env=variables, stdout=its, check=True)
        finally:
            os.close(its)
        return said.result().decode().replace("\r\n", "\n")


def _until_end(screen: io.FileIO) -> bytes:
    """All that is written to a terminal; where nobody has it open any more, reading fails."""
    found = []
    with suppress(OSError):
        while part := screen.read(1 << 16):
            found.append(part)
    return b"".join(found)


if __name__ == "__main__":
    sys.exit(main())
