"""The public names of ragged tensors, as name -> module:attribute."""

_FUNCTIONS = (
    "constant", "constant_value", "map_flat_values", "placeholder", "range",
    "row_splits_to_segment_ids", "segment_ids_to_row_splits",
)  # fmt: skip

EXPORTS = {
    "RaggedTensor": "tfbuild_runtime.ragged.tensor:RaggedTensor",
    "ragged.RaggedTensorValue": "tfbuild_runtime.ragged.value:RaggedTensorValue",
    **{f"ragged.{name}": f"tfbuild_runtime.ragged.functions:{name}" for name in _FUNCTIONS},
    "ragged.boolean_mask": "tfbuild_runtime.ragged.rows:boolean_mask",
    "ragged.stack": "tfbuild_runtime.ragged.rows:stack",
    "ragged.stack_dynamic_partitions": "tfbuild_runtime.ragged.arrays:stack_dynamic_partitions",
}
