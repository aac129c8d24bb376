"""A group without a command: runs the command that shows what there is, and names the others."""

from collections.abc import Callable
from typing import Any

import typer


def shows(
    group: typer.Typer, command: Callable[[], None] | None = None
) -> Callable[[typer.Context], None]:
    """Let a group alone run one of its commands and name the others, or name all; what does so."""

    @group.callback(invoke_without_command=True)
    def show(context: typer.Context) -> None:
        if context.invoked_subcommand is not None:
            return
        if command:
            command()
        _name_others(context, command)

    return show


# --- inside ------------------------------------------------------------------------------------


def _name_others(context: typer.Context, shown: Callable[[], None] | None) -> None:
    from tfbuild.commands.next_steps import show_commands

    group: Any = context.command
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    said = {
        f"{context.command_path} {name}": command.help.partition("\n\n")[0]
        for name, command in found.items()
        if not command.hidden and (shown is None or command.callback.__wrapped__ is not shown)
    }
    if said:
        title = "" if shown else f"{group.help}\n"
        show_commands(title, said, f"{context.command_path} COMMAND --help")
