"""Asks Bazel itself which options will hold, before hours are spent on others."""

import os
from dataclasses import replace
from pathlib import Path

from tfbuild.bazel.turns import call_in_turn
from tfbuild.core.disk_space import require_room
from tfbuild.core.errors import ConfigureFailed, EnvironmentFailed
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import EFFECTIVE
from tfbuild.core.outputs import Configured
from tfbuild.core.plans import Plan
from tfbuild.core.process import find_program
from tfbuild.core.records import Command
from tfbuild.sources.configured import filled_options
from tfbuild.sources.effective import read_effective, require_options

_CODES = tuple(range(64))
_TMPDIR_MB = 2000  # what compilers and the linker of a TensorFlow build put there
_NUMPY = "import numpy; print(numpy.__version__)"
_ERRORS = ("ERROR", "FATAL", "Error")


def read_back(plan: Plan, configured: Configured, env: Environment) -> tuple[str, ...]:
    """The options that hold; ConfigureFailed where they are not those of the plan.

    Bazel loads and analyses the targets for it and builds nothing: what would fail hours later
    for a missing archive or target fails now. Raises EnvironmentFailed and DiskFull for what the
    build lacks.
    """
    _check_needs(plan)
    _check_numpy(plan, env)
    events = EFFECTIVE.path(env.toolchain.work)
    events.unlink(missing_ok=True)
    command = next(command for command in plan.commands if command.stage == "readback")
    completed = call_in_turn(replace(command, ok_codes=_CODES), env)
    if not events.is_file():
        raise _refused(completed.last_lines, completed.code)
    effective = read_effective(events)
    require_options(
        filled_options(plan.tree.holding, configured.settings, env.toolchain), effective
    )
    if completed.code:
        raise _refused(completed.last_lines, completed.code)
    return effective


# --- inside ------------------------------------------------------------------------------------


def _check_needs(plan: Plan) -> None:
    if plan.environment.kind == "host":
        for name in plan.tree.needs:
            if not find_program(name):
                raise EnvironmentFailed(
                    f"{name} is not on the PATH",
                    code="tree-program-missing",
                    why="an action of the tree calls it, after hours",
                    hint=f"install it (apt-get install {name}, or pip install {name})",
                )
    require_room(Path(os.environ.get("TMPDIR") or "/tmp"), _TMPDIR_MB, "what compilers put aside")  # noqa: S108


def _check_numpy(plan: Plan, env: Environment) -> None:
    """Rules of older trees import numpy with the configured Python, and compile against it."""
    if not plan.tree.numpy:
        return
    python = dict(plan.configure_answers).get("PYTHON_BIN_PATH", "{python}")
    python = env.toolchain.python if python == "{python}" else python
    asked = Command(argv=(python, "-c", _NUMPY), cwd="/", quiet=True, ok_codes=(0, 1))
    completed = env.run(asked)
    found = completed.stdout.strip()
    if completed.code or not found:
        raise EnvironmentFailed(
            f"{python} has no numpy, which the rules of TensorFlow {plan.tree.release} import",
            code="numpy-missing",
            why="it is compiled against the headers in it",
            hint=f"run: {python} -m pip install numpy=={plan.tree.numpy} wheel packaging; or name "
            "another Python in variables: PYTHON_BIN_PATH and PYTHON_LIB_PATH",
        )
    if found != plan.tree.numpy:
        env.tools.reporter.warn(
            f"{python} has numpy {found}, and the plan {plan.tree.numpy}: "
            "the wheel will be for the first",
            code="numpy-differs",
        )


def _refused(lines: tuple[str, ...], code: int) -> ConfigureFailed:
    said = [line for line in lines if line.startswith(_ERRORS)] or [line for line in lines if line]
    why = "\n".join(said[:6])
    if any("Unrecognized option" in line for line in said):
        return ConfigureFailed(
            "this Bazel does not know an option of the tree's .bazelrc",
            code="bazel-option-unknown",
            why=why,
            hint="take the Bazel that the tree's .bazelversion names: leave bazel= out",
        )
    return ConfigureFailed(
        f"Bazel cannot analyse the targets of the tree: it ended with code {code}",
        code="analysis-failed",
        why=why,
        hint="fix what it names; what the tree downloads can be put into folders named under "
        "distdir in the build file",
    )
