"""Whether pages pass axe-core, in a browser, light and dark, wide and narrow.

`python -m tests.accessibility FOLDER` gets axe-core from npm and prints where it is; tests find it
by AXE_CORE, or get it themselves.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from tests.browser import Browser, Scheme
from tests.npm import npm_package

WIDTHS = (1280, 400)
_PACKAGE = "axe-core@4.14.1"
_INTEGRITY = (
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)
_RUN = """axe.run().then(found => found.violations.flatMap(
  rule => rule.nodes.map(node => `${rule.id}: ${node.target}: ${node.failureSummary}`)))"""
# Words of letters that stand on more than one line, outside of what has no words: hashes, paths.
_BROKEN = r"""(() => {
  const found = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.parentElement.closest("code, pre, style, script, svg")) continue;
    for (const word of node.data.matchAll(/\p{L}{2,}/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      if (tops.size > 1) found.push(word[0]);
    }
  }
  return found;
})()"""


def axe_core(folder: Path) -> str:
    """The program of axe-core; the test is skipped where it cannot be had."""
    place = os.environ.get("AXE_CORE")
    package = Path(place) if place else npm_package(_PACKAGE, _INTEGRITY, folder)
    return (package / "axe.min.js").read_text(encoding="utf-8")


def looks(browser: Browser, page: Path) -> Iterator[str]:
    """Show a page in every way; what it is that is shown."""
    for width in WIDTHS:
        for scheme in get_args(Scheme):
            browser.open(page.as_uri(), width=width, scheme=scheme)
            yield f"{page.name}, {scheme}, {width} px"


def violations(browser: Browser, pages: Sequence[Path], axe: str) -> list[str]:
    """What axe-core finds."""
    found = []
    for page in pages:
        for look in looks(browser, page):
            browser.run(f"{axe}; 0")
            found += [f"{look}: {text}" for text in browser.run(_RUN)]
    return found


def broken_words(browser: Browser) -> list[str]:
    """The words of the page that are broken in their middle."""
    found: list[str] = browser.run(_BROKEN)
    return found


if __name__ == "__main__":
    sys.stdout.write(f"{npm_package(_PACKAGE, _INTEGRITY, Path(sys.argv[1]))}\n")
