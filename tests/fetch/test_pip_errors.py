"""What a failing pip says becomes the right kind of error, without addresses and logins."""

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.core.errors import CommandFailed, CommandTimedOut, FetchFailed, WrongHash
from tfbuild.fetch.pip_errors import IndexUnreachable, explained, wrong_hash


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (CommandTimedOut("late"), IndexUnreachable, "took too long"),
        (CommandFailed("x", last_lines=("ProxyError at http://u:p@h/x",)), IndexUnreachable, "("),
        (CommandFailed("x", last_lines=("ERROR: no such thing",)), FetchFailed, "no such thing"),
        (
            CommandFailed("x", last_lines=("THESE PACKAGES DO NOT MATCH THE HASHES", "Got 12")),
            WrongHash,
            "Got 12",
        ),
    ],
)
def test_each_failure_has_its_kind(
    fake_env: FakeEnvironment, error: Exception, kind: type[FetchFailed], says: str
) -> None:
    with pytest.raises(FetchFailed) as caught, explained("fetching x", fake_env.tools, need_mb=1):
        raise error
    assert type(caught.value) is kind
    assert says in f"{caught.value.message} {caught.value.why}"
    assert "u:p" not in caught.value.why
    assert caught.value.hint


def test_a_wrong_hash_is_told_with_both() -> None:
    error = wrong_hash("x-1.whl", "expected a, received b")
    assert (error.message, error.why) == ("x-1.whl: the hash is wrong", "expected a, received b")
