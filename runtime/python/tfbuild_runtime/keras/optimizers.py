"""Keras' optimisers: those of tf.train by Keras' names and defaults, and the rules that differ."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, resource_variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import Variable
from tfbuild_runtime.gradients.engine import gradients
from tfbuild_runtime.ops import clip_ops, control_ops, math_ops
from tfbuild_runtime.train import more_optimizers, optimizer, optimizers


class KerasOptimizer:
    """Changes variables against the gradients of a loss; lr is a variable."""

    def __init__(self, learning_rate: Any, decay: float = 0.0, clipnorm: Any = None,
                 clipvalue: Any = None, name: str | None = None,
                 **kwargs: Any) -> None:  # fmt: skip
        rate = kwargs.pop("lr", learning_rate)  # its name in TensorFlow 1
        if kwargs:
            raise TypeError(f"Unexpected keyword argument: {', '.join(sorted(kwargs))}")
        self._rate, self._decay = rate, decay
        self._clipnorm, self._clipvalue = clipnorm, clipvalue
        self._name = name or type(self).__name__
        self._made: dict[Any, Any] = {}

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        """Return the optimiser that does it, with that rate."""
        raise NotImplementedError

    def _of_graph(self) -> tuple[Any, Any, Any]:
        """Return rate, number of steps and the optimiser in the current graph."""
        graph = framework.get_default_graph()
        if graph not in self._made:
            with framework.control_dependencies(None), framework.name_scope(self._name):
                rate = Variable(self._rate, trainable=False, name="learning_rate",
                                dtype=dtypes.float32, use_resource=True)  # fmt: skip
                steps = Variable(0, trainable=False, name="iter", dtype=dtypes.int64,
                                 use_resource=True)  # fmt: skip
            now: Any = rate.value()
            if self._decay:
                now = now / (1.0 + self._decay * math_ops.cast(steps.value(), dtypes.float32))
            self._made[graph] = rate, steps, self._inner(now)
        return self._made[graph]  # type: ignore[no-any-return]

    @property
    def lr(self) -> Any:
        """The learning rate, a variable."""
        return self._of_graph()[0]

    learning_rate = lr

    @property
    def iterations(self) -> Any:
        """The number of steps, a variable."""
        return self._of_graph()[1]

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """Return the gradients, clipped as asked for; raises ValueError where there is none."""
        found = gradients(loss, list(params))
        if any(gradient is None for gradient in found):
            lost = [p.name for p, g in zip(params, found) if g is None]
            raise ValueError(f"there is no gradient by {', '.join(lost)}")
        return self._clipped(found)

    def _clipped(self, found: list[Any]) -> list[Any]:
        if self._clipnorm is not None:
            found = [clip_ops.clip_by_norm(gradient, self._clipnorm) for gradient in found]
        if self._clipvalue is not None:
            found = [clip_ops.clip_by_value(gradient, -self._clipvalue, self._clipvalue)
                     for gradient in found]  # fmt: skip
        return found

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None,
                        experimental_aggregate_gradients: bool = True) -> Any:  # fmt: skip
        """Return the operation that changes the variables."""
        del experimental_aggregate_gradients  # those of one process are all there are
        _, steps, inner = self._of_graph()
        change = inner.apply_gradients(list(grads_and_vars), name=name)
        with framework.control_dependencies([change]):
            return control_ops.group(steps.assign_add(1))

    def minimize(self, loss: Any, var_list: Any, grad_loss: Any = None,
                 name: str | None = None, tape: Any = None) -> Any:  # fmt: skip
        """Return the operation that takes a step against the loss.

        Raises NotImplementedError for a tape.
        """
        if tape is not None:
            raise NotImplementedError("there are no tapes: give the loss alone")
        chosen = list(var_list() if callable(var_list) else var_list)
        found = self._clipped(gradients(loss() if callable(loss) else loss, chosen, grad_loss))
        return self.apply_gradients([(g, v) for g, v in zip(found, chosen) if g is not None], name)

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """Return the operations that take a step against the loss."""
        return [self.apply_gradients(zip(self.get_gradients(loss, params), params))]


class _Momentum(optimizers.MomentumOptimizer):
    """Keras' rule: what is kept are steps, of the rates that were then, and not gradients."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        kept = self.get_slot(var, "momentum")
        rate, momentum = (math_ops.cast(one, var.dtype.base_dtype) for one in self._settings)
        if resource_variables.is_resource_variable(var):
            return self._apply("ApplyKerasMomentum", [var, kept], [rate, grad, momentum],
                               use_nesterov=self._use_nesterov)  # fmt: skip
        step = kept.assign(momentum * kept - rate * grad)
        return var.assign_add(momentum * step - rate * grad if self._use_nesterov else step).op

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        if not resource_variables.is_resource_variable(var):
            return self._apply_dense(framework.convert_to_tensor(grad), var)
        rate, momentum = (math_ops.cast(one, var.dtype.base_dtype) for one in self._settings)
        return self._apply("SparseApplyKerasMomentum", [var, self.get_slot(var, "momentum")],
                           [rate, grad.values, grad.indices, momentum],
                           use_nesterov=self._use_nesterov)  # fmt: skip


class SGD(KerasOptimizer):
    """Steps against the gradient, with momentum."""

    def __init__(self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False,
                 name: str = "SGD", **kwargs: Any) -> None:  # fmt: skip
        super().__init__(learning_rate, name=name, **kwargs)
        self._momentum, self._nesterov = momentum, nesterov

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        if not self._momentum:
            return optimizers.GradientDescentOptimizer(rate, name=self._name)
        return _Momentum(rate, self._momentum, use_nesterov=self._nesterov, name=self._name)


class Adam(KerasOptimizer):
    """Steps by moving means of gradients and of their squares."""

    def __init__(self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999,
                 epsilon: Any = 1e-7, amsgrad: bool = False, name: str = "Adam",
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(learning_rate, name=name, **kwargs)
        if amsgrad:
            raise NotImplementedError("Adam(amsgrad=True) is not there")
        self._how = (beta_1, beta_2, 1e-7 if epsilon is None else epsilon)

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        beta_1, beta_2, epsilon = self._how
        return optimizers.AdamOptimizer(rate, beta_1, beta_2, epsilon, name=self._name)


class Adagrad(KerasOptimizer):
    """Steps by the sum of squares of all gradients so far."""

    def __init__(self, learning_rate: Any = 0.001, initial_accumulator_value: float = 0.1,
                 epsilon: Any = 1e-7, name: str = "Adagrad", **kwargs: Any) -> None:  # fmt: skip
        super().__init__(learning_rate, name=name, **kwargs)
        if initial_accumulator_value < 0.0:
            raise ValueError("initial_accumulator_value must be non-negative: "
                             f"{initial_accumulator_value}")  # fmt: skip
        self._how = (initial_accumulator_value, 1e-7 if epsilon is None else epsilon)

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        return _SumOfSquares(rate, self._name, *self._how)


class Adadelta(KerasOptimizer):
    """Steps by moving means of squares of gradients and of steps."""

    def __init__(self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: Any = 1e-7,
                 name: str = "Adadelta", **kwargs: Any) -> None:  # fmt: skip
        super().__init__(learning_rate, name=name, **kwargs)
        self._how = (rho, 1e-7 if epsilon is None else epsilon)

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        return more_optimizers.AdadeltaOptimizer(rate, *self._how, name=self._name)


class _SumOfSquares(optimizer.Optimizer):
    """Keras' rule, whose epsilon is added to the root, and whose sum may begin with 0."""

    def __init__(self, rate: Any, name: str, begin: float, epsilon: float) -> None:
        super().__init__(False, name)
        self._now, self._begin, self._epsilon = rate, begin, epsilon

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            begin = framework.constant(self._begin, variable.dtype.base_dtype, variable.shape)
            self._get_or_make_slot(variable, begin, "accumulator", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        squares = self.get_slot(var, "accumulator")
        total = squares.assign_add(math_ops.square(grad))
        return var.assign_sub(self._now * grad / (math_ops.sqrt(total) + self._epsilon)).op


class _RootMeanSquares(optimizer.Optimizer):
    """Keras' rule, whose epsilon is added to the root, or with momentum below it."""

    def __init__(self, rate: Any, name: str, *how: float) -> None:
        super().__init__(False, name)
        self._now, self._how = rate, how

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "rms", self._name)
            if self._how[2]:
                self._zeros_slot(variable, "momentum", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        rho, epsilon, momentum = self._how
        squares = self.get_slot(var, "rms")
        mean = squares.assign(rho * squares + (1.0 - rho) * math_ops.square(grad))
        if not momentum:
            return var.assign_sub(self._now * grad / (math_ops.sqrt(mean) + epsilon)).op
        moved = self.get_slot(var, "momentum")
        step = self._now * grad / math_ops.sqrt(mean + epsilon)
        return var.assign_sub(moved.assign(momentum * moved + step)).op

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        rho, epsilon, momentum = self._how
        if not momentum or not resource_variables.is_resource_variable(var):
            return self._apply_dense(framework.convert_to_tensor(grad), var)
        kept = [var, self.get_slot(var, "rms"), self.get_slot(var, "momentum")]
        settings = [math_ops.cast(framework.convert_to_tensor(one), var.dtype.base_dtype)
                    for one in (self._now, rho, momentum, epsilon)]  # fmt: skip
        return self._apply("SparseApplyRMSProp", kept, [*settings, grad.values, grad.indices])


class RMSprop(KerasOptimizer):
    """Steps by the moving mean of squares of gradients."""

    def __init__(self, learning_rate: Any = 0.001, rho: float = 0.9, momentum: float = 0.0,
                 epsilon: Any = 1e-7, centered: bool = False, name: str = "RMSprop",
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(learning_rate, name=name, **kwargs)
        if centered:
            raise NotImplementedError("RMSprop(centered=True) is not there: use "
                                      "tf.train.RMSPropOptimizer")  # fmt: skip
        self._how = (rho, 1e-7 if epsilon is None else epsilon, momentum)

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        return _RootMeanSquares(rate, self._name, *self._how)


class TrainOptimizer(KerasOptimizer):
    """An optimiser of tf.train, in a model."""

    def __init__(self, inner: Any) -> None:
        super().__init__(0.0, name=inner.get_name())
        self._given = inner

    @property
    def lr(self) -> Any:
        """Raise AttributeError: its rate is its own."""
        raise AttributeError(f"the rate of {self._name} of tf.train is not set from outside")

    learning_rate = lr

    def _inner(self, rate: Any) -> optimizer.Optimizer:
        del rate
        return self._given  # type: ignore[no-any-return]


_BY_NAME = {"adadelta": Adadelta, "adagrad": Adagrad, "adam": Adam, "rmsprop": RMSprop, "sgd": SGD}


def optimizer_of(identifier: Any) -> KerasOptimizer:
    """Return the optimiser that a word or an optimiser asks for; raises ValueError."""
    if isinstance(identifier, KerasOptimizer):
        return identifier
    if isinstance(identifier, optimizer.Optimizer):
        return TrainOptimizer(identifier)
    name = identifier.lower() if isinstance(identifier, str) else identifier
    if name not in _BY_NAME:
        names = ", ".join(sorted(_BY_NAME))
        raise ValueError(f"Unknown optimizer: {identifier!r}; there are {names}")
    return _BY_NAME[name]()  # type: ignore[abstract]
