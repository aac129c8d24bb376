"""Runs Bazel, follows it, says what went wrong, and keeps what it made."""

import hashlib
import os
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.bazel_events import EventFile, Failure, executed_and_hits
from tfbuild.builds.bazel_watch import BazelStuck, BazelWatch, kill_server, require_loopback
from tfbuild.core.disk_space import FLOOR_MB, free_mb, require_room
from tfbuild.core.errors import (
    BuildFailed,
    DiskFull,
    Interrupted,
    OutOfMemory,
    RoomMissing,
    TfbuildError,
)
from tfbuild.core.interfaces import Environment
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import BAZEL_DISK, EVENTS, PRODUCTS
from tfbuild.core.paths import file_digest, tree_digest
from tfbuild.core.records import BuildOutput, Command, Completed, Configured, Plan
from tfbuild.fetch.bazel import require_sound
from tfbuild.fetch.cache import remove_tree
from tfbuild.fetch.cuda_toolkit import assemble_toolkit
from tfbuild.fetch.wheelhouse import unpack_all

_CODES = tuple(range(64))  # every code that Bazel itself gives; this stage knows what they mean
_INTERRUPTED, _BUSY, _SERVER_DIED = 8, 9, 37
_WAIT_SECONDS = 3600.0
_ATTEMPTS = 3
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
    message, OutOfMemory, DiskFull or Interrupted; FetchFailed where damage cannot be mended.
    """
    key = build_key(plan, configured, env)
    products = PRODUCTS.path(env.toolchain.work) / key
    if remembered := _remembered(products, plan):
        return remembered
    require_loopback()
    require_room(env.toolchain.cache, FLOOR_MB + _missing_mb(plan, env), "this build")
    _check_inputs(env)
    started = time.monotonic()
    command = next(command for command in plan.commands if command.stage == "build")
    completed = _until_done(replace(command, ok_codes=_CODES), env)
    executed, hits = executed_and_hits(completed.stdout)
    files = _copy_out(plan, env, products)
    output = BuildOutput(
        files=files, seconds=time.monotonic() - started, actions=executed, cache_hits=hits
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


# --- running -----------------------------------------------------------------------------------


def _until_done(command: Command, env: Environment) -> Completed:
    """Call Bazel until it has built, failed for good, or could not be revived."""
    deadline = time.monotonic() + _WAIT_SECONDS
    lost = 0
    while True:
        events = EventFile(path=EVENTS.path(env.toolchain.work))
        events.path.unlink(missing_ok=True)
        try:
            completed = env.run(command, BazelWatch(env, events).take)
        except BazelStuck:
            completed = Completed(code=_SERVER_DIED)
            kill_server(env.toolchain)
        events.poll()
        if completed.code == 0:
            return completed
        if completed.code == _BUSY and time.monotonic() < deadline:
            _wait_for_other(completed, env)
        elif completed.code == _SERVER_DIED and lost + 1 < _ATTEMPTS:
            lost += 1
            env.tools.reporter.warn("Bazel's server died; starting it again, nothing done is lost")
        else:
            raise _explain(completed, events, env)


def _wait_for_other(completed: Completed, env: Environment) -> None:
    said = [line for line in completed.last_lines if "Another command" in line]
    env.tools.reporter.progress(f"waiting: {said[0].strip() if said else 'Bazel is busy'}")
    time.sleep(2.0)


# --- diagnosis ---------------------------------------------------------------------------------


def _explain(completed: Completed, events: EventFile, env: Environment) -> TfbuildError:
    """The error that a failed call of Bazel means, the root cause first."""
    text = "\n".join(completed.last_lines)
    if completed.code in {_INTERRUPTED, -2, -15}:
        return Interrupted(
            "Bazel was interrupted", hint="run the same command again; finished work is kept"
        )
    if "No space left on device" in text or _is_short_of_disk(events, env):
        return _no_disk(env)
    failure = events.failures[0] if events.failures else None
    if (failure and _is_killed(failure)) or "failed: (Killed)" in text:
        return _no_memory(failure)
    if failure:
        return _compile_error(failure)
    return BuildFailed(
        f"Bazel ended with code {completed.code}",
        why="\n".join([*events.aborted[:3], *_errors(completed)][:12]),
        hint="the whole output is in the log",
    )


def _is_short_of_disk(events: EventFile, env: Environment) -> bool:
    """A failed action without a word may have found no room for its own message."""
    silent = not events.failures or not events.failures[0].message
    return silent and min(free_mb(p) for p in _places(env)) < FLOOR_MB


def _places(env: Environment) -> tuple[Path, ...]:
    return env.toolchain.cache, env.toolchain.work, Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108


def _no_disk(env: Environment) -> DiskFull:
    place = min(_places(env), key=free_mb)
    return RoomMissing(
        f"the disk filled up during the build: {free_mb(place)} MB are free at {place}",
        why=f"a build needs at least {FLOOR_MB} MB free while it runs",
        hint="free some room (`tfbuild cache prune`), then run the same command again; "
        "finished work is kept",
    )


def _is_killed(failure: Failure) -> bool:
    words = ("Killed signal terminated program", "out of memory", "Cannot allocate memory")
    return failure.exit_code in {137, -9} or any(word in failure.message for word in words)


def _no_memory(failure: Failure | None) -> OutOfMemory:
    what = f"{failure.kind} of {failure.label}" if failure else "a compiler"
    return OutOfMemory(
        f"{what} was stopped for want of memory",
        why=failure.message[-500:] if failure else "it was killed by signal 9",
        hint="run again with fewer jobs, for example --jobs=1; finished work is kept",
    )


def _compile_error(failure: Failure) -> BuildFailed:
    lines = failure.message.splitlines()
    at = next((i for i, line in enumerate(lines) if "error" in line.lower()), 0)
    return BuildFailed(
        f"{failure.kind or 'an action'} failed for {failure.label}",
        why="\n".join(lines[max(0, at - 2) : at + 18]) or f"it ended with code {failure.exit_code}",
        hint="mend the source and run the same command again; what was compiled is kept",
    )


def _errors(completed: Completed) -> list[str]:
    said = [line for line in completed.last_lines if line.startswith(("ERROR", "FATAL", "Error"))]
    return said or list(completed.last_lines[-8:])


# --- results -----------------------------------------------------------------------------------


def _missing_mb(plan: Plan, env: Environment) -> int:
    """What the build will still write: all of it in an empty cache, little in a used one."""
    return 0 if BAZEL_DISK.path(env.toolchain.cache).is_dir() else plan.estimate.disk_mb


def _copy_out(plan: Plan, env: Environment, products: Path) -> tuple[tuple[str, Path], ...]:
    """Copy the outputs aside and move the folder into place."""
    bin_folder = _bazel_bin(env, plan)
    aside = products.with_name(f".{products.name}.{os.getpid()}.part")
    shutil.rmtree(aside, ignore_errors=True)
    for name in plan.bazel.outputs:
        try:
            env.copy_out(str(bin_folder / name), aside / name)
        except FileNotFoundError as error:
            raise BuildFailed(
                f"Bazel built without error, but {name} is not there",
                why=f"expected at {bin_folder / name}",
                hint=f"recipes/{plan.recipe}.yaml names outputs that its targets do not make",
            ) from error
    remove_tree(products)
    products.parent.mkdir(parents=True, exist_ok=True)
    aside.rename(products)
    return _files(plan, products)


def _bazel_bin(env: Environment, plan: Plan) -> Path:
    """Where Bazel put its outputs, asked with the very flags of the build."""
    build = next(command for command in plan.commands if command.stage == "build")
    at = build.argv.index("build")
    flags = [w for w in build.argv[at + 1 :] if w not in plan.bazel.targets]
    argv = (*build.argv[:at], "info", *(w for w in flags if "build_event" not in w), "bazel-bin")
    asked = env.run(replace(build, argv=argv, pty=False, quiet=True))
    return Path(asked.stdout.strip().splitlines()[-1])


def _remembered(products: Path, plan: Plan) -> BuildOutput | None:
    """The output of an earlier run, if it is the plan's and every file is still what it was."""
    note = read_record(products / _NOTE, products.name, _Products)
    if note is None or note.output.files != _files(plan, products):
        return None
    try:
        digests = tuple(file_digest(path) for _, path in note.output.files)
    except OSError:
        return None
    return replace(note.output, reused_from=note.run) if digests == note.digests else None


def _remember(products: Path, output: BuildOutput, env: Environment) -> None:
    digests = tuple(file_digest(path) for _, path in output.files)
    note = _Products(run=env.tools.folders.run.name, output=output, digests=digests)
    write_kept(products / _NOTE, products.name, note)


def _files(plan: Plan, products: Path) -> tuple[tuple[str, Path], ...]:
    """Where each output of the plan is kept."""
    return tuple((name, products / name) for name in plan.bazel.outputs)
