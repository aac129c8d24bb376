"""Public names of functions that others are made of, and second names of functions."""

_PLACE = "tfbuild_runtime.ops"
_VARIABLES = "tfbuild_runtime.framework.variables"
_COMPOSED = (
    "assert_proper_iterable", "broadcast_dynamic_shape", "broadcast_static_shape",
    "clip_by_average_norm", "dimension_at_index", "dimension_value",
    "executing_eagerly_outside_functions", "get_logger", "init_scope", "no_regularizer", "op_scope",
    "recompute_grad", "repeat", "rint", "switch_case", "timestamp", "to_bfloat16", "to_complex128",
    "to_complex64", "variable_op_scope",
)  # fmt: skip
_MATH = (
    "multiply_no_nan", "polyval", "reciprocal_no_nan", "reduce_euclidean_norm", "reduce_std",
    "reduce_variance", "rint",
)  # fmt: skip
_SAME = {
    "nn_ops": ("log_softmax", "softmax", "softplus", "softsign", "zero_fraction"),
    "complex_ops": ("angle", "conj", "imag", "real"),
}

EXPORTS = {
    **{name: f"{_PLACE}.composed_ops:{name}" for name in _COMPOSED},
    "print": f"{_PLACE}.composed_ops:print_v2",
    **{f"math.{name}": f"{_PLACE}.composed_ops:{name}" for name in _MATH},
    **{f"math.{name}": f"{_PLACE}.{module}:{name}"
       for module, names in _SAME.items() for name in names},
    "math.divide_no_nan": f"{_PLACE}.math_ops:div_no_nan",
    "math.in_top_k": f"{_PLACE}.conv_variants:in_top_k",
    "math.invert_permutation": f"{_PLACE}.array_ops:invert_permutation",
    "math.mod": f"{_PLACE}.math_ops:floormod",
    "variable_creator_scope":
        "tfbuild_runtime.framework.variable_creators:variable_creator_scope",
    "realdiv": f"{_PLACE}.math_ops:divide",
    "compat.dimension_at_index": f"{_PLACE}.composed_ops:dimension_at_index",
    "compat.dimension_value": f"{_PLACE}.composed_ops:dimension_value",
    **{f"nn.{name}": f"{_PLACE}.composed_ops:{name}"
       for name in ("crelu", "normalize_moments", "sufficient_statistics")},
    **{f"{space}.safe_embedding_lookup_sparse":
       f"{_PLACE}.safe_lookup_ops:safe_embedding_lookup_sparse"
       for space in ("nn", "contrib.layers")},
    "linalg.expm": f"{_PLACE}.matrix_exponential_ops:matrix_exponential",
    "linalg.global_norm": f"{_PLACE}.clip_ops:global_norm",
    "linalg.matrix_transpose": f"{_PLACE}.array_ops:matrix_transpose",
    **{f"linalg.{name}": f"{_PLACE}.tridiagonal_ops:{name}"
       for name in ("tridiagonal_matmul", "tridiagonal_solve")},
    **{f"nn.conv3d_backprop_filter{end}": f"{_PLACE}.volume_ops:conv3d_backprop_filter"
       for end in ("", "_v2")},
    "linalg.matvec": f"{_PLACE}.composed_ops:matvec",
    "losses.mean_pairwise_squared_error": f"{_PLACE}.composed_ops:mean_pairwise_squared_error",
    "initializers.uniform_unit_scaling": f"{_PLACE}.composed_ops:uniform_unit_scaling",
    "uniform_unit_scaling_initializer": f"{_PLACE}.composed_ops:uniform_unit_scaling",
    "initializers.global_variables": f"{_VARIABLES}:global_variables_initializer",
    "initializers.local_variables": f"{_VARIABLES}:local_variables_initializer",
    "initializers.variables": f"{_VARIABLES}:variables_initializer",
    "initialize_variables": f"{_VARIABLES}:variables_initializer",
    "initialize_local_variables": f"{_VARIABLES}:local_variables_initializer",
    "initializers.tables_initializer": f"{_PLACE}.lookup_ops:tables_initializer",
    "initializers.orthogonal": "tfbuild_runtime.keras.named:Orthogonal",
    "orthogonal_initializer": "tfbuild_runtime.keras.named:Orthogonal",
    **{f"contrib.framework.{name}": f"tfbuild_runtime.train.checkpoint_reader:{name}"
       for name in ("init_from_checkpoint", "list_variables", "load_checkpoint", "load_variable")},
}  # fmt: skip
