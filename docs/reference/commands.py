"""The commands and their options, as `--help` shows them."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import typer

from docs.reference.markdown import block, code, codes, heading, page, prose, table
from tfbuild.cli.app import app

_NO_PANEL = "Options"
_FOLDER = "reference/commands"


@cache
def program() -> Any:  # noqa: ANN401  (typer's own class has no public name)
    """The tree of commands."""
    return typer.main.get_command(app)


def shown(group: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """The commands of a group, without those that its help does not name."""
    return {name: one for name, one in group.commands.items() if not one.hidden}


def shown_options(command: Any) -> list[Any]:  # noqa: ANN401
    """The options of a command that its help names."""
    return [one for one in command.params if one.param_type_name == "option" and not one.hidden]


def command_pages() -> dict[str, str]:
    """A page for each command, and one that lists them in the groups of the help."""
    pages = {f"{_FOLDER}/index.md": _list()}
    for named in _by_panel().values():
        pages |= {f"{_FOLDER}/{name}.md": _page(name, command) for name, command in named.items()}
    return pages


# --- inside ------------------------------------------------------------------------------------


def _by_panel() -> dict[str, dict[str, Any]]:
    """The commands by their groups, in the order of the help."""
    found: dict[str, dict[str, Any]] = {}
    for name, command in sorted(shown(program()).items(), key=lambda one: _is_group(one[1])):
        found.setdefault(command.rich_help_panel, {})[name] = command
    return found


def _is_group(command: Any) -> bool:  # noqa: ANN401
    return hasattr(command, "commands")


def _list() -> str:
    parts = []
    for panel, named in _by_panel().items():
        rows = [(f"[`tfbuild {name}`]({name}.md)", _first(one)) for name, one in named.items()]
        parts += [f"## {panel}\n", table(("Command", "What it does"), rows)]
    return page(
        "Commands",
        "The commands of `tfbuild`, in the groups of `tfbuild --help`. Without a command, `tfbuild`"
        " says what can be done next in the current folder.",
        *parts,
        "## Options of the program itself\n",
        "They stand before a command. `-h` or `--help` is taken by each command as well.\n",
        _options(shown_options(program())),
        summary="Every command with its arguments, options and examples.",
    )


def _page(name: str, command: Any) -> str:  # noqa: ANN401
    title = f"tfbuild {name}"
    if not _is_group(command):
        about, more = _said(command)
        return page(title, about, more, *_parts(title, command, 2))
    parts = []
    for below, one in shown(command).items():
        about, more = _said(one)
        parts += [heading(2, f"{title} {below}", below), about + "\n", more]
        parts += _parts(f"{title} {below}", one, 3, f"{below}-")
    return page(title, _said(command)[0], *parts)


def _parts(title: str, command: Any, level: int, before: str = "") -> Iterator[str]:  # noqa: ANN401
    """How a command is called: its usage, its examples, its arguments, its options in panels."""
    context = command.context_class(command, info_name=title)
    yield block(" ".join([title, *command.collect_usage_pieces(context)]), "text")
    if examples := _examples(command):
        yield heading(level, "Examples", f"{before}examples")
        yield block("\n".join(examples), "sh")
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    if arguments:
        rows = [(code(one.make_metavar(context)), prose(one.help or "")) for one in arguments]
        yield heading(level, "Arguments", f"{before}arguments")
        yield table(("Argument", "What it is"), rows)
    panels: dict[str, list[Any]] = {}
    for option in shown_options(command):
        panels.setdefault(option.rich_help_panel or _NO_PANEL, []).append(option)
    for panel, options in panels.items():
        yield heading(level, panel, before + panel.lower().replace(",", "").replace(" ", "-"))
        yield _options(options)


def _options(options: list[Any]) -> str:
    return table(
        ("Option", "What it does"), [(_name(one), prose(one.help or "")) for one in options]
    )


def _name(option: Any) -> str:  # noqa: ANN401
    """Each spelling of an option, and what stands behind it."""
    takes = option.metavar or ("TEXT" if not (option.is_flag or option.count) else "")
    return codes(f"{word} {takes}".strip() for word in option.opts)


def _first(command: Any) -> str:  # noqa: ANN401
    return _said(command)[0]


def _said(command: Any) -> tuple[str, str]:  # noqa: ANN401
    """The help of a command: its first paragraph, and the others."""
    first, *others = (command.help or "").split("\n\n")
    return prose(first), "".join(f"{prose(other)}\n\n" for other in others)


def _examples(command: Any) -> list[str]:  # noqa: ANN401
    lines = (command.epilog or "").splitlines()
    return [line.strip() for line in lines if line.startswith("  ")]
