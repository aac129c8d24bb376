"""Divergences of Kullback and Leibler between distributions of one kind."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.distributions.base import RegisterKL, sum_events
from tfbuild_runtime.distributions.continuous import Beta, Gamma, Laplace, Normal, Uniform
from tfbuild_runtime.distributions.discrete import (
    Bernoulli,
    Categorical,
    Dirichlet,
    MultivariateNormalDiag,
    OneHotCategorical,
)
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops, nn_ops, special_ops


def _of_normals(a_loc: Any, a_scale: Any, b_loc: Any, b_scale: Any) -> Any:
    ratio = math_ops.square(a_scale / b_scale)
    apart = math_ops.square(a_loc - b_loc) / (2.0 * math_ops.square(b_scale))
    return apart + 0.5 * (ratio - 1.0 - math_ops.log(ratio))


@RegisterKL(Normal, Normal)
def _normal(a: Any, b: Any, name: str | None = None) -> Any:
    return _of_normals(a.loc, a.scale, b.loc, b.scale)


@RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _normals(a: Any, b: Any, name: str | None = None) -> Any:
    return sum_events(_of_normals(a.loc, a.scale_diag, b.loc, b.scale_diag))


@RegisterKL(Bernoulli, Bernoulli)
def _bernoulli(a: Any, b: Any, name: str | None = None) -> Any:
    zero = nn_ops.softplus(b.logits) - nn_ops.softplus(a.logits)
    one = nn_ops.softplus(-b.logits) - nn_ops.softplus(-a.logits)
    return math_ops.sigmoid(a.logits) * one + math_ops.sigmoid(-a.logits) * zero


@RegisterKL(Categorical, Categorical)
@RegisterKL(OneHotCategorical, OneHotCategorical)
def _categorical(a: Any, b: Any, name: str | None = None) -> Any:
    apart = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
    return sum_events(nn_ops.softmax(a.logits) * apart)


@RegisterKL(Gamma, Gamma)
def _gamma(a: Any, b: Any, name: str | None = None) -> Any:
    first, second = a.concentration, b.concentration
    return ((first - second) * special_ops.digamma(first) + special_ops.lgamma(second)
            - special_ops.lgamma(first) + second * math_ops.log(a.rate)
            - second * math_ops.log(b.rate) + first * (b.rate / a.rate - 1.0))  # fmt: skip


@RegisterKL(Beta, Beta)
def _beta(a: Any, b: Any, name: str | None = None) -> Any:
    total = b.total_concentration - a.total_concentration
    return (b._log_normalization() - a._log_normalization()
            - special_ops.digamma(a.concentration1) * (b.concentration1 - a.concentration1)
            - special_ops.digamma(a.concentration0) * (b.concentration0 - a.concentration0)
            + special_ops.digamma(a.total_concentration) * total)  # fmt: skip


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlet(a: Any, b: Any, name: str | None = None) -> Any:
    total = special_ops.digamma(sum_events(a.concentration))
    slopes = special_ops.digamma(a.concentration) - array_ops.expand_dims(total, -1)
    return (sum_events((a.concentration - b.concentration) * slopes)
            - special_ops.lbeta(a.concentration) + special_ops.lbeta(b.concentration))  # fmt: skip


@RegisterKL(Uniform, Uniform)
def _uniform(a: Any, b: Any, name: str | None = None) -> Any:
    inside = math_ops.logical_and(b.low <= a.low, a.high <= b.high)
    infinite = framework.constant(float("inf"), a.dtype)
    return array_ops.where_v2(inside, math_ops.log(b.range() / a.range()), infinite)


@RegisterKL(Laplace, Laplace)
def _laplace(a: Any, b: Any, name: str | None = None) -> Any:
    apart = math_ops.abs(a.loc - b.loc)
    ratio = a.scale / b.scale
    return -math_ops.log(ratio) - 1.0 + apart / b.scale + ratio * math_ops.exp(-apart / a.scale)
