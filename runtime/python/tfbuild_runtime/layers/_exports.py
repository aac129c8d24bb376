"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.layers"

_LAYERS = {
    "base": ("InputSpec", "Layer"),
    "core": ("Dense", "Dropout", "Flatten", "dense", "dropout", "flatten"),
    "convolutional": (
        "Conv1D", "Conv2D", "Conv2DTranspose", "SeparableConv2D", "conv1d", "conv2d",
        "conv2d_transpose", "separable_conv2d",
    ),
    "pooling": (
        "AveragePooling1D", "AveragePooling2D", "MaxPooling1D", "MaxPooling2D",
        "average_pooling1d", "average_pooling2d", "max_pooling1d", "max_pooling2d",
    ),
    "normalization": ("BatchNormalization", "batch_normalization"),
}  # fmt: skip

EXPORTS = {
    f"layers.{name}": f"{_PLACE}.{module}:{name}"
    for module, names in _LAYERS.items()
    for name in names
}
