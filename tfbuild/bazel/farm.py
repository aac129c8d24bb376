"""Lets a farm run one small action before the build, which names the compiler that it has.

Results of a farm are taken as if this machine had compiled them, so it must have the same compiler.
"""

import re
from collections.abc import Sequence

from tfbuild.bazel.identity import IDENTITY_SCRIPT, compiler_identity
from tfbuild.core.errors import CommandFailed, CommandTimedOut
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.layout import BAZEL_OUTPUTS, FARM
from tfbuild.core.paths import real_path
from tfbuild.core.records import Command

_SECONDS = 90.0  # a server starts, and the farm may be busy
_MARK = "toolchain: "
_PLAIN = re.compile(r"[\w./+-]+")
_BUILD = """genrule(
    name = "who",
    srcs = ["who.sh"],
    outs = ["who.txt"],
    cmd = "sh $(location who.sh) 'COMPILER' > $@; sed 's/^/MARK/' $@",
)
"""


def farm_trouble(flags: Sequence[str], rc_file: str, env: Environment) -> str:
    """Why a farm must not compile for this machine, in words; empty where it may.

    flags are those that lead a call of Bazel to it, and rc_file what lets it in.
    """
    compiler = env.toolchain.compiler
    if not _PLAIN.fullmatch(compiler):
        return f"the path {compiler} cannot be asked for there"
    folder, given = FARM.path(env.toolchain.work), ForeignTree(real_path(env.toolchain.work))
    given.write(f"{folder.name}/WORKSPACE", 'workspace(name = "tfbuild_farm")\n')
    given.write(f"{folder.name}/who.sh", IDENTITY_SCRIPT)
    text = _BUILD.replace("MARK", _MARK).replace("COMPILER", compiler)
    given.write(f"{folder.name}/BUILD", text)
    command = Command(
        argv=(
            *("{bazel}", "--nohome_rc", f"--output_user_root={{cache}}/{BAZEL_OUTPUTS.name}"),
            *("--max_idle_secs=10", literal(f"--bazelrc={rc_file}"), "build", "--symlink_prefix=/"),
            *("--nosandbox_debug", "--color=no", "--curses=no", "--spawn_strategy=remote"),
            *("--incompatible_strict_action_env", *flags),
            *("--disk_cache=", "--remote_cache=", "--noremote_accept_cached", "//:who"),
        ),
        purpose="ask the farm for its compiler",
        cwd=literal(str(folder)),
        timeout=_SECONDS,
        quiet=True,
    )
    try:
        said = env.run(command)
    except CommandTimedOut:
        return f"it has run no action within {_SECONDS:.0f} s"
    except CommandFailed as error:
        lines = [line for line in error.last_lines if "ERROR" in line] or error.last_lines[-3:]
        return f"it could not run an action: {' '.join(lines)[:300]}"
    return _difference((*said.stdout.splitlines(), *said.last_lines), env)


def _difference(lines: Sequence[str], env: Environment) -> str:
    marked = [line.removeprefix(_MARK) for line in lines if line.startswith(_MARK)]
    there = list(dict.fromkeys(marked))
    here = list(dict.fromkeys(compiler_identity(env).splitlines()))
    if there == here:
        return ""
    if not there:
        return "it does not say which compiler it has"
    other = next((pair for pair in zip(here, there, strict=False) if pair[0] != pair[1]), None)
    if other is None:
        return "its compiler is another one than this machine's"
    return f"its compiler is another one: '{other[1][:40]}' there, '{other[0][:40]}' here"
