"""tf.logging: messages for people, on the standard error output, from WARN upwards."""

from __future__ import annotations

import logging as _python
import os
import sys
import time
from typing import Any, NoReturn

DEBUG = _python.DEBUG
INFO = _python.INFO
WARN = _python.WARN
ERROR = _python.ERROR
FATAL = _python.FATAL

_LETTERS = {DEBUG: "D", INFO: "I", WARN: "W", ERROR: "E", FATAL: "F"}
_counts: dict[Any, int] = {}


class _Format(_python.Formatter):
    def format(self, record: _python.LogRecord) -> str:
        when = time.strftime("%m%d %H:%M:%S", time.localtime(record.created))
        part = int((record.created % 1) * 1e6)
        return (f"{_LETTERS.get(record.levelno, 'I')}{when}.{part:06d} {record.thread} "
                f"{record.filename}:{record.lineno}] {record.getMessage()}")  # fmt: skip


def _get_logger() -> _python.Logger:
    logger = _python.getLogger("tensorflow")
    if not logger.handlers and not _python.getLogger().handlers:
        handler = _python.StreamHandler(sys.stderr)
        handler.setFormatter(_Format())
        logger.addHandler(handler)
        logger.propagate = False
        if logger.level == _python.NOTSET:
            logger.setLevel(WARN)
    return logger


get_logger = _get_logger


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of that level."""
    _get_logger().log(level, msg, *args, **{"stacklevel": 2, **kwargs})


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message for whoever looks for a fault."""
    _get_logger().debug(msg, *args, **{"stacklevel": 2, **kwargs})


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message about what is done."""
    _get_logger().info(msg, *args, **{"stacklevel": 2, **kwargs})


def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a warning."""
    _get_logger().warning(msg, *args, **{"stacklevel": 2, **kwargs})


warn = warning


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write that something failed."""
    _get_logger().error(msg, *args, **{"stacklevel": 2, **kwargs})


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Write that the program cannot go on; it is the program that ends itself."""
    _get_logger().critical(msg, *args, **{"stacklevel": 2, **kwargs})


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Write a message of that level."""
    log(level, msg, *args, **{"stacklevel": 3, **kwargs})


def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    """Write a message when the condition holds."""
    if condition:
        log(level, msg, *args, stacklevel=3)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message the first time and each n-th time that this line is reached."""
    frame = sys._getframe(1)
    place = (frame.f_code.co_filename, frame.f_lineno)
    _counts[place] = _counts.get(place, -1) + 1
    log_if(level, msg, _counts[place] % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Write a message the first n times that this line is reached."""
    frame = sys._getframe(1)
    place = (frame.f_code.co_filename, frame.f_lineno)
    _counts[place] = _counts.get(place, -1) + 1
    log_if(level, msg, _counts[place] < n, *args)


def flush() -> None:
    """Write out what is waiting."""
    for handler in _get_logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """Return the level from which messages are written."""
    return _get_logger().getEffectiveLevel()


def set_verbosity(v: Any) -> None:
    """Write messages from that level on."""
    _get_logger().setLevel(v)


def TaskLevelStatusMessage(msg: str) -> NoReturn:
    """Raise NotImplementedError: there is no cluster whose task could have a status."""
    raise NotImplementedError(f"no status of a task is kept ({os.getpid()}): {msg}")
