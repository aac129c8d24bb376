"""Lays out the site's sources, written and generated pages alike, and lets MkDocs build them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.navigation import navigation
from docs.reference.pages import generated_pages
from tfbuild.core.any_tree import remove_what_can
from tfbuild.core.cache_mark import is_free, mark_folder
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import real_path
from tfbuild.core.yaml_file import to_yaml

DOCS = Path(__file__).parent
PAGES, CONFIG = "pages", "mkdocs.yml"
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#\s]+)(?:#[^)\s]*)?\)")


def lay_out(folder: Path) -> Path:
    """All pages and the configuration with the navigation in a new folder; the configuration."""
    pages = folder / PAGES
    shutil.copytree(DOCS / PAGES, pages)
    written = {
        path.relative_to(pages).as_posix(): path.read_text(encoding="utf-8")
        for path in pages.rglob("*.md")
    }
    for name, text in written.items():
        (pages / name).write_text(without_outer_links(text, DOCS / PAGES / name), encoding="utf-8")
    generated = generated_pages()
    for name, text in generated.items():
        path = pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    config = folder / CONFIG
    nav = to_yaml({"nav": navigation(written, generated)})
    config.write_text((DOCS / CONFIG).read_text(encoding="utf-8") + "\n" + nav, encoding="utf-8")
    return config


def without_outer_links(text: str, path: Path) -> str:
    """A page whose links to files of the project beside `docs/` are names: a site has none of them.

    What is not there stays a link, which MkDocs refuses.
    """

    def named(link: re.Match[str]) -> str:
        target = (path.parent / link[2]).resolve()
        is_outer = target.exists() and not target.is_relative_to(DOCS / PAGES)
        return f"{link[1]} (`{target.relative_to(DOCS.parent)}`)" if is_outer else link[0]

    return _LINK.sub(named, text)


def build(site: Path, *, offline: bool = False) -> int:
    """Build the site, with every warning as an error; the exit status of MkDocs.

    It takes the place of an earlier site once it is whole; ValueError where anything else lies
    there. An offline site is read from the disk, without a server.
    """
    site = real_path(site)
    if not is_free(site):
        raise ValueError(
            f"{site} is no site that was built here: remove it, or name another folder"
        )
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    # The theme's authors announce its successor in each build: CONTRIBUTING.md says what follows.
    variables = {"OFFLINE": str(offline).lower(), "NO_MKDOCS_2_WARNING": "1"}
    site.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, part_folder(site.parent) as made:
        config = lay_out(Path(folder) / "docs")
        words += ["--config-file", str(config), "--site-dir", str(made)]
        status = subprocess.run(words, env=os.environ | variables, check=False).returncode
        if not status:
            mark_folder(made)
            remove_what_can(site)
            made.rename(site)
        return status
