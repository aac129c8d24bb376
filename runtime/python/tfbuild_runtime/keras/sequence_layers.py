"""Layers around layers of sequences: in both directions, and at each time."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.keras.base_layer import Layer, without_mask
from tfbuild_runtime.keras.recurrent import StateTaking
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit


class Bidirectional(StateTaking):
    """Runs a recurrent layer forwards, and one like it backwards."""

    def __init__(self, layer: Any, merge_mode: Any = "concat", weights: Any = None,
                 backward_layer: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(weights=weights, **kwargs)
        if merge_mode not in ("ave", "concat", "mul", "sum", None):
            raise ValueError(f"Invalid merge mode. Received: {merge_mode}. Merge mode should be "
                             'one of {"sum", "mul", "ave", "concat", None}')  # fmt: skip
        self.merge_mode = merge_mode
        self.forward_layer = layer
        if backward_layer is None:
            backward_layer = like(layer, f"backward_{layer.name}")
            backward_layer.go_backwards = not layer.go_backwards
        self.backward_layer = backward_layer
        self._check_backward_layer()

    def _check_backward_layer(self) -> None:
        forth, back = self.forward_layer, self.backward_layer
        if forth.go_backwards == back.go_backwards:
            raise ValueError("Forward layer and backward layer should have different "
                             "`go_backwards` value.")  # fmt: skip
        for what in ("return_sequences", "return_state"):
            if getattr(forth, what) != getattr(back, what):
                raise ValueError(f"Forward layer and backward layer are expected to have the same "
                                 f"{what}")  # fmt: skip

    def call(self, inputs: Any, training: Any = None, mask: Any = None, initial_state: Any = None,
             constants: Any = None) -> Any:  # fmt: skip
        """Return both outputs, joined, and with return_state the last states of both.

        Raises NotImplementedError for a mask or constants.
        """
        without_mask(mask)
        if constants is not None:
            raise NotImplementedError("constants are not there: let the cells keep them")
        if isinstance(inputs, (list, tuple)):
            inputs, initial_state = inputs[0], list(inputs[1:])
        states: list[Any] = [None, None]
        if initial_state is not None:
            given = list(initial_state)
            if len(given) % 2:
                raise ValueError("When passing `initial_state` to a Bidirectional RNN, the states "
                                 f"are those of both layers, not {len(given)}")  # fmt: skip
            states = [given[: len(given) // 2], given[len(given) // 2 :]]
        forth, back = (
            layer(inputs, initial_state=first, training=training)
            for layer, first in zip((self.forward_layer, self.backward_layer), states)
        )
        after: list[Any] = []
        if self.forward_layer.return_state:
            after = [*forth[1:], *back[1:]]
            forth, back = forth[0], back[0]
        if self.forward_layer.return_sequences:
            back = emit("ReverseV2", [back, [1]])
        joined = self._joined(forth, back)
        if not after:
            return joined
        return [*joined, *after] if self.merge_mode is None else [joined, *after]

    def _joined(self, forth: Any, back: Any) -> Any:
        if self.merge_mode is None:
            return [forth, back]
        if self.merge_mode == "concat":
            return array_ops.concat([forth, back], -1)
        if self.merge_mode == "mul":
            return forth * back
        return (forth + back) / 2.0 if self.merge_mode == "ave" else forth + back


def like(layer: Any, name: str) -> Any:
    """Return a recurrent layer with the arguments of another one that was not built yet."""
    import copy

    if layer.built or layer.cell.built:
        raise ValueError("Bidirectional takes a layer that was not called yet")
    other, cell = copy.copy(layer), copy.copy(layer.cell)
    for one in (other, cell):
        for kept in ("_weights", "_own_trainable", "_losses", "_updates"):
            one.__dict__[kept] = []
        one.__dict__["_part_list"] = []
    other._name, other.cell = name, cell
    return other


class TimeDistributed(Layer):
    """Applies a layer at each time."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.layer = layer

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return the outputs of all times."""
        if mask is not None:
            raise NotImplementedError("masks are not there")
        known = inputs.get_shape().as_list()
        sizes = array_ops.shape(inputs)
        rest = [sizes[i + 2] if size is None else size for i, size in enumerate(known[2:])]
        flat = array_ops.reshape(inputs, array_ops.stack([-1, *rest]))
        flat.set_shape([None, *known[2:]])
        outputs = self.layer(flat, training=training)
        after = outputs.get_shape().as_list()[1:]
        times = sizes[1] if known[1] is None else known[1]
        found = array_ops.reshape(outputs, array_ops.stack([sizes[0], times, *after]))
        found.set_shape([known[0], known[1], *after])
        return found
