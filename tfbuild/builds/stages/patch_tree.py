"""Applies the patches of a plan to a TensorFlow source tree, each once."""

from dataclasses import replace

from tfbuild.core.errors import CommandFailed, ConfigureFailed
from tfbuild.core.interfaces import Environment
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command


def patch_tree(plan: Plan, env: Environment) -> int:
    """How many patches were applied; those that are in the tree already stay as they are.

    A patch that does not fit changes nothing. Raises ConfigureFailed that names it.
    """
    applied = 0
    for command in plan.commands:
        if command.stage == "patch" and not _fits(command, env, "--reverse"):
            if not _fits(command, env):
                raise ConfigureFailed(
                    f"the patch {command.purpose} does not fit this tree",
                    code="patch-not-fitting",
                    why=f"it is neither applied nor can it be; the tree is {plan.tree.release}",
                    hint="name the releases that it is for, under patches in the build file",
                )
            _apply(command, env)
            applied += 1
    return applied


def _fits(command: Command, env: Environment, *options: str) -> bool:
    """Whether the patch would go through, in whole."""
    argv = (*command.argv, *options, "--dry-run")
    return env.run(replace(command, argv=argv, ok_codes=(0, 1, 2), quiet=True)).code == 0


def _apply(command: Command, env: Environment) -> None:
    try:
        env.run(command)
    except CommandFailed as error:
        raise ConfigureFailed(
            f"the patch {command.purpose} could not be applied",
            code="patch-not-applied",
            why="\n".join(error.last_lines[-6:]),
            hint="see whether it fits the release; the next build begins with a fresh copy",
            log=error.log,
        ) from error
