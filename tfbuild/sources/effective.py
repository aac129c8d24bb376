"""The options that hold once Bazel has read every rc file, and what is not as it was planned."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.errors import ConfigureFailed
from tfbuild.core.foreign_tree import read_file
from tfbuild.core.safe_files import parse_json
from tfbuild.sources.rc_file import in_one_spelling

_LARGEST = 64_000_000  # bytes of an event file of a run that builds nothing
# NAME=VALUE within the value: the last of each name holds.
_BY_NAME = {
    "action_env", "host_action_env", "repo_env", "test_env", "define", "override_repository",
}  # fmt: skip
# All of them hold, in their order.
_LISTS = {
    "copt", "cxxopt", "conlyopt", "linkopt", "host_copt", "host_cxxopt", "host_conlyopt",
    "host_linkopt", "per_file_copt", "features", "config", "distdir", "deleted_packages",
    "extra_toolchains",
}  # fmt: skip
_TRUE, _FALSE = {"", "1", "true", "yes", "t", "y"}, {"0", "false", "no", "f", "n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionDifference:
    """An option that was planned, and what holds in its place; empty where nothing does."""

    planned: str
    holds: str


def read_effective(events: Path) -> tuple[str, ...]:
    """The expanded options of a build that wrote this event file, in Bazel's order.

    Raises ConfigureFailed where the file does not list them.
    """
    try:
        lines = read_file(events, _LARGEST).decode().splitlines()
        found = [parse_json(line) for line in lines if '"optionsParsed"' in line]
        for event in found:
            if isinstance(event, dict) and isinstance(parsed := event.get("optionsParsed"), dict):
                words = parsed.get("cmdLine", [])
                return tuple(in_one_spelling(word for word in words if isinstance(word, str)))
    except (OSError, ValueError) as error:
        why = str(error)
    else:
        why = "there is no event optionsParsed"
    raise ConfigureFailed(
        "Bazel did not report which options hold",
        code="bazel-options-not-recorded",
        why=f"{events}: {why}",
        hint="run the same command again; the log has what Bazel said",
    )


def differing_options(
    planned: Iterable[str], effective: Sequence[str]
) -> tuple[OptionDifference, ...]:
    """The planned options that do not hold, by Bazel's rules: the last of a name, all of a list."""
    holds = _holding(effective)
    found = []
    for option in in_one_spelling(planned):
        name, value = _parts(option)
        if name in _LISTS:
            if option not in effective:
                found.append(OptionDifference(planned=option, holds=""))
            continue
        key, wanted = _keyed(name, value)
        actual = holds.get(key)
        if actual is None or not _same(wanted, actual[0]):
            found.append(OptionDifference(planned=option, holds=actual[1] if actual else ""))
    return tuple(found)


def require_options(planned: Iterable[str], effective: Sequence[str]) -> None:
    """Raise ConfigureFailed that names each planned option and what holds instead."""
    if found := differing_options(planned, effective):
        raise ConfigureFailed(
            "Bazel would build with other options than planned",
            code="bazel-options-differ",
            why="\n".join(f"planned {d.planned}, holds {d.holds or 'none'}" for d in found),
            hint="an rc file of the tree or of the system says otherwise: fix it, or say flags: "
            "in the build file, which go before every rc file",
        )


def _holding(effective: Sequence[str]) -> dict[str, tuple[str, str]]:
    """What holds, by name: the value and the option that says so."""
    found: dict[str, tuple[str, str]] = {}
    for option in effective:
        name, value = _parts(option)
        if name not in _LISTS:
            key, value = _keyed(name, value)
            found[key] = (value, option)
    return found


def _parts(option: str) -> tuple[str, str]:
    name, _, value = option.removeprefix("--").partition("=")
    return name, value


def _keyed(name: str, value: str) -> tuple[str, str]:
    """The key under which the last one holds, and the value: --nox is --x=false."""
    if name in _BY_NAME:
        inner, _, rest = value.partition("=")
        return f"{name} {inner}", rest
    if name.startswith("no") and not value and not name.startswith(("node", "note", "normal")):
        return name.removeprefix("no"), "false"
    return name, value


def _same(wanted: str, actual: str) -> bool:
    one, other = wanted.lower(), actual.lower()
    is_switch = {one, other} <= (_TRUE | _FALSE)
    return wanted == actual or (is_switch and (one in _TRUE) == (other in _TRUE))
