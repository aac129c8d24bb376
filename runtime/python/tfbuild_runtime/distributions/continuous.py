"""Distributions over numbers: normal, uniform, gamma and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbuild_runtime.distributions import special_math
from tfbuild_runtime.distributions.base import (
    FULLY_REPARAMETERIZED,
    Distribution,
    another_seed,
    floating,
)
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, nn_ops, random_ops, special_ops

_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


class Normal(Distribution):
    """Gauss's bell around loc, scale wide."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Normal") -> None:  # fmt: skip
        with framework.name_scope(name, values=[loc, scale]):
            self._loc = floating(loc, "loc", scale if framework.is_tensor_like(scale) else None)
            self._scale = floating(scale, "scale", self._loc)
        super().__init__(self._loc.dtype, [self._loc, self._scale], name, allow_nan_stats,
                         validate_args)  # fmt: skip

    @property
    def loc(self) -> Any:
        """The mean."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The standard deviation."""
        return self._scale

    def _z(self, value: Any) -> Any:
        return (value - self._loc) / self._scale

    def _sample(self, shape: Any, seed: int | None) -> Any:
        drawn = random_ops.random_normal(self._sample_shape(shape), dtype=self.dtype, seed=seed)
        return drawn * self._scale + self._loc

    def _log_prob(self, value: Any) -> Any:
        return -0.5 * math_ops.square(self._z(value)) - (_HALF_LOG_TAU + math_ops.log(self._scale))

    def _cdf(self, value: Any) -> Any:
        return special_math.ndtr(self._z(value))

    def _log_cdf(self, value: Any) -> Any:
        return special_math.log_ndtr(self._z(value))

    def _survival_function(self, value: Any) -> Any:
        return special_math.ndtr(-self._z(value))

    def _log_survival_function(self, value: Any) -> Any:
        return special_math.log_ndtr(-self._z(value))

    def _quantile(self, value: Any) -> Any:
        return special_math.ndtri(value) * self._scale + self._loc

    def _mean(self) -> Any:
        return self._over_batch(self._loc)

    _mode = _mean

    def _stddev(self) -> Any:
        return self._over_batch(self._scale)

    def _variance(self) -> Any:
        return math_ops.square(self._stddev())

    def _entropy(self) -> Any:
        return self._over_batch(0.5 + _HALF_LOG_TAU + math_ops.log(self._scale))


class NormalWithSoftplusScale(Normal):
    """Normal whose scale is softplus of what is given."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True,
                 name: str = "NormalWithSoftplusScale") -> None:  # fmt: skip
        super().__init__(loc, nn_ops.softplus(floating(scale, "scale")), validate_args,
                         allow_nan_stats, name)  # fmt: skip


class Uniform(Distribution):
    """All numbers in [low, high) alike."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, low: Any = 0.0, high: Any = 1.0, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Uniform") -> None:  # fmt: skip
        with framework.name_scope(name, values=[low, high]):
            self.low = floating(low, "low", high if framework.is_tensor_like(high) else None)
            self.high = floating(high, "high", self.low)
        super().__init__(self.low.dtype, [self.low, self.high], name, allow_nan_stats,
                         validate_args)  # fmt: skip

    def range(self, name: str = "range") -> Any:
        """Return high - low."""
        with framework.name_scope(f"{self.name}/{name}"):
            return self.high - self.low

    def _sample(self, shape: Any, seed: int | None) -> Any:
        drawn = random_ops.random_uniform(self._sample_shape(shape), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, value: Any) -> Any:
        inside = math_ops.logical_and(value >= self.low, value < self.high)
        density = creation_ops.ones_like(value) / self.range()
        inside = math_ops.logical_and(inside, math_ops.equal(density, density))
        found = array_ops.where_v2(inside, density, creation_ops.zeros_like(density))
        return array_ops.where_v2(math_ops.is_nan(value), value, found)

    def _log_prob(self, value: Any) -> Any:
        return math_ops.log(self._prob(value))

    def _cdf(self, value: Any) -> Any:
        share = (value - self.low) / self.range()
        return math_ops.minimum(math_ops.maximum(share, 0.0), 1.0)

    def _quantile(self, value: Any) -> Any:
        return (1.0 - value) * self.low + value * self.high

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return math_ops.square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)

    def _entropy(self) -> Any:
        return math_ops.log(self.range())


class Laplace(Distribution):
    """Two exponential distributions, back to back at loc."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, loc: Any, scale: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Laplace") -> None:  # fmt: skip
        with framework.name_scope(name, values=[loc, scale]):
            self.loc = floating(loc, "loc", scale if framework.is_tensor_like(scale) else None)
            self.scale = floating(scale, "scale", self.loc)
        super().__init__(self.loc.dtype, [self.loc, self.scale], name, allow_nan_stats,
                         validate_args)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        least = np.nextafter(self.dtype.as_numpy_dtype(-1), self.dtype.as_numpy_dtype(0))
        drawn = random_ops.random_uniform(self._sample_shape(shape), minval=least, maxval=1.0,
                                          dtype=self.dtype, seed=seed)  # fmt: skip
        size = math_ops.log1p(-math_ops.abs(drawn))
        return self.loc - self.scale * math_ops.sign(drawn) * size

    def _log_prob(self, value: Any) -> Any:
        return (-math_ops.abs((value - self.loc) / self.scale)
                - math.log(2.0) - math_ops.log(self.scale))  # fmt: skip

    def _cdf(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return 0.5 + 0.5 * math_ops.sign(z) * (1.0 - math_ops.exp(-math_ops.abs(z)))

    def _log_cdf(self, value: Any) -> Any:
        return special_math.log_cdf_laplace((value - self.loc) / self.scale)

    def _log_survival_function(self, value: Any) -> Any:
        return special_math.log_cdf_laplace((self.loc - value) / self.scale)

    def _mean(self) -> Any:
        return self._over_batch(self.loc)

    _mode = _mean

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self._over_batch(self.scale)

    def _variance(self) -> Any:
        return math_ops.square(self._stddev())

    def _entropy(self) -> Any:
        return self._over_batch(math.log(2.0) + 1.0 + math_ops.log(self.scale))


class Gamma(Distribution):
    """The time until `concentration` events of that rate."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, concentration: Any, rate: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "Gamma") -> None:  # fmt: skip
        with framework.name_scope(name, values=[concentration, rate]):
            like = rate if framework.is_tensor_like(rate) else None
            self.concentration = floating(concentration, "concentration", like)
            self.rate = floating(rate, "rate", self.concentration)
        super().__init__(self.concentration.dtype, [self.concentration, self.rate], name,
                         allow_nan_stats, validate_args)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        return random_ops.random_gamma(shape, self.concentration, self.rate, self.dtype, seed)

    def _log_prob(self, value: Any) -> Any:
        a, b = self.concentration, self.rate
        return (special_ops.xlogy(a - 1.0, value) - b * value
                + a * math_ops.log(b) - special_ops.lgamma(a))  # fmt: skip

    def _cdf(self, value: Any) -> Any:
        return special_ops.igamma(self.concentration, self.rate * value)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / math_ops.square(self.rate)

    def _mode(self) -> Any:
        mode = (self.concentration - 1.0) / self.rate
        nan = framework.constant(float("nan"), self.dtype)
        return array_ops.where_v2(self.concentration > 1.0, mode, nan)

    def _entropy(self) -> Any:
        a = self.concentration
        return (a - math_ops.log(self.rate) + special_ops.lgamma(a)
                + (1.0 - a) * special_ops.digamma(a))  # fmt: skip


class Exponential(Gamma):
    """The time until the next event of that rate."""

    def __init__(self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Exponential") -> None:  # fmt: skip
        rate = floating(rate, "rate")
        super().__init__(creation_ops.ones([], rate.dtype), rate, validate_args, allow_nan_stats,
                         name)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_ops.random_uniform(self._sample_shape(shape), minval=least, maxval=1.0,
                                          dtype=self.dtype, seed=seed)  # fmt: skip
        return -math_ops.log(drawn) / self.rate

    def _survival_function(self, value: Any) -> Any:
        return math_ops.exp(self._log_survival_function(value))

    def _log_survival_function(self, value: Any) -> Any:
        return -self.rate * value


class Beta(Distribution):
    """The share of a gamma variable in the sum of two."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, concentration1: Any = None, concentration0: Any = None,
                 validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str = "Beta") -> None:  # fmt: skip
        with framework.name_scope(name, values=[concentration1, concentration0]):
            one = concentration1
            like = concentration0 if framework.is_tensor_like(concentration0) else None
            self.concentration1 = floating(one, "concentration1", like)
            self.concentration0 = floating(concentration0, "concentration0", self.concentration1)
            self.total_concentration = self.concentration1 + self.concentration0
        super().__init__(self.concentration1.dtype, [self.concentration1, self.concentration0],
                         name, allow_nan_stats, validate_args)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        first, second = (self._over_batch(part) for part in (self.concentration1,
                                                             self.concentration0))  # fmt: skip
        x = random_ops.random_gamma(shape, first, dtype=self.dtype, seed=seed)
        y = random_ops.random_gamma(shape, second, dtype=self.dtype,
                                    seed=another_seed(seed, "beta"))  # fmt: skip
        return x / (x + y)

    def _log_normalization(self) -> Any:
        return (special_ops.lgamma(self.concentration1) + special_ops.lgamma(self.concentration0)
                - special_ops.lgamma(self.total_concentration))  # fmt: skip

    def _log_prob(self, value: Any) -> Any:
        return (special_ops.xlogy(self.concentration1 - 1.0, value)
                + special_ops.xlog1py(self.concentration0 - 1.0, -value)
                - self._log_normalization())  # fmt: skip

    def _cdf(self, value: Any) -> Any:
        return special_ops.betainc(self.concentration1, self.concentration0, value)

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self) -> Any:
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        inside = math_ops.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        return array_ops.where_v2(inside, mode, framework.constant(float("nan"), self.dtype))

    def _entropy(self) -> Any:
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        return (self._log_normalization() - (a - 1.0) * special_ops.digamma(a)
                - (b - 1.0) * special_ops.digamma(b)
                + (total - 2.0) * special_ops.digamma(total))  # fmt: skip


class StudentT(Distribution):
    """Student's distribution with df degrees of freedom."""

    reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(self, df: Any, loc: Any, scale: Any, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str = "StudentT") -> None:  # fmt: skip
        with framework.name_scope(name, values=[df, loc, scale]):
            tensors = [part for part in (df, loc, scale) if framework.is_tensor_like(part)]
            like = tensors[0] if tensors else None
            self.df = floating(df, "df", like)
            self.loc = floating(loc, "loc", self.df)
            self.scale = floating(scale, "scale", self.df)
        super().__init__(self.df.dtype, [self.df, self.loc, self.scale], name, allow_nan_stats,
                         validate_args)  # fmt: skip

    def _sample(self, shape: Any, seed: int | None) -> Any:
        normal = random_ops.random_normal(self._sample_shape(shape), dtype=self.dtype, seed=seed)
        df = self._over_batch(self.df)
        half = framework.constant(0.5, self.dtype)
        gamma = random_ops.random_gamma(shape, half * df, half, self.dtype,
                                        another_seed(seed, "student_t"))  # fmt: skip
        return normal * math_ops.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        norm = (math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df)
                + 0.5 * math.log(math.pi) + special_ops.lgamma(0.5 * self.df)
                - special_ops.lgamma(0.5 * (self.df + 1.0)))  # fmt: skip
        return -0.5 * (self.df + 1.0) * math_ops.log1p(z * z / self.df) - norm

    def _cdf(self, value: Any) -> Any:
        z = (value - self.loc) / math_ops.abs(self.scale)
        x = self.df / (z * z + self.df)
        half = framework.constant(0.5, self.dtype)
        below = 0.5 * special_ops.betainc(0.5 * self.df + creation_ops.zeros_like(x),
                                          half + creation_ops.zeros_like(x), x)  # fmt: skip
        return array_ops.where_v2(z < 0.0, below, 1.0 - below)

    def _mean(self) -> Any:
        nan = framework.constant(float("nan"), self.dtype)
        return array_ops.where_v2(self.df > 1.0, self._over_batch(self.loc), nan)

    def _mode(self) -> Any:
        return self._over_batch(self.loc)

    def _variance(self) -> Any:
        wide = self._over_batch(math_ops.square(self.scale) * self.df / (self.df - 2.0))
        infinite = framework.constant(float("inf"), self.dtype)
        nan = framework.constant(float("nan"), self.dtype)
        heavy = array_ops.where_v2(self.df > 1.0, infinite, nan)
        return array_ops.where_v2(self.df > 2.0, wide, heavy)

    def _entropy(self) -> Any:
        half, next_half = 0.5 * self.df, 0.5 * (self.df + 1.0)
        beta = (special_ops.lgamma(half) + special_ops.lgamma(framework.constant(0.5, self.dtype))
                - special_ops.lgamma(next_half))  # fmt: skip
        return self._over_batch(
            math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df) + beta
            + next_half * (special_ops.digamma(next_half) - special_ops.digamma(half))
        )  # fmt: skip
