"""The site: what it is made of, that it can be built, and that it needs nobody else."""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs import site
from docs.navigation import navigation
from docs.reference.pages import generated_pages
from tests.source_files import ROOT
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.core.yaml_file import parse_yaml


def test_all_pages_and_the_navigation_are_laid_out(tmp_path: Path) -> None:
    config = site.lay_out(tmp_path / "sources")
    pages = config.parent / "pages"
    own = ROOT / "docs" / "pages"
    written = [path.relative_to(own).as_posix() for path in own.rglob("*") if path.is_file()]
    generated = generated_pages()
    assert {path.relative_to(pages).as_posix() for path in pages.rglob("*") if path.is_file()} == {
        *written, *generated,
    }  # fmt: skip
    plain = re.sub(r"!ENV \[.*?\]", "true", config.read_text())
    texts = {name: (own / name).read_text() for name in written if name.endswith(".md")}
    assert parse_yaml(plain)["nav"] == navigation(texts, generated)


def test_links_to_files_beside_the_pages_become_their_names() -> None:
    page = site.DOCS / "pages" / "how-to" / "x.md"
    text = "[a](../../../README.md#x) [b](../index.md) [c](../../../missing.md) [d](y.md)"
    assert site.without_outer_links(text, page) == (
        "a (`README.md`) [b](../index.md) [c](../../../missing.md) [d](y.md)"
    )


class Loaded(HTMLParser):
    """What a browser loads for a page by itself."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in {"script", "img", "iframe", "source"} or (
            tag == "link" and given.get("rel") not in {"prev", "next", "canonical"}
        ):
            self.found.append(given.get("src") or given.get("href") or "")


def loads_from_elsewhere(html: str) -> list[str]:
    return [name for name in Loaded(html).found if re.match(r"(https?:)?//", name)]


def test_what_is_loaded_from_elsewhere_is_seen() -> None:
    html = (
        '<script src="https://a/b.js"></script><link rel="stylesheet" href="//c/d.css"><img src=e>'
    )
    assert loads_from_elsewhere(html) == ["https://a/b.js", "//c/d.css"]


def built(folder: Path, *more: str) -> Path:
    """The site, as the command builds it."""
    words = [sys.executable, "-m", "docs", "--output", str(folder), *more]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.docs
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    folder = built(tmp_path / "site")
    for name in generated_pages():
        place = name.removesuffix(".md").removesuffix("index").strip("/")
        assert (folder / place / "index.html").is_file()
    pages = list(folder.rglob("*.html"))
    assert [path for path in pages if loads_from_elsewhere(path.read_text())] == []
    assert [path for path in folder.rglob("*.css") if "url(http" in path.read_text()] == []
    errors = (folder / "reference" / "errors" / "index.html").read_text()
    assert [code for code in error_meanings() if f'id="{code}"' not in errors] == []
    settings = (folder / "reference" / "settings" / "index.html").read_text()
    assert "<code>--env host|docker</code>" in settings
    index = json.loads((folder / "search" / "search_index.json").read_text())
    assert any(one["location"] == "reference/errors/#lock-differs" for one in index["docs"])


def run_site(place: str) -> str:
    """What the program says that refuses to build into a place; nothing is started for it."""
    words = [sys.executable, "-m", "docs", "--output", place]
    ended = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)
    assert ended.returncode == 2
    return ended.stderr


def test_what_is_not_an_earlier_site_stays(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text.txt").write_text("precious")
    assert "remove it, or name another folder" in run_site(str(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path)
    assert "name another folder" in run_site(str(tmp_path / "link"))
    assert "name another folder" in run_site(str(tmp_path / "thesis" / "text.txt"))
    assert (tmp_path / "thesis" / "text.txt").read_text() == "precious"


def test_a_site_takes_the_place_of_the_last_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, page, status = tmp_path / "site", "first.html", 0

    def build(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        (Path(words[-1]) / page).touch()
        return subprocess.CompletedProcess(words, status)

    monkeypatch.setattr(site, "lay_out", lambda folder: folder)
    monkeypatch.setattr(subprocess, "run", build)
    assert site.build(place) == 0
    page, status = "second.html", 1
    assert site.build(place) == 1
    assert (place / "first.html").is_file()
    status = 0
    assert site.build(place) == 0
    assert not (place / "first.html").exists()
    assert (place / "second.html").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


@pytest.mark.docs
def test_a_site_for_the_disk_has_its_search_in_a_script(tmp_path: Path) -> None:
    folder = built(tmp_path / "site", "--offline")
    page = (folder / "reference" / "errors.html").read_text()
    assert loads_from_elsewhere(page) == []
    assert "../javascripts/iframe-worker.js" in Loaded(page).found
    assert (folder / "search" / "search_index.js").is_file()


@pytest.mark.docs
@pytest.mark.parametrize(
    "link", ["[a](nowhere.md)", "[a](reference/errors.md#no-such-code)", "![a](images/none.png)"]
)
def test_a_link_that_leads_nowhere_ends_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    copy = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", copy)
    (copy / "pages" / "aside.md").write_text(f"# Aside\n\n{link}\n")
    errors = "reference/errors.md"
    monkeypatch.setattr(site, "DOCS", copy)
    monkeypatch.setattr(site, "generated_pages", lambda: {errors: generated_pages()[errors]})
    assert site.build(tmp_path / "site") == 1


@pytest.mark.docs
def test_of_a_terminal_its_commands_alone_are_copied() -> None:
    """The program of the page, with just as much of a page as it looks at."""
    script = (ROOT / "docs" / "pages" / "javascripts" / "copy-commands.js").read_text()
    page = """
        let handle;
        globalThis.document = { addEventListener: (_name, handler) => { handle = handler; } };
        function copied(text, has_prompt) {
          const code = { textContent: text, querySelector: () => has_prompt };
          const said = {};
          const button = {
            closest: () => ({ querySelector: () => code }),
            setAttribute: (name, value) => { said[name] = value; },
          };
          handle({ target: { closest: () => button } });
          return said["data-clipboard-text"] ?? "";
        }
    """
    ask = """
        console.log(JSON.stringify([
          copied("$ tfbuild plan \\\\\\n    zstd\\nplan 12\\n$ ls\\n", true), copied("$ x", false),
        ]));
    """
    words = ["node", "-e", page + script + ask]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["tfbuild plan \\\n    zstd\nls", ""]
