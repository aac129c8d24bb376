"""Arrays and types from their JSON, and results as JSON."""

import base64

import numpy as np

_WORDS = (
    b"",
    b"a",
    b"abc",
    b"b c",
    b"12",
    b"-1.5",
    b"\xc3\xa4\xe2\x82\xac",
    b"a,b,,c",
    b"YWJj",
    b"ab" * 20,
)
_SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 0.5, 2.0, -2.5)
_LARGEST = 100_000  # bytes of one value that is compared


def array_of(spec):
    """The array that a specification stands for."""
    draw, shape = np.random.RandomState(spec["seed"]), tuple(spec["shape"])
    kind, dtype = spec["values"], spec["tensor"]
    if dtype == "string":
        picked = draw.randint(0, len(_WORDS), shape)
        return np.array([_WORDS[i] for i in np.ravel(picked)], object).reshape(shape)
    if dtype == "bool":
        return np.asarray(draw.rand(*shape) < 0.5)
    if kind == "index":
        return np.asarray(draw.randint(0, max(1, spec.get("most", 3)), shape)).astype(dtype)
    if kind == "rising":
        return np.sort(draw.randint(0, 3, shape), axis=0).astype(dtype)
    values = np.asarray(_numbers(draw, shape, kind))
    if dtype.startswith("complex"):
        values = values + 1j * np.asarray(_numbers(draw, shape, "normal"))
    elif not dtype.startswith("float"):
        values = np.clip(np.nan_to_num(np.round(values * 3), posinf=9, neginf=-9), -9, 9)
        values = np.abs(values) if dtype.startswith("u") else values
    return values.astype(dtype)


def _numbers(draw, shape, kind):
    normal = np.asarray(draw.randn(*shape))
    if kind == "positive":
        return np.abs(normal) + 0.1
    if kind == "unit":
        return draw.rand(*shape)
    if kind == "whole":
        return np.round(normal * 2)
    if kind == "special":
        return np.asarray(draw.choice(_SPECIAL, shape))
    if kind == "definite" and len(shape) >= 2 and shape[-1] == shape[-2]:
        return normal @ np.swapaxes(normal, -1, -2) + np.eye(shape[-1])
    return normal


def built(value, tf, made):
    """A Python value with tensors of the graph for their specifications, which made collects."""
    if isinstance(value, dict) and "tensor" in value:
        array = array_of(value)
        tensor = tf.placeholder(tf.as_dtype(value["tensor"]), array.shape)
        made.append((tensor, array))
        return tensor
    if isinstance(value, dict):
        return getattr(tf, value["dtype"])
    if isinstance(value, list):
        return [built(item, tf, made) for item in value]
    return value


def as_json(value):
    """A fetched value as JSON: its type, shape and bytes, or what it is made of."""
    if isinstance(value, dict):
        return {"parts": [as_json(value[key]) for key in sorted(value, key=str)]}
    if isinstance(value, (list, tuple)):
        return {"parts": [as_json(item) for item in value]}
    if value is None:
        return {"none": True}
    array = np.asarray(value)
    if array.dtype == object or array.dtype.kind in "SU":
        words = [
            item if isinstance(item, bytes) else str(item).encode() for item in np.ravel(array)
        ]
        return {
            "words": [base64.b64encode(word).decode() for word in words],
            "shape": list(array.shape),
        }
    if array.nbytes > _LARGEST:
        return {"large": [str(array.dtype), list(array.shape)]}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}
