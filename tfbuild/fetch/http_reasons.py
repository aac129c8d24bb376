"""Why a request failed, in words: the innermost cause of what the libraries for HTTP raise."""

from typing import Any

from tfbuild.core.masking import mask

LATE = "no answer in time"


def is_unmade(error: Exception) -> bool:
    """Whether a connection was never made, rather than made and then lost."""
    never = {"NewConnectionError", "NameResolutionError", "ProxyError"}
    return any(type(each).__name__ in never for each in _chain(error))


def reason_of(error: BaseException) -> str:
    """The innermost cause in words: the layers above it only repeat addresses."""
    chain = _chain(error)
    if any("Timeout" in type(each).__name__ for each in chain):
        return LATE
    for each in reversed(chain):
        if isinstance(each, OSError) and each.strerror:
            return mask(each.strerror)
    return mask(str(chain[-1])) or type(chain[-1]).__name__


def _chain(error: BaseException) -> list[BaseException]:
    """The error and what lies below it, outermost first."""
    found: list[BaseException] = []
    below: Any = error
    while isinstance(below, BaseException) and below not in found:
        found.append(below)
        inside = [arg for arg in below.args if isinstance(arg, BaseException)]
        reason = getattr(below, "reason", None)
        below = reason if isinstance(reason, BaseException) else next(iter(inside), None)
        below = below or found[-1].__cause__ or found[-1].__context__
    return found
