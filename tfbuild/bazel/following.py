"""What a call of Bazel is followed with: the flags that make it report, and who listens."""

from collections.abc import Callable
from dataclasses import replace

from tfbuild.bazel.estimate import Estimator
from tfbuild.bazel.fewer_jobs import jobs_of
from tfbuild.bazel.follower import Follower
from tfbuild.bazel.governor import Governor
from tfbuild.bazel.history import History, machine_key, tree_key
from tfbuild.bazel.processes import find_server, words_of_process
from tfbuild.bazel.server import server_pid
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import PROFILE
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Command, Toolchain
from tfbuild.core.versions import contains
from tfbuild.core.yaml_rows import read_rows
from tfbuild.facts.build_rows import BazelFlagRow, MemoryRow


def observed(command: Command, toolchain: Toolchain) -> Command:
    """The command with the flags by which this Bazel writes a profile; none of them is an input."""
    if "build" not in command.argv:
        return command
    at = command.argv.index("build") + 1
    flags = watching_flags(toolchain.bazel_version)
    return replace(command, argv=(*command.argv[:at], *flags, *command.argv[at:]))


def watching_flags(version: str) -> tuple[str, ...]:
    """What makes a Bazel of that version report how long its actions took."""
    rows = read_rows(data_folder("matrices") / "bazel_flags.yaml", BazelFlagRow)
    return tuple(row.flag for row in rows if version and contains(row.bazel, version))


def follow(command: Command, env: Environment) -> Follower:
    """The follower of one call, with what earlier builds of the same tree took."""
    chain, tools = env.toolchain, env.tools
    profile = PROFILE.path(chain.work)
    profile.unlink(missing_ok=True)
    history = History(
        cache=tools.folders.cache,
        machine=machine_key(tools.host),
        tree=tree_key(chain.source, [w for w in command.argv if w.startswith(("//", "@"))]),
        reporter=tools.reporter,
    )
    expects = history.expectation()
    return Follower(
        estimator=Estimator(expects=expects, jobs=jobs_of(command) or tools.host.cpus),
        governor=Governor(
            server=server_finder(env),
            reporter=tools.reporter,
            guess_mb=_usual_mb(),
            expected_mb=lambda output: expects.memory_mb.get(output, 0.0),
        ),
        history=history,
        profile=profile,
    )


def server_finder(env: Environment) -> Callable[[], int]:
    """What gives the number of Bazel's server on this machine, also of one in a container; or 0."""
    outer = env.outer_pid()
    if not outer:
        return lambda: server_pid(env.toolchain)
    found = 0

    def find() -> int:
        nonlocal found
        if not found or words_of_process(found) or not _lives(found):
            found = find_server(outer)
        return found

    return find


def _usual_mb() -> float:
    """What a C++ compile takes, of which nothing is known here."""
    rows = read_rows(data_folder("matrices") / "memory.yaml", MemoryRow)
    row = next(row for row in rows if row.kind == "CppCompile")
    return float(row.typical_mb + row.deviation_mb)


def _lives(pid: int) -> bool:
    from tfbuild.bazel.processes import own_memory_mb

    return own_memory_mb(pid) > 0
