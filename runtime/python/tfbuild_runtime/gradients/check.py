"""Comparing gradients with differences of function values: tf.test.compute_gradient."""

from typing import Any

from tfbuild_runtime.framework import ops as framework


def compute_gradient(
    x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3,
    init_targets: Any = None, extra_feed_dict: Any = None,
) -> Any:  # fmt: skip
    """Return the Jacobian of y by x twice: by automatic differentiation and by differences.

    Rows are elements of x, columns those of y; a complex one counts as two, its real and its
    imaginary part. x and the shapes may be lists, and then so is the result; placeholders among x
    have their own values. Where none is given, x is drawn evenly from [0, 1) by numpy.random. Needs
    a default session; raises ValueError when y does not depend on x.
    """
    session = _default_session()
    for target in init_targets or ():
        session.run(target)
    if not isinstance(x, list):
        start = _start(x, x_shape, x_init_value)
        return _jacobians(session, (x, y, y_shape), start, delta, dict(extra_feed_dict or {}))
    values = x_init_value or [None] * len(x)
    if not len(x) == len(x_shape) == len(values):
        raise ValueError(f"{len(x)} x need as many shapes, not {len(x_shape)}, and as many initial "
                         f"values, not {len(values)}")  # fmt: skip
    starts = [_start(*row) for row in zip(x, x_shape, values)]
    feeds = {t: s for t, s in zip(x, starts) if t.op.type == "Placeholder"}
    feeds.update(extra_feed_dict or {})
    return [
        _jacobians(session, (tensor, y, y_shape), start, delta, feeds)
        for tensor, start in zip(x, starts)
    ]


def compute_gradient_error(
    x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3,
    init_targets: Any = None, extra_feed_dict: Any = None,
) -> float:  # fmt: skip
    """Return the largest difference between the two Jacobians of compute_gradient."""
    import numpy as np

    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets,
                             extra_feed_dict)  # fmt: skip
    pairs = found if isinstance(found, list) else [found]
    gaps = [np.abs(exact - measured).max() for exact, measured in pairs if exact.size]
    return float(max(gaps, default=0.0))


def _default_session() -> Any:
    session = framework.get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session: `with session.as_default()`")
    return session


def _sizes(shape: Any) -> list[int]:
    return [int(size) for size in ((shape,) if isinstance(shape, int) else shape)]


def _start(x: Any, shape: Any, value: Any) -> Any:
    import numpy as np

    dtype = x.dtype.base_dtype
    if value is not None:
        return np.array(value, dtype.as_numpy_dtype).reshape(_sizes(shape))
    start = np.asarray(np.random.random_sample(_sizes(shape))).astype(dtype.as_numpy_dtype)
    if dtype.is_complex:
        start.imag = np.random.random_sample(_sizes(shape))
    return start


def _reals(array: Any, dtype: Any) -> Any:
    """Return the elements of an array as a row of real numbers that shares its memory."""
    flat = array.reshape(-1)
    return flat.view(dtype.base_dtype.real_dtype.as_numpy_dtype) if dtype.is_complex else flat


def _jacobians(session: Any, call: Any, start: Any, delta: float, feeds: Any) -> Any:
    x, y, y_shape = call
    return (
        _by_differentiation(session, (x, y, _sizes(y_shape)), start, feeds),
        _by_differences(session, (x, y, _sizes(y_shape)), start, delta, feeds),
    )


def _by_differentiation(session: Any, call: Any, start: Any, feeds: Any) -> Any:
    import numpy as np

    from tfbuild_runtime.gradients.engine import gradients

    x, y, shape = call
    pick = np.zeros(shape, y.dtype.base_dtype.as_numpy_dtype)
    with y.graph.as_default():
        # A constant, so that gradients that look at the value of their argument find one.
        weights = framework.constant(np.ones_like(pick), y.dtype.base_dtype)
        gradient = gradients(y, x, framework.apply_op("Identity", [weights]).outputs[0])[0]
    if gradient is None:
        raise ValueError(f"{y.name!r} does not depend on {x.name!r}")
    gradient = framework.convert_to_tensor(gradient)
    given = {**feeds, x: start}
    columns = []
    for index in range(_reals(pick, y.dtype).size):
        _reals(pick, y.dtype)[index] = 1
        found = session.run(gradient, {**given, weights: pick})
        columns.append(_reals(np.ascontiguousarray(found), x.dtype))
        _reals(pick, y.dtype)[index] = 0
    if columns:
        return np.stack(columns, 1)
    found = session.run(gradient, {**given, weights: pick})
    if found.shape != start.shape or np.any(found):
        raise ValueError(f"The gradient of an empty {y.name!r} by {x.name!r} must be "
                         f"{list(start.shape)} of zeros, not {found}")  # fmt: skip
    return np.zeros((_reals(start, x.dtype).size, 0), _reals(start, x.dtype).dtype)


def _by_differences(session: Any, call: Any, start: Any, delta: float, feeds: Any) -> Any:
    import numpy as np

    x, y, shape = call
    rows = []
    for index in range(_reals(start, x.dtype).size):
        sides = []
        for step in (delta, -delta):
            moved = start.copy()
            _reals(moved, x.dtype)[index] += step
            found = np.ascontiguousarray(session.run(y, {**feeds, x: moved}))
            sides.append(_reals(found, y.dtype))
        rows.append((sides[0] - sides[1]) / (2 * delta))
    return np.stack(rows) if rows else np.zeros((0, int(np.prod(shape))), start.dtype)
