"""The lines in which a failed build system says why, and what may help."""

import re
from pathlib import Path

from tfbuild.core.errors import BuildFailed, CommandFailed, ConfigureFailed
from tfbuild.diagnosis.findings import first_cause

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
_AGAIN = "`tfbuild debug` runs it alone"
_KEPT = "the log has the whole output; what was compiled is kept"
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


def configure_failed(
    system: str, said: FailureLines, error: CommandFailed, *, details: Path | None = None
) -> ConfigureFailed:
    """The error of a build system that could not configure; details is a log of its own."""
    why = said.why(error.last_lines)
    more = f"{details} has the details" if details else "the log has the details"
    return ConfigureFailed(
        f"{system} could not configure the source code",
        code="configure-command-failed",
        why=why,
        hint=_hint(why, f"{more}; what the recipe names as needs was there"),
        log=error.log,
    )


def build_failed(builder: str, said: FailureLines, error: CommandFailed) -> BuildFailed:
    """The error of a build system that could not build."""
    why = said.why(error.last_lines)
    return BuildFailed(
        f"{builder} could not build the source code",
        code="build-command-failed",
        why=why,
        hint=_hint(why, _KEPT),
        log=error.log,
    )


def install_failed(builder: str, said: FailureLines, error: CommandFailed) -> BuildFailed:
    """The error of a build system that has built, and could not install."""
    why = said.why(error.last_lines)
    return BuildFailed(
        f"{builder} could not install what was built",
        code="install-command-failed",
        why=why,
        hint=_hint(why, _KEPT),
        log=error.log,
    )


def _hint(why: str, usual: str) -> str:
    return f"{(_remedy(why) or usual).removesuffix('.')}; {_AGAIN}"


def _remedy(text: str) -> str:
    """What the catalogue of known causes knows to do."""
    found = first_cause(text)
    return found.fix if found and found.kind in {"cause", "general"} else ""
