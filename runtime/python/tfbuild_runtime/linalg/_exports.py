"""Public names of this package: which class of which module each of them is."""

_MODULES = {
    "base": ("LinearOperator",),
    "block_diag": ("LinearOperatorBlockDiag",),
    "circulant": (
        "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D",
    ),
    "composition": ("LinearOperatorComposition",),
    "dense": ("LinearOperatorFullMatrix", "LinearOperatorLowerTriangular"),
    "diagonal": ("LinearOperatorDiag",),
    "householder": ("LinearOperatorHouseholder",),
    "identity": ("LinearOperatorIdentity", "LinearOperatorScaledIdentity"),
    "kronecker": ("LinearOperatorKronecker",),
    "low_rank_update": ("LinearOperatorLowRankUpdate",),
    "toeplitz": ("LinearOperatorToeplitz",),
    "wrapped": ("LinearOperatorAdjoint", "LinearOperatorInversion"),
    "zeros": ("LinearOperatorZeros",),
}  # fmt: skip

EXPORTS = {
    f"{space}.{name}": f"tfbuild_runtime.linalg.{module}:{name}"
    for space in ("linalg", "contrib.linalg")
    for module, names in _MODULES.items()
    for name in names
}
