"""The settings: what an option, a variable and a project file can say."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from docs.reference.commands import program, shown, shown_options
from docs.reference.markdown import code, page, prose, table
from tfbuild.core.axes import Axis, axes
from tfbuild.core.build_kinds import OBEYED_BY, TITLES
from tfbuild.core.project_file import NEEDS_CONSENT, NEVER
from tfbuild.core.settings import OPTIONS, OTHER_VARIABLES

_PRECEDENCE = """\
Each setting can be said in three places. The first of them that says something decides:

1. an option of the command, `--jobs 4`, or for an axis a word, `python=3.13`
2. an environment variable, `TFBUILD_JOBS=4`
3. a key of the table `[tool.tfbuild]` in the nearest `pyproject.toml`, `jobs = 4`

`tfbuild config show` prints each setting with the place that it comes from.
"""
_EXAMPLE = """\
```toml title="pyproject.toml"
[tool.tfbuild]
python = "3.13"
jobs = 4
skip-perf = true
```
"""
_COLUMNS = """\
*Key* says whether a `pyproject.toml` may set it: *yes*; *trusted* only with `--trust-project` or
`TFBUILD_TRUST_PROJECT=1`, because the setting decides who is asked or what is run; *no* never.
A `pyproject.toml` of another user is ignored with a warning. *Builds* are the kinds of build that
obey the setting; the others refuse the option.

A list is a TOML array in the file. In a variable its items have commas between them, those of
`--workspace` blanks, as in a shell.
"""


def setting_pages() -> dict[str, str]:
    """The page of all settings."""
    return {"reference/settings.md": _page()}


def variable(setting: str) -> str:
    """The environment variable of a setting."""
    return f"TFBUILD_{setting.upper().replace('-', '_')}"


# --- inside ------------------------------------------------------------------------------------


@cache
def _options() -> Mapping[str, Any]:
    """The option of each setting; those of `build` first, which takes nearly all."""
    commands = [shown(program())["build"], *shown(program()).values()]
    found: dict[str, Any] = {}
    for command in commands:
        for option in shown_options(command):
            for word in option.opts:
                found.setdefault(word.removeprefix("--"), option)
    return found


def _page() -> str:
    panels: dict[str, list[str]] = {}
    for name in OPTIONS:
        panels.setdefault(_options()[name].rich_help_panel, []).append(name)
    parts = []
    for panel, names in panels.items():
        head = ("Option and variable", "Key", "What it does", "Builds")
        parts += [f"## {panel}\n", table(head, map(_row, names))]
    others = [(code(name), prose(text)) for name, text in OTHER_VARIABLES.items()]
    return page(
        "Settings",
        "What can be set once for a project or a machine, instead of in each command.",
        _PRECEDENCE,
        _EXAMPLE,
        _COLUMNS,
        *parts,
        "## Versions\n",
        "What a build is made with, as [axes](axes.md). Builds that choose versions obey them.\n",
        table(("Word", "Variable", "Key", "What it sets"), map(_axis_row, axes().values())),
        "## Other variables\n",
        "No option and no file says the same as these.\n",
        table(("Variable", "What it does"), others),
        summary="Every setting: its option, its environment variable, its key in pyproject.toml.",
    )


def _row(name: str) -> tuple[str, ...]:
    option = _options()[name]
    said = code(f"--{name} {option.metavar or ''}".strip())
    return f"{said}<br>{code(variable(name))}", _key(name), prose(option.help), _builds(name)


def _axis_row(row: Axis) -> tuple[str, ...]:
    name = row.axis
    return code(f"{name}=SPEC"), code(variable(name)), code(name), prose(row.label or name)


def _builds(name: str) -> str:
    """The kinds of build that obey a setting; what can be asked of a build is obeyed by all."""
    kinds = OBEYED_BY[name]
    return (
        "all"
        if set(OBEYED_BY["jobs"]) <= set(kinds)
        else prose(", ".join(TITLES[k] for k in kinds))
    )


def _key(name: str) -> str:
    return "no" if name in NEVER else "trusted" if name in NEEDS_CONSENT else "yes"
