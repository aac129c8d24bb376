"""Pictures are made of what programs print and draw now."""

import re
import sys
from pathlib import Path

from docs.pictures import MOST_BYTES, SHOWN, report_picture, terminal
from tests.source_files import ROOT

IMAGES = ROOT / "docs" / "pages" / "images"


def shown(picture: str) -> str:
    """The text of an SVG's terminal."""
    plain = re.sub(r"<[^>]+>", "\n", picture.partition("</defs>")[2])
    return re.sub(r"\s+", " ", plain.replace("&#160;", " ").replace("&#x27;", "'"))


def loads(picture: str) -> list[str]:
    """What an SVG loads; its namespace and the addresses that it shows are only names."""
    return re.findall(r"(?:url\(|href=)\"?(?!#)[^)\"]+", picture)


def test_the_terminal_shows_what_a_command_prints_and_loads_nothing() -> None:
    picture = terminal([("explain", "lock-differs")])
    assert "$ tfbuild explain lock-differs" in shown(picture)
    assert "The exit code is 2." in shown(picture)
    assert (loads(picture), "@font-face" in picture) == ([], False)


def test_the_terminal_is_one_so_that_lines_are_cut_to_its_width() -> None:
    assert "…" in shown(terminal([("resolve", "tensorflow=2.6", "gpu=RTX 3060")]))


def test_the_picture_that_is_published_was_made_by_the_script() -> None:
    picture = (IMAGES / "terminal.svg").read_text()
    assert (loads(picture), "@font-face" in picture) == ([], False)
    for words in SHOWN:
        assert f"$ tfbuild {words[0]}" in shown(picture)
    assert len(picture) < MOST_BYTES


def test_a_report_is_drawn_by_a_browser(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "(name,) = [word[13:] for word in sys.argv if word.startswith('--screenshot=')]\n"
        "open(name, 'w').write(sys.argv[-1])\n"
    )
    browser.chmod(0o755)
    page = tmp_path / "report.html"
    assert report_picture(page, str(browser)) == page.as_uri().encode()


def test_the_report_that_is_published_is_small() -> None:
    picture = (IMAGES / "report.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < MOST_BYTES
