"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.layers"

_LAYERS = {
    "base": ("InputSpec", "Layer"),
    "core": ("Dense", "Dropout", "Flatten", "dense", "dropout", "flatten"),
    "convolutional": (
        "Conv1D", "Conv2D", "Conv2DTranspose", "SeparableConv1D", "SeparableConv2D", "conv1d",
        "conv2d", "conv2d_transpose", "separable_conv1d", "separable_conv2d",
    ),
    "pooling": (
        "AveragePooling1D", "AveragePooling2D", "MaxPooling1D", "MaxPooling2D",
        "average_pooling1d", "average_pooling2d", "max_pooling1d", "max_pooling2d",
    ),
    "volumes": (
        "AveragePooling3D", "Conv3D", "Conv3DTranspose", "MaxPooling3D", "average_pooling3d",
        "conv3d", "conv3d_transpose", "max_pooling3d",
    ),
    "normalization": ("BatchNormalization", "batch_normalization"),
}  # fmt: skip
_COLUMNS = {
    "categorical_columns": (
        "categorical_column_with_hash_bucket", "categorical_column_with_identity",
        "categorical_column_with_vocabulary_file", "categorical_column_with_vocabulary_list",
        "crossed_column", "weighted_categorical_column",
    ),
    "feature_columns": (
        "bucketized_column", "embedding_column", "indicator_column", "input_layer", "linear_model",
        "make_parse_example_spec", "numeric_column", "shared_embedding_columns",
    ),
}  # fmt: skip

EXPORTS = {
    **{f"layers.{name}": f"{_PLACE}.{module}:{name}"
       for module, names in _LAYERS.items() for name in names},
    **{f"feature_column.{name}": f"{_PLACE}.{module}:{name}"
       for module, names in _COLUMNS.items() for name in names},
}  # fmt: skip
