"""Losses as objects: what is computed for each example, and how a batch makes one number of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras import losses
from tfbuild_runtime.ops import array_ops, math_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit

_SAID = {"huber": "huber_loss", "kullback_leibler_divergence": "kl_divergence"}
_REDUCTIONS = ("auto", "none", "sum", "sum_over_batch_size")


class Loss:
    """A loss that a class of a program defines by call, which returns the loss of each example."""

    def __init__(self, reduction: str = "auto", name: str | None = None) -> None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"Invalid Reduction Key: {reduction}. Expected keys are {_REDUCTIONS}")
        self.reduction = reduction
        self.name = name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return the loss of each example."""
        raise NotImplementedError(f"a loss such as {type(self).__name__} defines call")

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Return the losses of a batch, weighted and reduced."""
        scope = (self.name or type(self).__name__).strip("_<>")
        with framework.name_scope(scope):
            return reduced(self.call(y_true, y_pred), sample_weight, self.reduction)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make the same loss."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return the loss that these arguments make."""
        return cls(**config)


def reduced(rows: Any, weights: Any, reduction: str) -> Any:
    """Return losses times their weights: each one, their sum, or that by the number of losses."""
    rows = framework.convert_to_tensor(rows)
    if not rows.dtype.is_floating:
        rows = math_ops.cast(rows, dtypes.float32)
    if weights is not None:
        given = math_ops.cast(framework.convert_to_tensor(weights), rows.dtype.base_dtype)
        rows = rows * _of_rank(given, rows.get_shape().ndims)
    if reduction == "none":
        return rows
    total = reduce_ops.reduce_sum(rows)
    if reduction == "sum":
        return total
    return emit("DivNoNan", [total, math_ops.cast(array_ops.size(rows), rows.dtype.base_dtype)])


def _of_rank(weights: Any, rank: Any) -> Any:
    """Return the weights with a last dimension more or less where that makes the ranks equal."""
    given = weights.get_shape().ndims
    if given in (None, 0) or rank is None:
        return weights
    if given - rank == 1:
        return array_ops.squeeze(weights, [-1])
    return array_ops.expand_dims(weights, -1) if rank - given == 1 else weights


def _squeezed(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return both; a last dimension of 1 that only one of two tensors has is taken off."""
    if not (framework.is_tensor_like(y_true) and framework.is_tensor_like(y_pred)):
        return y_true, y_pred
    wanted, given = y_true.get_shape(), y_pred.get_shape()
    if wanted.ndims is None or given.ndims is None:
        return y_true, y_pred
    if given.ndims - wanted.ndims == 1 and given.as_list()[-1] == 1:
        return y_true, array_ops.squeeze(y_pred, [-1])
    if wanted.ndims - given.ndims == 1 and wanted.as_list()[-1] in (1, None):
        return array_ops.squeeze(y_true, [-1]), y_pred
    return y_true, y_pred


class FunctionLoss(Loss):
    """The loss that a function of what is wanted and what was predicted computes."""

    def __init__(self, function: Callable[..., Any], reduction: str = "auto",
                 name: str | None = None, **how: Any) -> None:  # fmt: skip
        super().__init__(reduction, name)
        self.function = function
        self._how = how

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return the loss of each example."""
        return self.function(*_squeezed(y_true, y_pred), **self._how)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make the same loss."""
        return {**super().get_config(), **self._how}


def _as_class(name: str, function: Callable[..., Any], **defaults: Any) -> type[FunctionLoss]:
    """Return a class whose arguments are those of the function, then reduction and name."""
    said = _SAID.get(function.__name__, function.__name__)
    known = {**defaults, "reduction": "auto", "name": said}

    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        given = dict(zip(known, args))
        wrong = [key for key in kwargs if key not in known or key in given]
        if len(args) > len(known) or wrong:
            asked = ", ".join(wrong) or f"{len(args)} positional ones"
            raise TypeError(f"{name} takes the arguments {', '.join(known)}, not {asked}")
        FunctionLoss.__init__(self, function, **{**known, **given, **kwargs})

    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    begin.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter("self", both),
        *(inspect.Parameter(key, both, default=value) for key, value in known.items()),
    ])  # fmt: skip
    return type(name, (FunctionLoss,), {"__init__": begin, "__doc__": function.__doc__})


BinaryCrossentropy = _as_class(
    "BinaryCrossentropy",
    losses.binary_crossentropy,
    from_logits=False,
    label_smoothing=0.0,
    axis=-1,
)
CategoricalCrossentropy = _as_class(
    "CategoricalCrossentropy", losses.categorical_crossentropy, from_logits=False,
    label_smoothing=0.0, axis=-1,
)  # fmt: skip
Hinge = _as_class("Hinge", losses.hinge)
Huber = _as_class("Huber", losses.huber, delta=1.0)
KLDivergence = _as_class("KLDivergence", losses.kullback_leibler_divergence)
MeanAbsoluteError = _as_class("MeanAbsoluteError", losses.mean_absolute_error)
MeanSquaredError = _as_class("MeanSquaredError", losses.mean_squared_error)
SparseCategoricalCrossentropy = _as_class(
    "SparseCategoricalCrossentropy",
    losses.sparse_categorical_crossentropy,
    from_logits=False,
    ignore_class=None,
)


def function_of(
    identifier: Any, known: dict[str, Callable[..., Any]] = losses.LOSSES
) -> Callable[..., Any]:
    """Return the function of rows that a word, a loss or a function asks for; raises ValueError."""
    if callable(identifier):
        return identifier  # type: ignore[no-any-return]
    name = identifier.lower() if isinstance(identifier, str) else identifier
    if name not in known:
        names = ", ".join(sorted(known))
        raise ValueError(f"Unknown loss or metric: {identifier!r}; there are {names}")
    return known[name]


def loss_of(identifier: Any) -> Any:
    """Return the loss that a model is compiled with, as an object, or one of the program's own."""
    if isinstance(identifier, type) and issubclass(identifier, Loss):
        raise ValueError(f"Received uninstantiated Loss class: {identifier}. Please call loss "
                         "classes before passing them to Model.compile.")  # fmt: skip
    if isinstance(identifier, Loss) or (
        callable(identifier) and not hasattr(identifier, "__name__")
    ):
        return identifier
    return FunctionLoss(function_of(identifier), "sum_over_batch_size")
