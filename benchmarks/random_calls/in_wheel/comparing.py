"""Where two results of one call differ, both as the JSON that `values.py` makes."""

import base64

import numpy as np

# Of the largest value: sums of some dozens of numbers in another order.
_TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-10, "complex64": 2e-5}
_TOLERANCE["complex128"] = 1e-10


def difference(reference, ours):
    """What differs first, in words; '' where nothing does."""
    for part in ("value", "slopes"):
        if part in reference:
            what = _difference(reference[part], ours.get(part, []))
            if what:
                return what if part == "value" else f"gradient: {what}"
    return ""


def _difference(reference, ours):
    if isinstance(reference, list):
        if len(reference) != len(ours):
            return "" if not ours else f"{len(reference)} parts, here {len(ours)}"
        pairs = zip(reference, ours)
        return next((what for a, b in pairs if (what := _difference(a, b))), "")
    if not isinstance(reference, dict) or not isinstance(ours, dict) or "none" in reference:
        return _unlike(reference, ours)
    if "parts" in reference:
        return _difference(reference["parts"], ours.get("parts") or [ours])
    return _unlike_arrays(reference, ours)


def _unlike(reference, ours):
    return "" if reference == ours else f"{str(reference)[:80]}, here {str(ours)[:80]}"


def _unlike_arrays(reference, ours):
    if "data" not in reference or "data" not in ours:
        return _unlike(reference, ours)
    a, b = _array(reference), _array(ours)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {list(a.shape)}, here {b.dtype} {list(b.shape)}"
    return "" if _equal(a, b) else f"{_shown(a)}, here {_shown(b)}"


def _array(row):
    data = base64.b64decode(row["data"])
    return np.frombuffer(data, np.dtype(row["dtype"])).reshape(row["shape"])


def _equal(a, b):
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    both = np.isfinite(a) & np.isfinite(b)
    largest = np.max(np.abs(a[both]), initial=0.0)
    allowed = _TOLERANCE[a.dtype.name] * largest
    with np.errstate(all="ignore"):
        close = both & (np.abs(a - b) <= allowed)
    return bool(np.all(same | close))


def _shown(array):
    text = np.array2string(array.ravel()[:8], precision=6, separator=", ")
    return " ".join(text.split())
