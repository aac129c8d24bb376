"""Where Bazel puts what it builds."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from tfbuild.bazel.turns import call_in_turn
from tfbuild.core.interfaces import Environment
from tfbuild.core.records import Command


def ask_bazel_bin(build: Command, targets: Collection[str], env: Environment) -> Path:
    """The folder of outputs, asked with the very flags of a build: they are part of its name."""
    at = build.argv.index("build")
    flags = [w for w in build.argv[at + 1 :] if w not in targets and "build_event" not in w]
    argv = (*build.argv[:at], "info", *flags, "bazel-bin")
    asked = call_in_turn(replace(build, argv=argv, pty=False, quiet=True), env)
    return Path(asked.stdout.strip().splitlines()[-1])
