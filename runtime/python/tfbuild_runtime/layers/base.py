"""The base of all layers: where variables are made, how they are named and shared."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import array_ops, math_ops, nest
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.variable_scope import get_variable, get_variable_scope, variable_scope


class InputSpec:
    """What a layer takes: type, shape, rank, and sizes of single axes."""

    def __init__(self, dtype: Any = None, shape: Any = None, ndim: int | None = None,
                 max_ndim: int | None = None, min_ndim: int | None = None,
                 axes: dict[int, int] | None = None, allow_last_axis_squeeze: bool = False,
                 name: str | None = None, optional: bool = False) -> None:  # fmt: skip
        if allow_last_axis_squeeze:
            raise NotImplementedError("InputSpec(allow_last_axis_squeeze=True) is not there")
        self.name = name
        self.optional = optional
        self.dtype = dtype
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = axes or {}

    def check(self, tensor: Any, layer: str) -> None:
        """Raise ValueError when the tensor's shape is known and another one."""
        shape = tensor.get_shape()
        if shape.ndims is None:
            return
        if self.ndim is not None and shape.ndims != self.ndim:
            raise ValueError(f"Input 0 of layer {layer} is incompatible with the layer: expected "
                             f"ndim={self.ndim}, found ndim={shape.ndims}. {tensor!r}")  # fmt: skip
        if self.min_ndim is not None and shape.ndims < self.min_ndim:
            raise ValueError(f"Input 0 of layer {layer} is incompatible with the layer: expected "
                             f"min_ndim={self.min_ndim}, found ndim={shape.ndims}. "
                             f"{tensor!r}")  # fmt: skip
        sizes = shape.as_list()
        for axis, size in self.axes.items():
            if sizes[axis] not in (None, size):
                raise ValueError(f"Input 0 of layer {layer} is incompatible with the layer: "
                                 f"expected axis {axis} of input shape to have value {size} but "
                                 f"got shape {sizes}")  # fmt: skip


def snake_case(name: str) -> str:
    """Return the name of a class as a name of an operation: Conv2DTranspose, conv2d_transpose."""
    parted = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    text = re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
    return text if text[0] != "_" else f"private{text}"


class Layer:
    """Makes its variables when it is first called, in a scope of its name, and keeps them.

    A layer that is new defines build, which makes variables by add_weight, and call.
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None,
                 activity_regularizer: Any = None, **kwargs: Any) -> None:  # fmt: skip
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self._updates_collections = kwargs.pop("_updates_collections", (GraphKeys.UPDATE_OPS,))
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {', '.join(sorted(kwargs))}")
        self.trainable = trainable
        self.built = False
        self.input_spec: InputSpec | None = None
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._activity_regularizer = activity_regularizer
        self._weights: list[Any] = []
        self._own_trainable: list[Any] = []
        self._losses: list[Any] = []
        self._updates: list[Any] = []
        self._scope: Any = None
        self._graph: Any = None
        self._base_name = snake_case(type(self).__name__)
        self._name = self._unique_name() if not name else getattr(name, "name", name)
        if name:
            self._base_name = self._name
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    def _unique_name(self) -> str:
        counts = framework.get_default_graph()._scratch.setdefault("layer_names", {})
        counts[self._base_name] = counts.get(self._base_name, 0) + 1
        return f"{self._base_name}_{counts[self._base_name]}"

    # ---- what a layer defines -------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        del input_shape
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """Return the outputs."""
        del kwargs
        return inputs

    # ---- what programs call ---------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs; the first call makes the variables."""
        self._set_scope(kwargs.pop("scope", None))
        inputs = nest.pack(inputs, [_as_input(value) for value in nest.flatten(inputs)])
        tensors = nest.tensors_in(inputs)
        reuse = True if self.built else self._reuse
        with (
            framework.graph_of(tensors).as_default(),
            variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False),
            framework.name_scope(self._scope.original_name_scope or None),
        ):
            self._graph = framework.get_default_graph()
            self._check_inputs(tensors)
            if not self.built:
                self._build_for(inputs, tensors)
            self._check_arguments(kwargs)
            outputs = self.call(inputs, *args, **kwargs)
            self._regularize_outputs(outputs)
            return outputs

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs, as calling the layer does."""
        return self(inputs, *args, **kwargs)

    def _set_scope(self, scope: Any) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            with variable_scope(scope if scope is not None else self._base_name) as captured:
                self._scope = captured
        else:
            with variable_scope(scope, default_name=self._base_name) as captured:
                self._scope = captured

    def _check_arguments(self, given: dict[str, Any]) -> None:
        """Raise TypeError for an argument of the call that call swallows as `**_`."""
        parameters = inspect.signature(self.call).parameters
        wrong = sorted(set(given) - set(parameters) - {"training"})
        if wrong and "_" in parameters:
            raise TypeError(f"{type(self).__name__}.call() got an unexpected keyword argument "
                            f"{wrong[0]!r}")  # fmt: skip

    def _check_inputs(self, tensors: list[Any]) -> None:
        if self.input_spec is not None and tensors:
            self.input_spec.check(tensors[0], self._name)

    def _build_for(self, inputs: Any, tensors: list[Any]) -> None:
        if self._dtype is None and tensors:
            self._dtype = tensors[0].dtype.base_dtype
        is_one = framework.is_tensor_like(inputs)
        shapes = nest.pack(inputs, [t.get_shape() for t in nest.flatten(inputs)])
        self.build(inputs.get_shape() if is_one else shapes)
        self.built = True
        if tensors:
            self._check_inputs(tensors)

    def _regularize_outputs(self, outputs: Any) -> None:
        if self._activity_regularizer is None:
            return
        with framework.name_scope("ActivityRegularizer"):
            for tensor in nest.tensors_in(outputs):
                loss = framework.convert_to_tensor(self._activity_regularizer(tensor))
                count = math_ops.cast(array_ops.shape(tensor)[0], loss.dtype.base_dtype)
                self.add_loss(emit("DivNoNan", [loss, count]))  # whatever the size of the batch

    # ---- variables, losses and updates ----------------------------------------------------------

    def add_weight(self, name: str, shape: Any, dtype: Any = None, initializer: Any = None,
                   regularizer: Any = None, trainable: bool | None = None, constraint: Any = None,
                   use_resource: Any = None, synchronization: Any = None, aggregation: Any = None,
                   partitioner: Any = None, **others: Any) -> Any:  # fmt: skip
        """Return the variable of that name in the layer's scope, made or shared."""
        del synchronization, aggregation  # those are for several devices
        only_known(others)
        chosen = self.trainable if trainable is None else trainable and self.trainable
        wanted = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        before = len(framework.get_collection(GraphKeys.GLOBAL_VARIABLES))
        with self._in_scope():
            variable = get_variable(
                name, shape=tensor_shape.as_shape(shape), dtype=wanted, initializer=initializer,
                trainable=chosen, constraint=constraint, partitioner=partitioner,
                use_resource=use_resource,
            )  # fmt: skip
        if hasattr(variable, "_get_variable_list"):
            return self._keep_parts(variable, regularizer)
        is_new = variable in framework.get_collection(GraphKeys.GLOBAL_VARIABLES)[before:]
        regularizer = regularizer or get_variable_scope().regularizer
        if regularizer is not None and is_new:
            with framework.name_scope(f"{name}/Regularizer"):
                self.add_loss(regularizer(variable))
        self._weights.append(variable)
        # A custom getter of the scope may have said that it is not trained.
        kept_out = self.trainable and not variable.trainable
        if (trainable is None or trainable) and not kept_out:
            self._own_trainable.append(variable)
        return variable

    add_variable = add_weight

    def _keep_parts(self, whole: Any, regularizer: Any) -> Any:
        """Keep the parts of a variable that is cut; return the whole."""
        parts = [part for part in whole if all(part is not kept for kept in self._weights)]
        self._weights += parts
        self._own_trainable += [part for part in parts if part.trainable]
        if regularizer is not None:
            for part in parts:
                with framework.name_scope(f"{part.op.name}/Regularizer"):
                    self.add_loss(regularizer(part))
        return whole

    def _in_scope(self) -> Any:
        """Enter the layer's scope, unless the caller has done so."""
        self._set_scope(None)
        inside = get_variable_scope().name == self._scope.name
        scope = get_variable_scope() if inside else self._scope
        return variable_scope(scope, reuse=self._reuse, auxiliary_name_scope=False)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add to the losses that regularize."""
        del inputs
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            if loss is not None:
                self._losses.append(loss)
                framework.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add to the operations that a training runs beside its own."""
        del inputs
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._updates.append(update)
            framework.add_to_collections(self._updates_collections, update)

    @property
    def name(self) -> str:
        """The name of the layer."""
        return str(self._name)

    @property
    def dtype(self) -> Any:
        """The type of its variables; None before it is built, unless it was given."""
        return self._dtype

    @property
    def graph(self) -> Any:
        """The graph in which it was last called."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The scope of its variables; raises ValueError before the first call."""
        if not self._scope:
            raise ValueError(f'No name available for layer scope because the layer "{self._name}" '
                             "has not been used yet.")  # fmt: skip
        return str(self._scope.name)

    def _parts(self) -> Sequence[Layer]:
        """Return the layers that this one is made of."""
        return ()

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that a training changes."""
        own = self._own_trainable if self.trainable else []
        return [*own, *(v for part in self._parts() for v in part.trainable_variables)]

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables that a training does not change."""
        trained = set(map(id, self.trainable_variables))
        return [v for v in self.variables if id(v) not in trained]

    @property
    def variables(self) -> list[Any]:
        """All variables."""
        return [*self._weights, *(v for part in self._parts() for v in part.variables)]

    weights, trainable_weights = variables, trainable_variables
    non_trainable_weights = non_trainable_variables

    @property
    def losses(self) -> list[Any]:
        """The losses that regularizers added."""
        return list(self._losses)

    @property
    def updates(self) -> list[Any]:
        """The operations that a training should run."""
        return list(self._updates)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """Return the updates."""
        del inputs
        return self.updates

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Return the losses."""
        del inputs
        return self.losses

    def count_params(self) -> int:
        """Return the number of elements of all variables."""
        return sum(variable.shape.num_elements() for variable in self.variables)


def only_known(others: dict[str, Any]) -> None:
    """Raise TypeError for an argument that add_weight of TensorFlow does not have either."""
    unknown = sorted(set(others) - {"caching_device"})
    if unknown:  # that above changes no number
        raise TypeError(f"Unknown keyword argument: {', '.join(unknown)}")


def _as_input(value: Any) -> Any:
    is_array = not framework.is_tensor_like(value) and value is not None
    return framework.convert_to_tensor(value) if is_array or hasattr(value, "_to_tensor") else value


class WeightedLayer(Layer):
    """A layer with a kernel, a bias unless it is switched off, and an activation behind them."""

    def __init__(
        self, activation: Callable[[Any], Any] | None, use_bias: bool, kernel_initializer: Any,
        bias_initializer: Any, kernel_regularizer: Any, bias_regularizer: Any,
        activity_regularizer: Any, kernel_constraint: Any, bias_constraint: Any, trainable: bool,
        name: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.kernel: Any = None
        self.bias: Any = None

    def _make_kernel(self, name: str, shape: list[int]) -> Any:
        return self.add_weight(name, shape, initializer=self.kernel_initializer,
                               regularizer=self.kernel_regularizer,
                               constraint=self.kernel_constraint)  # fmt: skip

    def _make_bias(self, size: int) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [size], initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )  # fmt: skip
        self.built = True
