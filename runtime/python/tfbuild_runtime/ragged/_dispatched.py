"""Which functions take ragged tensors as well: place -> place of what does it, "" for elementwise.

The functions are those to which TensorFlow 2.21 gives a meaning for ragged tensors.
"""

_ELEMENTWISE = {
    "math_ops": (
        "abs", "add", "cast", "ceil", "cos", "div", "div_no_nan", "divide", "equal", "erf", "exp",
        "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "is_finite", "is_inf",
        "is_nan", "less", "less_equal", "log", "log1p", "log_sigmoid", "logical_and", "logical_not",
        "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "not_equal",
        "pow", "reciprocal", "round", "rsqrt", "saturate_cast", "scalar_mul", "sigmoid", "sign",
        "sin", "sqrt", "square", "squared_difference", "subtract", "tanh", "to_double", "to_float",
        "to_int32", "to_int64", "truediv",
    ),
    "special_ops": (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cosh", "digamma", "erfc",
        "lgamma", "sinh", "tan", "truncatediv", "truncatemod", "xdivy", "xlog1py", "xlogy", "zeta",
    ),
    "bit_ops": (
        "bitcast", "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift",
        "right_shift",
    ),
    "complex_ops": ("angle", "complex", "conj", "imag", "real"),
    "composed_ops": (
        "multiply_no_nan", "reciprocal_no_nan", "rint", "to_bfloat16", "to_complex128",
        "to_complex64",
    ),
    "image_ops": ("adjust_brightness", "adjust_gamma", "convert_image_dtype", "random_brightness"),
    "old_names": ("floor_div",),
    "check_ops": ("check_numerics",),
    "clip_ops": ("clip_by_value",),
    "creation_ops": ("one_hot", "ones_like", "zeros_like"),
    "array_ops": ("identity", "stop_gradient"),
    "nn_ops": ("dropout", "elu", "leaky_relu", "relu", "relu6", "selu", "softplus", "softsign",
               "swish"),
    "string_ops": (
        "as_string", "decode_base64", "encode_base64", "regex_full_match", "regex_replace",
        "string_join", "string_length", "string_lower", "string_strip", "string_to_hash_bucket",
        "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number",
        "string_upper", "substr",
    ),
}  # fmt: skip
_REDUCTIONS = (
    "reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum",
)  # fmt: skip
_ROWS = ("concat", "expand_dims", "rank", "size", "stack", "where", "where_v2")
_CHECKS = (
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal",
    "assert_near", "assert_none_equal",
)  # fmt: skip
_SEGMENTS = tuple(f"unsorted_segment_{kind}" for kind in ("max", "mean", "min", "prod", "sqrt_n"))
_OTHERS = {
    "reduce_ops": {**dict.fromkeys(_REDUCTIONS, "reductions"),
                   **dict.fromkeys(("add_n", "unsorted_segment_sum"), "products")},
    "composed_ops": dict.fromkeys(("reduce_std", "reduce_variance"), "reductions"),
    "array_ops": {**dict.fromkeys(_ROWS, "rows"), "gather": "picks",
                  **dict.fromkeys(("split", "squeeze", "tile"), "arrays")},
    "check_ops": dict.fromkeys(_CHECKS, "checks"),
    "embedding_ops": {"embedding_lookup": "rows"},
    "linalg_ops": {"matmul": "products"},
    "nn_ops": {"softmax": "products"},
    "order_ops": {"cumsum": "products", "reverse": "arrays"},
    "placement_ops": {**dict.fromkeys(("batch_gather", "gather_nd"), "picks"),
                      "dynamic_partition": "arrays"},
    "safe_lookup_ops": {"safe_embedding_lookup_sparse": "products"},
    "segment_ops": dict.fromkeys(_SEGMENTS, "products"),
    "sparse_ops": {"embedding_lookup_sparse": "products"},
    "string_ops": {"reduce_join": "products"},
}  # fmt: skip

DISPATCHED = {
    **{f"tfbuild_runtime.ops.{module}:{name}": ""
       for module, names in _ELEMENTWISE.items() for name in names},
    **{f"tfbuild_runtime.ops.{module}:{name}": f"tfbuild_runtime.ragged.{place}:{name}"
       for module, named in _OTHERS.items() for name, place in named.items()},
}  # fmt: skip
