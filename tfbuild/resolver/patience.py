"""How long a search for an answer may take, and who hears of it while it does."""

import time
from collections.abc import Callable

_MOST = 5.0  # seconds: nobody waits longer for an answer without doing something else
_SILENT = 1.0  # seconds


class Patience:
    """The time that a search has; asked between its steps, it also says that it still runs."""

    def __init__(
        self,
        seconds: float = _MOST,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin now; say receives one line about what is looked for, after a second."""
        self.seconds = seconds
        self.was_cut = False  # whether a search had to stop
        self._say = say
        self._clock = clock
        self._began = clock()

    def is_over(self, what: str) -> bool:
        """Whether the time is over, and the search for that must stop with what it has."""
        passed = self._clock() - self._began
        if self._say is not None and passed >= _SILENT:
            self._say(f"{what}, {passed:.0f} of at most {self.seconds:.0f} s")
        if passed < self.seconds:
            return False
        self.was_cut = True
        return True
