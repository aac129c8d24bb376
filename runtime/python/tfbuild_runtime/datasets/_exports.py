"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.datasets.mnist"

EXPORTS = {
    f"{namespace}.{name}": f"{_PLACE}:{name}"
    for namespace in (
        "examples.tutorials.mnist.input_data",
        "contrib.learn.datasets.mnist",
        "contrib.learn.python.learn.datasets.mnist",
    )
    for name in ("DataSet", "Datasets", "read_data_sets")
}
EXPORTS.update(
    {f"{namespace}.{name}": f"tfbuild_runtime.datasets.tables:{name}"
     for namespace in ("contrib.learn.datasets.base", "contrib.learn.python.learn.datasets.base")
     for name in ("Dataset", "Datasets", "load_csv_with_header", "load_csv_without_header")}
)  # fmt: skip
