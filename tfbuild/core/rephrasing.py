"""Makes an error again in another class or with more words, under the code that it has."""

from typing import TypeVar

from tfbuild.core.errors import TfbuildError

E = TypeVar("E", bound=TfbuildError)


def rephrased(error: TfbuildError, kind: type[E], message: str = "") -> E:
    """The error as one of that class, which has the same exit code, or with another message."""
    other = kind(
        message or error.message, code=error.code, why=error.why, hint=error.hint, log=error.log
    )
    other.report = error.report
    return other
