"""Builds a TensorFlow source tree with Bazel, takes its own last step, collects the files."""

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tfbuild.bazel.cached_build import build_cached
from tfbuild.bazel.places import ask_bazel_bin
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.disk_space import FLOOR_MB, require_room
from tfbuild.core.errors import BuildFailed, CommandFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.core.interfaces import Environment, literal
from tfbuild.core.layout import BUILT, LAST_STEP
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.paths import real_path
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command
from tfbuild.reporting.rebuilds import report_rebuild

_WHOLE = "**"
_NOT_OF_BAZEL = ("!", "-name", "*.params")  # the words of a long command, beside what it makes


def build_tree(plan: Plan, env: Environment) -> BuildOutput:
    """The files that the tree made, by their names, in a folder of the work folder.

    Bazel itself knows what of it is done already. Raises what the driver of Bazel raises, and
    BuildFailed where the last step fails or nothing came of it.
    """
    require_room(env.toolchain.cache, FLOOR_MB, "this build")
    planned = next(command for command in plan.commands if command.stage == "build")
    made = build_cached(planned, plan.services, env)
    report_rebuild(made.rebuild, env.tools.reporter)
    folder = BUILT.path(env.tools.folders.work)
    remove_tree(folder)
    folder.mkdir(parents=True)
    bazel_bin = ask_bazel_bin(made.command, plan.bazel.targets, env)
    for command in plan.commands:
        if command.stage == "last step":
            _take_last_step(command, bazel_bin, folder, env)
    for name, path in _outputs(plan, bazel_bin, env):
        env.copy_out(path, folder / name)
    files = tuple(
        (path.relative_to(folder).as_posix(), path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )
    if not files:
        raise BuildFailed(
            "Bazel built without error, but nothing came of it",
            code="build-made-nothing",
            why=f"expected {', '.join(plan.bazel.outputs) or 'a wheel'} in {bazel_bin}",
            hint="see the log; targets: in the build file names what is built",
        )
    return BuildOutput(
        files=files,
        seconds=made.seconds,
        actions=made.executed,
        cache_hits=made.cache_hits,
        actions_elsewhere=made.elsewhere,
        remote_hits=made.remote_hits,
        rebuild=made.rebuild,
        course=made.course,
    )


def _take_last_step(command: Command, bazel_bin: Path, folder: Path, env: Environment) -> None:
    """Run what makes the wheel of the built files, as releases up to 2.16 do.

    It puts them where only it writes; files of theirs, and nothing that a link leads to, are taken.
    """
    result = LAST_STEP.path(env.toolchain.work)
    words = {"{bazel_bin}": str(bazel_bin), "{result}": str(result)}
    _empty(result, env)
    argv = []
    for word in command.argv:
        for name, value in words.items():
            word = word.replace(name, value)  # noqa: PLW2901
        argv.append(word)
    try:
        env.run(replace(command, argv=tuple(argv)))
    except CommandFailed as error:
        raise BuildFailed(
            f"the last step of the tree failed: {Path(argv[0]).name}",
            code="packaging-step-failed",
            why="\n".join(error.last_lines[-8:]) or error.message,
            hint="fix what it names and run the same command again; what was built is kept",
            log=error.log,
        ) from error
    made, own = ForeignTree(real_path(env.toolchain.work)), ForeignTree(real_path(folder))
    for name in made.files(result.name):
        if stat.S_ISREG(made.own_mode(f"{result.name}/{name}")):
            own.take(made, f"{result.name}/{name}", name)


def _empty(folder: Path, env: Environment) -> None:
    """Make an empty folder, from the side that writes to it."""
    words = ("sh", "-c", 'rm -rf "$1" && mkdir "$1"', "sh", literal(str(folder)))
    env.run(Command(argv=words, purpose=f"empty {folder.name}", quiet=True))


def _outputs(plan: Plan, bazel_bin: Path, env: Environment) -> Iterator[tuple[str, str]]:
    """Name and path of each output below bazel-bin that a pattern of the plan names."""
    for pattern in plan.bazel.outputs:
        place = PurePosixPath(pattern)
        parent = bazel_bin / place.parent
        depth = () if place.name == _WHOLE else ("-maxdepth", "1", "-name", place.name)
        find = Command(
            argv=("find", "-L", literal(str(parent)), *depth, "-type", "f", *_NOT_OF_BAZEL),
            quiet=True,
            ok_codes=(0, 1),
        )
        for line in env.run(find).stdout.splitlines():
            name = Path(line).relative_to(bazel_bin)
            # A wheel is delivered by its name, a library with its headers as a tree.
            yield (name.name if name.suffix == ".whl" else str(name)), line
