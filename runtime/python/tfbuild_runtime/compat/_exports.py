"""Public names of this package: which module each of them is."""

_PLACE = "tfbuild_runtime.compat"

EXPORTS = {
    "core": f"{_PLACE}.internal:core",
    "python": f"{_PLACE}.internal:python",
    "compat.v1": f"{_PLACE}.v1:",
}
