"""Cells of tf.contrib.rnn that few programs use."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.ops import array_ops, init_ops, linalg_ops, math_ops, nn_ops
from tfbuild_runtime.rnn.cells import LSTMCell, LSTMStateTuple, _PlainCell


class LSTMBlockCell(LSTMCell):
    """LSTMCell under the names of TensorFlow's fused one, which computes the same."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, cell_clip: float | None = None,
                 use_peephole: bool = False, dtype: Any = None, reuse: Any = None,
                 name: str = "lstm_cell") -> None:  # fmt: skip
        super().__init__(num_units, use_peepholes=use_peephole, cell_clip=cell_clip,
                         forget_bias=forget_bias, dtype=dtype, reuse=reuse, name=name)  # fmt: skip


class LayerNormBasicLSTMCell(_PlainCell):
    """An LSTM whose gates and memory are normalised over the units (Ba et al., 2016).

    What the memory takes in goes through a dropout of its own (Semeniuta et al., 2016), with the
    state untouched.
    """

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, input_size: Any = None,
        activation: Any = math_ops.tanh, layer_norm: bool = True, norm_gain: float = 1.0,
        norm_shift: float = 0.0, dropout_keep_prob: Any = 1.0, dropout_prob_seed: Any = None,
        reuse: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse)
        del input_size
        self._num_units, self._forget_bias = num_units, forget_bias
        self._activation = activation
        self._normalises, self._gain, self._shift = layer_norm, norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._norms: dict[str, tuple[Any, Any]] = {}

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make the kernel, and gain and shift of each norm, or the bias where there are none."""
        units = self._num_units
        self._kernel = self.add_weight("kernel", [self._depth(input_shape) + units, 4 * units])
        if not self._normalises:
            self._bias = self.add_weight("bias", [4 * units], initializer=init_ops.Zeros())
        for place in ("input", "transform", "forget", "output", "state"):
            if self._normalises:
                gain = self.add_weight(f"{place}/gamma", [units],
                                       initializer=init_ops.Constant(self._gain))  # fmt: skip
                shift = self.add_weight(f"{place}/beta", [units],
                                        initializer=init_ops.Constant(self._shift))  # fmt: skip
                self._norms[place] = (gain, shift)
        self.built = True

    def _norm(self, value: Any, place: str) -> Any:
        if not self._normalises:
            return value
        mean, variance = nn_ops.moments(value, [1], keepdims=True)
        gain, shift = self._norms[place]
        return nn_ops.batch_normalization(value, mean, variance, shift, gain, 1e-12)

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        c, h = state
        product = linalg_ops.matmul(array_ops.concat([inputs, h], 1), self._kernel)
        if not self._normalises:
            product = nn_ops.bias_add(product, self._bias)
        i, j, f, o = array_ops.split(product, 4, axis=1)
        i, j, f, o = (self._norm(value, place) for value, place in
                      ((i, "input"), (j, "transform"), (f, "forget"), (o, "output")))  # fmt: skip
        taken = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            taken = nn_ops.dropout(taken, self._keep_prob, seed=self._seed)
        sigmoid = math_ops.sigmoid
        new_c = self._norm(c * sigmoid(f + self._forget_bias) + sigmoid(i) * taken, "state")
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class NASCell(_PlainCell):
    """The cell that a search over architectures found (Zoph and Le, 2016)."""

    def __init__(self, num_units: int, num_proj: int | None = None, use_bias: bool = False,
                 reuse: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias
        self._size = num_proj or num_units

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._size)

    @property
    def output_size(self) -> int:
        """The number of units, or of what they are projected to."""
        return self._size

    def build(self, input_shape: Any) -> None:
        """Make the kernels, and what bias and projection need."""
        wide = 8 * self._num_units
        self._recurrent = self.add_weight("recurrent_kernel", [self._size, wide])
        self._kernel = self.add_weight("kernel", [self._depth(input_shape), wide])
        if self._use_bias:
            self._bias = self.add_weight("bias", [wide], initializer=init_ops.Zeros())
        if self._num_proj is not None:
            self._projection = self.add_weight("projection_weights",
                                               [self._num_units, self._num_proj])  # fmt: skip
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        c, m = state
        by_state = linalg_ops.matmul(m, self._recurrent)
        if self._use_bias:
            by_state = nn_ops.bias_add(by_state, self._bias)
        x = array_ops.split(linalg_ops.matmul(inputs, self._kernel), 8, axis=1)
        h = array_ops.split(by_state, 8, axis=1)
        sigmoid, tanh, relu = math_ops.sigmoid, math_ops.tanh, nn_ops.relu
        first = tanh(sigmoid(x[0] + h[0]) * relu(x[1] + h[1]))
        second = tanh(sigmoid(x[2] + h[2]) + relu(x[3] * h[3]))
        third = tanh(tanh(x[4] + h[4]) * sigmoid(x[5] + h[5]))
        fourth = sigmoid(tanh(x[6] + h[6]) + sigmoid(x[7] + h[7]))
        new_c = tanh(first + c) * second
        new_m = tanh(new_c * tanh(third + fourth))
        if self._num_proj is not None:
            new_m = linalg_ops.matmul(new_m, self._projection)
        return new_m, LSTMStateTuple(new_c, new_m)
