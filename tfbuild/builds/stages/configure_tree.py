"""Configures a TensorFlow source tree: its own configure.py, asked nothing and believed nothing."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from tfbuild.core.child_environment import closed_start, search_path
from tfbuild.core.errors import CommandFailed, CommandTimedOut, ConfigureFailed, EnvironmentFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Environment, fill, literal, placeholders
from tfbuild.core.layout import STAND_INS
from tfbuild.core.outputs import Configured
from tfbuild.core.paths import real_path, write_aside
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command, Toolchain
from tfbuild.sources.configured import change_lines, check_written, filled_options, kept_safe
from tfbuild.sources.tensorflow_tree import CONFIGURED, read_tree
from tfbuild.sources.values import check_paths, real_compiler

_KEPT = {"HOME", "APPDATA", "PATH"}  # of a container: what it reads beside its answers
_LIBRARY = "import sysconfig; print(sysconfig.get_path('purelib'))"


def configure_tree(plan: Plan, env: Environment, workspace: Path) -> Configured:
    """What configure.py wrote into a folder: the tree itself, or one of tools/ alone for a trial.

    Files of an earlier run are there again when it fails. Raises ConfigureFailed where it refuses,
    hangs, is cut off, or writes something else than it was asked for; EnvironmentFailed where this
    machine has not what an answer needs.
    """
    tree = read_tree(env.toolchain.source)
    variables = _variables(plan, env)
    settings = tuple(variables.items())
    command = next(command for command in plan.commands if command.stage == "configure")
    argv = (*command.argv[:-1], f"--workspace={literal(str(workspace))}")
    path = f"{_stand_in(env.toolchain)}{os.pathsep}{search_path()}"
    given = (*settings, ("PATH", path))
    if plan.environment.kind == "host":
        check_paths(tree, plan.tree.places, variables)
        command = replace(command, argv=(*map(literal, closed_start(given)), *argv), env=())
    else:
        unset = tuple(sorted(tree.configure.reads - set(variables) - _KEPT))
        named = tuple((name, literal(text)) for name, text in given)
        command = replace(command, argv=argv, env=named, unset=unset)
    asked = filled_options(plan.tree.written, settings, env.toolchain)
    (workspace / "tools").mkdir(parents=True, exist_ok=True)
    rc_file = workspace / CONFIGURED
    with kept_safe(workspace):
        _run(command, env)
        text = _written(env, rc_file)
        check_written(text, asked, tree.configure)
        if plan.tree.rc_changes:
            text = change_lines(text, plan.tree.rc_changes)
            write_aside(rc_file, text)
    return Configured(
        rc_file=rc_file,
        settings=settings,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


# --- inside ------------------------------------------------------------------------------------


def _variables(plan: Plan, env: Environment) -> dict[str, str]:
    """The answers with the paths of this environment in them."""
    texts = "".join(text for _, text in plan.configure_answers)
    chain = env.toolchain
    words = placeholders(chain)
    if "{cuda}" in texts and not chain.cuda:
        raise EnvironmentFailed(
            f"this machine has no CUDA {plan.versions.value('cuda')} for the source tree",
            code="cuda-not-installed",
            why="its rules take one that is installed, and fetch none",
            hint="name its folders in the build file, variables: {TF_CUDA_PATHS: ...}, "
            "or build with --env docker",
        )
    if "{python_library}" in texts:
        ask = Command(argv=(chain.python, "-c", _LIBRARY), cwd="/", quiet=True)
        words["python_library"] = env.run(ask).stdout.strip()
    if "{c_compiler}" in texts:
        words["c_compiler"] = _c_compiler(chain)
    return {name: fill(text, words) for name, text in plan.configure_answers}


def _c_compiler(chain: Toolchain) -> str:
    """The C compiler beside the C++ one; what a link of ccache would call."""
    path = Path(chain.compiler)
    beside = path.with_name(path.name.replace("g++", "gcc"))
    found = real_compiler(str(beside))
    if not found:
        raise EnvironmentFailed(
            f"{beside} is a link of a compiler cache, and there is no {beside.name} behind it",
            code="linked-compiler-missing",
            why="configure.py would resolve the link, and lose the compiler",
            hint=f"install {beside.name}, or name it in variables: GCC_HOST_COMPILER_PATH",
        )
    return str(real_path(Path(found)))


def _stand_in(chain: Toolchain) -> Path:
    """A folder with a `bazel` that only says its version: configure.py asks for nothing else."""
    folder = STAND_INS.path(chain.work)
    version = chain.bazel_version
    lines = (
        "#!/bin/sh",
        f'case "$*" in *--version*) echo "bazel {version}";;',
        f'  *) echo "Build label: {version}";; esac',
    )
    given = ForeignTree(real_path(chain.work))
    given.write(f"{folder.name}/bazel", "\n".join(lines) + "\n", mode=0o755)
    return folder


def _run(command: Command, env: Environment) -> None:
    try:
        env.run(command)
    except CommandTimedOut as error:
        raise ConfigureFailed(
            f"configure.py did not end within {command.timeout / 60:.0f} minutes",
            code="configure-timed-out",
            why="\n".join(_said(error)) or "it said nothing",
            hint="it may wait for an answer: give it in the build file, under variables",
            log=error.log,
        ) from error
    except CommandFailed as error:
        raise ConfigureFailed(
            "configure.py of the source tree refused",
            code="configure-refused",
            why="\n".join(_said(error)) or error.message,
            hint="correct the value that it names, in the build file or in the command",
            log=error.log,
        ) from error


def _said(error: CommandFailed) -> list[str]:
    return [line for line in error.last_lines if line.strip()][-6:]


def _written(env: Environment, rc_file: Path) -> str:
    try:
        return env.read(str(rc_file)).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigureFailed(
            "configure.py ended well but wrote no configuration",
            code="configuration-not-written",
            why=f"{rc_file}: {error}",
            hint="see in the log what it said",
        ) from error
