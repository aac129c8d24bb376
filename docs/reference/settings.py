"""The settings: what an option, a variable and a project file can say."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from docs.reference.commands import program, shown, shown_options
from docs.reference.markdown import code, codes, page, prose, table
from tfbuild.core.axes import axes
from tfbuild.core.build_kinds import OBEYED_BY, TITLES, Kind
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
_KEYS = """\
*Key* says whether a `pyproject.toml` may set it: *yes*; *trusted* only with `--trust-project` or
`TFBUILD_TRUST_PROJECT=1`, because the setting decides who is asked or what is run; *no* never.
A `pyproject.toml` of another user is ignored with a warning. Lists are written as TOML arrays in
the file, and in a variable with commas between them; those of `--workspace` as words of a shell.
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
        rows = [_row(name) for name in names]
        parts += [f"## {panel}\n", table(("Option", "Variable", "Key", "What it does", "Builds"), rows)]
    rows = [
        (code(f"{name}=SPEC"), code(variable(name)), code(name), f"Versions of {prose(row.label or name)}")
        for name, row in axes().items()
    ]
    return page(
        "Settings",
        "What can be set once for a project or a machine, instead of in each command.",
        _PRECEDENCE, _EXAMPLE, _KEYS, *parts,
        "## Versions\n",
        "The [axes](axes.md): what a build is made with. They count for builds that choose versions.\n",
        table(("Word", "Variable", "Key", "What it sets"), rows),
        "## Other variables\n",
        "No option and no file says the same as these.\n",
        table(("Variable", "What it does"), [(code(n), prose(t)) for n, t in OTHER_VARIABLES.items()]),
        summary="Every setting: its option, its environment variable and its key in pyproject.toml.",
    )  # fmt: skip


def _row(name: str) -> tuple[str, ...]:
    option = _options()[name]
    said = code(f"--{name} {option.metavar or ''}".strip())
    kinds = OBEYED_BY[name]
    obeyed = "all" if len(kinds) >= len(OBEYED_BY["jobs"]) else builds(kinds)
    return said, code(variable(name)), _key(name), prose(option.help), obeyed


def builds(kinds: tuple[Kind, ...]) -> str:
    """The kinds of build that obey a setting, in words."""
    return prose(", ".join(TITLES[kind] for kind in kinds))


def _key(name: str) -> str:
    return "no" if name in NEVER else "trusted" if name in NEEDS_CONSENT else "yes"
