"""The public names of datasets, as name -> module:attribute."""

from collections.abc import Mapping

_PLACE = "tfbuild_runtime.data"
_DATA = {
    "dataset": ("AUTOTUNE", "Dataset", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY"),
    "iterator": (
        "Iterator", "get_output_classes", "get_output_shapes", "get_output_types",
        "make_initializable_iterator", "make_one_shot_iterator",
    ),
    "options": ("Options",),
    "readers": ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"),
}  # fmt: skip
_EXPERIMENTAL = {
    "dataset": ("AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY"),
    "readers": ("CsvDataset",),
    "choices": (
        "RandomDataset", "Reducer", "TFRecordWriter", "choose_from_datasets",
        "dense_to_sparse_batch", "group_by_reducer", "sample_from_datasets",
    ),
    "feature_files": (
        "make_batched_features_dataset", "make_csv_dataset", "parse_example_dataset",
    ),
    "experimental": (
        "Counter", "bucket_by_sequence_length", "cardinality", "copy_to_device",
        "dense_to_ragged_batch", "enumerate_dataset", "get_single_element", "group_by_window",
        "ignore_errors",
        "map_and_batch", "parallel_interleave", "prefetch_to_device", "scan",
        "shuffle_and_repeat", "take_while", "unbatch",
    ),
}  # fmt: skip
_CONTRIB = {
    **_EXPERIMENTAL,
    "dataset": ("AUTOTUNE", "Dataset"),
    "iterator": ("Iterator",),
    "readers": ("CsvDataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"),
    "experimental": (
        *_EXPERIMENTAL["experimental"],
        "batch_and_drop_remainder",
        "padded_batch_and_drop_remainder",
    ),
}


def _named(prefix: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {
        f"{prefix}.{name}": f"{_PLACE}.{module}:{name}"
        for module, many in names.items()
        for name in many
    }


EXPORTS = {
    **_named("data", _DATA),
    **_named("data.experimental", _EXPERIMENTAL),
    **_named("contrib.data", _CONTRIB),
    "RaggedTensorSpec": f"{_PLACE}.specs:RaggedTensorSpec",
    "SparseTensorSpec": f"{_PLACE}.specs:SparseTensorSpec",
    "TensorSpec": f"{_PLACE}.specs:TensorSpec",
}
