"""The public names that live in framework/, as name -> module:attribute."""


def _from(module: str, *names: str, **renamed: str) -> dict[str, str]:
    place = f"tfbuild_runtime.framework.{module}"
    found = {name: f"{place}:{name}" for name in names}
    found.update({public: f"{place}:{name}" for public, name in renamed.items()})
    return found


def _below(namespace: str, names: dict[str, str]) -> dict[str, str]:
    return {f"{namespace}.{name}": place for name, place in names.items()}


_DTYPES = _from(
    "dtypes", "DType", "as_dtype", "bfloat16", "bool", "complex128", "complex64", "double",
    "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8", "resource",
    "string", "uint16", "uint32", "uint64", "uint8", "variant",
)  # fmt: skip
_GRAPH_UTIL = _from(
    "graph_util", "convert_variables_to_constants", "extract_sub_graph", "must_run_on_cpu",
    "remove_training_nodes", "tensor_shape_from_node_def_name",
)  # fmt: skip
_VERSIONS = _from(
    "versions", "COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER", "GRAPH_DEF_VERSION_MIN_PRODUCER",
)  # fmt: skip
_SPARSE = _from("sparse_tensor", "SparseTensor", "SparseTensorValue")

EXPORTS: dict[str, str] = {
    **_DTYPES,
    **_below("dtypes", _DTYPES),
    **_from("tensor_shape", "Dimension", "TensorShape", "disable_v2_tensorshape",
            "enable_v2_tensorshape"),
    **_from("ops", "Graph", "GraphKeys", "Operation", "Tensor", "add_to_collection",
            "add_to_collections", "colocate_with", "constant", "control_dependencies",
            "convert_to_tensor", "device", "get_collection", "get_collection_ref",
            "get_default_graph", "get_default_session", "get_static_value", "group",
            "name_scope", "register_tensor_conversion_function", "reset_default_graph"),
    **_from("indexed_slices", "IndexedSlices", "IndexedSlicesValue",
            "convert_to_tensor_or_indexed_slices"),
    **_from("scatter", "count_up_to", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update"),
    **_SPARSE,
    **_below("sparse", _SPARSE),
    **_VERSIONS,
    **_below("version", {**_VERSIONS, **_from("versions", "VERSION")}),
    **_from("sparse_tensor", "convert_to_tensor_or_sparse_tensor", "is_tensor"),
    **_from("session", "InteractiveSession", "Session"),
    **_from("importer", "import_graph_def"),
    **_below("graph_util", {**_GRAPH_UTIL, **_from("importer", "import_graph_def")}),
    "errors": "tfbuild_runtime.framework.errors:",
    "OpError": "tfbuild_runtime.framework.errors:OpError",
    **_from("variables", "Variable", "VariableV1", "all_variables", "assign", "assign_add",
            "assign_sub", "global_variables", "global_variables_initializer",
            "initialize_all_variables", "is_variable_initialized", "local_variables",
            "local_variables_initializer", "model_variables", "moving_average_variables",
            "report_uninitialized_variables", "trainable_variables", "variables_initializer"),
    **_from("behavior", "control_flow_v2_enabled", "disable_control_flow_v2",
            "disable_eager_execution", "disable_resource_variables", "disable_tensor_equality",
            "disable_v2_behavior", "enable_control_flow_v2", "enable_eager_execution",
            "enable_resource_variables", "enable_tensor_equality", "enable_v2_behavior",
            "executing_eagerly", "resource_variables_enabled"),
    **_below("test", _from("device_list", "gpu_device_name", "is_built_with_cuda",
                           "is_gpu_available")),
    **_below("config", _from("device_list", "list_physical_devices", "list_logical_devices")),
    **_below("sysconfig", _from("device_list", "get_build_info")),
}  # fmt: skip
