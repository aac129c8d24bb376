"""The Bazel on PATH and its version; asked by every survey of a machine, so it loads little."""

import re
from pathlib import Path

from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Runner
from tfbuild.core.paths import real_path
from tfbuild.core.process import find_program
from tfbuild.core.records import Command, Program

PACKAGE = "bazel-bootstrap"  # Debian's
_VERSION = re.compile(r"\d+\.\d+\.\d+")


def find_bazels(runner: Runner) -> tuple[Program, ...]:
    """The Bazel on PATH with its version; none when there is none or it does not run."""
    path = find_program("bazel")
    if not path:
        return ()
    command = Command(argv=(path, "--version"), timeout=20, quiet=True, cwd="/")
    try:
        said = runner.run(command).stdout
    except TfbuildError:
        return ()
    match = _VERSION.search(said)
    version = match[0] if match else _label_version(path, runner)
    return (Program(name="bazel", path=path, version=version),)


def _label_version(path: str, runner: Runner) -> str:
    """The version of a Bazel that calls itself no_version, as Debian's does."""
    if not _is_packaged(path):
        return ""
    words = ("dpkg-query", "--show", "--showformat", "${Version}", PACKAGE)
    match = _VERSION.search(runner.run(Command(argv=words, ok_codes=(0, 1), quiet=True)).stdout)
    return match[0] if match else ""


def _is_packaged(path: str) -> bool:
    return bool(find_program("dpkg-query")) and real_path(Path(path)).is_relative_to("/usr/bin")
