"""What a running build reports: the Reporter protocol, and the reporter that is silent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedWarning:
    """A warning that is shown later, or listed; the code is stable where the words are not."""

    code: str  # as `tfbuild explain` knows it
    text: str  # one sentence


class Reporter(Protocol):
    """Receives what happens; `console` draws it, tests record it."""

    def to_come(self, names: Sequence[str]) -> None:
        """The stages that are to come, in their order."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def progress(
        self, text: str, done: int = 0, total: int = 0, *, is_growing: bool = False
    ) -> None:
        """Where the running stage stands; total 0 where it is not known.

        is_growing where it is what is known so far, as of Bazel, which finds more work as it goes.
        """

    def step(self, text: str) -> None:
        """A part of the running stage begins that may take long: worth a line of its own."""

    def note(self, text: str) -> None:
        """One sentence that the user should see."""

    def warn(self, text: str, *, code: str) -> None:
        """One sentence about something that may surprise the user; `tfbuild explain` has codes."""

    def command(self, line: str) -> None:
        """A program is started; line is what one would type."""

    def line(self, text: str) -> None:
        """One line of a program's output."""

    def done(self, name: str, *, seconds: float, state: str, detail: str = "") -> None:
        """A stage ended with state passed, failed, skipped or reused."""


class SilentReporter:
    """A Reporter that drops everything."""

    def to_come(self, names: Sequence[str]) -> None:
        """Drop it."""

    def stage(self, name: str) -> None:
        """Drop it."""

    def progress(
        self, text: str, done: int = 0, total: int = 0, *, is_growing: bool = False
    ) -> None:
        """Drop it."""

    def step(self, text: str) -> None:
        """Drop it."""

    def note(self, text: str) -> None:
        """Drop it."""

    def warn(self, text: str, *, code: str) -> None:
        """Drop it."""

    def command(self, line: str) -> None:
        """Drop it."""

    def line(self, text: str) -> None:
        """Drop it."""

    def done(self, name: str, *, seconds: float, state: str, detail: str = "") -> None:
        """Drop it."""
