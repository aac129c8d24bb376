"""The lines of an output in which a program says why it failed."""

import re

_MOST = 8  # lines that are shown
_LONGEST = 400  # letters of one
# Lines that name a cause: errors of compilers with their place, of linkers, and of the systems.
_STRONG = re.compile(
    r"^\S+?:\d+(:\d+)?: (fatal )?error: |^(\S+: )?(fatal )?error: |: undefined reference to "
    r"|\bld: .*(cannot find|undefined|relocation|error)|^CMake Error|^configure: error"
    r"|\bERROR: |^ninja: error",
    re.IGNORECASE,
)
# What only follows from one.
_WEAK = re.compile(
    r"^g?make(\[\d+\])?: \*\*\* |^FAILED: |^collect2: error|returned \d+ exit status"
)
_GOES_ON = re.compile(r"^CMake Error")  # it says more in the lines that follow


class FailureLines:
    """Takes the lines of a program, and keeps the first that say why it failed."""

    def __init__(self) -> None:
        self._strong: list[str] = []
        self._weak: list[str] = []
        self._goes_on = False

    def take(self, line: str) -> None:
        """One line of its output."""
        line = line.rstrip()[:_LONGEST]
        if _WEAK.search(line):
            self._weak.append(line)
        elif len(self._strong) < _MOST and line and (self._goes_on or _STRONG.search(line)):
            self._goes_on = self._goes_on or bool(_GOES_ON.search(line))
            self._strong.append(line)

    def why(self, last: tuple[str, ...]) -> str:
        """The lines that say why; else the last ones."""
        lines = self._strong or self._weak or [line for line in last if line.strip()]
        if not self._strong and not self._weak:
            lines = lines[-_MOST:]
        return "\n".join(lines[:_MOST])
