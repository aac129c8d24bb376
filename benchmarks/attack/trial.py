"""One input against the command line: in a forked child, within limits of time and memory."""

import gc
import os
import re
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.attack.oracles import unprintable
from tfbuild.core.any_tree import remove_what_can
from tfbuild.core.errors import EXIT_CODES, Interrupted, TfbuildError

SECONDS = 40.0  # an input that takes longer hangs
_MEMORY = 3 << 30
_SHOWN = 6000
_TRACE = b"Traceback (most recent call last)"
_COLOURS = re.compile(rb"\x1b\[[0-9;]*m")  # shown on purpose where a variable asks for them
_COLOURING = frozenset({"FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE"})
# What an input may end with: no bug of ours, and nobody interrupts.
DOCUMENTED = frozenset(EXIT_CODES) - {TfbuildError.exit_code, Interrupted.exit_code}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Words for the command line, and what of the environment differs; relative to a folder."""

    words: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    installation: str = ""  # a folder with matrices/ and recipes/ instead of our own
    place: str = "."  # the current folder
    umask: int = 0o022
    seconds: float = 0.0  # it hangs after so many; 0: after as many as all
    after: Callable[[bytes], str] | None = None  # what is wrong with what was said and left


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a child ended: the fault, empty where there is none, and what it said."""

    code: int
    fault: str
    said: str
    cpu: float = 0.0  # seconds of all its processes


def judge(code: int | None, said: bytes, documented: frozenset[int] = DOCUMENTED) -> str:
    """The fault that an ending is; empty for a documented one. No code means that it hung."""
    if code is None:
        return "hang"
    if code < 0:
        return f"signal {-code}"
    if _TRACE in said:
        return "traceback"
    return unprintable(said) if code in documented else f"exit {code}"


def run_call(
    call: Call, folder: Path, main: Callable[[], Any], seconds: float = SECONDS
) -> Outcome:
    """Run the command line on a call, in that folder; its files are left there."""
    output = folder.with_name(f"{folder.name}.output")
    before = _cpu_of_children()
    child = os.fork()
    if child == 0:
        _be(call, folder, output, main)
    code = wait_for(child, call.seconds or seconds)
    said = output.read_bytes()[:1_000_000]
    plain = _COLOURS.sub(b"", said) if _COLOURING & call.environ.keys() else said
    fault = judge(code, plain) or (call.after(said) if call.after else "")
    cpu = _cpu_of_children() - before
    return Outcome(code=-1 if code is None else code, fault=fault, said=_tail(said), cpu=cpu)


def wait_for(child: int, seconds: float) -> int | None:
    """The exit code of a child, minus the signal where one has ended it; None where it hung."""
    descriptor = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        ended = poll.poll(seconds * 1000)
    finally:
        os.close(descriptor)
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    _stop_group(child)
    return os.waitstatus_to_exitcode(status) if ended else None


def fresh(folder: Path) -> Path:
    """The folder, empty."""
    remove_what_can(folder)
    folder.mkdir(parents=True)
    return folder


def plain_environment(folder: Path) -> dict[str, str]:
    """What every child sees: nothing of its caller, no engine, no network, no settings.

    The cache has a blank in its name: builds are refused before anything is fetched.
    """
    nowhere = "http://127.0.0.1:9"
    return {
        "PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8", "TMPDIR": str(folder),
        "TFBUILD_CACHE_DIR": str(folder / "a cache"), "DOCKER_HOST": f"unix://{folder}/none",
        "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "http_proxy": nowhere,
        "https_proxy": nowhere, "XDG_RUNTIME_DIR": str(folder),
    }  # fmt: skip


# --- inside ------------------------------------------------------------------------------------


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _be(call: Call, folder: Path, output: Path, main: Callable[[], Any]) -> None:
    """Be the child: never returns."""
    code = 70
    try:
        os.setsid()
        gc.freeze()
        _redirect(output)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
        os.chdir(folder / call.place)
        os.umask(call.umask)
        os.environ.clear()
        os.environ.update({**plain_environment(folder), **call.environ})
        time.tzset()
        if call.installation:
            from tfbuild.core import paths

            paths.PACKAGE = folder / call.installation / "tfbuild"
        sys.argv = ["tfbuild", *call.words]
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
    except BaseException:  # noqa: BLE001  (as the interpreter would)
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _redirect(output: Path) -> None:
    """Let standard streams lead to nowhere and to a file, as new text streams."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    said = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    os.dup2(said, 1)
    os.dup2(said, 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", closefd=False
    )


def _stop_group(child: int) -> None:
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        return


def _tail(said: bytes) -> str:
    return said[-_SHOWN:].decode("utf-8", "replace")
