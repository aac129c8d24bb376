"""What `build --workspace` and `plan --workspace` do: wishes to a request, a record to words."""

import datetime as dt
from collections.abc import Mapping

from tfbuild.builds.delivery import require_output
from tfbuild.commands.context import open_tools, read_settings
from tfbuild.core.deadline import read_deadline
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import named_path
from tfbuild.core.settings import Settings, is_yes
from tfbuild.core.words import split_words
from tfbuild.core.workspaces import Override, WorkspaceRequest
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter, print_file, print_json, print_text


def build_targets(
    words: tuple[str, ...], flags: Mapping[str, str], *, as_json: bool, verbosity: int
) -> None:
    """Build the targets of a workspace and print where the record is, or the record as JSON."""
    from tfbuild.builds.workspace import build_workspace, workspace_document
    from tfbuild.reporting.workspace_text import workspace_text

    with ConsoleReporter(verbosity) as reporter:
        request = read_workspace_request(words, flags, reporter)
        if request.collect:
            require_output(request.output)
        with open_tools(reporter, keep=True) as tools:
            report = build_workspace(request, open_tables(), tools)
            folder = tools.folders.run
    if as_json:
        print_json(workspace_document(report))
    else:
        print_text(workspace_text(report, folder))


def show_workspace_plan(words: tuple[str, ...], flags: Mapping[str, str], *, style: str) -> None:
    """Print the plan of a workspace's build as text, JSON or a script."""
    from tfbuild.builds.workspace import plan_document
    from tfbuild.builds.workspace_plan import plan_workspace
    from tfbuild.commands.build import require_style
    from tfbuild.reporting.workspace_text import workspace_plan_script, workspace_plan_text

    require_style(style)
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        request = read_workspace_request(words, flags, reporter)
        plan = plan_workspace(request, open_tables(), tools)
    if style == "json":
        print_json(plan_document(plan))
    elif style == "script":
        print_file(workspace_plan_script(plan))
    else:
        print_text(workspace_plan_text(plan))


def read_workspace_request(
    words: tuple[str, ...], flags: Mapping[str, str], reporter: ConsoleReporter
) -> WorkspaceRequest:
    """The request that words and flags mean; BadRequest names the first thing that cannot be."""
    from tfbuild.builds.services import read_services
    from tfbuild.builds.stages.request import read_jobs
    from tfbuild.builds.workspace_plan import workspace_at

    settings = read_settings(words, flags, reporter)
    bazel = settings.get("bazel")
    return WorkspaceRequest(
        workspace=workspace_at(settings.text("workspace")),
        targets=_targets(settings),
        bazel=bazel.value if bazel else "",
        bazel_origin=bazel.origin if bazel else "",
        configs=_list(settings, "bazel-config"),
        flags=_flags(settings),
        overrides=tuple(_override(word) for word in _list(settings, "override-repository")),
        stand_ins=is_yes(settings.get("stand-ins")),
        offline=is_yes(settings.get("offline")),
        jobs=read_jobs(settings.text("jobs")),
        collect=is_yes(settings.get("collect")),
        output=named_path(settings.text("output") or "dist").absolute(),
        services=read_services(settings),
        deadline=read_deadline(settings.text("deadline"), dt.datetime.now().astimezone()),
    )


# --- inside ------------------------------------------------------------------------------------


def _list(settings: Settings, name: str) -> tuple[str, ...]:
    try:
        words = tuple(split_words(settings.text(name)))
    except ValueError as error:
        raise BadRequest(
            f"{name} is '{settings.text(name)}'", why=str(error), hint="close the quotes"
        ) from error
    if any(not word.isprintable() or not word for word in words):
        raise BadRequest(f"{name} holds an empty word or a line break", hint="write it on one line")
    return words


def _targets(settings: Settings) -> tuple[str, ...]:
    """The targets; BadRequest for an option in their place, and where there is none to build."""
    targets = _list(settings, "target")
    if not any(not target.startswith("-") for target in targets):
        raise BadRequest(
            "no target is named", hint="say what to build: --target //... is all of the workspace"
        )
    for target in targets:
        bare = target.removeprefix("-")
        if bare.startswith("-") or "=" in bare.partition(":")[0]:
            raise BadRequest(
                f"--target is '{target}', which is no label", hint="write //..., //folder:name"
            )
    return targets


def _flags(settings: Settings) -> tuple[str, ...]:
    flags = _list(settings, "bazel-flag")
    for flag in flags:
        if not flag.startswith("-") or flag == "--":
            raise BadRequest(
                f"--bazel-flag is '{flag}', which is no option",
                hint="write it as one word, such as --bazel-flag=--copt=-O1",
            )
    return flags


def _override(word: str) -> Override:
    name, _, text = word.partition("=")
    path = named_path(text).absolute()
    if not name or not text or not path.is_dir():
        raise BadRequest(
            f"--override-repository is '{word}'",
            why="" if not text else f"there is no folder {path}",
            hint="write NAME=DIR, with a folder that is there",
        )
    return Override(name=name, path=path)
