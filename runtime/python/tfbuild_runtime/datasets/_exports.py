"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.datasets.mnist"

EXPORTS = {
    f"{namespace}.{name}": f"{_PLACE}:{name}"
    for namespace in ("examples.tutorials.mnist.input_data", "contrib.learn.datasets.mnist")
    for name in ("DataSet", "Datasets", "read_data_sets")
}
