"""Random tensors, and the seeds that make them repeatable."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops.emit import emit

DEFAULT_GRAPH_SEED = 87654321
_LIMIT = 2**31 - 1


def set_random_seed(seed: int) -> None:
    """Seed the default graph: every random operation made from now on derives its own seed."""
    framework.get_default_graph().seed = seed


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Return the two seeds of an operation, both None where each run may draw other numbers.

    An operation without a seed of its own, in a graph that has one, gets the next number.
    """
    graph = framework.get_default_graph()
    if graph.seed is None:
        return (None, None) if op_seed is None else (DEFAULT_GRAPH_SEED, op_seed % _LIMIT)
    if op_seed is None:
        op_seed = graph._last_seed_number
        graph._last_seed_number += 1
    seeds = graph.seed % _LIMIT, op_seed % _LIMIT
    # Kernels read (0, 0) as "not seeded", but here somebody did give a seed.
    return (0, _LIMIT) if seeds == (0, 0) else seeds


def _seed_attrs(op_seed: int | None) -> dict[str, int]:
    seed, seed2 = get_seed(op_seed)
    return {"seed": seed or 0, "seed2": seed2 or 0}


def _shape_tensor(shape: Any) -> Any:
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
        shape = _shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if dtype.is_integer or not (from_zero and to_one):
            minval = framework.convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = framework.convert_to_tensor(maxval, dtype=dtype, name="max")
        seeds = _seed_attrs(seed)
        if dtype.is_integer:
            return emit("RandomUniformInt", [shape, minval, maxval], scope, **seeds)
        drawn = emit("RandomUniform", [shape], dtype=dtype, **seeds)
        if from_zero:
            return drawn if to_one else emit("Mul", [drawn, maxval])
        width = emit("Sub", [maxval, minval], "sub")
        return emit("AddV2", [emit("Mul", [drawn, width], "mul"), minval], scope)


def _bell(op_type: str, shape: Any, center: tuple[Any, Any], dtype: Any, seed: int | None,
          scope: str) -> Any:  # fmt: skip
    shape = _shape_tensor(shape)
    mean = framework.convert_to_tensor(center[0], dtype=dtype, name="mean")
    stddev = framework.convert_to_tensor(center[1], dtype=dtype, name="stddev")
    drawn = emit(op_type, [shape], dtype=dtype, **_seed_attrs(seed))
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
    return emit("RandomShuffle", [value], name, **_seed_attrs(seed))


def multinomial(logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None,
                output_dtype: Any = None) -> Any:  # fmt: skip
    """Return numbers of classes drawn for each row of unnormalised logarithms of probabilities."""
    with framework.name_scope(name, "multinomial", [logits]):
        kind = dtypes.int64 if output_dtype is None else dtypes.as_dtype(output_dtype)
        logits = framework.convert_to_tensor(logits, name="logits")
        return emit("Multinomial", [logits, num_samples], output_dtype=kind, **_seed_attrs(seed))


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None,
                name: str | None = None) -> Any:  # fmt: skip
    """Return multinomial(logits, num_samples)."""
    return multinomial(logits, num_samples, seed, name or "categorical", dtype)
