"""What `tfbuild debug` does: what failed in the last build, run alone, entered or printed."""

from pathlib import Path

from tfbuild.bazel.failed_action import FailedAction, FailedActions, find_failed_actions
from tfbuild.commands.context import open_tools
from tfbuild.core.errors import BadRequest, BuildFailed
from tfbuild.core.masking import mask
from tfbuild.core.paths import work_folder
from tfbuild.core.run_folder import old_work_warning, require_own_work
from tfbuild.core.serialization import to_plain
from tfbuild.reporting.console import ConsoleReporter, print_file, print_json, print_text


def debug(run: str, label: str, *, is_shell: bool, is_shown: bool, as_json: bool) -> int:
    """Run the action and print what it says; the code of a shell, else 0.

    Raises BuildFailed where the action fails alone, too, OutOfMemory and DiskFull where it fails
    for these, BadRequest where there is nothing to run.
    """
    from tfbuild.builds.debug import action_line, choose_action

    if is_shell and (is_shown or as_json):
        raise BadRequest(
            "--shell goes with no other output",
            code="options-contradict",
            hint="leave one of them out",
        )
    if as_json and not is_shown:
        raise BadRequest(
            "--json is about what --print shows",
            code="json-without-print",
            hint="write --print --json, or leave it out",
        )
    work = work_folder()
    require_own_work(work)
    kept = _kept_actions(work, run)
    action = choose_action(kept, label)
    if as_json:
        print_json({"schema": "tfbuild.debug/1", **to_plain(kept)})
        return 0
    if is_shown:
        print_file(mask(action_line(action)))
        return 0
    return _at_the_scene(kept, action, is_shell=is_shell)


def _kept_actions(work: Path, run: str) -> FailedActions:
    """What was kept; where nothing was, the error names a work folder that came with a checkout."""
    try:
        return find_failed_actions(work, run)
    except BadRequest as error:
        error.why = "; ".join(filter(None, (error.why, old_work_warning(Path.cwd()))))
        raise


def _at_the_scene(kept: FailedActions, action: FailedAction, *, is_shell: bool) -> int:
    from tfbuild.builds.debug import action_line, differences, run_again
    from tfbuild.containers.shell import require_terminal
    from tfbuild.run.debug import open_scene

    if is_shell:
        require_terminal()
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        for line in (_title(kept, action), *differences(kept, action)):
            reporter.note(line)
        with open_scene(kept, action, tools) as scene:
            if is_shell:
                reporter.note(f"it was: {mask(action_line(action))}")
                return scene.enter()
            code = run_again(action, scene, lambda line: print_text(mask(line)))
    if code:
        by = f"by signal {-code}" if code < 0 else f"with code {code}"
        raise BuildFailed(
            f"{action.mnemonic} of {action.label} fails alone as well: it ended {by}",
            code="action-fails-alone",
            hint="fix the source and build again; `tfbuild debug --shell` opens a shell there",
        )
    print_text(
        f"{action.mnemonic} of {action.label} ends well alone: it lacked something in the build (a "
        "file that its target does not name, memory, time), or the sources have changed since"
    )
    return 0


def _title(kept: FailedActions, action: FailedAction) -> str:
    others = len(kept.actions) - 1
    more = f"; {others} more failed, `--target LABEL` chooses" if others else ""
    place = "in its container" if kept.environment == "docker" else "on this machine"
    return f"run {kept.run}: {action.mnemonic} of {action.label}, {place}{more}"
