"""Random tensors, and the seeds that make them repeatable."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit

DEFAULT_GRAPH_SEED = 87654321
LIMIT = 2**31 - 1


def set_random_seed(seed: int) -> None:
    """Seed the default graph: every random operation made from now on derives its own seed."""
    framework.get_default_graph().seed = seed


def get_seed(op_seed: Any) -> tuple[int | None, Any]:
    """Return the two seeds of an operation, both None where each run may draw other numbers.

    An operation without a seed of its own, in a graph that has one, gets the next number.
    """
    graph = framework.get_default_graph()
    if graph.seed is None:
        return (None, None) if op_seed is None else (DEFAULT_GRAPH_SEED, op_seed % LIMIT)
    if op_seed is None:
        op_seed = graph._last_seed_number
        graph._last_seed_number += 1
    seeds = graph.seed % LIMIT, op_seed % LIMIT
    # Kernels read (0, 0) as "not seeded", but here somebody did give a seed.
    return (0, LIMIT) if seeds == (0, 0) else seeds


def seed_attrs(op_seed: int | None) -> dict[str, int]:
    """Return the seeds of an operation as its attributes."""
    seed, seed2 = get_seed(op_seed)
    return {"seed": seed or 0, "seed2": seed2 or 0}


def shape_as_tensor(shape: Any) -> Any:
    """Return a shape as a vector of sizes."""
    if isinstance(shape, tensor_shape.TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (list, tuple)) and not any(map(framework.is_tensor_like, shape)):
        sizes = [int(size) for size in shape]
        small = all(size < 2**31 for size in sizes)
        return framework.constant(sizes, dtypes.int32 if small else dtypes.int64,
                                  shape=[len(sizes)], name="shape")  # fmt: skip
    dtype = dtypes.int32 if isinstance(shape, (list, tuple)) else None
    return framework.convert_to_tensor(shape, dtype=dtype, name="shape")


def random_uniform(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
                   seed: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return numbers drawn evenly from [minval, maxval), by default [0, 1).

    Raises ValueError for integers without a maxval.
    """
    dtype = dtypes.as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"random {dtype.name} numbers need a maxval")
        maxval = 1
    with framework.name_scope(name, "random_uniform") as scope:
        shape = shape_as_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if dtype.is_integer or not (from_zero and to_one):
            minval = framework.convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = framework.convert_to_tensor(maxval, dtype=dtype, name="max")
        seeds = seed_attrs(seed)
        if dtype.is_integer:
            return emit("RandomUniformInt", [shape, minval, maxval], scope, **seeds)
        drawn = emit("RandomUniform", [shape], dtype=dtype, **seeds)
        if from_zero:
            return drawn if to_one else emit("Mul", [drawn, maxval])
        width = emit("Sub", [maxval, minval], "sub")
        return emit("AddV2", [emit("Mul", [drawn, width], "mul"), minval], scope)


def _bell(op_type: str, shape: Any, center: tuple[Any, Any], dtype: Any, seed: int | None,
          scope: str) -> Any:  # fmt: skip
    shape = shape_as_tensor(shape)
    mean = framework.convert_to_tensor(center[0], dtype=dtype, name="mean")
    stddev = framework.convert_to_tensor(center[1], dtype=dtype, name="stddev")
    drawn = emit(op_type, [shape], dtype=dtype, **seed_attrs(seed))
    return emit("AddV2", [emit("Mul", [drawn, stddev], "mul"), mean], scope)


def random_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                  seed: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return numbers drawn from a normal distribution."""
    with framework.name_scope(name, "random_normal") as scope:
        dtype = dtypes.as_dtype(dtype)
        return _bell("RandomStandardNormal", shape, (mean, stddev), dtype, seed, scope)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
                     seed: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return numbers drawn from a normal distribution, those beyond two deviations drawn anew."""
    with framework.name_scope(name, "truncated_normal") as scope:
        dtype = dtypes.as_dtype(dtype)
        return _bell("TruncatedNormal", shape, (mean, stddev), dtype, seed, scope)


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Return the slices along the first dimension in a random order."""
    return emit("RandomShuffle", [value], name, **seed_attrs(seed))


def random_gamma(shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32,
                 seed: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return numbers drawn from gamma distributions: shape numbers of each alpha and rate beta."""
    with framework.name_scope(name, "random_gamma", [shape, alpha, beta]):
        kind = dtypes.as_dtype(dtype)
        alpha = framework.convert_to_tensor(alpha, dtype=kind, name="alpha")
        beta = framework.convert_to_tensor(1 if beta is None else beta, dtype=kind, name="beta")
        both = emit("AddV2", [alpha, emit("ZerosLike", [beta])])
        drawn = emit("RandomGamma", [shape_as_tensor(shape), both], **seed_attrs(seed))
        return emit("Maximum", [kind.as_numpy_dtype(_tiny(kind)), emit("RealDiv", [drawn, beta])])


def _tiny(kind: Any) -> float:
    import numpy as np

    return float(np.finfo(kind.as_numpy_dtype).tiny)


def multinomial(logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None,
                output_dtype: Any = None) -> Any:  # fmt: skip
    """Return numbers of classes drawn for each row of unnormalised logarithms of probabilities."""
    with framework.name_scope(name, "multinomial", [logits]):
        kind = dtypes.int64 if output_dtype is None else dtypes.as_dtype(output_dtype)
        logits = framework.convert_to_tensor(logits, name="logits")
        return emit("Multinomial", [logits, num_samples], output_dtype=kind, **seed_attrs(seed))


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None,
                name: str | None = None) -> Any:  # fmt: skip
    """Return multinomial(logits, num_samples)."""
    return multinomial(logits, num_samples, seed, name or "categorical", dtype)
