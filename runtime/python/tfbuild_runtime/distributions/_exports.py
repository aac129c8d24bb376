"""Public names of this package: which class or function of which module each of them is."""

_MODULES = {
    "base": (
        "Distribution", "FULLY_REPARAMETERIZED", "NOT_REPARAMETERIZED", "RegisterKL",
        "ReparameterizationType", "kl_divergence",
    ),
    "continuous": ("Beta", "Exponential", "Gamma", "Laplace", "Normal", "StudentT", "Uniform"),
    "discrete": (
        "Bernoulli", "Categorical", "Dirichlet", "DirichletMultinomial", "Multinomial",
    ),
}  # fmt: skip
_MORE = {
    "continuous": ("NormalWithSoftplusScale",),
    "discrete": ("MultivariateNormalDiag", "OneHotCategorical"),
}


def _below(prefix: str, modules: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {f"{prefix}.{name}": f"tfbuild_runtime.distributions.{module}:{name}"
            for module, names in modules.items() for name in names}  # fmt: skip


EXPORTS = {
    **_below("distributions", _MODULES),
    **_below("contrib.distributions", _MODULES),
    **_below("contrib.distributions", _MORE),
}
