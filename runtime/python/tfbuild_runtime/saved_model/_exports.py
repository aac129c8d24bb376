"""The public names of SavedModels, as name -> module:attribute."""

_PLACE = "tfbuild_runtime.saved_model"

_MODULES = {
    "builder": {"SavedModelBuilder": "builder"},
    "constants": dict.fromkeys(
        (
            "ASSETS_DIRECTORY", "ASSETS_KEY", "DEBUG_DIRECTORY", "LEGACY_INIT_OP_KEY",
            "MAIN_OP_KEY", "SAVED_MODEL_FILENAME_PB", "SAVED_MODEL_FILENAME_PBTXT",
            "SAVED_MODEL_SCHEMA_VERSION", "VARIABLES_DIRECTORY", "VARIABLES_FILENAME",
        ),
        "constants",
    ),
    "loader": dict.fromkeys(("load", "maybe_saved_model_directory"), "loader"),
    "main_op": dict.fromkeys(("main_op", "main_op_with_restore"), "builder"),
    "signature_constants": dict.fromkeys(
        (
            "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES",
            "CLASSIFY_OUTPUT_SCORES", "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "PREDICT_INPUTS",
            "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME",
            "REGRESS_OUTPUTS",
        ),
        "signature_constants",
    ),
    "signature_def_utils": dict.fromkeys(
        (
            "build_signature_def", "classification_signature_def", "is_valid_signature",
            "predict_signature_def", "regression_signature_def",
        ),
        "signatures",
    ),
    "tag_constants": dict.fromkeys(("EVAL", "GPU", "SERVING", "TPU", "TRAINING"), "tag_constants"),
    "utils": dict.fromkeys(("build_tensor_info", "get_tensor_from_tensor_info"), "signatures"),
}  # fmt: skip

# Also without the name of the namespace.
_ON_TOP = {
    name: module
    for namespace, names in _MODULES.items()
    if namespace != "tag_constants"
    for name, module in names.items()
    if name != "main_op"
}

EXPORTS = {
    **{f"saved_model.{name}": f"{_PLACE}.{module}:{name}" for name, module in _ON_TOP.items()},
    **{
        f"saved_model.{namespace}.{name}": f"{_PLACE}.{module}:{name}"
        for namespace, names in _MODULES.items()
        for name, module in names.items()
    },
    "saved_model.Builder": f"{_PLACE}.builder:SavedModelBuilder",
    "saved_model.contains_saved_model": f"{_PLACE}.loader:contains_saved_model",
    "saved_model.simple_save": f"{_PLACE}.builder:simple_save",
}
