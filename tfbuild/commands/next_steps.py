"""What `tfbuild` alone does: says what can be done next in this folder. It only looks at names."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tfbuild.core.layout import FAILED_ACTIONS, RUNS
from tfbuild.core.paths import work_folder
from tfbuild.reporting.console import ConsoleReporter, print_text, screen_width
from tfbuild.sources.recognition import is_tensorflow

_WORKSPACES = ("MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE")
_ALWAYS = (
    ("tfbuild doctor", "check what this machine can build"),
    ("tfbuild build", "build and prove the bundled runtime, into dist/"),
    ("tfbuild resolve tensorflow=2.16 gpu=sm_86", "find versions that work together"),
    ("tfbuild recipes list", "list what else can be built"),
)


def show_next_steps() -> None:
    """Print commands that one can type here, and what each is for."""
    steps = [*next_steps(Path.cwd(), work_folder()), *_ALWAYS]
    print_text("Turn a request into a wheel, and prove that it is what you asked for. Next:\n")
    _print_steps(steps)
    print_text("\n`tfbuild --help` lists all commands.")


def show_commands(title: str, commands: Mapping[str, str], more: str) -> None:
    """Print commands, each with what it is for, and the command that says more of them."""
    print_text(f"{title}\n" if title else "")
    ConsoleReporter().table("", ("", ""), [(f"  {name}", why) for name, why in commands.items()])
    print_text(f"\n`{more}` has the options of each.")


def _print_steps(steps: Sequence[tuple[str, str]]) -> None:
    """Print commands, never broken: what each is for stands below where beside is no room."""
    commands, reasons = zip(*steps, strict=True)
    column = max(map(len, commands)) + 2
    is_wide = column + max(map(len, reasons)) + 2 <= screen_width()
    for command, why in steps:
        print_text(f"  {command:{column}}{why}" if is_wide else f"  {command}\n      {why}")


def next_steps(folder: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Commands for what lies in a folder, and for its last build: each with what it is for."""
    runs = sorted(RUNS.path(work).glob("*"), reverse=True)
    if runs and (runs[0] / FAILED_ACTIONS).is_file():
        yield "tfbuild debug", "what failed in the last build of this folder, run alone"
    wheels = sorted((folder / "dist").glob("*.whl"))
    if wheels:
        wheel = shlex.quote(f"dist/{wheels[-1].name}")
        yield f"tfbuild audit {wheel}", "read back what the wheel holds"
        yield f"tfbuild smoke {wheel}", "run it in a clean environment"
    if is_tensorflow(folder):
        yield "tfbuild plan --source .", "versions and commands for the TensorFlow tree here"
        yield "tfbuild build --source .", "its wheel, proven"
    elif any((folder / name).is_file() for name in _WORKSPACES):
        yield "tfbuild plan --workspace . --target //...", "the Bazel workspace here"
