"""How far a build is, as the lines of Ninja and make show."""

import re
from pathlib import PurePosixPath

from tfbuild.core.reporter import Reporter

_NINJA = re.compile(r"\[(\d+)/(\d+)\] (.*)")
_MADE = re.compile(r"(?:object|target|library|executable|module) (\S+)$")
_LONGEST = 60  # letters of what is shown
# A compiler that writes an object, and the short form of the same in quiet makefiles.
_OBJECT = re.compile(r" -o +'?(\S+?)\.l?o'?(?=\s|$)")
_QUIET = re.compile(r"\s*\[?(?:CC|CXX|CPP|AS|ASM|X86ASM|NASM|OBJCC|HOSTCC)\]? +(\S+)$")


class NinjaProgress:
    """Reports the steps that Ninja counts."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._totals: set[str] = set()

    def take(self, line: str) -> None:
        """One line of its output; a project that is configured again changes the total."""
        if step := _NINJA.match(line.strip()):
            self._totals.add(step[2])
            made = _MADE.search(step[3])
            what = PurePosixPath(made[1]).name if made else step[3]
            self._reporter.progress(
                what[:_LONGEST], int(step[1]), int(step[2]), is_growing=len(self._totals) > 1
            )


class MakeProgress:
    """Reports the objects that make has compiled, of how many where that is known."""

    def __init__(self, reporter: Reporter, total: int = 0) -> None:
        self._reporter = reporter
        self._total = total
        self._seen: set[str] = set()

    def take(self, line: str) -> None:
        """One line of its output."""
        made = object_of(line)
        if made and made not in self._seen:
            self._seen.add(made)
            done = min(len(self._seen), self._total) if self._total else len(self._seen)
            self._reporter.progress(PurePosixPath(made).name[:_LONGEST], done, self._total)


def object_of(line: str) -> str:
    """The object that a line compiles, without its suffix; empty where it compiles none.

    libtool compiles some twice, into two folders: they count as one.
    """
    found = _OBJECT.search(line) or _QUIET.match(line.expandtabs())
    if found is None:
        return ""
    path = re.sub(r"\.l?o$", "", found[1]).replace(".libs/", "")
    return path.removeprefix("./")
