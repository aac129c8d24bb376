"""The base of Keras' layers: names, variables behind handles, what is remembered of each call."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import Variable
from tfbuild_runtime.keras import phase
from tfbuild_runtime.keras.named import activation_of, initializer_of, regularizer_of
from tfbuild_runtime.layers import base
from tfbuild_runtime.ops import init_ops, nest

_SHAPES = ("batch_input_shape", "batch_size", "input_shape")


class LayerCall(NamedTuple):
    """One call of a layer: what made a tensor."""

    number: int
    layer: Any
    inputs: Any
    arguments: dict[str, Any]
    outputs: Any


def calls_of(graph: Any) -> dict[Any, LayerCall]:
    """Return, for each tensor that a layer made in the graph, its call."""
    return graph._scratch.setdefault("keras_calls", {})  # type: ignore[no-any-return]


def unique_layer_name(base_name: str) -> str:
    """Return dense, dense_1, dense_2, ... in this graph."""
    counts = framework.get_default_graph()._scratch.setdefault("keras_names", {})
    number = counts.get(base_name, -1) + 1
    counts[base_name] = number
    return f"{base_name}_{number}" if number else base_name


class Layer(base.Layer):
    """Makes its variables when it is first called, by the name of the layer, and keeps them.

    A layer that is new defines build, which makes variables by add_weight, and call. Layers that
    are its attributes are parts of it.
    """

    _handles = True  # variables are behind handles

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None,
                 dynamic: bool = False, **kwargs: Any) -> None:  # fmt: skip
        if dynamic:
            raise NotImplementedError("Layer(dynamic=True) is not there: layers make graphs")
        given = {key: kwargs.pop(key) for key in _SHAPES if key in kwargs}
        if "input_dim" in kwargs:
            given["input_shape"] = (kwargs.pop("input_dim"),)
        self._first_weights = kwargs.pop("weights", None)
        regularizer = regularizer_of(kwargs.pop("activity_regularizer", None))
        super().__init__(trainable, name, dtype, regularizer, **kwargs)
        self._given_shape = _whole_shape(given)
        self.supports_masking = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """See whether calls of the class take the argument `training`."""
        super().__init_subclass__(**kwargs)
        parameters = inspect.signature(cls.call).parameters
        cls._takes_training = "training" in parameters
        cls._takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())

    _takes_training = False
    _takes_any = False

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep layers, also those in a list or dictionary, as parts; train them, or do not."""
        if name == "trainable":
            for part in self._parts():
                part.trainable = value
        if name[:1] != "_":
            for part in nest.leaves(value) if isinstance(value, (list, tuple, dict)) else [value]:
                if isinstance(part, base.Layer):
                    parts = self.__dict__.setdefault("_part_list", [])
                    if all(other is not part for other in parts):
                        parts.append(part)
        super().__setattr__(name, value)

    def _parts(self) -> list[Any]:
        return list(self.__dict__.get("_part_list", ()))

    def _unique_name(self) -> str:
        return unique_layer_name(self._base_name)

    # ---- calls ----------------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs; the first call makes the variables."""
        inputs = nest.pack(inputs, [_as_tensor(value) for value in nest.flatten(inputs)])
        tensors = nest.tensors_in(inputs)
        arguments = dict(kwargs)
        with (
            framework.graph_of(tensors).as_default(),
            framework.name_scope(self._call_scope()),
            phase.calling(kwargs.get("training")) as training,
        ):
            self._graph = framework.get_default_graph()
            self._check_inputs(tensors)
            if not self.built:
                self._build_for(inputs, tensors)
            if self._takes_training and training is not None:
                kwargs["training"] = training
            if not self._takes_training and not self._takes_any:
                kwargs.pop("training", None)
            self._check_arguments(kwargs)
            outputs = self.call(inputs, *args, **kwargs)
            self._regularize_outputs(outputs)
            self._remember(inputs, args, arguments, outputs)
        return outputs

    def _call_scope(self) -> str:
        return self.name

    def _remember(self, inputs: Any, args: Any, arguments: dict[str, Any], outputs: Any) -> None:
        calls = calls_of(self._graph)
        call = LayerCall(len(calls), self, inputs, {"args": args, **arguments}, outputs)
        for tensor in nest.tensors_in(outputs):
            before = calls.get(tensor)
            if before is None or tensor not in nest.tensors_in(inputs):
                calls[tensor] = call
        self.__dict__.setdefault("_made", []).append(call)

    def _build_for(self, inputs: Any, tensors: list[Any]) -> None:
        with framework.control_dependencies(None):
            super()._build_for(inputs, tensors)
            self.built = True
        if self._first_weights is not None:
            from tfbuild_runtime.keras import values

            values.set_values(self.variables, self._first_weights)

    # ---- variables, losses and updates ----------------------------------------------------------

    def add_weight(self, name: Any = None, shape: Any = None, dtype: Any = None,
                   initializer: Any = None, regularizer: Any = None, trainable: Any = None,
                   constraint: Any = None, partitioner: Any = None, use_resource: Any = None,
                   synchronization: Any = None, aggregation: Any = None,
                   **others: Any) -> Any:  # fmt: skip
        """Return a new variable of the layer; it is behind a handle, and in one part."""
        del partitioner, use_resource
        del synchronization, aggregation  # those are for several devices
        base.only_known(others)
        wanted = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        maker = initializer_of(initializer)
        if maker is None:
            maker = init_ops.GlorotUniform() if wanted.is_floating else init_ops.Zeros()
        if constraint is not None and not callable(constraint):
            raise NotImplementedError(f"constraints are functions of a variable: {constraint!r} is "
                                      "not there")  # fmt: skip
        sizes = tensor_shape.as_shape(() if shape is None else shape).as_list()
        chosen = trainable is None or bool(trainable)
        with framework.control_dependencies(None):
            variable = Variable(
                lambda: maker(sizes, dtype=wanted), trainable=chosen, name=name or "variable",
                dtype=wanted, constraint=constraint, use_resource=self._handles,
            )  # fmt: skip
        self._weights.append(variable)
        if chosen:
            self._own_trainable.append(variable)
        regularizer = regularizer_of(regularizer)
        if regularizer is not None:
            with framework.name_scope(f"{name}/Regularizer"):
                self.add_loss(regularizer(variable))
        return variable

    add_variable = add_weight

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add to the losses that a model's training takes beside its own."""
        del inputs
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            if loss is not None:
                self._losses.append(loss() if callable(loss) else loss)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add to what a model's training runs beside its own."""
        del inputs
        self._updates += updates if isinstance(updates, (list, tuple)) else [updates]

    @property
    def losses(self) -> list[Any]:
        """The losses that regularizers added, here and in the parts."""
        return [*self._losses, *(loss for part in self._parts() for loss in part.losses)]

    @property
    def updates(self) -> list[Any]:
        """What a training should run, here and in the parts."""
        if not self.trainable:
            return []
        return [*self._updates, *(update for part in self._parts() for update in part.updates)]

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def input(self) -> Any:
        """What it was called on; raises AttributeError unless that was once."""
        return self._only_call().inputs

    @property
    def output(self) -> Any:
        """What its call gave; raises AttributeError unless it was called once."""
        return self._only_call().outputs

    def _only_call(self) -> Any:
        made = self.__dict__.get("_made", [])
        if len(made) != 1:
            raise AttributeError(f"layer {self.name} was called {len(made)} times, so it has no "
                                 "single input and output")  # fmt: skip
        return made[0]

    @property
    def input_shape(self) -> Any:
        """The shape of what it was called on."""
        return _shape_of(self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of what its call gave."""
        return _shape_of(self.output)

    def get_weights(self) -> list[Any]:
        """Return the values of its variables, as arrays."""
        from tfbuild_runtime.keras import values

        return values.get_values(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Set the values of its variables; raises ValueError where they do not fit."""
        from tfbuild_runtime.keras import values

        values.set_values(self.weights, weights)

    def get_config(self) -> dict[str, Any]:
        """Return name and type."""
        return {"name": self.name, "trainable": self.trainable,
                "dtype": None if self.dtype is None else self.dtype.name}  # fmt: skip

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that a training changes."""
        if not self.trainable:
            return []
        return [
            *self._own_trainable,
            *(v for part in self._parts() for v in part.trainable_variables),
        ]

    @property
    def weights(self) -> list[Any]:  # type: ignore[override]
        """All variables, those that are trained first."""
        return [*self.trainable_variables, *self.non_trainable_variables]

    @property
    def variables(self) -> list[Any]:
        """All variables, those that are trained first."""
        own = {id(v) for v in self._own_trainable}
        return [*self._own_trainable, *(v for v in self._weights if id(v) not in own),
                *(v for part in self._parts() for v in part.variables)]  # fmt: skip

    @property
    def trainable_weights(self) -> list[Any]:  # type: ignore[override]
        """The variables that a training changes."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:  # type: ignore[override]
        """The variables that a training does not change."""
        return self.non_trainable_variables


def _whole_shape(given: dict[str, Any]) -> Any:
    if "batch_input_shape" in given:
        return tuple(given["batch_input_shape"])
    if given.get("input_shape") is not None:
        shape = given["input_shape"]
        return (given.get("batch_size"), *(shape if isinstance(shape, (list, tuple)) else (shape,)))
    return None


def _as_tensor(value: Any) -> Any:
    if value is None or (framework.is_tensor_like(value) and not hasattr(value, "_to_tensor")):
        return value
    return framework.convert_to_tensor(value)


def _shape_of(value: Any) -> Any:
    shapes = [tuple(tensor.get_shape().as_list()) for tensor in nest.flatten(value)]
    return shapes[0] if framework.is_tensor_like(value) else shapes


def given(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a layer's __init__ was given, of its locals(), to hand it on by name."""
    own = {k: v for k, v in arguments.items() if k not in ("self", "kwargs", "__class__")}
    return {**own, **arguments["kwargs"]}


def without_mask(mask: Any) -> None:
    """Raise NotImplementedError for a mask."""
    if mask is not None:
        raise NotImplementedError("masks are not there: use tf.nn.dynamic_rnn with lengths")


class Worded:
    """Beside a layer of tf.layers: its arguments may be words, and its kernels are Glorot's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(super().__init__).bind(*args, **kwargs)
        given = dict(bound.arguments)
        given.update(given.pop("kwargs", {}))
        for key in list(given):
            if key == "activation" and given[key] is not None:
                given[key] = activation_of(given[key])
            elif key.endswith("_initializer"):
                given[key] = initializer_of(given[key])
            elif key.endswith("_regularizer") and key != "activity_regularizer":
                given[key] = regularizer_of(given[key])
        if "data_format" in given and given["data_format"] is None:
            del given["data_format"]
        super().__init__(**given)
