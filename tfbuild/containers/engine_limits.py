"""A limit on how long an engine may say nothing, where the SDK would wait for ever."""

from typing import Any

_PULL_SECONDS = 300.0  # an engine tells how far a pull has come several times a second


def limit_silence(
    api: Any,  # noqa: ANN401  (untyped library)
    seconds: float,
) -> None:
    """Let requests end when nothing comes for those seconds, and pulls for five minutes."""
    api.timeout, send = seconds, api.send

    def send_limited(request: Any, **words: Any) -> Any:  # noqa: ANN401
        return send(request, **{**words, "timeout": words.get("timeout") or _PULL_SECONDS})

    api.send = send_limited
