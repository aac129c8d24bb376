"""Options of `plan` and `build` for workspaces of others, and the command `debug`."""

import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tfbuild.cli.completion import found_by
from tfbuild.cli.options import BuildOptions, Json, flags_of, typed_alone

if TYPE_CHECKING:
    from tfbuild.commands.buildable.base import Asked

Workspace = Annotated[
    str,
    typer.Option(metavar="DIR", help="Build this Bazel workspace instead, without wheel or audit."),
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target", metavar="LABEL", help="A target of the workspace: //..., //a:b; repeatable."
    ),
]
Configs = Annotated[
    list[str] | None,
    typer.Option(
        "--bazel-config", metavar="NAME", help="A --config from its .bazelrc; repeatable."
    ),
]
Flags = Annotated[
    list[str] | None,
    typer.Option("--bazel-flag", metavar="FLAG", help="A flag for `bazel build`; repeatable."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--override-repository",
        metavar="NAME=DIR",
        help="Use a folder as this repository; repeatable.",
    ),
]
StandIns = Annotated[
    bool,
    typer.Option("--stand-ins", help="Replace rules_cc and others, so that no network is needed."),
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Download nothing, and list all that is missing.")
]
Collect = Annotated[
    bool, typer.Option("--collect", help="Copy the files of the targets to --output.")
]
RunName = Annotated[
    str,
    typer.Option(
        "--run",
        metavar="ID",
        help="The run to debug (default: the last that failed).",
        autocompletion=found_by("failed_runs"),
    ),
]
FailedLabel = Annotated[
    str, typer.Option("--target", metavar="LABEL", help="The target to debug, if several failed.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceOptions:
    """What `plan` and `build` ask for beside, where a workspace is built."""

    workspace: Workspace = ""
    target: Targets = None
    bazel_config: Configs = None
    bazel_flag: Flags = None
    override_repository: Overrides = None
    stand_ins: StandIns = False
    offline: Offline = False
    collect: Collect = False


def workspace_flags(options: WorkspaceOptions) -> dict[str, str]:
    """The options that were given, as settings' texts; lists as one would type them."""
    flags = {}
    for name, value in asdict(options).items():
        if value:
            text = (
                "true" if value is True else value if isinstance(value, str) else shlex.join(value)
            )
            flags[name.replace("_", "-")] = text
    return flags


def asked_of(asked: BuildOptions, foreign: WorkspaceOptions, *, as_json: bool) -> "Asked":
    """What `build` and `plan` were asked for, of whatever kind."""
    from tfbuild.commands.buildable.base import Asked

    return Asked(
        words=tuple(asked.words or ()),
        flags=flags_of(asked) | workspace_flags(foreign),
        models=asked.model or (),
        matrix=tuple(asked.matrix or ()),
        more=typed_alone(asked, json=as_json),
    )


def debug(
    run: RunName = "",
    target: FailedLabel = "",
    shell: Annotated[bool, typer.Option("--shell", help="Open a shell where it ran.")] = False,
    show: Annotated[
        bool, typer.Option("--print", help="Print the command as you would type it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Rerun the failed command of the last build, or open a shell where it ran."""
    from tfbuild.cli.options import leave
    from tfbuild.commands.debug import debug as start

    leave(start(run, target, is_shell=shell, is_shown=show, as_json=as_json))
