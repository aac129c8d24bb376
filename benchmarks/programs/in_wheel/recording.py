"""What is kept of fetched values: enough to see whether two are alike."""

from __future__ import annotations

import numpy as np

_KEPT = 64  # elements of an array, and characters of a text


def values(fetched):
    """Return what a call fetched as a flat list: dictionaries in order of their keys."""
    found = []
    _flatten(fetched, found)
    return found


def _flatten(fetched, found):
    if isinstance(fetched, dict):
        for key in sorted(fetched, key=str):
            _flatten(fetched[key], found)
    elif isinstance(fetched, (list, tuple)):
        for one in fetched:
            _flatten(one, found)
    elif fetched is not None:
        found.append(_value(fetched))


def _value(fetched):
    if isinstance(fetched, (bytes, str)):
        text = fetched.decode(errors="replace") if isinstance(fetched, bytes) else fetched
        # Serialised numbers, as in a summary, need not be the same to the byte.
        return {"text": text if text.isprintable() and len(text) <= _KEPT else len(fetched)}
    array = np.asarray(fetched)
    if array.dtype.kind not in "fiubc":
        return {"text": list(array.shape)}
    flat = array.ravel().astype(complex if array.dtype.kind == "c" else float)
    if array.dtype.kind == "c":
        flat = np.concatenate([flat.real, flat.imag])
    with np.errstate(all="ignore"):
        return {
            "shape": list(array.shape),
            "sum": float(flat.sum()),
            "total": float(np.abs(flat).sum()),
            "largest": float(np.abs(flat).max()) if flat.size else 0.0,
            "some": [float(one) for one in flat[:: max(1, -(-flat.size // _KEPT))]],
        }
