"""Cells of tf.contrib.rnn that go through all steps in one call."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.rnn.cells import LSTMStateTuple
from tfbuild_runtime.rnn.dynamic import dynamic_rnn
from tfbuild_runtime.rnn.more_cells import LSTMBlockCell


class LSTMBlockFusedCell:
    """An LSTM that goes over inputs with the steps first."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, cell_clip: float | None = None,
                 use_peephole: bool = False, reuse: Any = None, dtype: Any = None,
                 name: str = "lstm_fused_cell") -> None:  # fmt: skip
        self._cell = LSTMBlockCell(
            num_units, forget_bias, cell_clip, use_peephole, dtype, reuse, name
        )

    @property
    def num_units(self) -> int:
        """The number of units."""
        return int(self._cell.output_size)

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that training changes."""
        return list(self._cell.trainable_weights)

    def __call__(self, inputs: Any, initial_state: Any = None, dtype: Any = None,
                 sequence_length: Any = None) -> Any:  # fmt: skip
        """Return the outputs, a list where inputs are one, and the state at each example's end."""
        is_list = isinstance(inputs, list)
        steps = array_ops.stack(inputs) if is_list else framework.convert_to_tensor(inputs)
        kind = dtype or steps.dtype.base_dtype
        batch = array_ops.shape(steps)[1]
        zero = self._cell.zero_state(batch, kind)
        if not self._cell.built:  # here, as the loop would put its own scope around the names
            self._cell(steps[0], zero)
        start = zero if initial_state is None else LSTMStateTuple(*initial_state)
        outputs, end = dynamic_rnn(self._cell, steps, sequence_length, start, kind, time_major=True)
        return (array_ops.unstack(outputs) if is_list else outputs), end
