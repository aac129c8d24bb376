"""Inputs and models: layers joined to one, by tensors, in a row, or by a program's own call."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras import phase
from tfbuild_runtime.keras.base_layer import (
    Layer,
    LayerCall,
    calls_of,
    unique_layer_name,
    without_mask,
)
from tfbuild_runtime.ops import creation_ops, nest


class InputLayer(Layer):
    """What stands where a model begins."""

    def __init__(self, input_shape: Any = None, batch_size: int | None = None, dtype: Any = None,
                 input_tensor: Any = None, sparse: bool | None = None, name: str | None = None,
                 ragged: bool | None = None, type_spec: Any = None, optional: bool = False,
                 **kwargs: Any) -> None:  # fmt: skip
        if sparse or ragged or optional or type_spec is not None:
            raise NotImplementedError("inputs of models are dense tensors, which are always there")
        shape = kwargs.pop("batch_input_shape", None)
        super().__init__(name=name or unique_layer_name("input"), **kwargs)
        if shape is None:
            shape = (batch_size, *tensor_shape.as_shape(input_shape).as_list())
        if input_tensor is None:
            wanted = dtypes.as_dtype(dtype or "float32")
            input_tensor = creation_ops.placeholder(wanted, shape, name=self.name)
        self.built = True
        self._graph = framework.get_default_graph()
        self._remember([], (), {}, input_tensor)


def Input(shape: Any = None, batch_size: int | None = None, name: str | None = None,
          dtype: Any = None, sparse: bool | None = None, tensor: Any = None,
          ragged: bool | None = None, type_spec: Any = None, optional: bool = False,
          batch_shape: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """Return a placeholder with which a model begins; shape is that of one example.

    Raises NotImplementedError for one that is sparse, ragged, optional or has a type_spec.
    """
    if batch_shape is not None:
        kwargs["batch_input_shape"] = tuple(batch_shape)
    if shape is None and batch_shape is None and tensor is None:
        raise ValueError("Please provide to Input either a `shape` or a `tensor` argument.")
    if name is None:
        counts = framework.get_default_graph()._scratch.setdefault("keras_names", {})
        counts["input"] = counts.get("input", 0) + 1
        name = f"input_{counts['input']}"
    layer = InputLayer(shape, batch_size, dtype, tensor, sparse, name, ragged, type_spec,
                       optional, **kwargs)  # fmt: skip
    return layer.output


class Network(Layer):
    """Layers as one: what reaches from inputs to outputs, or what a program's own call uses."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        inputs = kwargs.pop("inputs", args[0] if args else None)
        outputs = kwargs.pop("outputs", args[1] if len(args) > 1 else None)
        name = kwargs.pop("name", args[2] if len(args) > 2 else None)
        if outputs is not None and name is None:
            name = unique_layer_name("model")
        super().__init__(name=name, **kwargs)
        self._inputs: Any = None
        self._outputs: Any = None
        self._path: list[LayerCall] = []
        if outputs is not None:
            self._join(inputs, outputs)

    def _join(self, inputs: Any, outputs: Any) -> None:
        """Be what lies between these tensors."""
        self._inputs, self._outputs = inputs, outputs
        self._graph = nest.flatten(outputs)[0].graph
        self._path = path_between(nest.flatten(inputs), nest.flatten(outputs))
        self.__dict__["_part_list"] = layers_of(self._path, nest.flatten(outputs))
        self.built = True

    # ---- calls ----------------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return what the layers make of other inputs; raises NotImplementedError for a mask."""
        without_mask(mask)
        with phase.calling(training):
            return self._again(inputs)

    def _again(self, inputs: Any) -> Any:
        """Return what the layers make of other inputs."""
        if self._outputs is None:
            raise NotImplementedError(f"a model such as {type(self).__name__} defines call")
        known = dict(zip(nest.flatten(self._inputs), nest.flatten(inputs)))
        for call in self._path:
            if isinstance(call.layer, InputLayer):
                continue
            given = nest.pack(call.inputs, [known.get(t, t) for t in nest.flatten(call.inputs)])
            how = {key: _with(known, value) for key, value in call.arguments.items()}
            made = call.layer(given, *how.pop("args"), **how)
            known.update(zip(nest.tensors_in(call.outputs), nest.tensors_in(made)))
        lost = [t for t in nest.flatten(self._outputs) if t not in known]
        if lost:
            raise ValueError(f"model {self.name!r} cannot be called again: {lost[0].name!r} was "
                             "made without a layer; put its maker into a Lambda layer")  # fmt: skip
        return nest.pack(self._outputs, [known[t] for t in nest.flatten(self._outputs)])

    def build(self, input_shape: Any = None) -> None:
        """Take the variables as built; they are made by the layers."""
        del input_shape
        self.built = True

    # ---- what it is made of ---------------------------------------------------------------------

    @property
    def layers(self) -> list[Any]:
        """The layers, from the inputs on."""
        return self._parts()

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Return a layer by its name or number; raises ValueError when there is none."""
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}; there are "
                         f"{', '.join(layer.name for layer in self.layers)}")  # fmt: skip

    @property
    def weights(self) -> list[Any]:  # type: ignore[override]
        """All variables, layer by layer."""
        every = [*self._weights, *(weight for layer in self.layers for weight in layer.weights)]
        return list({id(weight): weight for weight in every}.values())

    @property
    def inputs(self) -> list[Any]:
        """The tensors that it begins with."""
        return nest.flatten(self._inputs) if self._inputs is not None else []

    @property
    def outputs(self) -> list[Any]:
        """The tensors that it ends with."""
        return nest.flatten(self._outputs) if self._outputs is not None else []

    @property
    def input(self) -> Any:
        """What it begins with."""
        return super().input if self._inputs is None else _alone(self._inputs)

    @property
    def output(self) -> Any:
        """What it ends with."""
        return super().output if self._outputs is None else _alone(self._outputs)

    @property
    def input_names(self) -> list[str]:
        """The names of the layers that it begins with."""
        return self._names_of(self.inputs)

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that it ends with."""
        return self._names_of(self.outputs)

    def _names_of(self, tensors: list[Any]) -> list[str]:
        calls = calls_of(self._graph)
        return [calls[t].layer.name if t in calls else t.op.name for t in tensors]

    def summary(self, line_length: Any = None, positions: Any = None, print_fn: Any = None,
                expand_nested: bool = False, show_trainable: bool = False,
                layer_range: Any = None) -> None:  # fmt: skip
        """Print layers, shapes and numbers of parameters, in columns that end at positions.

        The last three are taken, and a model within this one is one line all the same.
        """
        del expand_nested, show_trainable, layer_range
        width = line_length or 65
        ends = [int(width * p) if p <= 1 else int(p) for p in positions or (0.45, 0.85, 1.0)]

        def line(*columns: Any) -> str:
            said = ""
            for column, end in zip(columns, ends):
                said = f"{said}{column}"[: end - 1].ljust(end)
            return said.rstrip()

        lines = [f'Model: "{self.name}"', "_" * width,
                 line("Layer (type)", "Output Shape", "Param #"), "=" * width]  # fmt: skip
        for layer in self.layers:
            try:
                shape = str(layer.output_shape)
            except AttributeError:
                shape = "multiple"
            lines.append(line(f"{layer.name} ({type(layer).__name__})", shape,
                              layer.count_params()))  # fmt: skip
        trained = sum(v.shape.num_elements() for v in self.trainable_variables)
        total = self.count_params()
        lines += ["=" * width, f"Total params: {total:,}", f"Trainable params: {trained:,}",
                  f"Non-trainable params: {total - trained:,}"]  # fmt: skip
        (print_fn or print)("\n".join(lines))

    def save_weights(self, filepath: str, overwrite: bool = True, save_format: Any = None,
                     options: Any = None) -> None:  # fmt: skip
        """Write the variables as a checkpoint of that name; raises FileExistsError.

        Options, which say from which device files are written, change nothing here.
        """
        del options
        from tfbuild_runtime.train.checkpoint_state import checkpoint_exists

        _no_hdf5(filepath, save_format)
        if not overwrite and checkpoint_exists(filepath):
            raise FileExistsError(f"{filepath} already exists, and overwrite=False was given")
        self._saver().save(self._session(), filepath, write_meta_graph=False)

    def load_weights(self, filepath: str, by_name: bool = False,
                     skip_mismatch: bool = False) -> None:  # fmt: skip
        """Read the variables from a checkpoint of that name.

        Raises ValueError for skip_mismatch, which goes with by_name; that is not there.
        """
        if skip_mismatch and not by_name:
            raise ValueError("When calling model.load_weights, skip_mismatch can only be set to "
                             "True when by_name is True.")  # fmt: skip
        _no_hdf5(filepath, None)
        if by_name:
            raise NotImplementedError("Weights may only be loaded based on topology into Models "
                                      "when loading TensorFlow-formatted weights (got by_name=True "
                                      "to load_weights).")  # fmt: skip
        self._saver().restore(self._session(), filepath)

    def _saver(self) -> Any:
        from tfbuild_runtime.train.saver import Saver

        return Saver(self.weights)

    def _session(self) -> Any:
        from tfbuild_runtime.keras.values import get_session

        return get_session()


def path_between(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[LayerCall]:
    """Return the calls of layers from inputs to outputs, in their order."""
    calls = calls_of(outputs[0].graph)
    ends = set(inputs)
    found: dict[int, LayerCall] = {}
    stack, seen = list(outputs), set()
    while stack:
        tensor = stack.pop()
        if tensor in seen:
            continue
        seen.add(tensor)
        call = calls.get(tensor)
        if call is not None:
            found[call.number] = call
            if tensor not in ends:
                stack += nest.tensors_in(call.inputs)
                stack += nest.tensors_in(list(call.arguments.values()))
        elif tensor not in ends:
            stack += list(tensor.op.inputs)
    return [found[number] for number in sorted(found)]


def layers_of(path: list[LayerCall], outputs: Sequence[Any]) -> list[Any]:
    """Return the layers of these calls, those farthest from the outputs first, as TensorFlow does.

    Layers as far from them as each other are in the order in which a walk from the outputs comes
    to them.
    """
    calls, numbers = calls_of(outputs[0].graph), {call.number for call in path}
    makers = functools.partial(_makers, calls, numbers)
    before = {call.number: makers([call.inputs, list(call.arguments.values())]) for call in path}
    indices: dict[Any, int] = {}
    left: list[LayerCall] = []
    seen: set[int] = set()
    stack = [(call, False) for call in reversed(makers(list(outputs)))]
    while stack:
        call, is_left = stack.pop()
        if is_left:
            left.append(call)
        elif call.number not in seen:
            seen.add(call.number)
            indices.setdefault(call.layer, len(indices))
            stack.append((call, True))
            stack += [(maker, False) for maker in reversed(before[call.number])]
    depths: dict[int, int] = {}
    of_layer: dict[Any, int] = {}
    for call in reversed(left):
        depth = max(depths.get(call.number, 0), of_layer.get(call.layer, 0))
        of_layer[call.layer] = depth
        for maker in before[call.number]:
            depths[maker.number] = max(depth + 1, depths.get(maker.number, 0))
    return sorted(of_layer, key=lambda layer: (-of_layer[layer], indices[layer]))


def _makers(calls: dict[Any, LayerCall], numbers: set[int], values: Any) -> list[LayerCall]:
    """Return the calls among those of these numbers that made tensors, or what they are made of."""
    found: dict[int, LayerCall] = {}
    stack, seen = list(reversed(nest.tensors_in(values))), set()
    while stack:
        tensor = stack.pop()
        if tensor in seen:
            continue
        seen.add(tensor)
        call = calls.get(tensor)
        if call is None:
            stack += reversed(list(tensor.op.inputs))
        elif call.number in numbers:
            found.setdefault(call.number, call)
    return list(found.values())


def _with(known: dict[Any, Any], value: Any) -> Any:
    flat = nest.flatten(value)
    if not any(framework.is_tensor_like(one) for one in flat):
        return value
    return nest.pack(value, [known.get(one, one) if framework.is_tensor_like(one) else one
                             for one in flat])  # fmt: skip


def _alone(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _no_hdf5(filepath: str, save_format: Any) -> None:
    if save_format == "h5" or str(filepath).endswith((".h5", ".hdf5", ".keras")):
        raise NotImplementedError("weights are written as TensorFlow's checkpoints, not as HDF5: "
                                  "give a name without .h5")  # fmt: skip
