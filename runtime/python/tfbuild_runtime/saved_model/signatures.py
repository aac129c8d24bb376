"""What a graph of a SavedModel can be asked: messages about tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.protos import messages
from tfbuild_runtime.saved_model import signature_constants


def build_tensor_info(tensor: Any) -> Any:
    """Return the TensorInfo of a tensor, sparse tensor or variable: its name, type and shape."""
    parts = [getattr(tensor, name, None) for name in ("values", "indices", "dense_shape")]
    made = messages.TensorInfo()
    if all(isinstance(part, framework.Tensor) for part in parts):
        made.coo_sparse.values_tensor_name = parts[0].name
        made.coo_sparse.indices_tensor_name = parts[1].name
        made.coo_sparse.dense_shape_tensor_name = parts[2].name
        dtype, shape = parts[0].dtype, tensor.get_shape()
    else:
        dense = framework.get_default_graph().as_graph_element(tensor, allow_operation=False)
        made.name, dtype, shape = dense.name, dense.dtype, dense.shape
    made.dtype = dtype.base_dtype.as_datatype_enum
    made.tensor_shape.CopyFrom(shape.as_proto())
    return made


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """Return the tensor of a TensorInfo in the graph, or below import_scope.

    Raises KeyError for a name that the graph does not have, ValueError for no name.
    """
    graph = graph or framework.get_default_graph()
    scope = f"{import_scope.rstrip('/')}/" if import_scope else ""
    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return graph.get_tensor_by_name(scope + tensor_info.name)
    if encoding == "coo_sparse":
        from tfbuild_runtime.framework.sparse_tensor import SparseTensor

        coo = tensor_info.coo_sparse
        names = (coo.indices_tensor_name, coo.values_tensor_name, coo.dense_shape_tensor_name)
        return SparseTensor(*(graph.get_tensor_by_name(scope + name) for name in names))
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")


def build_signature_def(
    inputs: Mapping[str, Any] | None = None, outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None, defaults: Mapping[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Return the SignatureDef of named TensorInfos; raises NotImplementedError for defaults."""
    if defaults:
        raise NotImplementedError("defaults of a signature's inputs are not there")
    made = messages.SignatureDef()
    for name, info in (inputs or {}).items():
        made.inputs[name].ParseFromString(info.SerializeToString())
    for name, info in (outputs or {}).items():
        made.outputs[name].ParseFromString(info.SerializeToString())
    if method_name is not None:
        made.method_name = method_name
    return made


def _infos(tensors: Mapping[str, Any]) -> dict[str, Any]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """Return the signature of any computation; raises ValueError without inputs or outputs."""
    if inputs is None or not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if outputs is None or not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    method = signature_constants.PREDICT_METHOD_NAME
    return build_signature_def(_infos(inputs), _infos(outputs), method)


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """Return the signature of what predicts floats for serialized Examples."""
    if examples is None or predictions is None:
        raise ValueError("Regression `examples` and `predictions` cannot be None.")
    constants = signature_constants
    for tensor, dtype in ((examples, dtypes.string), (predictions, dtypes.float32)):
        if tensor.dtype.base_dtype != dtype:
            raise ValueError(f"Regression tensors must be of type string and float32, not "
                             f"{tensor.dtype!r}.")  # fmt: skip
    return build_signature_def(
        _infos({constants.REGRESS_INPUTS: examples}),
        _infos({constants.REGRESS_OUTPUTS: predictions}), constants.REGRESS_METHOD_NAME,
    )  # fmt: skip


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """Return the signature of what predicts classes of serialized Examples, scores, or both."""
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    constants = signature_constants
    outputs = {}
    if classes is not None:
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = classes
    if scores is not None:
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = scores
    return build_signature_def(_infos({constants.CLASSIFY_INPUTS: examples}), _infos(outputs),
                               constants.CLASSIFY_METHOD_NAME)  # fmt: skip


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature has inputs, outputs and a method that serving programs know."""
    constants = signature_constants
    known = (constants.CLASSIFY_METHOD_NAME, constants.PREDICT_METHOD_NAME,
             constants.REGRESS_METHOD_NAME)  # fmt: skip
    has_both = bool(signature_def.inputs) and bool(signature_def.outputs)
    return has_both and signature_def.method_name in known


def op_signature_def(op: Any, key: str) -> Any:
    """Return the signature by which a SavedModel names an operation."""
    info = messages.TensorInfo(name=op.name)
    return build_signature_def(outputs={key: info})
