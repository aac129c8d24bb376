"""Public names of this package: which function of which module each of them is."""

from collections.abc import Mapping

_TOP = {
    "math_ops": (
        "abs", "add", "cast", "ceil", "cos", "div", "div_no_nan", "divide",
        "equal", "erf", "exp", "expm1", "floor", "floordiv", "floormod", "greater",
        "greater_equal", "is_finite", "is_inf", "is_nan", "less", "less_equal", "log", "log1p",
        "log_sigmoid", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum",
        "minimum", "multiply", "negative", "not_equal", "pow", "reciprocal", "round", "rsqrt",
        "saturate_cast", "scalar_mul", "sigmoid", "sign", "sin", "sqrt", "square",
        "squared_difference", "subtract", "tanh", "to_double", "to_float", "to_int32", "to_int64",
        "truediv",
    ),
    "reduce_ops": (
        "accumulate_n", "add_n", "argmax", "argmin", "reduce_all", "reduce_any",
        "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
        "reduce_sum", "unsorted_segment_sum",
    ),
    "linalg_ops": ("matmul", "sparse_matmul"),
    "matrix_ops": (
        "cholesky", "cholesky_solve", "cross", "diag", "diag_part", "matrix_band_part",
        "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_inverse",
        "matrix_set_diag", "matrix_solve", "matrix_solve_ls", "matrix_triangular_solve", "norm",
        "qr", "self_adjoint_eig", "self_adjoint_eigvals", "svd", "tensordot", "trace",
    ),
    "einsum_ops": ("einsum",),
    "special_ops": (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "betainc", "cosh", "digamma",
        "erfc", "igamma", "igammac", "lbeta", "lgamma", "polygamma", "sinh", "tan", "truncatediv",
        "truncatemod", "zeta",
    ),
    "check_ops": (
        "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer", "assert_less",
        "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative",
        "assert_non_positive", "assert_none_equal", "assert_positive", "assert_rank",
        "assert_rank_at_least", "assert_rank_in", "assert_scalar", "assert_type", "ensure_shape",
        "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing",
    ),
    "counting_ops": (
        "argsort", "bincount", "confusion_matrix", "count_nonzero", "histogram_fixed_width",
        "histogram_fixed_width_bins", "meshgrid", "parallel_stack", "setdiff1d", "sort",
    ),
    "lookup_ops": ("initialize_all_tables", "tables_initializer"),
    "string_ops": (
        "as_string", "decode_base64", "encode_base64", "reduce_join", "regex_replace",
        "string_join", "string_split", "string_strip", "string_to_hash_bucket",
        "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number", "substr",
    ),
    "array_ops": (
        "boolean_mask", "broadcast_to", "concat", "expand_dims", "gather",
        "guarantee_const", "identity", "invert_permutation", "matrix_transpose", "pad", "rank",
        "reshape", "shape", "shape_n", "size", "split", "squeeze", "stack", "stop_gradient", "tile",
        "transpose", "unstack", "where", "where_v2",
    ),
    "order_ops": ("cumprod", "cumsum", "reverse", "unique", "unique_with_counts"),
    "placement_ops": (
        "dynamic_partition", "dynamic_stitch", "gather_nd", "parallel_dynamic_stitch", "scatter_nd",
    ),
    "state_ops": (
        "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_sub",
        "scatter_update",
    ),
    "slicing_ops": ("newaxis", "slice", "strided_slice"),
    "creation_ops": (
        "constant", "fill", "one_hot", "ones", "ones_like", "placeholder",
        "placeholder_with_default", "range", "zeros", "zeros_like",
    ),
    "control_flow_ops": ("case", "cond", "while_loop"),
    "control_ops": ("group", "no_op", "tuple"),
    "functional_ops": ("foldl", "foldr", "map_fn", "scan"),
    "tensor_array_ops": ("TensorArray",),
    "old_names": (
        "arg_max", "arg_min", "concat_v2", "floor_div", "mul", "neg", "pack", "select", "sub",
        "unpack",
    ),
    "reverse_ops": ("reverse_sequence",),
    "sequence_ops": ("eye", "lin_space", "linspace", "sequence_mask"),
    "template": ("make_template",),
    "image_ops": ("random_crop",),
    "complex_ops": ("angle", "complex", "conj", "imag", "real"),
    "host_ops": ("Assert", "Print", "native_function", "numpy_function", "py_func"),
    "clip_ops": ("clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"),
    "random_ops": (
        "multinomial", "random_normal", "random_shuffle", "random_uniform", "set_random_seed",
        "truncated_normal",
    ),
    "variable_scope": (
        "AUTO_REUSE", "VariableScope", "get_local_variable", "get_variable",
        "get_variable_scope", "variable_scope",
    ),
    "init_ops": (
        "constant_initializer", "glorot_normal_initializer", "glorot_uniform_initializer",
        "ones_initializer", "random_normal_initializer", "random_uniform_initializer",
        "truncated_normal_initializer", "variance_scaling_initializer", "zeros_initializer",
    ),
}  # fmt: skip

_NN = {
    "nn_ops": (
        "batch_normalization", "bias_add", "dropout", "elu", "l2_loss",
        "l2_normalize", "leaky_relu", "log_softmax", "moments", "relu", "relu6", "softmax",
        "softplus", "softsign", "swish", "xw_plus_b", "zero_fraction",
    ),
    "embedding_ops": ("embedding_lookup",),
    "sampling_ops": (
        "all_candidate_sampler", "compute_accidental_hits", "fixed_unigram_candidate_sampler",
        "learned_unigram_candidate_sampler", "log_poisson_loss", "log_uniform_candidate_sampler",
        "nce_loss", "sampled_softmax_loss", "uniform_candidate_sampler",
    ),
    "order_ops": ("top_k",),
    "math_ops": ("log_sigmoid", "sigmoid", "tanh"),
    "conv_ops": (
        "avg_pool", "conv2d", "conv2d_backprop_filter", "conv2d_backprop_input",
        "conv2d_transpose", "max_pool",
    ),
    "nn_variants": (
        "batch_norm_with_global_normalization", "relu_layer", "weighted_moments",
    ),
    "conv_variants": (
        "atrous_conv2d", "conv1d", "convolution", "depthwise_conv2d", "depthwise_conv2d_native",
        "fused_batch_norm", "in_top_k", "local_response_normalization", "lrn", "pool",
        "separable_conv2d",
    ),
    "volume_ops": ("avg_pool1d", "avg_pool3d", "conv3d", "max_pool1d", "max_pool3d"),
    "xent_ops": (
        "sigmoid_cross_entropy_with_logits", "softmax_cross_entropy_with_logits",
        "softmax_cross_entropy_with_logits_v2", "sparse_softmax_cross_entropy_with_logits",
        "weighted_cross_entropy_with_logits",
    ),
}  # fmt: skip

_IMAGE = {
    "image_ops": (
        "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation",
        "central_crop", "convert_image_dtype", "crop_to_bounding_box", "flip_left_right",
        "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb", "pad_to_bounding_box",
        "per_image_standardization", "per_image_whitening", "random_brightness", "random_contrast",
        "random_flip_left_right", "random_flip_up_down", "random_hue", "random_saturation",
        "resize", "resize_bilinear", "resize_image_with_crop_or_pad", "resize_images",
        "resize_nearest_neighbor", "resize_with_crop_or_pad", "rgb_to_grayscale", "rgb_to_hsv",
        "rot90", "transpose_image",
    ),
}  # fmt: skip
_NEST = {
    "public_nest": (
        "assert_same_structure", "flatten", "is_nested", "is_sequence", "map_structure",
        "pack_sequence_as",
    ),
}  # fmt: skip
_RANDOM = {
    "random_ops": ("categorical", "multinomial"),
    "sampling_ops": (
        "all_candidate_sampler", "fixed_unigram_candidate_sampler",
        "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler",
        "uniform_candidate_sampler",
    ),
}  # fmt: skip
_LINALG = {
    "matrix_ops": (
        "cholesky", "cholesky_solve", "cross", "diag_part", "logdet", "norm", "qr", "slogdet",
        "svd", "tensordot", "trace",
    ),
    "einsum_ops": ("einsum",),
}  # fmt: skip
_TABLES = {
    "lookup_ops": (
        "HashTable", "IdTableWithHashBuckets", "KeyValueTensorInitializer", "MutableHashTable",
        "StaticVocabularyTable",
        "TextFileIdTableInitializer", "TextFileInitializer", "TextFileStringTableInitializer",
        "index_table_from_file", "index_table_from_tensor", "index_to_string_table_from_file",
        "index_to_string_table_from_tensor", "tables_initializer",
    ),
}  # fmt: skip
_STRINGS = {
    **{name: f"string_ops:{name}" for name in (
        "as_string", "reduce_join", "regex_full_match", "regex_replace", "substr")},
    **{name: f"string_ops:string_{name}" for name in ("join", "length", "lower", "strip", "upper")},
    "split": "string_ops:strings_split",
    "to_hash_bucket": "string_ops:string_to_hash_bucket",
    "to_hash_bucket_fast": "string_ops:string_to_hash_bucket_fast",
    "to_hash_bucket_strong": "string_ops:string_to_hash_bucket_strong",
    "to_number": "string_ops:string_to_number",
}  # fmt: skip
_LOSSES = {
    "losses": (
        "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance",
        "get_losses", "get_regularization_loss", "get_regularization_losses", "get_total_loss",
        "hinge_loss", "huber_loss", "log_loss", "mean_squared_error", "sigmoid_cross_entropy",
        "softmax_cross_entropy", "sparse_softmax_cross_entropy",
    ),
}  # fmt: skip

# Public name -> name in tfbuild_runtime.ops, where the two differ or a name has several.
_OTHERS = {
    "math.cumprod": "order_ops:cumprod",
    "math.cumsum": "order_ops:cumsum",
    "math.top_k": "order_ops:top_k",
    "mod": "math_ops:floormod",
    "reverse_v2": "order_ops:reverse",
    "nn.avg_pool2d": "conv_ops:avg_pool",
    "nn.max_pool2d": "conv_ops:max_pool",
    "nn.silu": "nn_ops:swish",
    "image.random_crop": "image_ops:random_crop",
    "image.transpose": "image_ops:transpose_image",
    "random.normal": "random_ops:random_normal",
    "random.set_random_seed": "random_ops:set_random_seed",
    "random.shuffle": "random_ops:random_shuffle",
    "random.truncated_normal": "random_ops:truncated_normal",
    "random.uniform": "random_ops:random_uniform",
    "random.get_seed": "random_ops:get_seed",
    "get_seed": "random_ops:get_seed",
    "linalg.adjoint": "array_ops:matrix_transpose",
    "linalg.band_part": "matrix_ops:matrix_band_part",
    "linalg.det": "matrix_ops:matrix_determinant",
    "linalg.diag": "matrix_ops:matrix_diag",
    "linalg.eigh": "matrix_ops:self_adjoint_eig",
    "linalg.eigvalsh": "matrix_ops:self_adjoint_eigvals",
    "linalg.eye": "sequence_ops:eye",
    "linalg.inv": "matrix_ops:matrix_inverse",
    "linalg.l2_normalize": "nn_ops:l2_normalize",
    "linalg.lstsq": "matrix_ops:matrix_solve_ls",
    "linalg.set_diag": "matrix_ops:matrix_set_diag",
    "linalg.solve": "matrix_ops:matrix_solve",
    "linalg.tensor_diag": "matrix_ops:diag",
    "linalg.tensor_diag_part": "matrix_ops:diag_part",
    "linalg.triangular_solve": "matrix_ops:matrix_triangular_solve",
    "lookup.StaticHashTable": "lookup_ops:HashTable",
    "lookup.TextFileIndex": "lookup_ops:TextFileIndex",
    "math.confusion_matrix": "counting_ops:confusion_matrix",
    "math.count_nonzero": "counting_ops:count_nonzero",
    "math.bincount": "counting_ops:bincount",
    "math.xdivy": "special_ops:xdivy",
    "math.xlog1py": "special_ops:xlog1py",
    "math.xlogy": "special_ops:xlogy",
    "linalg.matmul": "linalg_ops:matmul",
    "linalg.transpose": "array_ops:matrix_transpose",
    "math.l2_normalize": "nn_ops:l2_normalize",
    "initializers.constant": "init_ops:Constant",
    "initializers.glorot_normal": "init_ops:GlorotNormal",
    "initializers.glorot_uniform": "init_ops:GlorotUniform",
    "initializers.he_normal": "init_ops:HeNormal",
    "initializers.he_uniform": "init_ops:HeUniform",
    "initializers.identity": "init_ops:Identity",
    "initializers.lecun_normal": "init_ops:LecunNormal",
    "initializers.lecun_uniform": "init_ops:LecunUniform",
    "initializers.ones": "init_ops:Ones",
    "initializers.random_normal": "init_ops:RandomNormal",
    "initializers.random_uniform": "init_ops:RandomUniform",
    "initializers.truncated_normal": "init_ops:TruncatedNormal",
    "initializers.variance_scaling": "init_ops:VarianceScaling",
    "initializers.zeros": "init_ops:Zeros",
}


def _names(prefix: str, modules: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {
        f"{prefix}{name}": f"tfbuild_runtime.ops.{module}:{name}"
        for module, names in modules.items()
        for name in names
    }


_MATH = {module: _TOP[module] for module in ("math_ops", "reduce_ops", "special_ops")}

EXPORTS = {
    **_names("math.", _MATH),
    **_names("", _TOP),
    **_names("nn.", _NN),
    **_names("losses.", _LOSSES),
    "raw_ops": "tfbuild_runtime.ops.raw_ops",
    **_names("image.", _IMAGE),
    **{f"strings.{name}": f"tfbuild_runtime.ops.{place}" for name, place in _STRINGS.items()},
    **{
        f"io.{name}": f"tfbuild_runtime.ops.string_ops:{name}"
        for name in ("decode_base64", "encode_base64")
    },
    **_names("random.", _RANDOM),
    **_names("linalg.", _LINALG),
    **_names("lookup.", _TABLES),
    **_names("contrib.lookup.", _TABLES),
    **_names("debugging.", {"check_ops": _TOP["check_ops"]}),
    **_names("nest.", _NEST),
    **_names("contrib.framework.nest.", _NEST),
    **{name: f"tfbuild_runtime.ops.{place}" for name, place in _OTHERS.items()},
}
