"""Ends a wait whose single steps have time limits, yet which could go on for ever as a whole."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Result = TypeVar("Result")


class TooLate(Exception):
    """What was waited for did not come in its time."""


def within_seconds(
    seconds: float, act: Callable[[], Result], discard: Callable[[Result], None] | None = None
) -> Result:
    """What act returns or raises, which runs in a thread beside; TooLate after that time.

    Then the thread is left to itself: a server that sends a byte from time to time holds up a
    daemon that nobody waits for. So act must not write where others read; discard takes what it
    returns in the end.
    """
    ended: Future[Result] = Future()
    is_late = threading.Event()

    def run() -> None:
        try:
            result = act()
            if is_late.is_set() and discard is not None:
                discard(result)
            ended.set_result(result)
        except BaseException as error:  # noqa: BLE001  (it is raised where it was waited for)
            ended.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if not wait([ended], timeout=seconds).done:
        is_late.set()
        raise TooLate
    return ended.result()
