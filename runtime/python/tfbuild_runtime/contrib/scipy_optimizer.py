"""tf.contrib.opt.ScipyOptimizerInterface: minimises a loss with SciPy's optimizers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import defaults, variables


class ScipyOptimizerInterface:
    """Minimises a loss by changing variables; needs SciPy when it runs."""

    def __init__(self, loss: Any, var_list: Any = None, equalities: Any = None,
                 inequalities: Any = None, var_to_bounds: Any = None,
                 **optimizer_kwargs: Any) -> None:  # fmt: skip
        from tfbuild_runtime.gradients.engine import gradients

        self._loss = loss
        self._vars = list(var_list or variables.trainable_variables())
        self._method = optimizer_kwargs.pop("method", "L-BFGS-B")
        self._options = optimizer_kwargs
        self._bounds = var_to_bounds or {}
        self._gradients = self._known(gradients(loss, self._vars))
        self._constraints = [
            (kind, value, self._known(gradients(value, self._vars)))
            for kind, values in (("eq", equalities), ("ineq", inequalities))
            for value in values or ()
        ]
        self._updates = [(v.initializer.inputs[1], v.initializer) for v in self._vars]

    def _known(self, found: Any) -> list[Any]:
        from tfbuild_runtime.ops import creation_ops

        return [creation_ops.zeros_like(v) if g is None else g for g, v in zip(found, self._vars)]

    def minimize(self, session: Any = None, feed_dict: Any = None, fetches: Any = None,
                 step_callback: Any = None, loss_callback: Any = None,
                 **run_kwargs: Any) -> None:  # fmt: skip
        """Change the variables in the session until the loss is least."""
        import scipy.optimize

        session = session or defaults.get_default_session()
        feed_dict, extra = feed_dict or {}, list(fetches or ())
        shapes = [v.get_shape().as_list() for v in self._vars]

        def set_all(flat: Any) -> None:
            parts = np.split(flat, np.cumsum([int(np.prod(s)) for s in shapes])[:-1])
            feeds = {value: part.reshape(shape).astype(value.dtype.base_dtype.as_numpy_dtype)
                     for (value, _), part, shape in zip(self._updates, parts, shapes)}  # fmt: skip
            session.run([op for _, op in self._updates], feeds)

        def value_and_slope(tensor: Any, slopes: Any, flat: Any, report: Any = None) -> Any:
            set_all(flat)
            value, found, others = session.run([tensor, slopes, extra], feed_dict, **run_kwargs)
            if report is not None:
                report(*others)
            return np.float64(value), _flat(found)

        constraints = [
            {"type": kind, "fun": lambda x, t=tensor, s=slopes: value_and_slope(t, s, x)[0],
             "jac": lambda x, t=tensor, s=slopes: value_and_slope(t, s, x)[1]}
            for kind, tensor, slopes in self._constraints
        ]  # fmt: skip
        found = scipy.optimize.minimize(
            lambda x: value_and_slope(self._loss, self._gradients, x, loss_callback),
            _flat(session.run(self._vars)), jac=True, method=self._method,
            bounds=self._all_bounds(shapes), constraints=constraints, callback=step_callback,
            **self._options,
        )  # fmt: skip
        set_all(found.x)

    def _all_bounds(self, shapes: Any) -> Any:
        if not self._bounds:
            return None
        pairs: list[Any] = []
        for variable, shape in zip(self._vars, shapes):
            low, high = self._bounds.get(variable, (-np.inf, np.inf))
            pairs += zip(np.broadcast_to(low, shape).ravel(), np.broadcast_to(high, shape).ravel())
        return pairs


def _flat(arrays: Any) -> Any:
    return np.concatenate([np.asarray(a, np.float64).ravel() for a in arrays])
