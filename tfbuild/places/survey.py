"""Which needs of a recipe this machine has, and where; how to get the others. Changes nothing."""

import re
from collections.abc import Sequence

from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.process import find_program
from tfbuild.core.records import Command
from tfbuild.doctor.checks.model import Check, CheckState
from tfbuild.places.needs import Looked, how_to_get, is_there, packages_of, why_not
from tfbuild.recipes.records import Need

GROUP = "needs"
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_SECONDS = 30.0
_MARKER = re.compile(r'^# \d+ "(/[^"]+)"', re.MULTILINE)


def survey_needs(needs: Sequence[Need], place: Looked) -> tuple[Check, ...]:
    """A line for each need: found, in which version and where; or missing, and how it is got."""
    return tuple(_line(need, place) for need in needs)


def needs_inside(needs: Sequence[Need], system: str, *, of_tree: bool) -> tuple[Check, ...]:
    """The line of a recipe that is built in a container, whose packages have what it needs.

    of_tree where its source tree names more, which is known when there is one.
    """
    detail = f"in the container, from packages of {system}: {' '.join(packages_of(needs))}"
    detail += ", and what its source tree names" if of_tree else ""
    return (Check(group=GROUP, name="all", state="pass", detail=detail),)


# --- inside ------------------------------------------------------------------------------------


def _line(need: Need, place: Looked) -> Check:
    state, detail, fix = _looked(need, place)
    return Check(group=GROUP, name=need.name, state=state, detail=detail, fix=fix)


def _looked(need: Need, place: Looked) -> tuple[CheckState, str, str]:
    if is_there(need, place):
        return "pass", " ".join(filter(None, _found(need, place))), ""
    fix = how_to_get((need,))
    if need.index and need.program:
        detail = f"{why_not(need)}; tfbuild fetches {need.index} from the package index"
        return "warning", detail, f"nothing, where the index is reached; else {fix}"
    return "failure", why_not(need), fix


def _found(need: Need, place: Looked) -> tuple[str, str]:
    """The version and the place of what is there, as far as it says them."""
    if need.program:
        said = _said(place, need.program, "--version")
        path = _said(place, "sh", "-c", 'command -v "$1"', "sh", need.program).strip()
        return _version_in(said), f"at {path}"
    if need.pkg_config and (version := _asked(place, need.pkg_config, "--modversion")):
        folder = _asked(place, need.pkg_config, "--variable=pcfiledir")
        return version, f"at {folder}/{need.pkg_config}.pc" if folder else ""
    text = _said(place, "sh", "-c", 'c++ -E -x c++ -include "$1" /dev/null', "sh", need.header)
    paths = [path for path in _MARKER.findall(text) if path.endswith(f"/{need.header}")]
    return "", f"at {paths[0]}" if paths else need.header


def _version_in(text: str) -> str:
    """The last one in the first line: before it may stand that of a distribution's package."""
    found = _VERSION.findall(text.strip().partition("\n")[0])
    return found[-1] if found else ""


def _asked(place: Looked, module: str, word: str) -> str:
    """What pkg-config says of a module; nothing where it is not there, or does not know it."""
    if not find_program("pkg-config"):
        return ""
    return _said(place, "pkg-config", word, module).strip()


def _said(place: Looked, *argv: str) -> str:
    ask = Command(argv=argv, purpose="look", cwd="/", quiet=True, timeout=_SECONDS)
    try:
        return place.run(ask).stdout
    except (CommandFailed, EnvironmentFailed):
        return ""
