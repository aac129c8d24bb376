"""Limits on how long an engine may say nothing, or drip, where the SDK would wait for ever."""

from collections.abc import Callable
from typing import Any, TypeVar

from tfbuild.fetch.patience import TooLate, within_seconds

Result = TypeVar("Result")
_PULL_SECONDS = 300.0  # an engine reports how far a pull has come several times a second


def patient_client(make: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401  (untyped library)
    """What make returns: the SDK's client, which waits those seconds while nothing comes.

    A pull waits five minutes then; an answer that is not read as it comes has twice the time for
    the whole, as make itself has. Raises what the SDK raises, TimeoutError among it.
    """
    client = _whole_answer(2 * seconds, make, lambda late: late.close())
    send = client.api.send

    def send_limited(request: Any, **words: Any) -> Any:  # noqa: ANN401
        limit = words.get("timeout") or _PULL_SECONDS
        words = {**words, "timeout": limit}
        if words.get("stream"):
            return send(request, **words)
        return _whole_answer(2 * limit, lambda: send(request, **words))

    client.api.send = send_limited
    return client


def _whole_answer(
    seconds: float, ask: Callable[[], Result], discard: Callable[[Result], None] | None = None
) -> Result:
    try:
        return within_seconds(seconds, ask, discard)
    except TooLate as error:
        raise TimeoutError(f"timed out: no whole answer came within {seconds:g} s") from error
