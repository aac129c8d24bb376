"""Limits on how long an engine may say nothing, or drip, where the SDK would wait for ever."""

from collections.abc import Callable
from typing import Any, TypeVar

from tfbuild.fetch.patience import TooLate, within_seconds

Result = TypeVar("Result")
_PULL_SECONDS = 300.0  # an engine tells how far a pull has come several times a second


def limit_silence(
    api: Any,  # noqa: ANN401  (untyped library)
    seconds: float,
) -> None:
    """Let requests end when nothing comes for those seconds, and pulls for five minutes.

    An answer that is not read as it comes has twice that time for the whole.
    """
    api.timeout, send = seconds, api.send

    def send_limited(request: Any, **words: Any) -> Any:  # noqa: ANN401
        limit = words.get("timeout") or _PULL_SECONDS
        words = {**words, "timeout": limit}
        if words.get("stream"):
            return send(request, **words)
        return whole_answer(2 * limit, lambda: send(request, **words))

    api.send = send_limited


def whole_answer(
    seconds: float, ask: Callable[[], Result], discard: Callable[[Result], None] | None = None
) -> Result:
    """What ask returns or raises; TimeoutError after that time. discard takes what comes later."""
    try:
        return within_seconds(seconds, ask, discard)
    except TooLate as error:
        raise TimeoutError(f"timed out: no whole answer came within {seconds:g} s") from error
