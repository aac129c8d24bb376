"""Expects an error of tfbuild by its code: the words may change, what it names may not."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tfbuild.core.errors import TfbuildError


@contextmanager
def fails(code: str, *named: str) -> Iterator[pytest.ExceptionInfo[TfbuildError]]:
    """Fail unless the block raises the error of that code, and its text names each of named.

    named is what the reader needs from the text: a path, a value, an option, a line; not English.
    """
    with pytest.raises(TfbuildError) as caught:
        yield caught
    error = caught.value
    text = f"{error.message}\n{error.why}\n{error.hint}\n{error.report}"
    assert error.code == code, text
    assert [name for name in named if name not in text] == [], text
