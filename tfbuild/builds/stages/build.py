"""Runs Bazel, follows it, says what went wrong, and keeps what it made."""

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.bazel.cached_build import build_cached
from tfbuild.bazel.places import ask_bazel_bin
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.disk_space import FLOOR_MB, require_room
from tfbuild.core.errors import BuildFailed
from tfbuild.core.interfaces import Environment
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import BAZEL_DISK, PRODUCTS
from tfbuild.core.outputs import BuildOutput, Configured
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.paths import file_digest, tree_digest
from tfbuild.core.plans import Plan
from tfbuild.core.rebuilds import NO_REBUILD
from tfbuild.core.records import Command
from tfbuild.fetch.bazel import require_sound
from tfbuild.fetch.cuda_toolkit import assemble_toolkit
from tfbuild.fetch.projects import forget_older
from tfbuild.fetch.wheelhouse import unpack_all
from tfbuild.reporting.rebuilds import report_rebuild

_NOTE = "build.json"  # beside the products


@dataclass(frozen=True, slots=True, kw_only=True)
class _Products:
    """What is remembered of products: the run that made them, and the sha256 of each file."""

    run: str
    output: BuildOutput
    digests: tuple[str, ...]


def run_build(plan: Plan, configured: Configured, env: Environment) -> BuildOutput:
    """The files that Bazel made, copied out of its output base.

    The result is remembered under everything it depends on, so that a second call with the same
    tree, plan and tools gives the same files at once. Raises BuildFailed with the compiler's own
    message, OutOfMemory, DiskFull or Interrupted; FetchFailed where damage cannot be fixed.
    """
    key = build_key(plan, configured, env)
    products = PRODUCTS.path(env.tools.folders.work) / key
    if remembered := _remembered(products, plan):
        return remembered
    require_room(env.toolchain.cache, FLOOR_MB + _missing_mb(plan, env), "this build")
    _check_inputs(env)
    planned = next(command for command in plan.commands if command.stage == "build")
    # runtime/bazel/cuda.bzl gives nvcc the whole toolkit as inputs, and nothing else reads it.
    made = build_cached(planned, plan.services, env, toolkit_is_input=True)
    report_rebuild(made.rebuild, env.tools.reporter)
    output = BuildOutput(
        files=_copy_out(made.command, plan, env, products),
        seconds=made.seconds,
        actions=made.executed,
        cache_hits=made.cache_hits,
        actions_elsewhere=made.elsewhere,
        remote_hits=made.remote_hits,
        rebuild=made.rebuild,
        course=made.course,
    )
    _remember(products, output, env)
    return output


def build_key(plan: Plan, configured: Configured, env: Environment) -> str:
    """Twenty digits over all that the products depend on."""
    chain = env.toolchain
    parts = (
        plan.id,
        tree_digest(chain.source),
        configured.digest,
        chain.bazel_version,
        f"{chain.compiler} {chain.compiler_version}",
        f"{chain.python} {chain.python_version}",
        chain.image,
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def _check_inputs(env: Environment) -> None:
    """Read all that is compiled with and comes from the cache; what is damaged is fetched anew."""
    chain, tools = env.toolchain, env.tools
    require_sound(chain.bazel, tools)
    folders = unpack_all(chain.lock.artifacts, tools, python=chain.python, in_full=True)
    wheels = tuple(zip(chain.lock.artifacts, folders, strict=True))
    if toolkit := tuple(wheel for wheel in wheels if wheel[0].kind == "cuda"):
        assemble_toolkit(toolkit, tools, in_full=True)


# --- results -----------------------------------------------------------------------------------


def _missing_mb(plan: Plan, env: Environment) -> int:
    """What the build will still write: all of it in an empty cache, little in a used one."""
    return 0 if BAZEL_DISK.path(env.toolchain.cache).is_dir() else plan.estimate.disk_mb


def _copy_out(
    command: Command, plan: Plan, env: Environment, products: Path
) -> tuple[tuple[str, Path], ...]:
    """Copy the outputs aside and move the folder into place."""
    bin_folder = ask_bazel_bin(command, plan.bazel.targets, env)
    products.parent.mkdir(parents=True, exist_ok=True)
    sweep(products.parent)
    with part_folder(products.parent) as aside:
        for name in plan.bazel.outputs:
            try:
                env.copy_out(str(bin_folder / name), aside / name)
            except FileNotFoundError as error:
                raise BuildFailed(
                    f"Bazel built without error, but {name} is not there",
                    code="built-file-missing",
                    why=f"expected at {bin_folder / name}",
                    hint=f"recipes/wheels/{plan.recipe}.yaml names what its targets do not make",
                ) from error
        remove_tree(products)
        aside.rename(products)
    return _files(plan, products)


def _remembered(products: Path, plan: Plan) -> BuildOutput | None:
    """The output of an earlier run, if it is the plan's and every file is still what it was."""
    note = read_record(products / _NOTE, products.name, _Products)
    if note is None or note.output.files != _files(plan, products):
        return None
    try:
        digests = tuple(file_digest(path) for _, path in note.output.files)
    except OSError:
        return None
    if digests != note.digests:
        return None
    os.utime(products)  # what was used lately is not pruned
    return replace(note.output, reused_from=note.run, rebuild=NO_REBUILD)


def _remember(products: Path, output: BuildOutput, env: Environment) -> None:
    digests = tuple(file_digest(path) for _, path in output.files)
    note = _Products(run=env.tools.folders.run.name, output=output, digests=digests)
    write_kept(products / _NOTE, products.name, note)
    forget_older(PRODUCTS, env.tools.folders.work)


def _files(plan: Plan, products: Path) -> tuple[tuple[str, Path], ...]:
    """Where each output of the plan is kept."""
    return tuple((name, products / name) for name in plan.bazel.outputs)
