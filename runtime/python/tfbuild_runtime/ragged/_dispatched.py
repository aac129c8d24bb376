"""Which functions take ragged tensors as well: place -> place of what does it, "" for elementwise.

The functions are those to which TensorFlow 2.21 gives a meaning for ragged tensors.
"""

_ELEMENTWISE = {
    "math_ops": (
        "abs", "add", "cast", "ceil", "cos", "div", "div_no_nan", "divide", "equal", "erf", "exp",
        "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "is_finite", "is_inf",
        "is_nan", "less", "less_equal", "log", "log1p", "log_sigmoid", "logical_and", "logical_not",
        "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "not_equal",
        "pow", "reciprocal", "round", "rsqrt", "saturate_cast", "sigmoid", "sign", "sin", "sqrt",
        "square", "squared_difference", "subtract", "tanh", "to_double", "to_float", "to_int32",
        "to_int64", "truediv",
    ),
    "special_ops": (
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cosh", "digamma", "erfc",
        "lgamma", "sinh", "tan", "truncatediv", "truncatemod",
    ),
    "bit_ops": (
        "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift",
    ),
    "complex_ops": ("angle", "complex", "conj", "imag", "real"),
    "composed_ops": ("rint",),
    "check_ops": ("check_numerics",),
    "clip_ops": ("clip_by_value",),
    "creation_ops": ("one_hot", "ones_like", "zeros_like"),
    "array_ops": ("identity", "stop_gradient"),
    "nn_ops": ("dropout", "elu", "leaky_relu", "relu", "relu6", "selu", "softplus", "softsign",
               "swish"),
    "string_ops": (
        "as_string", "decode_base64", "encode_base64", "regex_full_match", "regex_replace",
        "string_join", "string_length", "string_lower", "string_strip", "string_to_hash_bucket",
        "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_upper", "substr",
    ),
}  # fmt: skip
_REDUCTIONS = (
    "reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum",
)  # fmt: skip
_ROWS = ("concat", "expand_dims", "gather", "rank", "size", "stack", "where", "where_v2")
_OTHERS = {
    "reduce_ops": dict.fromkeys(_REDUCTIONS, "reductions"),
    "composed_ops": dict.fromkeys(("reduce_std", "reduce_variance"), "reductions"),
    "array_ops": dict.fromkeys(_ROWS, "rows"),
    "embedding_ops": {"embedding_lookup": "rows"},
}

DISPATCHED = {
    **{f"tfbuild_runtime.ops.{module}:{name}": ""
       for module, names in _ELEMENTWISE.items() for name in names},
    **{f"tfbuild_runtime.ops.{module}:{name}": f"tfbuild_runtime.ragged.{place}:{name}"
       for module, named in _OTHERS.items() for name, place in named.items()},
}  # fmt: skip
