"""Public names of this package: which function of which module each of them is."""

from collections.abc import Mapping

from tfbuild_runtime.ops._signal_exports import SIGNAL, TRANSFORMS

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
        "matrix_determinant", "matrix_inverse", "matrix_solve", "matrix_solve_ls",
        "matrix_triangular_solve", "norm",
        "qr", "self_adjoint_eig", "self_adjoint_eigvals", "svd", "tensordot", "trace",
    ),
    "diagonal_ops": ("matrix_diag", "matrix_diag_part", "matrix_set_diag"),
    "einsum_ops": ("einsum",),
    "special_ops": (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "betainc", "cosh", "digamma",
        "erfc", "igamma", "igammac", "lbeta", "lgamma", "polygamma", "sinh", "tan", "truncatediv",
        "truncatemod", "zeta",
    ),
    "check_ops": (
        "add_check_numerics_ops", "assert_equal", "assert_greater", "assert_greater_equal",
        "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative",
        "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
        "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_scalar", "assert_type",
        "check_numerics", "ensure_shape", "is_non_decreasing", "is_numeric_tensor",
        "is_strictly_increasing", "verify_tensor_all_finite",
    ),
    "counting_ops": (
        "argsort", "bincount", "confusion_matrix", "count_nonzero", "histogram_fixed_width",
        "histogram_fixed_width_bins", "meshgrid", "parallel_stack", "setdiff1d", "sort",
    ),
    "lookup_ops": ("initialize_all_tables", "tables_initializer"),
    "sparse_ops": (
        "sparse_placeholder", "sparse_reorder", "sparse_reshape", "sparse_retain",
        "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense",
        "sparse_transpose",
    ),
    "sparse_element_ops": (
        "sparse_add", "sparse_concat", "sparse_fill_empty_rows", "sparse_mask", "sparse_maximum",
        "sparse_merge", "sparse_minimum", "sparse_reduce_max", "sparse_reduce_max_sparse",
        "sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_reset_shape", "sparse_slice",
        "sparse_softmax", "sparse_split", "sparse_to_indicator",
    ),
    "block_ops": (
        "batch_to_space", "batch_to_space_nd", "depth_to_space", "required_space_to_batch_paddings",
        "space_to_batch", "space_to_batch_nd", "space_to_depth",
    ),
    "bit_ops": ("bitcast", "roll", "unravel_index"),
    "ctc_ops": ("edit_distance",),
    "segment_ops": (
        "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
        "sparse_segment_mean", "sparse_segment_sqrt_n", "sparse_segment_sum",
        "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min",
        "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    ),
    "signal_ops": TRANSFORMS,
    "string_ops": (
        "as_string", "decode_base64", "encode_base64", "reduce_join", "regex_replace",
        "string_join", "string_split", "string_strip", "string_to_hash_bucket",
        "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number", "substr",
    ),
    "array_ops": (
        "boolean_mask", "broadcast_to", "concat", "expand_dims", "gather",
        "guarantee_const", "identity", "identity_n", "invert_permutation", "matrix_transpose",
        "pad", "rank", "reshape", "shape", "shape_n", "size", "split", "squeeze", "stack",
        "stop_gradient", "tile", "transpose", "unstack", "where", "where_v2",
    ),
    "order_ops": ("cumprod", "cumsum", "reverse", "unique", "unique_with_counts"),
    "placement_ops": (
        "batch_gather", "dynamic_partition", "dynamic_stitch", "gather_nd",
        "parallel_dynamic_stitch", "scatter_nd", "tensor_scatter_add", "tensor_scatter_sub",
        "tensor_scatter_update",
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
    "case_ops": ("case",),
    "control_flow_ops": ("cond", "while_loop"),
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
    "image_box_ops": ("extract_image_patches",),
    "image_size_ops": ("random_crop",),
    "complex_ops": ("angle", "complex", "conj", "imag", "real"),
    "host_ops": ("Assert", "Print", "native_function", "numpy_function", "py_func"),
    "clip_ops": ("clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"),
    "random_ops": (
        "multinomial", "random_gamma", "random_normal", "random_shuffle", "random_uniform",
        "set_random_seed", "truncated_normal",
    ),
    "partitioned_variables": (
        "fixed_size_partitioner", "min_max_variable_partitioner", "variable_axis_size_partitioner",
    ),
    "variable_scope": (
        "AUTO_REUSE", "VariableScope", "get_variable", "get_variable_scope", "variable_scope",
    ),
    "local_variables": ("get_local_variable",),
    "sliced_variables": ("create_partitioned_variables",),
    "init_ops": (
        "constant_initializer", "glorot_normal_initializer", "glorot_uniform_initializer",
        "ones_initializer", "random_normal_initializer", "random_uniform_initializer",
        "truncated_normal_initializer", "variance_scaling_initializer", "zeros_initializer",
    ),
}  # fmt: skip

_NN = {
    "nn_ops": (
        "batch_normalization", "bias_add", "dropout", "elu", "l2_loss",
        "l2_normalize", "leaky_relu", "log_softmax", "moments", "relu", "relu6", "selu", "softmax",
        "softplus", "softsign", "swish", "xw_plus_b", "zero_fraction",
    ),
    "embedding_ops": ("embedding_lookup",),
    "block_ops": ("depth_to_space", "space_to_batch", "space_to_depth"),
    "ctc_ops": (
        "collapse_repeated", "ctc_beam_search_decoder", "ctc_beam_search_decoder_v2",
        "ctc_greedy_decoder", "ctc_loss", "ctc_loss_v2", "ctc_unique_labels",
    ),
    "sparse_ops": ("embedding_lookup_sparse",),
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

_FILES = {
    "image_file_ops": (
        "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
        "decode_png", "encode_jpeg", "encode_png", "extract_jpeg_shape", "is_jpeg",
    ),
}  # fmt: skip
_IMAGE = {
    **_FILES,
    "image_box_ops": (
        "combined_non_max_suppression", "draw_bounding_boxes", "extract_glimpse",
        "extract_image_patches", "extract_patches", "non_max_suppression",
        "non_max_suppression_overlaps", "non_max_suppression_padded",
        "non_max_suppression_with_scores", "sample_distorted_bounding_box",
    ),
    "image_measure_ops": (
        "image_gradients", "psnr", "sobel_edges", "ssim", "ssim_multiscale", "total_variation",
    ),
    "image_ops": (
        "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
        "adjust_saturation", "convert_image_dtype", "flip_left_right", "flip_up_down",
        "grayscale_to_rgb", "hsv_to_rgb", "per_image_standardization", "per_image_whitening",
        "random_brightness", "random_contrast", "random_flip_left_right", "random_flip_up_down",
        "random_hue", "random_jpeg_quality", "random_saturation", "rgb_to_grayscale", "rgb_to_hsv",
        "rgb_to_yiq", "rgb_to_yuv", "rot90", "transpose_image", "yiq_to_rgb", "yuv_to_rgb",
    ),
    "image_size_ops": (
        "ResizeMethod", "central_crop", "crop_and_resize", "crop_to_bounding_box",
        "pad_to_bounding_box", "random_crop", "resize", "resize_area", "resize_bicubic",
        "resize_bilinear", "resize_image_with_crop_or_pad", "resize_image_with_pad",
        "resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad",
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
    "stateless_ops": ("stateless_categorical", "stateless_multinomial"),
    "sampling_ops": (
        "all_candidate_sampler", "fixed_unigram_candidate_sampler",
        "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler",
        "uniform_candidate_sampler",
    ),
}  # fmt: skip
_LINALG = {
    "matrix_ops": (
        "cholesky", "cholesky_solve", "cross", "logdet", "norm", "normalize", "qr",
        "slogdet", "svd", "tensordot", "trace",
    ),
    "einsum_ops": ("einsum",),
}  # fmt: skip
_TABLES = {
    "lookup_ops": (
        "HashTable", "IdTableWithHashBuckets", "KeyValueTensorInitializer", "MutableHashTable",
        "StaticVocabularyTable", "TextFileIdTableInitializer", "TextFileInitializer",
        "TextFileStringTableInitializer",
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
    "nn.max_pool2d": "conv_ops:max_pool2d",
    "nn.silu": "nn_ops:swish",
    "debugging.assert_all_finite": "check_ops:verify_tensor_all_finite",
    "manip.roll": "bit_ops:roll",
    "nn.conv3d_transpose": "volume_ops:conv3d_transpose",
    "image.transpose": "image_ops:transpose_image",
    "random.normal": "random_ops:random_normal",
    "random.set_random_seed": "random_ops:set_random_seed",
    "random.shuffle": "random_ops:random_shuffle",
    "random.truncated_normal": "random_ops:truncated_normal",
    "random.uniform": "random_ops:random_uniform",
    **{
        f"sparse.{name}": f"sparse_ops:sparse_{name}"
        for name in ("placeholder", "reorder", "reshape", "retain", "transpose")
    },
    **{
        f"sparse.{name}": f"sparse_element_ops:sparse_{name}"
        for name in (
            "add",
            "concat",
            "expand_dims",
            "eye",
            "fill_empty_rows",
            "mask",
            "maximum",
            "merge",
            "minimum",
            "reduce_max",
            "reduce_max_sparse",
            "reduce_sum",
            "reduce_sum_sparse",
            "reset_shape",
            "slice",
            "softmax",
            "split",
            "to_indicator",
        )
    },
    "sparse.from_dense": "sparse_element_ops:from_dense",
    "sparse.cross": "sparse_row_ops:sparse_cross",
    "sparse.cross_hashed": "sparse_row_ops:sparse_cross_hashed",
    **{
        f"sparse.segment_{kind}": f"segment_ops:sparse_segment_{kind}"
        for kind in ("mean", "sqrt_n", "sum")
    },
    "sparse.matmul": "sparse_ops:sparse_tensor_dense_matmul",
    "sparse.sparse_dense_matmul": "sparse_ops:sparse_tensor_dense_matmul",
    "sparse.to_dense": "sparse_ops:sparse_tensor_to_dense",
    "random.gamma": "random_ops:random_gamma",
    "random.stateless_normal": "stateless_ops:stateless_random_normal",
    "random.stateless_truncated_normal": "stateless_ops:stateless_truncated_normal",
    "random.stateless_uniform": "stateless_ops:stateless_random_uniform",
    "contrib.stateless.stateless_random_normal": "stateless_ops:stateless_random_normal",
    "contrib.stateless.stateless_random_uniform": "stateless_ops:stateless_random_uniform",
    "contrib.stateless.stateless_truncated_normal": "stateless_ops:stateless_truncated_normal",
    "random.get_seed": "random_ops:get_seed",
    "get_seed": "random_ops:get_seed",
    "linalg.adjoint": "matrix_ops:adjoint",
    "linalg.band_part": "matrix_ops:matrix_band_part",
    "linalg.det": "matrix_ops:matrix_determinant",
    "linalg.diag": "diagonal_ops:matrix_diag",
    "linalg.diag_part": "diagonal_ops:matrix_diag_part",
    "linalg.eigh": "matrix_ops:self_adjoint_eig",
    "linalg.eigvalsh": "matrix_ops:self_adjoint_eigvals",
    "linalg.eye": "sequence_ops:eye",
    "linalg.inv": "matrix_ops:matrix_inverse",
    "linalg.l2_normalize": "nn_ops:l2_normalize",
    "linalg.lstsq": "matrix_ops:matrix_solve_ls",
    "linalg.pinv": "matrix_ops:pinv",
    "linalg.set_diag": "diagonal_ops:matrix_set_diag",
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
}


_INITIALIZERS = (
    "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity",
    "lecun_normal", "lecun_uniform", "ones", "random_normal", "random_uniform",
    "truncated_normal", "variance_scaling", "zeros",
)  # fmt: skip


def _names(prefix: str, modules: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {
        f"{prefix}{name}": f"tfbuild_runtime.ops.{module}:{name}"
        for module, names in modules.items()
        for name in names
    }


_MATH = {module: _TOP[module] for module in ("math_ops", "reduce_ops", "special_ops")}
_BITS = {
    "bit_ops": (
        "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift",
    ),
}  # fmt: skip
_SEGMENTS = {"segment_ops": tuple(n for n in _TOP["segment_ops"] if "sparse" not in n)}

EXPORTS = {
    **_names("math.", _MATH),
    **_names("math.", _SEGMENTS),
    **_names("", _TOP),
    **_names("bitwise.", _BITS),
    **{
        f"initializers.{name}": f"tfbuild_runtime.ops.init_ops:{name.title().replace('_', '')}"
        for name in _INITIALIZERS
    },
    **_names("signal.", SIGNAL),
    **_names("spectral.", SIGNAL),
    **_names("contrib.signal.", SIGNAL),
    **_names("nn.", _NN),
    **_names("losses.", _LOSSES),
    "raw_ops": "tfbuild_runtime.ops.raw_ops",
    **_names("image.", _IMAGE),
    **_names("io.", _FILES),
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
