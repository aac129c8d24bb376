"""Checks of the commands that a wheel brings: by which names, and whose place they take."""

import re
from functools import cache

from tfbuild.core.reports import AuditFinding
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
    wrong += [
        f"the command {name} takes the place of the system's, which {package} brings"
        for name in found
        if (package := _system_commands().get(name))
    ]
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


@cache
def _system_commands() -> dict[str, str]:
    rows = open_tables().system_commands()
    return {command: row.package for row in rows for command in row.commands}


def _is_word(name: str) -> bool:
    return re.fullmatch(r"[\w.+-][\w. +-]*", name) is not None and name not in {".", ".."}
