"""The innermost cause of an error stands in words, without secrets."""

from tfbuild.fetch.http_reasons import LATE, is_unmade, reason_of


class ReadTimeoutError(Exception):
    pass


class NewConnectionError(Exception):
    pass


def test_the_innermost_cause_is_said_without_a_password() -> None:
    outer = ValueError(OSError(111, "Connection refused"))
    assert reason_of(outer) == "Connection refused"
    assert reason_of(ValueError("no https://me:s3cret@host")) == "no https://****@host"
    assert reason_of(ValueError()) == "ValueError"


def test_a_silence_is_said_in_one_way() -> None:
    assert reason_of(ValueError(ReadTimeoutError("(host, 15)"))) == LATE


def test_whether_there_was_a_connection() -> None:
    assert is_unmade(ValueError(NewConnectionError("x")))
    assert not is_unmade(ValueError(OSError(104, "reset")))
