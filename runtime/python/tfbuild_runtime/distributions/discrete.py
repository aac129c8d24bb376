"""Distributions over classes and counts, and over their probabilities."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.distributions.base import (
    FULLY_REPARAMETERIZED,
    Distribution,
    floating,
    sum_events,
)
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape
from tfbuild_runtime.ops import (
    array_ops,
    composed_ops,
    creation_ops,
    math_ops,
    nn_ops,
    random_ops,
    reduce_ops,
    special_ops,
    xent_ops,
)
from tfbuild_runtime.ops.sequence_ops import sequence_mask


def _one_of(logits: Any, probs: Any) -> None:
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")


def _logits_and_probs(logits: Any, probs: Any) -> tuple[Any, Any]:
    """Return both for classes of which one is given."""
    _one_of(logits, probs)
    if logits is not None:
        logits = floating(logits, "logits")
        return logits, nn_ops.softmax(logits)
    probs = floating(probs, "probs")
    return math_ops.log(probs), probs


class Bernoulli(Distribution):
    """1 with probability probs, else 0."""

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32,
                 validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Bernoulli") -> None:  # fmt: skip
        _one_of(logits, probs)
        with framework.name_scope(name, values=[value for value in (logits, probs)
                                                if value is not None]):  # fmt: skip
            if logits is not None:
                self.logits = floating(logits, "logits")
                self.probs = math_ops.sigmoid(self.logits)
            else:
                self.probs = floating(probs, "probs")
                self.logits = math_ops.log(self.probs) - math_ops.log1p(-1.0 * self.probs)
        super().__init__(dtype, [self.logits], name, allow_nan_stats, validate_args)

    def _sample(self, shape: Any, seed: int | None) -> Any:
        drawn = random_ops.random_uniform(self._sample_shape(shape), seed=seed,
                                          dtype=self.probs.dtype.base_dtype)  # fmt: skip
        return math_ops.cast(math_ops.less(drawn, self.probs), self.dtype)

    def _log_prob(self, value: Any) -> Any:
        value = math_ops.cast(value, self.logits.dtype.base_dtype)
        value = value + creation_ops.zeros_like(self.logits)
        logits = self.logits + creation_ops.zeros_like(value)
        return -xent_ops.sigmoid_cross_entropy_with_logits(labels=value, logits=logits)

    def _mean(self) -> Any:
        return array_ops.identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Any:
        return math_ops.cast(self.probs > 0.5, self.dtype)

    def _entropy(self) -> Any:
        return -self.logits * (math_ops.sigmoid(self.logits) - 1) + nn_ops.softplus(-self.logits)


class Categorical(Distribution):
    """The number of a class."""

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32,
                 validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Categorical") -> None:  # fmt: skip
        with framework.name_scope(name):
            self.logits, self.probs = _logits_and_probs(logits, probs)
        super().__init__(dtype, [self.logits], name, allow_nan_stats, validate_args)

    @property
    def batch_shape(self) -> TensorShape:
        """What is known of the shape of the batch."""
        known = self.logits.get_shape()
        return known if known.ndims is None else known[:-1]

    @property
    def event_size(self) -> Any:
        """How many classes there are."""
        known = self.logits.get_shape().as_list()[-1] if self.logits.get_shape().ndims else None
        size = array_ops.shape(self.logits)[-1] if known is None else known
        return framework.convert_to_tensor(size, dtypes.int32)

    def _whole_shape(self) -> Any:
        return array_ops.shape(self.logits)[:-1]

    def _sample(self, shape: Any, seed: int | None) -> Any:
        flat = array_ops.reshape(self.logits, array_ops.stack([-1, self.event_size]))
        count = reduce_ops.reduce_prod(shape)
        drawn = random_ops.multinomial(flat, count, seed=seed, output_dtype=dtypes.int64)
        drawn = math_ops.cast(drawn, self.dtype)
        return array_ops.reshape(array_ops.transpose(drawn), self._sample_shape(shape))

    def _log_prob(self, value: Any) -> Any:
        value = math_ops.cast(value, dtypes.int32)
        logits = self.logits
        if value.get_shape().ndims != (logits.get_shape().ndims or 0) - 1 or not (
            value.get_shape().is_fully_defined()
        ):
            logits = logits + math_ops.cast(
                array_ops.expand_dims(creation_ops.zeros_like(value), -1), logits.dtype
            )
            value = value + creation_ops.zeros_like(logits, dtypes.int32)[..., 0]
        return -xent_ops.sparse_softmax_cross_entropy_with_logits(labels=value, logits=logits)

    def _cdf(self, value: Any) -> Any:
        """The probability of less than value, as TensorFlow has it."""
        value = value + math_ops.cast(creation_ops.zeros_like(self.logits)[..., 0], value.dtype)
        below = sequence_mask(value, self.event_size, self.probs.dtype.base_dtype)
        return sum_events(self.probs * below)

    def _mode(self) -> Any:
        return math_ops.cast(reduce_ops.argmax(self.logits, axis=-1), self.dtype)

    def _entropy(self) -> Any:
        return -sum_events(nn_ops.log_softmax(self.logits) * nn_ops.softmax(self.logits))


class OneHotCategorical(Distribution):
    """A class as a row that is 1 at its place."""

    _event_rank = 1

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = dtypes.int32,
                 validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "OneHotCategorical") -> None:  # fmt: skip
        self._numbers = Categorical(logits, probs, name=name)
        self.logits, self.probs = self._numbers.logits, self._numbers.probs
        super().__init__(dtype, [self.logits], name, allow_nan_stats, validate_args)

    def _sample(self, shape: Any, seed: int | None) -> Any:
        drawn = self._numbers._sample(shape, seed)
        return creation_ops.one_hot(drawn, self._numbers.event_size, dtype=self.dtype)

    def _log_prob(self, value: Any) -> Any:
        value = math_ops.cast(value, self.logits.dtype.base_dtype)
        return sum_events(value * nn_ops.log_softmax(self.logits))

    def _mode(self) -> Any:
        return creation_ops.one_hot(reduce_ops.argmax(self.logits, axis=-1),
                                    self._numbers.event_size, dtype=self.dtype)  # fmt: skip

    def _entropy(self) -> Any:
        return self._numbers._entropy()


class Multinomial(Distribution):
    """How often each class comes in total_count draws."""

    _event_rank = 1

    def __init__(self, total_count: Any, logits: Any = None, probs: Any = None,
                 validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Multinomial") -> None:  # fmt: skip
        with framework.name_scope(name):
            self.logits, self.probs = _logits_and_probs(logits, probs)
            self.total_count = floating(total_count, "total_count", self.probs)
        super().__init__(self.probs.dtype, [self.probs], name, allow_nan_stats, validate_args)

    def _log_prob(self, counts: Any) -> Any:
        chances = sum_events(composed_ops.multiply_no_nan(nn_ops.log_softmax(self.logits), counts))
        return chances + _log_combinations(self.total_count, counts)

    def _sample(self, shape: Any, seed: int | None) -> Any:
        known = framework.constant_value(self.total_count)
        if known is None or known.ndim:
            raise self._missing("sample where total_count is no known scalar")
        flat = array_ops.reshape(
            self.logits, array_ops.stack([-1, array_ops.shape(self.logits)[-1]])
        )
        count, classes = reduce_ops.reduce_prod(shape), array_ops.shape(flat)[1]
        draws = int(known)
        drawn = random_ops.multinomial(flat, count * draws, seed=seed, output_dtype=dtypes.int32)
        drawn = array_ops.reshape(drawn, array_ops.stack([array_ops.shape(flat)[0], count, draws]))
        counts = reduce_ops.reduce_sum(creation_ops.one_hot(drawn, classes, dtype=self.dtype), 2)
        return array_ops.reshape(array_ops.transpose(counts, [1, 0, 2]), self._sample_shape(shape))

    def _mean(self) -> Any:
        return self.probs * array_ops.expand_dims(self.total_count, -1)

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self.probs)


def _log_combinations(total: Any, counts: Any) -> Any:
    """Return the logarithm of how many ways there are to have these counts."""
    return special_ops.lgamma(total + 1.0) - sum_events(special_ops.lgamma(counts + 1.0))


class Dirichlet(Distribution):
    """Probabilities of classes."""

    _event_rank = 1
    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, concentration: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Dirichlet") -> None:  # fmt: skip
        with framework.name_scope(name, values=[concentration]):
            self.concentration = floating(concentration, "concentration")
            self.total_concentration = sum_events(self.concentration)
        super().__init__(self.concentration.dtype, [self.concentration], name, allow_nan_stats,
                         validate_args)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        drawn = random_ops.random_gamma(shape, self.concentration, dtype=self.dtype, seed=seed)
        return drawn / reduce_ops.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, value: Any) -> Any:
        weighted = sum_events(special_ops.xlogy(self.concentration - 1.0, value))
        return weighted - special_ops.lbeta(self.concentration)

    def _mean(self) -> Any:
        return self.concentration / array_ops.expand_dims(self.total_concentration, -1)

    def _variance(self) -> Any:
        scale = 1.0 + array_ops.expand_dims(self.total_concentration, -1)
        return self._mean() * (1.0 - self._mean()) / scale

    def _entropy(self) -> Any:
        total = self.total_concentration
        classes = math_ops.cast(array_ops.shape(self.concentration)[-1], self.dtype)
        each = sum_events((self.concentration - 1.0) * special_ops.digamma(self.concentration))
        return (special_ops.lbeta(self.concentration)
                + (total - classes) * special_ops.digamma(total) - each)  # fmt: skip


class DirichletMultinomial(Distribution):
    """Multinomial counts whose probabilities are Dirichlet's."""

    _event_rank = 1

    def __init__(self, total_count: Any, concentration: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True,
                 name: str = "DirichletMultinomial") -> None:  # fmt: skip
        with framework.name_scope(name, values=[total_count, concentration]):
            self.concentration = floating(concentration, "concentration")
            self.total_count = floating(total_count, "total_count", self.concentration)
            self.total_concentration = sum_events(self.concentration)
        super().__init__(self.concentration.dtype, [self.concentration], name, allow_nan_stats,
                         validate_args)  # fmt: skip

    def _log_prob(self, counts: Any) -> Any:
        ordered = special_ops.lbeta(self.concentration + counts)
        ordered = ordered - special_ops.lbeta(self.concentration)
        return ordered + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        share = self.concentration / array_ops.expand_dims(self.total_concentration, -1)
        return array_ops.expand_dims(self.total_count, -1) * share


class MultivariateNormalDiag(Distribution):
    """Normal numbers side by side, independent of each other."""

    _event_rank = 1
    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, loc: Any = None, scale_diag: Any = None,
                 scale_identity_multiplier: Any = None, validate_args: bool = False,
                 allow_nan_stats: bool = True,
                 name: str = "MultivariateNormalDiag") -> None:  # fmt: skip
        if scale_identity_multiplier is not None and scale_diag is None:
            raise NotImplementedError("scale_identity_multiplier alone: give scale_diag")
        given = loc if loc is not None else scale_diag
        self.loc = floating(0.0 if loc is None else loc, "loc",
                            None if loc is not None else floating(given, "loc"))  # fmt: skip
        scale = (
            creation_ops.ones_like(self.loc)
            if scale_diag is None
            else floating(scale_diag, "scale_diag", self.loc)
        )
        if scale_identity_multiplier is not None:
            scale = scale + array_ops.expand_dims(scale_identity_multiplier, -1)
        self.scale_diag = scale
        super().__init__(self.loc.dtype, [self.loc, scale] if loc is not None else [scale], name,
                         allow_nan_stats, validate_args)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        drawn = random_ops.random_normal(self._sample_shape(shape), dtype=self.dtype, seed=seed)
        return drawn * self.scale_diag + self.loc

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale_diag
        each = -0.5 * math_ops.square(z) - 0.9189385332046727 - math_ops.log(self.scale_diag)
        return sum_events(each)

    def _mean(self) -> Any:
        return self._over_batch(self.loc)

    _mode = _mean

    def _stddev(self) -> Any:
        return self._over_batch(self.scale_diag)

    def _variance(self) -> Any:
        return math_ops.square(self._stddev())

    def _entropy(self) -> Any:
        return sum_events(self._over_batch(1.4189385332046727 + math_ops.log(self.scale_diag)))
