"""Checks of the commands that a wheel brings: by which names, and whose place they take."""

import re
from fnmatch import fnmatchcase
from functools import cache

from tfbuild.core.reports import AuditFinding
from tfbuild.facts.build_rows import SystemCommandRow
from tfbuild.facts.installed import open_tables
from tfbuild.wheels.audit_subject import AuditSubject, judged
from tfbuild.wheels.entry_points import list_text, read_commands
from tfbuild.wheels.installation import Installed, installed_paths

# Commands of an environment, which only the package of that name brings.
_ENVIRONMENTS_OWN = re.compile(
    r"(python|pypy|pydoc|idle|2to3|pip|uv|conda|virtualenv|easy_install|activate|deactivate)"
    r"(?:(?<=python)w|(?<=uv)x|_this)?-?(?:[\d.]*\d[tdm]*)?(?:-config|-script)?"
    r"(?:\.(?:exe|sh|fish|csh|nu|xsh|ps1|bat|py))?",
    re.IGNORECASE,
)


def check_commands(subject: AuditSubject) -> AuditFinding:
    """Whether it puts no commands on the path; their names may not lead elsewhere in any wheel."""
    content = subject.content
    scripts = [name for p in installed_paths(content) if (name := _command(p))]
    path, wrong, named = f"{content.dist_info}/entry_points.txt", [], set[str]()
    if path in content.files:
        try:
            ((_, raw),) = content.read_lists([path])
            named, doubt = read_commands(list_text(raw))
            wrong = [f"entry_points.txt: {doubt}"] if doubt else []
        except ValueError as error:
            wrong = [f"entry_points.txt cannot be read: {str(error).splitlines()[0]}"]
    found = sorted({*scripts, *named})
    wrong += [f"the command {name!a} leads elsewhere" for name in found if not _is_word(name)]
    wrong += [
        f"the command {name} takes the place of the environment's own"
        for name in found
        if (known := _ENVIRONMENTS_OWN.fullmatch(name)) and known[1].lower() != content.name.name
    ]
    wrong += [text for name in found if (text := _place_of(name, content.name.name))]
    return judged(
        subject,
        "commands",
        asked="none",
        built=" ".join(found) or "none",
        wrong=wrong,
        unasked=[f"{name} was not planned" for name in found],
    )


# --- inside ------------------------------------------------------------------------------------


def _command(place: Installed) -> str:
    """The name of a file that is installed among the commands; empty for others."""
    folder, _, name = place.below.rpartition("/")
    if place.scheme == "scripts":
        return place.below
    return name if place.scheme == "data" and folder in {"bin", "sbin"} else ""


def _place_of(command: str, own: str) -> str:
    """Whose place a command takes, in words; empty where it is nobody's or the wheel's own."""
    plain, patterns = _known_commands()
    rows = [row for pattern, row in patterns if fnmatchcase(command, pattern)]
    row = plain.get(command) or next(iter(rows), None)
    if row is None or any(fnmatchcase(own, wheel) for wheel in row.wheels):
        return ""
    whose = "the one" if row.wheels else "the system's,"
    return f"the command {command} takes the place of {whose} which {row.package} brings"


@cache
def _known_commands() -> tuple[
    dict[str, SystemCommandRow], tuple[tuple[str, SystemCommandRow], ...]
]:
    """The rows by their commands, and those of patterns."""
    named = [(command, row) for row in open_tables().system_commands() for command in row.commands]
    patterns = tuple((command, row) for command, row in named if "*" in command)
    return {command: row for command, row in named if "*" not in command}, patterns


def _is_word(name: str) -> bool:
    return re.fullmatch(r"[\w.+-][\w. +-]*", name) is not None and name not in {".", ".."}
