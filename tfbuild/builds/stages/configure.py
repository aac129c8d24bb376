"""Runs the source tree's configure script with the plan's answers."""

import hashlib
import json
from pathlib import Path

from tfbuild.core.errors import CommandFailed, ConfigureFailed
from tfbuild.core.interfaces import Environment, fill, placeholders
from tfbuild.core.layout import ANSWERS, CONFIGURE_RC
from tfbuild.core.outputs import Configured
from tfbuild.core.paths import write_aside
from tfbuild.core.plans import Plan
from tfbuild.core.records import Toolchain


def configure(plan: Plan, env: Environment) -> Configured:
    """The rc file that configure.py wrote; ConfigureFailed with its own words when it refuses."""
    toolchain = env.toolchain
    answers = _answers(plan, toolchain)
    write_aside(ANSWERS.path(toolchain.work), json.dumps(answers, indent=1) + "\n")
    rc_file = CONFIGURE_RC.path(toolchain.work)
    for command in plan.commands:
        if command.stage == "configure":
            try:
                env.run(command)
            except CommandFailed as error:
                raise _refused(error, toolchain.source) from error
    try:
        content = env.read(str(rc_file))
    except OSError as error:
        raise ConfigureFailed(
            "configure.py ended well but wrote no configuration",
            code="configuration-not-written",
            why=f"{rc_file} is not there",
            hint=f"see what {toolchain.source / 'configure.py'} does with --output",
        ) from error
    return Configured(
        rc_file=rc_file,
        settings=tuple(answers.items()),
        digest=hashlib.sha256(content).hexdigest(),
    )


def _answers(plan: Plan, toolchain: Toolchain) -> dict[str, str]:
    """What configure.py would ask, answered; paths are those inside the environment."""
    words = placeholders(toolchain)
    return {name: fill(text, words) for name, text in plan.configure_answers}


def _refused(error: CommandFailed, source: Path) -> ConfigureFailed:
    said = [line for line in error.last_lines if line.strip()]
    return ConfigureFailed(
        "configuring the source tree failed",
        code="configure-refused",
        why="\n".join(said[-6:]) or error.message,
        hint=f"fix what it names; the script is {source / 'configure.py'}",
        log=error.log,
    )
