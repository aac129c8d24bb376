"""Random numbers that the seed, two whole numbers, alone decides."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.random_ops import shape_as_tensor


def _only_philox(alg: str) -> None:
    if alg not in ("auto_select", "philox"):
        raise NotImplementedError(f"random numbers are Philox's: alg={alg!r} is not there")


def stateless_random_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Any:
    """Return numbers in [minval, maxval), each as likely as the others.

    Both None, with a type of whole numbers: all numbers of that type. Raises ValueError where they
    are missing otherwise.
    """
    _only_philox(alg)
    kind = dtypes.as_dtype(dtype)
    if kind.is_integer and (minval is None) != (maxval is None):
        raise ValueError("For integer dtype, minval and maxval must be both `None` or both "
                         f"non-`None`. Found minval={minval}, maxval={maxval}")  # fmt: skip
    if kind.is_integer and maxval is None and minval == 0:
        raise ValueError("Must specify maxval for integer dtype")
    if not kind.is_integer and maxval is None:
        maxval = 1
    with framework.name_scope(name, "stateless_random_uniform", [shape, seed]) as scope:
        sizes = shape_as_tensor(shape)
        if kind.is_integer and minval is None:
            return emit("StatelessRandomUniformFullInt", [sizes, seed], scope, dtype=kind)
        low = framework.convert_to_tensor(minval, dtype=kind, name="min")
        high = framework.convert_to_tensor(maxval, dtype=kind, name="max")
        if kind.is_integer:
            return emit("StatelessRandomUniformInt", [sizes, seed, low, high], scope)
        numbers = emit("StatelessRandomUniform", [sizes, seed], dtype=kind)
        return emit("AddV2", [numbers * (high - low), low], scope)


def _bell(op_type: str, shape: Any, seed: Any, center: tuple[Any, Any], dtype: Any,
          name: str | None) -> Any:  # fmt: skip
    default = "stateless_truncated_normal" if "Truncated" in op_type else "stateless_random_normal"
    with framework.name_scope(name, default, [shape, seed]) as scope:
        mean = framework.convert_to_tensor(center[0], dtype=dtype, name="mean")
        spread = framework.convert_to_tensor(center[1], dtype=dtype, name="stddev")
        numbers = emit(op_type, [shape_as_tensor(shape), seed], dtype=dtypes.as_dtype(dtype))
        return emit("AddV2", [numbers * spread, mean], scope)


def stateless_random_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Any:
    """Return normally distributed numbers."""
    _only_philox(alg)
    return _bell("StatelessRandomNormal", shape, seed, (mean, stddev), dtype, name)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Any:
    """Return normally distributed numbers, none more than two standard deviations away."""
    _only_philox(alg)
    return _bell("StatelessTruncatedNormal", shape, seed, (mean, stddev), dtype, name)


def stateless_multinomial(logits: Any, num_samples: Any, seed: Any,
                          output_dtype: Any = dtypes.int64,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return numbers of classes drawn from rows of unnormalised log probabilities."""
    return emit("StatelessMultinomial", [logits, num_samples, seed],
                name or "stateless_multinomial", output_dtype=output_dtype)  # fmt: skip


def stateless_categorical(logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return numbers of classes, as stateless_multinomial; the newer names of its arguments."""
    return stateless_multinomial(logits, num_samples, seed, dtype, name or "stateless_categorical")
