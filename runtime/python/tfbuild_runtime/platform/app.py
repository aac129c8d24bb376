"""Running a program: tf.app.run() reads the flags and calls main."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tfbuild_runtime.platform import flags

__all__ = ["flags", "run"]


def run(main: Callable[..., Any] | None = None, argv: Sequence[str] | None = None) -> NoReturn:
    """Read the flags, call main with the words that are none, and end with what it returns."""
    words = list(sys.argv if argv is None else argv)
    called = main or sys.modules["__main__"].main  # type: ignore[attr-defined]
    if any(word in ("--help", "-h", "-help", "--helpfull") for word in words[1:]):
        print(f"{sys.modules['__main__'].__doc__ or ''}\nflags:\n{flags.FLAGS.get_help()}")
        sys.exit(0)
    try:
        rest = flags.FLAGS(words, known_only=True)
    except flags.Error as error:
        sys.stderr.write(f"FATAL Flags parsing error: {error}\n"
                         "Pass --help to see help on flags.\n")  # fmt: skip
        sys.exit(1)
    sys.exit(called(rest))
