"""Batch normalisation, fused and not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import assign_sub
from tfbuild_runtime.layers.base import InputSpec, Layer
from tfbuild_runtime.layers.renormalization import Renormalization
from tfbuild_runtime.ops import array_ops, conv_variants, init_ops, math_ops, nn_ops, smart
from tfbuild_runtime.ops.emit import emit

_ZEROS, _ONES = init_ops.Zeros(), init_ops.Ones()


class BatchNormalization(Layer):
    """Gives each channel mean 0 and variance 1 in a batch, then a mean and a deviation of its own.

    Beside it run moving means, which take the place of the batch's when it is not trained: what
    updates them is in the collection UPDATE_OPS.
    """

    def __init__(
        self, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True,
        scale: bool = True, beta_initializer: Any = _ZEROS, gamma_initializer: Any = _ONES,
        moving_mean_initializer: Any = _ZEROS, moving_variance_initializer: Any = _ONES,
        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
        gamma_constraint: Any = None, renorm: bool = False, renorm_clipping: Any = None,
        renorm_momentum: float = 0.99, fused: bool | None = None, trainable: bool = True,
        virtual_batch_size: int | None = None, adjustment: Any = None, name: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(trainable, name, **kwargs)
        for what, asked in (("virtual_batch_size", virtual_batch_size), ("adjustment", adjustment)):
            if asked:
                raise NotImplementedError(f"batch_normalization({what}={asked!r}) is not there")
        self.axis = list(axis) if isinstance(axis, Sequence) else axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.fused = fused
        self._renorm = Renormalization(self, renorm_clipping, renorm_momentum) if renorm else None
        self._makers = {
            "gamma": (gamma_initializer, gamma_regularizer, gamma_constraint),
            "beta": (beta_initializer, beta_regularizer, beta_constraint),
            "moving_mean": (moving_mean_initializer, None, None),
            "moving_variance": (moving_variance_initializer, None, None),
        }
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None
        self._layout = "NHWC"
        # Whether the moving variance is that of the population, which the fused op estimates. The
        # name is TensorFlow's: its tests switch it off to compare with the composed form.
        self._bessels_correction_test_only = True

    def build(self, input_shape: Any) -> None:
        """Make the variables; raises ValueError when the sizes along the axes are not known."""
        rank = input_shape.ndims
        if rank is None:
            raise ValueError(f"Input has undefined rank: layer {self._name!r}")
        axes = self.axis if isinstance(self.axis, list) else [self.axis]
        if any(not -rank <= axis < rank for axis in axes):
            raise ValueError(f"Invalid axis: {self.axis} for {input_shape}")
        self.axis = sorted({axis % rank for axis in axes})
        known = input_shape.as_list()
        sizes = {axis: known[axis] for axis in self.axis}
        if None in sizes.values():
            raise ValueError(f"Input has undefined `axis` dimension: {input_shape} along {sizes}")
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        self._choose_kernel(rank)
        self._make_variables(rank, sizes)
        self.built = True

    def _choose_kernel(self, rank: int) -> None:
        can = rank == 4 and self.axis in ([1], [3]) and self._dtype != dtypes.float64
        if self._renorm is not None:
            if self.fused:
                raise ValueError("Passing both fused=True and renorm=True is not supported")
            can = False
        if self.fused and not can:
            raise ValueError("Batch normalization layers with fused=True need 4D input and axis 1 "
                             f"or 3; layer {self._name!r} has {rank}D and {self.axis}")  # fmt: skip
        self.fused = can if self.fused is None else self.fused
        if self.fused:
            self._layout = "NHWC" if self.axis == [3] else "NCHW"

    def _make_variables(self, rank: int, sizes: dict[int, int]) -> None:
        if len(sizes) == 1:
            shape = list(sizes.values())
        else:
            shape = [sizes.get(axis, 1) for axis in range(rank)]
        half = self._dtype in (dtypes.float16, dtypes.bfloat16)
        for name, (initializer, regularizer, constraint) in self._makers.items():
            if (name == "gamma" and not self.scale) or (name == "beta" and not self.center):
                continue
            with self._in_scope() as scope:
                moving = name.startswith("moving")
                if moving:
                    scope.set_partitioner(None)  # moving averages are never cut
                weight = self.add_weight(
                    name, shape, dtype=dtypes.float32 if half else self._dtype,
                    initializer=initializer, regularizer=regularizer, constraint=constraint,
                    trainable=False if moving else None,
                )  # fmt: skip
            setattr(self, name, weight)
        if self._renorm is not None:
            self._renorm.make_variables(shape, dtypes.float32 if half else self._dtype,
                                        self._makers["moving_mean"][0],
                                        self._makers["moving_variance"][0])  # fmt: skip

    def call(self, inputs: Any, training: Any = False, mask: Any = None) -> Any:
        """Return the outputs; training may be a tensor.

        Raises NotImplementedError for a mask.
        """
        if mask is not None:
            raise NotImplementedError("masks are not there: normalise what they leave")
        outputs = (self._fused if self.fused else self._composed)(inputs, training)
        outputs.set_shape(inputs.get_shape())
        return outputs

    # ---- with the op ----------------------------------------------------------------------------

    def _fused(self, inputs: Any, training: Any) -> Any:
        gamma, beta = self.gamma, self.beta
        sizes = self.moving_mean.shape.as_list()
        if gamma is None:
            gamma = framework.constant(1.0, shape=sizes)
        if beta is None:
            beta = framework.constant(0.0, shape=sizes)

        def apply(is_training: bool) -> Any:
            old = {} if is_training else {"mean": self.moving_mean,
                                          "variance": self.moving_variance}  # fmt: skip
            return conv_variants.fused_batch_norm(
                inputs, gamma, beta, epsilon=self.epsilon, data_format=self._layout,
                is_training=is_training, **old,
            )  # fmt: skip

        output, mean, variance = smart.smart_cond(training, lambda: apply(True),
                                                  lambda: apply(False))  # fmt: skip
        if not self._bessels_correction_test_only:
            count = math_ops.cast(
                array_ops.size(inputs) // array_ops.size(variance), dtypes.float32
            )
            variance = variance * ((count - 1.0) / count)
        self._move(training, mean, variance)
        return output

    # ---- without --------------------------------------------------------------------------------

    def _composed(self, inputs: Any, training: Any) -> Any:
        rank = inputs.get_shape().ndims
        axes = [axis for axis in range(rank) if axis not in self.axis]
        known = smart.smart_constant_value(training)
        mean, variance = self.moving_mean, self.moving_variance
        scale, offset = self.gamma, self.beta
        if known is not False:
            keep = len(self.axis) > 1
            found = nn_ops.moments(inputs, axes, keepdims=keep)
            found = tuple(math_ops.cast(value, mean.dtype.base_dtype) for value in found)
            both = [
                smart.smart_cond(training, lambda new=new: new,
                                 lambda old=old: array_ops.identity(old))
                for new, old in zip(found, (mean, variance))
            ]  # fmt: skip
            mean, variance = both
            if self._renorm is None:
                self._move(training, mean, variance)
            else:
                factor, shift = self._renorm.correction(mean, variance, training)
                moved = partial(self._moved_if, training)
                self._renorm.move((mean, variance), (factor, shift), training, moved)
                scale = factor if self.gamma is None else self.gamma * factor
                offset = shift if self.gamma is None else self.gamma * shift
                offset = offset if self.beta is None else offset + self.beta
        wide = self._for_broadcast(rank)
        outputs = nn_ops.batch_normalization(
            inputs, wide(mean, inputs), wide(variance, inputs), wide(offset, inputs),
            wide(scale, inputs), self.epsilon,
        )  # fmt: skip
        return math_ops.cast(outputs, inputs.dtype.base_dtype)

    def _for_broadcast(self, rank: int) -> Any:
        """Return a function that gives a vector the shape in which it meets the inputs."""

        def wide(value: Any, inputs: Any) -> Any:
            if value is None:
                return None
            if self.axis != [rank - 1] and len(self.axis) == 1:
                sizes = [1] * rank
                sizes[self.axis[0]] = value.get_shape().as_list()[0]
                value = array_ops.reshape(value, sizes)
            return math_ops.cast(value, inputs.dtype.base_dtype)

        return wide

    def _move(self, training: Any, mean: Any, variance: Any) -> None:
        """Add the updates of the moving means, which do nothing when it is not trained."""
        if smart.smart_constant_value(training) is False:
            return
        for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update(self._moved_if(training, variable, value, self.momentum))

    def _moved_if(self, training: Any, variable: Any, value: Any, momentum: Any) -> Any:
        """Return one step of a moving mean, which changes nothing when it is not trained."""
        if smart.smart_constant_value(training) is None:
            given = float(momentum)
            momentum = smart.smart_cond(training, lambda: framework.constant(given),
                                        lambda: framework.constant(1.0))  # fmt: skip
        return _moved(variable, value, momentum)


def _moved(variable: Any, value: Any, momentum: Any) -> Any:
    with framework.name_scope("AssignMovingAvg") as scope, framework.colocate_with(variable.op):
        dtype = variable.dtype.base_dtype
        if framework.is_tensor_like(momentum):
            decay = emit("Sub", [framework.constant(1.0), momentum], "decay")
        else:
            decay = framework.constant(1.0 - momentum, dtypes.float32, name="decay")
        if dtype != dtypes.float32:
            decay = math_ops.cast(decay, dtype)
        change = math_ops.multiply(math_ops.subtract(variable, math_ops.cast(value, dtype)), decay)
        return assign_sub(variable, change, name=scope)


def batch_normalization(
    inputs: Any, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3,
    center: bool = True, scale: bool = True, beta_initializer: Any = _ZEROS,
    gamma_initializer: Any = _ONES, moving_mean_initializer: Any = _ZEROS,
    moving_variance_initializer: Any = _ONES, beta_regularizer: Any = None,
    gamma_regularizer: Any = None, beta_constraint: Any = None, gamma_constraint: Any = None,
    training: Any = False, trainable: bool = True, name: str | None = None, reuse: Any = None,
    renorm: bool = False, renorm_clipping: Any = None, renorm_momentum: float = 0.99,
    fused: bool | None = None, virtual_batch_size: int | None = None, adjustment: Any = None,
) -> Any:  # fmt: skip
    """Return the inputs with each channel normalised, by the batch's own means while training.

    The moving means change when what is in the collection UPDATE_OPS runs.
    """
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
        moving_mean_initializer, moving_variance_initializer, beta_regularizer, gamma_regularizer,
        beta_constraint, gamma_constraint, renorm, renorm_clipping, renorm_momentum, fused,
        trainable, virtual_batch_size, adjustment, name, _scope=name, _reuse=reuse,
    )  # fmt: skip
    return layer.apply(inputs, training=training)


batch_norm = batch_normalization
BatchNorm = BatchNormalization
