"""apt with its state below one folder, so that neither its locks nor root are needed.

apt itself fetches and verifies, with the sources, keys and proxies of the machine.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tfbuild.core.errors import CommandFailed, FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Command
from tfbuild.core.safe_files import text_of

_SECONDS = 3600.0  # for one call of apt or dpkg
_LINE = re.compile(r"\s*deb(?:-src)?\s+(\S.*)")
_FIELD = re.compile(r"(?i)(types|enabled):(.*)")


class Apt:
    """apt for one task; its state lies in a folder that must be there and empty."""

    def __init__(self, state: Path, tools: Tools) -> None:
        self._tools = tools
        self._state = state
        for name in ("lists/partial", "cache/archives/partial", "sources"):
            (state / name).mkdir(parents=True)
        (state / "status").touch()
        self._options = (
            f"-oDir::State::lists={state / 'lists'}",
            f"-oDir::State::status={state / 'status'}",
            f"-oDir::Cache={state / 'cache'}",
            "-oDebug::NoLocking=1",
            "-oAPT::Install-Recommends=0",
            "-oAPT::Get::Assume-Yes=1",
            *(("-oAPT::Sandbox::User=root",) if tools.host.is_root else ()),
        )

    @property
    def archives(self) -> Path:
        """Where fetched packages are put."""
        return self._state / "cache" / "archives"

    def count_as_installed(self, status: str) -> None:
        """Let apt believe that this is what dpkg knows as installed."""
        write_aside(self._state / "status", status)

    def use_source_packages(self) -> bool:
        """Look for source code, where the machine's own sources are; False where it names none."""
        named = self.run("ask for its sources", "apt-config", "shell", *_ASKED)
        places = dict(re.findall(r"^(\w+)='(.*)'$", named, re.MULTILINE))
        single = Path(places.get("L") or "/etc/apt/sources.list")
        parts = Path(places.get("P") or "/etc/apt/sources.list.d")
        stanzas, lines = _source_entries(single, parts)
        folder = self._state / "sources"
        write_aside(folder / "machine.sources", "\n\n".join(stanzas) + "\n")
        write_aside(folder / "machine.list", "\n".join(lines) + "\n")
        self._options = (
            *self._options,
            "-oDir::Etc::SourceList=/dev/null",
            f"-oDir::Etc::SourceParts={folder}",
        )
        return bool(stanzas or lines)

    def run(
        self,
        purpose: str,
        program: str,
        *words: str,
        codes: tuple[int, ...] = (0,),
        cwd: str = "",
    ) -> str:
        """What a program of apt prints; FetchFailed with its own words where it refuses."""
        command = Command(
            argv=(program, *self._options, *words),
            purpose=purpose,
            ok_codes=codes,
            timeout=_SECONDS,
            quiet=True,
            cwd=cwd,
        )
        try:
            return self._tools.runner.run(command).stdout
        except CommandFailed as error:
            said = [line for line in error.last_lines if line.startswith(("E:", "Err", "W:"))]
            raise FetchFailed(
                f"apt could not {purpose}",
                code="apt-failed",
                why="\n".join((said or list(error.last_lines))[-4:]),
                hint="check the network and the sources in /etc/apt",
                log=error.log,
            ) from error


# --- inside ------------------------------------------------------------------------------------

_ASKED = ("L", "Dir::Etc::sourcelist/f", "P", "Dir::Etc::sourceparts/d")


def _source_entries(single: Path, folder: Path) -> tuple[list[str], list[str]]:
    """The machine's sources as sources of source code: stanzas of deb822, and lines."""
    stanzas: list[str] = []
    lines: list[str] = []
    for path in (single, *sorted(folder.glob("*.list"))):
        lines += _of_lines(text_of(path))
    for path in sorted(folder.glob("*.sources")):
        stanzas += _of_stanzas(text_of(path))
    return list(dict.fromkeys(stanzas)), list(dict.fromkeys(lines))


def _of_lines(text: str) -> Iterator[str]:
    """`deb URI SUITE ...`, also with options in brackets."""
    for line in text.splitlines():
        if match := _LINE.match(line):
            yield f"deb-src {match[1].strip()}"


def _of_stanzas(text: str) -> Iterator[str]:
    """Fields, of which lines that begin with a blank go on with the one before."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", "\n".join(lines).strip()):
        rows = stanza.splitlines()
        said = {m[1].lower(): m[2].strip().lower() for row in rows if (m := _FIELD.match(row))}
        if "types" in said and said.get("enabled", "yes") not in {"no", "false", "off", "0"}:
            yield "\n".join(
                "Types: deb-src" if re.match(r"(?i)types:", row) else row for row in rows
            )
