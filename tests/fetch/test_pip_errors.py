"""What a failing pip says becomes the right kind of error, without addresses and logins."""

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.core.errors import CommandFailed, CommandTimedOut, FetchFailed
from tfbuild.fetch.pip_errors import IndexUnreachable, WrongFile, explained


@pytest.mark.parametrize(
    ("error", "kind", "code", "named"),
    [
        (CommandTimedOut("late"), IndexUnreachable, "index-too-slow", "PIP_INDEX_URL"),
        (
            CommandFailed("x", last_lines=("ProxyError at http://u:p@h/x",)),
            IndexUnreachable,
            "index-unreachable",
            "ProxyError at (",
        ),
        (
            CommandFailed("x", last_lines=("ERROR: no such thing",)),
            FetchFailed,
            "pip-failed",
            "no such thing",
        ),
        (
            CommandFailed("x", last_lines=("THESE PACKAGES DO NOT MATCH THE HASHES", "Got 12")),
            WrongFile,
            "hash-mismatch",
            "Got 12",
        ),
    ],
)
def test_each_failure_has_its_kind(
    fake_env: FakeEnvironment, error: Exception, kind: type[FetchFailed], code: str, named: str
) -> None:
    with (
        fails(code, "fetching x", named) as caught,
        explained("fetching x", fake_env.tools, need_mb=1),
    ):
        raise error
    assert type(caught.value) is kind
    assert "u:p" not in caught.value.why
