"""What all distributions have: shapes, densities, samples, and how divergences are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops


class ReparameterizationType:
    """Whether the gradient of a sample by the parameters is known."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def floating(value: Any, name: str, like: Any = None) -> Any:
    """Return a parameter as a tensor: numbers of Python are float32."""
    if like is None:
        if not framework.is_tensor_like(value):
            import numpy as np

            array = np.asarray(value)
            if array.dtype.kind in "iu" or not hasattr(value, "dtype"):
                return framework.convert_to_tensor(value, dtypes.float32, name=name)
        return framework.convert_to_tensor(value, name=name)
    return framework.convert_to_tensor(value, dtype=like.dtype.base_dtype, name=name)


class Distribution:
    """A distribution, or a batch of them.

    A subclass has `_parameters`, tensors whose shapes broadcast to that of the batch, and computes
    `_log_prob(value)`, `_sample(count, seed)`, `_mean()` and so on; each event is a scalar unless
    `_event_rank` says otherwise.
    """

    _event_rank = 0
    reparameterization_type = NOT_REPARAMETERIZED

    def __init__(self, dtype: Any, parameters: list[Any], name: str,
                 allow_nan_stats: bool = True, validate_args: bool = False) -> None:  # fmt: skip
        self._dtype = dtypes.as_dtype(dtype)
        self._parameters = parameters
        self._name = name
        self.allow_nan_stats = allow_nan_stats
        self.validate_args = validate_args

    @property
    def name(self) -> str:
        """The name of the distribution."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of samples."""
        return self._dtype

    @property
    def batch_shape(self) -> TensorShape:
        """What is known of the shape of the batch."""
        shape = TensorShape([])
        for parameter in self._parameters:
            known = parameter.get_shape()
            if known.ndims is None:
                return TensorShape(None)
            known = known[: known.ndims - self._event_rank]
            shape = _broadcast(shape, known)
        return shape

    @property
    def event_shape(self) -> TensorShape:
        """What is known of the shape of one event."""
        if self._event_rank == 0:
            return TensorShape([])
        known = self._parameters[-1].get_shape()
        return TensorShape(None) if known.ndims is None else known[known.ndims - self._event_rank :]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the shape of the batch, computed."""
        with framework.name_scope(f"{self._name}/{name}"):
            return self._whole_shape()[: -self._event_rank or None]

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """Return the shape of one event, computed."""
        with framework.name_scope(f"{self._name}/{name}"):
            whole = self._whole_shape()
            return whole[array_ops.size(whole) - self._event_rank :]

    def _whole_shape(self) -> Any:
        total = self._parameters[0]
        for parameter in self._parameters[1:]:
            total = total + creation_ops.zeros_like(math_ops.cast(parameter, total.dtype))
        return array_ops.shape(total)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Return whether there is one distribution."""
        return framework.convert_to_tensor(self.batch_shape.ndims == 0, name=name)

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Return whether an event is a number."""
        return framework.convert_to_tensor(self._event_rank == 0, name=name)

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Return samples of shape sample_shape + batch_shape + event_shape."""
        with framework.name_scope(f"{self._name}/{name}"):
            shape = framework.convert_to_tensor(sample_shape, dtypes.int32)
            if shape.get_shape().ndims == 0:
                shape = array_ops.reshape(shape, [1])
            drawn = self._sample(shape, seed)
            known = framework.constant_value(shape)
            if known is not None and self.batch_shape.ndims is not None:
                drawn.set_shape(TensorShape(known.tolist()).concatenate(self.batch_shape)
                                .concatenate(self.event_shape))  # fmt: skip
            return drawn

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """Return the logarithm of the density or probability at value."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._log_prob(self._as_value(value))

    def prob(self, value: Any, name: str = "prob") -> Any:
        """Return the density or probability at value."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._prob(self._as_value(value))

    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """Return the probability of at most value."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._cdf(self._as_value(value))

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """Return the logarithm of cdf(value)."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._log_cdf(self._as_value(value))

    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """Return the probability of more than value."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._survival_function(self._as_value(value))

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Any:
        """Return the logarithm of survival_function(value)."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._log_survival_function(self._as_value(value))

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """Return where cdf is value."""
        with framework.name_scope(f"{self._name}/{name}", None, [value]):
            return self._quantile(self._as_value(value))

    def mean(self, name: str = "mean") -> Any:
        """Return the mean."""
        with framework.name_scope(f"{self._name}/{name}"):
            return self._mean()

    def mode(self, name: str = "mode") -> Any:
        """Return the likeliest value."""
        with framework.name_scope(f"{self._name}/{name}"):
            return self._mode()

    def variance(self, name: str = "variance") -> Any:
        """Return the variance."""
        with framework.name_scope(f"{self._name}/{name}"):
            return self._variance()

    def stddev(self, name: str = "stddev") -> Any:
        """Return the standard deviation."""
        with framework.name_scope(f"{self._name}/{name}"):
            return self._stddev()

    def entropy(self, name: str = "entropy") -> Any:
        """Return Shannon's entropy, in nats."""
        with framework.name_scope(f"{self._name}/{name}"):
            return self._entropy()

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        """Return the divergence of Kullback and Leibler from this distribution to the other."""
        return kl_divergence(self, other, name=name)

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        """Return the entropy of this distribution in the code of the other."""
        with framework.name_scope(f"{self._name}/{name}"):
            return kl_divergence(self, other) + self.entropy()

    def _as_value(self, value: Any) -> Any:
        return framework.convert_to_tensor(value, dtype=self._value_dtype(value), name="value")

    def _value_dtype(self, value: Any) -> Any:
        return None if framework.is_tensor_like(value) else self._dtype

    def _prob(self, value: Any) -> Any:
        return math_ops.exp(self._log_prob(value))

    def _stddev(self) -> Any:
        return math_ops.sqrt(self._variance())

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _log_prob(self, value: Any) -> Any:
        raise self._missing("log_prob")

    def _sample(self, shape: Any, seed: int | None) -> Any:
        raise self._missing("sample")

    def _cdf(self, value: Any) -> Any:
        raise self._missing("cdf")

    def _log_cdf(self, value: Any) -> Any:
        return math_ops.log(self._cdf(value))

    def _survival_function(self, value: Any) -> Any:
        return 1.0 - self._cdf(value)

    def _log_survival_function(self, value: Any) -> Any:
        return math_ops.log(self._survival_function(value))

    def _quantile(self, value: Any) -> Any:
        raise self._missing("quantile")

    def _mean(self) -> Any:
        raise self._missing("mean")

    def _mode(self) -> Any:
        raise self._missing("mode")

    def _variance(self) -> Any:
        raise self._missing("variance")

    def _entropy(self) -> Any:
        raise self._missing("entropy")

    def _over_batch(self, value: Any) -> Any:
        """Return a value that some parameters decide for all distributions of the batch."""
        for parameter in self._parameters:
            value = value + creation_ops.zeros_like(parameter)
        return value

    def _sample_shape(self, shape: Any) -> Any:
        return array_ops.concat([shape, self._whole_shape()], 0)


def _broadcast(a: TensorShape, b: TensorShape) -> TensorShape:
    first, second = a.as_list(), b.as_list()
    count = max(len(first), len(second))
    first = [1] * (count - len(first)) + first
    second = [1] * (count - len(second)) + second
    sizes = [y if x == 1 else x if y == 1 or x is not None else y for x, y in zip(first, second)]
    return TensorShape(sizes)


_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Decorator: makes a function of two distributions the divergence of their classes."""

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Register the function; raises ValueError when there is one already."""
        if self._key in _DIVERGENCES:
            raise ValueError(f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already "
                             "been registered")  # fmt: skip
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def kl_divergence(distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return Kullback and Leibler's divergence; raises NotImplementedError where it is unknown."""
    del allow_nan_stats
    from tfbuild_runtime.distributions import divergences

    assert divergences
    for a in type(distribution_a).__mro__:
        for b in type(distribution_b).__mro__:
            function = _DIVERGENCES.get((a, b))
            if function is not None:
                with framework.name_scope(name, "KullbackLeibler"):
                    return function(distribution_a, distribution_b, name=name)
    raise NotImplementedError(
        f"No KL(distribution_a || distribution_b) registered for distribution_a type "
        f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
    )


def sum_events(value: Any, rank: int = 1) -> Any:
    """Return the sum over the last axes."""
    return reduce_ops.reduce_sum(value, list(range(-rank, 0)))


def another_seed(seed: int | None, salt: str) -> int | None:
    """Return a seed for a second stream, the one that TensorFlow derives."""
    import hashlib

    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF
