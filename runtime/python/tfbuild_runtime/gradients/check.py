"""Comparing gradients with differences of function values: tf.test.compute_gradient."""

from typing import Any

from tfbuild_runtime.framework import ops as framework


def compute_gradient(
    x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3,
    init_targets: Any = None, extra_feed_dict: Any = None,
) -> Any:  # fmt: skip
    """Return the Jacobian of y by x twice: by automatic differentiation and by differences.

    Rows are elements of x, columns those of y. x and the shapes may be lists, and then so is the
    result. Needs a default session; raises ValueError when y does not depend on x.
    """
    feeds = dict(extra_feed_dict or {})
    session = _default_session()
    if init_targets is not None:
        session.run(init_targets)
    if not isinstance(x, list):
        return _jacobians(session, x, y, _start(x, x_shape, x_init_value), delta, feeds)
    values = x_init_value or [None] * len(x)
    if not len(x) == len(x_shape) == len(values):
        raise ValueError(f"{len(x)} x need as many shapes, not {len(x_shape)}, and as many initial "
                         f"values, not {len(values)}")  # fmt: skip
    starts = [_start(*row) for row in zip(x, x_shape, values)]
    results = []
    for tensor, start in zip(x, starts):
        others = {t: s for t, s in zip(x, starts) if t is not tensor}
        results.append(_jacobians(session, tensor, y, start, delta, {**feeds, **others}))
    del y_shape
    return results


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


def _start(x: Any, shape: Any, value: Any) -> Any:
    import numpy as np

    dtype = x.dtype.base_dtype.as_numpy_dtype
    if value is not None:
        return np.array(value, dtype).reshape([int(size) for size in shape])
    return np.random.default_rng().standard_normal([int(s) for s in shape]).astype(dtype)


def _jacobians(session: Any, x: Any, y: Any, start: Any, delta: float, feeds: Any) -> Any:
    return (
        _by_differentiation(session, x, y, start, feeds),
        _by_differences(session, (x, y), start, delta, feeds),
    )


def _by_differentiation(session: Any, x: Any, y: Any, start: Any, feeds: Any) -> Any:
    import numpy as np

    from tfbuild_runtime.gradients.engine import gradients

    with y.graph.as_default():
        weights = framework.apply_op(
            "Placeholder", [], {"dtype": y.dtype.base_dtype, "shape": y.get_shape()}, "weights"
        ).outputs[0]
        gradient = gradients(y, x, weights)[0]
    if gradient is None:
        raise ValueError(f"{y.name!r} does not depend on {x.name!r}")
    gradient = framework.convert_to_tensor(gradient)
    shape = session.run(y, {**feeds, x: start}).shape
    columns = []
    for index in range(int(np.prod(shape, dtype=int))):
        pick = np.zeros(shape, y.dtype.base_dtype.as_numpy_dtype)
        pick.reshape(-1)[index] = 1
        columns.append(session.run(gradient, {**feeds, x: start, weights: pick}).reshape(-1))
    return np.stack(columns, 1) if columns else np.zeros((start.size, 0), start.dtype)


def _by_differences(session: Any, pair: Any, start: Any, delta: float, feeds: Any) -> Any:
    import numpy as np

    x, y = pair
    rows = []
    for index in range(start.size):
        sides = []
        for step in (delta, -delta):
            moved = start.copy()
            moved.reshape(-1)[index] += step
            sides.append(session.run(y, {**feeds, x: moved}).reshape(-1))
        rows.append((sides[0] - sides[1]) / (2 * delta))
    return np.stack(rows) if rows else np.zeros((0, 0), start.dtype)
