"""Runs an action that failed in a build alone, where it was: here, or in its container."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tfbuild.bazel.failed_action import FailedAction, FailedActions
from tfbuild.core.documents import as_current
from tfbuild.core.errors import BadRequest, CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Runner, Tools, shell_line
from tfbuild.core.layout import RUNS
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command
from tfbuild.core.safe_files import read_json
from tfbuild.core.serialization import from_plain
from tfbuild.core.versions import did_you_mean
from tfbuild.recipes.records import ProductPlan

AnyPlan = TypeVar("AnyPlan")
_SHELL = ("bash", "--norc", "--noprofile", "-i")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where a failed action ran, opened again: runs its command, or gives a shell there."""

    runner: Runner
    enter: Callable[[], int]


def choose_action(kept: FailedActions, label: str) -> FailedAction:
    """The action of a target, or the first; BadRequest where none of that target failed."""
    if not label:
        return kept.actions[0]
    if found := next((action for action in kept.actions if action.label == label), None):
        return found
    labels = list(dict.fromkeys(action.label for action in kept.actions))
    raise BadRequest(
        f"no action of {label} failed in the run {kept.run}",
        code="failed-action-unknown",
        hint=did_you_mean(label, labels),
    )


def command_of(action: FailedAction) -> Command:
    """The action as a command that has its own variables and no others."""
    pairs = tuple(f"{name}={value}" for name, value in action.env)
    return Command(
        argv=("env", "-i", *pairs, *action.argv),
        stage="debug",
        purpose=f"{action.mnemonic} of {action.label}",
        cwd=action.folder,
        ok_codes=tuple(range(256)),
    )


def action_line(action: FailedAction) -> str:
    """The action as one would type it."""
    folder = shell_line(Command(argv=("cd", action.folder)))
    return f"{folder} && {shell_line(command_of(action))}"


def differences(kept: FailedActions, action: FailedAction) -> tuple[str, ...]:
    """In what running it alone is not as in the build."""
    if kept.recipe and not kept.bazel_version:
        return ("what it writes stays in the build folder, and the next build goes on with it",)
    said = []
    if action.sandbox:
        said.append(
            "not in a sandbox: it sees the whole source tree and all that was built, and what it "
            "writes stays in Bazel's output folder"
        )
    else:
        said.append("what it writes stays in Bazel's output folder")
    if not action.env:
        said.append("Bazel has set no variables for it: PATH is not set either")
    return tuple(said)


def run_again(action: FailedAction, scene: Scene, hear: Callable[[str], None]) -> int:
    """Run it alone and hand on each line that it says; its code.

    Raises OutOfMemory and DiskFull where it fails for these.
    """
    try:
        completed = scene.runner.run(command_of(action), lambda line: hear(line) if line else None)
    except CommandFailed as error:  # ended by a signal
        return error.status
    return completed.code


@contextmanager
def open_scene(kept: FailedActions, action: FailedAction, tools: Tools) -> Iterator[Scene]:
    """The place of an action; EnvironmentFailed where it is gone."""
    if kept.environment == "docker":
        with _in_container(kept, action, tools) as scene:
            yield scene
        return
    require_folder(action, tools.runner)
    yield Scene(runner=tools.runner, enter=lambda: _become_shell(action))


# --- inside ------------------------------------------------------------------------------------


@contextmanager
def _in_container(kept: FailedActions, action: FailedAction, tools: Tools) -> Iterator[Scene]:
    """A container of the same image with the same volume, in which Bazel keeps its output."""
    from tfbuild.builds.stages.container import open_container
    from tfbuild.containers.shell import enter

    plan = _plan_of_bazel(kept, tools)
    with open_container(plan, tools) as env:
        env.hold()  # no build may change what is looked at
        container = env.runner.container
        require_folder(action, env.runner)
        yield Scene(
            runner=env.runner,
            enter=lambda: enter(container, env=shell_variables(action), cwd=action.folder),
        )


def read_plan(kind: type[AnyPlan], kept: FailedActions, tools: Tools) -> AnyPlan:
    """The plan of the run; EnvironmentFailed where it cannot be read."""
    path = RUNS.path(tools.folders.work) / kept.run / "plan.json"
    with _readable(kept, path):
        document = as_current(read_json(path))
        document.pop("schema")
        return from_plain(kind, document)


def _plan_of_bazel(kept: FailedActions, tools: Tools) -> Plan:
    """That of a wheel, or of the TensorFlow tree whose library is packed as an archive."""
    path = RUNS.path(tools.folders.work) / kept.run / "plan.json"
    with _readable(kept, path):
        is_of_archive = as_current(read_json(path))["schema"] == "tfbuild.product-plan/2"
    if not is_of_archive:
        return read_plan(Plan, kept, tools)
    with _readable(kept, path):
        if plan := read_plan(ProductPlan, kept, tools).tree_plan:
            return plan
        raise ValueError("no step of it is of a TensorFlow tree")


@contextmanager
def _readable(kept: FailedActions, path: Path) -> Iterator[None]:
    """EnvironmentFailed for a plan that cannot be read, with what is wrong."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EnvironmentFailed(
            f"the plan of the run {kept.run} cannot be read",
            code="kept-plan-unreadable",
            why=f"{path}: {error}",
            hint="run the build again with this tfbuild, then `tfbuild debug`",
        ) from error


def _become_shell(action: FailedAction) -> int:
    """Give this very process to a shell: nothing of tfbuild stands between it and the terminal."""
    os.chdir(action.folder)
    shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
    words = _SHELL if shell == "/bin/bash" else ("sh", "-i")
    os.execve(shell, words, shell_variables(action))  # noqa: S606  (no shell of ours)


def shell_variables(action: FailedAction) -> dict[str, str]:
    """Those of the action, and what a person needs in a shell; its PWD often hides the folder."""
    label = action.label.replace("\\", "")
    prompt = {"PS1": rf"debug {label}\$ ", "TERM": os.environ.get("TERM", "xterm")}
    return dict(action.env) | prompt


def require_folder(action: FailedAction, runner: Runner) -> None:
    """EnvironmentFailed where the folder of an action is not there any more."""
    there = Command(argv=("test", "-d", action.folder), ok_codes=(0, 1), quiet=True)
    if runner.run(there).code:
        raise EnvironmentFailed(
            "the folder in which it ran is gone",
            code="action-folder-gone",
            why=f"there is no {action.folder}: what was built was removed since",
            hint="run the build again: what fails is kept anew",
        )
