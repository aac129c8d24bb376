"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.keras"

_LAYERS = {
    "base_layer": ("Layer",),
    "basic_layers": (
        "Activation", "ActivityRegularization", "BatchNormalization", "Dense", "Dropout", "ELU",
        "Embedding", "Flatten", "GaussianNoise", "Lambda", "LayerNormalization", "LeakyReLU",
        "PReLU", "Permute", "ReLU", "RepeatVector", "Reshape", "Softmax", "SpatialDropout1D",
        "SpatialDropout2D",
    ),
    "image_layers": (
        "AveragePooling1D", "AveragePooling2D", "Conv1D", "Conv2D", "Conv2DTranspose",
        "Cropping2D", "DepthwiseConv2D", "GlobalAveragePooling1D", "GlobalAveragePooling2D",
        "GlobalMaxPooling1D", "GlobalMaxPooling2D", "MaxPooling1D", "MaxPooling2D",
        "SeparableConv2D", "UpSampling1D", "UpSampling2D", "ZeroPadding1D", "ZeroPadding2D",
    ),
    "merge_layers": (
        "Add", "Average", "Concatenate", "Dot", "Maximum", "Minimum", "Multiply", "Subtract", "add",
        "average", "concatenate", "dot", "maximum", "minimum", "multiply", "subtract",
    ),
    "network": ("Input", "InputLayer"),
    "recurrent": (
        "GRU", "LSTM", "RNN", "SimpleRNN", "StackedRNNCells",
    ),
    "recurrent_cells": ("GRUCell", "LSTMCell", "SimpleRNNCell"),
    "sequence_layers": ("Bidirectional", "TimeDistributed"),
}  # fmt: skip
_OLD_LAYERS = {
    "AvgPool1D": "AveragePooling1D", "AvgPool2D": "AveragePooling2D", "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D", "Convolution2DTranspose": "Conv2DTranspose",
    "GlobalAvgPool1D": "GlobalAveragePooling1D", "GlobalAvgPool2D": "GlobalAveragePooling2D",
    "GlobalMaxPool1D": "GlobalMaxPooling1D", "GlobalMaxPool2D": "GlobalMaxPooling2D",
    "MaxPool1D": "MaxPooling1D", "MaxPool2D": "MaxPooling2D",
    "SeparableConvolution2D": "SeparableConv2D",
}  # fmt: skip
_FUNCTIONS = (
    "binary_crossentropy", "categorical_crossentropy", "cosine_proximity", "hinge",
    "kullback_leibler_divergence", "logcosh", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error",
    "poisson", "sparse_categorical_crossentropy", "squared_hinge",
)  # fmt: skip
_LOSSES = (
    "BinaryCrossentropy", "CategoricalCrossentropy", "Hinge", "Huber", "KLDivergence", "Loss",
    "MeanAbsoluteError", "MeanSquaredError", "SparseCategoricalCrossentropy",
)  # fmt: skip
_METRICS = (
    *_FUNCTIONS, "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy",
    "top_k_categorical_accuracy",
)  # fmt: skip
_INITIALIZERS = {
    "named": ("Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal"),
    "init_ops": ("Constant", "Identity", "Initializer", "Ones", "VarianceScaling", "Zeros"),
}
_INITIALIZER_WORDS = {
    "constant": "Constant", "glorot_normal": "GlorotNormal", "glorot_uniform": "GlorotUniform",
    "he_normal": "HeNormal", "he_uniform": "HeUniform", "identity": "Identity",
    "lecun_normal": "LecunNormal", "lecun_uniform": "LecunUniform", "ones": "Ones",
    "zeros": "Zeros",
}  # fmt: skip
_ACTIVATIONS = {
    "named": (
        "elu",
        "exponential",
        "hard_sigmoid",
        "linear",
        "relu",
        "selu",
        "sigmoid",
        "softmax",
        "softplus",
        "softsign",
        "tanh",
    ),
}
_BACKEND = {
    "keras.backend": (
        "argmax", "argmin", "batch_flatten", "batch_get_value", "batch_set_value",
        "binary_crossentropy", "cast_to_floatx", "clip", "concatenate", "constant", "count_params",
        "dot", "dropout", "dtype", "epsilon", "eval", "expand_dims", "flatten", "floatx",
        "function", "get_value", "gradients", "image_data_format", "in_test_phase",
        "in_train_phase", "int_shape", "is_keras_tensor", "l2_normalize", "ndim", "ones",
        "permute_dimensions", "placeholder", "random_normal", "random_uniform", "repeat_elements",
        "set_epsilon", "set_floatx", "set_image_data_format", "set_value", "sqrt", "std", "switch",
        "update", "update_add", "update_sub", "var", "variable", "zeros",
    ),
    "keras.backend_ops": (
        "all", "any", "bias_add", "categorical_crossentropy", "foldl", "foldr", "gather",
        "logsumexp", "map_fn", "max", "mean", "min", "ones_like", "pow", "prod", "reshape",
        "shape", "softmax", "sparse_categorical_crossentropy", "squeeze", "stack",
        "stop_gradient", "sum", "tile", "transpose", "zeros_like",
    ),
    "keras.named": ("elu", "hard_sigmoid", "relu", "sigmoid", "softplus", "softsign", "tanh"),
    "keras.phase": ("learning_phase", "set_learning_phase"),
    "keras.values": ("clear_session", "get_session", "set_session"),
    "framework.ops": ("name_scope",),
    "ops.array_ops": ("identity",),
    "ops.math_ops": (
        "abs", "cast", "cos", "equal", "exp", "greater", "greater_equal", "less", "less_equal",
        "log", "maximum", "minimum", "not_equal", "round", "sign", "sin", "square",
    ),
}  # fmt: skip


def _ops(module: str) -> str:
    return f"{_PLACE}.{module}" if module == "named" else f"tfbuild_runtime.ops.{module}"


_BY_LAYER = {name: module for module, names in _LAYERS.items() for name in names}
_MODELS = {"Model": "training", "Sequential": "training", "Input": "network"}
_CALLBACKS = (
    "Callback", "EarlyStopping", "History", "LambdaCallback", "LearningRateScheduler",
    "ModelCheckpoint",
)  # fmt: skip
_OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "RMSprop", "SGD")

EXPORTS = {
    **{f"keras.{name}": f"{_PLACE}.{module}:{name}" for name, module in _MODELS.items()},
    **{f"keras.models.{name}": f"{_PLACE}.training:{name}" for name in ("Model", "Sequential")},
    **{f"keras.layers.{name}": f"{_PLACE}.{module}:{name}" for name, module in _BY_LAYER.items()},
    **{f"keras.layers.{old}": f"{_PLACE}.{_BY_LAYER[name]}:{name}"
       for old, name in _OLD_LAYERS.items()},
    "keras.layers.InputSpec": "tfbuild_runtime.layers.base:InputSpec",
    **{f"keras.losses.{name}": f"{_PLACE}.losses:{name}" for name in _FUNCTIONS},
    **{f"keras.losses.{short}": f"{_PLACE}.losses:{name}" for short, name in (
        ("mse", "mean_squared_error"), ("mae", "mean_absolute_error"))},
    **{f"keras.losses.{name}": f"{_PLACE}.loss_classes:{name}" for name in _LOSSES},
    "keras.losses.get": f"{_PLACE}.loss_classes:function_of",
    **{f"keras.metrics.{name}": f"{_PLACE}.losses:{name}" for name in _METRICS},
    **{f"keras.initializers.{name}": f"{_ops(module)}:{name}"
       for module, names in _INITIALIZERS.items() for name in names},
    **{f"keras.initializers.{word}": f"{_ops('init_ops')}:{name}"
       for word, name in _INITIALIZER_WORDS.items()},
    "keras.initializers.get": f"{_PLACE}.named:initializer_of",
    **{f"keras.activations.{name}": f"{_ops(module)}:{name}"
       for module, names in _ACTIVATIONS.items() for name in names},
    "keras.activations.get": f"{_PLACE}.named:activation_of",
    **{f"keras.regularizers.{name}": f"{_PLACE}.named:{name}"
       for name in ("L1L2", "l1", "l1_l2", "l2")},
    "keras.regularizers.get": f"{_PLACE}.named:regularizer_of",
    **{f"keras.optimizers.{name}": f"{_PLACE}.optimizers:{name}" for name in _OPTIMIZERS},
    "keras.optimizers.Optimizer": f"{_PLACE}.optimizers:KerasOptimizer",
    "keras.optimizers.get": f"{_PLACE}.optimizers:optimizer_of",
    **{f"keras.callbacks.{name}": f"{_PLACE}.callbacks:{name}" for name in _CALLBACKS},
    **{f"keras.backend.{name}": f"tfbuild_runtime.{module}:{name}"
       for module, names in _BACKEND.items() for name in names},
    **{f"keras.utils.{name}": f"{_PLACE}.utils:{name}"
       for name in ("Progbar", "normalize", "to_categorical")},
    "keras.preprocessing.sequence.pad_sequences": f"{_PLACE}.utils:pad_sequences",
}  # fmt: skip
