"""Errors that a test expects: none, and one of another class, are distinguished."""

from __future__ import annotations

import re
from typing import Any

import tfbuild_runtime.compat.v1 as tf
from missing import Missing, MissingName


class NotRefused(AssertionError):
    """What TensorFlow refuses was accepted."""


class OtherError(AssertionError):
    """An error was expected, and another one came; it is the cause."""


class _Expecting:
    """The block must end with an error of those classes that the check accepts."""

    def __init__(self, classes: Any, check: Any, msg: Any = None) -> None:
        for one in classes if isinstance(classes, tuple) else (classes,):
            if isinstance(one, Missing):
                raise MissingName(one.missing_name)
        self.classes = classes
        self.check = check
        self.msg = msg
        self.exception: Any = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:  # noqa: PYI036
        if kind is None:
            raise NotRefused(f"{_names(self.classes)} not raised {self.msg or ''}".rstrip())
        if not issubclass(kind, Exception):
            return False
        if isinstance(error, MissingName):
            return False
        if not issubclass(kind, self.classes):
            raise OtherError(
                f"{_names(self.classes)} expected, not {kind.__name__}: {error}"
            ) from error
        self.exception = error.with_traceback(None)
        self.check(error)
        return True


def _names(classes: Any) -> str:
    of = classes if isinstance(classes, tuple) else (classes,)
    return " or ".join(one.__name__ for one in of)


def _text(error: Any) -> str:
    return error.message if isinstance(error, tf.errors.OpError) else str(error)


class ExpectedErrors:
    """The methods of TensorFlow's test case that expect errors."""

    def assertRaises(
        self, expected: Any, callable_: Any = None, *arguments: Any, **named: Any
    ) -> Any:
        return _expect(expected, lambda _: None, callable_, arguments, named)

    def assertRaisesRegex(self, expected: Any, pattern: Any, callable_: Any = None, *arguments: Any,
                          **named: Any) -> Any:  # fmt: skip
        def check(error: Any) -> None:
            if not re.search(pattern, str(error)):
                raise AssertionError(f"{str(error)!r} does not match {str(pattern)!r}")

        return _expect(expected, check, callable_, arguments, named)

    assertRaisesRegexp = assertRaisesRegex

    def assertRaisesWithPredicateMatch(self, exception_type: Any, predicate: Any) -> Any:
        def check(error: Any) -> None:
            fits = predicate(error) if callable(predicate) else re.search(predicate, _text(error))
            if not fits:
                raise AssertionError(f"{str(error)!r} does not fit {predicate!r}")

        return _Expecting(exception_type, check)

    def assertRaisesOpError(self, predicate: Any) -> Any:
        return self.assertRaisesWithPredicateMatch(tf.errors.OpError, predicate)


def _expect(expected: Any, check: Any, call: Any, arguments: Any, named: Any) -> Any:
    context = _Expecting(expected, check, named.pop("msg", None) if call is None else None)
    if call is None:
        return context
    with context:
        call(*arguments, **named)
    return None
