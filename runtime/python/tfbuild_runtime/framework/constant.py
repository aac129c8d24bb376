"""Values of a program as constants of its graph: the rules by which Python values get a type."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import defaults, dtypes, nesting, tensor_shape
from tfbuild_runtime.framework.operation import Tensor

_INT32 = np.iinfo(np.int32)


def make_array(value: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """Return value as an array that a constant can hold: C order, strings as bytes objects.

    Python floats become float32 and Python ints int32 where they fit, else int64; arrays and NumPy
    scalars keep their type. Raises TypeError for what no constant can hold, as integers from 2**63
    on, and ValueError for ragged lists.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    if isinstance(value, tensor_shape.TensorShape):
        return _shape_array(value, wanted)
    if isinstance(value, np.ndarray) or _is_number_of_numpy(value):
        return _typed_array(np.asarray(value), wanted)
    array = _array_of_python_values(value)
    if wanted is None:
        wanted = _default_type(array)
    else:
        _check_python_values(value, array, wanted)
    return _typed_array(array, wanted)


def _is_number_of_numpy(value: Any) -> bool:
    """Whether it is a NumPy scalar that is no text: an array of that cuts zeros off its end."""
    return isinstance(value, np.generic) and not isinstance(value, (bytes, str))


def wraps(value: Any, wanted: dtypes.DType) -> bool:
    """Whether a NumPy integer, or one of an array of them, would become another one as wanted."""
    is_integer = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iu"
    if not (is_integer and wanted.is_integer and value.size):
        return False
    return bool(value.min() < wanted.min or value.max() > wanted.max)


def _shape_array(shape: tensor_shape.TensorShape, wanted: Any) -> np.ndarray[Any, Any]:
    """Return the sizes: int32 where they fit, as TensorFlow, and else int64."""
    sizes = _sizes_of(shape)
    narrow = all(size <= _INT32.max for size in sizes)
    if wanted == dtypes.int32 and not narrow:
        raise ValueError(f"a dimension of {shape} is too large for int32")
    kind = wanted or (dtypes.int32 if narrow else dtypes.int64)
    return np.array(sizes, kind.as_numpy_dtype)


def _sizes_of(shape: tensor_shape.TensorShape) -> list[int]:
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor")
    return [size for size in shape.as_list() if size is not None]


def _array_of_python_values(value: Any) -> np.ndarray[Any, Any]:
    if value is None:
        raise ValueError("None values not supported.")
    try:
        array = np.asarray(value)
    except UnicodeDecodeError:  # bytes and str in one list
        array = np.array(value, object)
    except ValueError as error:
        shown = nesting.text_of(value)
        raise ValueError(f"Cannot convert {shown} to a constant: {error}") from None
    if array.dtype.kind in "SU":  # NumPy makes text of numbers and cuts zeros off bytes
        array = np.array(value, object)
    if array.dtype.kind == "O":
        array = _resolve_objects(value, array)
    return array


def _resolve_objects(value: Any, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    items = array.reshape(-1).tolist()
    if all(isinstance(item, (str, bytes)) for item in items):
        return array
    if any(item is None for item in items):
        raise ValueError(
            f"None values not supported. A size in {value!r} is not known while the graph is "
            "built: tf.shape(x)[i] has it when the graph runs, and -1 stands for one size of "
            "tf.reshape"
        )
    if any(isinstance(item, (list, tuple)) for item in items):  # NumPy 1.23 only warns
        shown = nesting.text_of(value)
        raise ValueError(f"Cannot convert {shown} to a constant: its lists differ in length")
    if all(hasattr(item, "__index__") for item in items):  # dimensions among integers
        found = np.array([item.__index__() for item in items])
        if found.dtype == object:
            raise TypeError(f"Failed to convert {nesting.text_of(value)}: no integer type holds it")
        return found.reshape(array.shape)
    raise TypeError(f"Failed to convert {value!r} of type {type(value).__name__} to a Tensor.")


def _default_type(array: np.ndarray[Any, Any]) -> dtypes.DType:
    kind = array.dtype.kind
    if kind == "f":
        return dtypes.float32 if array.dtype == np.float64 else dtypes.as_dtype(array.dtype)
    if kind in "iu":
        small = array.size == 0 or (array.min() >= _INT32.min and array.max() <= _INT32.max)
        if array.dtype == np.uint64 and not small:  # NumPy's choice, which TensorFlow does not make
            raise TypeError(f"cannot convert {array.max()} to a tensor: int64 does not hold it; "
                            "give dtype=tf.uint64")  # fmt: skip
        if array.dtype in (np.int64, np.uint64):
            return dtypes.int32 if small else dtypes.as_dtype(array.dtype)
    return dtypes.as_dtype(array.dtype)


def _check_python_values(value: Any, array: np.ndarray[Any, Any], wanted: dtypes.DType) -> None:
    """Refuse to turn 1.5 into an int or 'a' into a number behind the program's back."""
    kind = array.dtype.kind
    fits = {
        "b": wanted.is_bool,
        "i": wanted.is_integer or wanted.is_floating or wanted.is_complex,
        "u": wanted.is_integer or wanted.is_floating or wanted.is_complex,
        "f": wanted.is_floating or wanted.is_complex,
        "c": wanted.is_complex,
    }.get(kind, wanted == dtypes.string)
    if array.size == 0:
        return
    if not fits:
        raise TypeError(f"Expected {wanted.name}, but got {value!r} of type {type(value).__name__}")
    if wanted.is_integer and (array.min() < wanted.min or array.max() > wanted.max):
        raise ValueError(f"{value!r} does not fit into {wanted.name}")


def _typed_array(array: np.ndarray[Any, Any], wanted: dtypes.DType | None) -> np.ndarray[Any, Any]:
    if wanted is None:
        wanted = dtypes.as_dtype(array.dtype)
    if wanted == dtypes.string:
        return _string_array(array)
    if array.dtype.kind in "OSU":
        if array.size == 0:
            return np.empty(array.shape, wanted.as_numpy_dtype)
        raise TypeError(f"Expected {wanted.name}, but got strings or objects")
    # Not ascontiguousarray: it makes a scalar a vector of one.
    return np.asarray(array, wanted.as_numpy_dtype, order="C")


def _string_array(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    result = np.empty(array.shape, object)
    flat = result.reshape(-1)
    for index, item in enumerate(array.reshape(-1).tolist()):
        if not isinstance(item, (str, bytes)):
            raise TypeError(f"Expected string, but got {item!r} of type {type(item).__name__}")
        flat[index] = item.encode() if isinstance(item, str) else item
    return flat.reshape(array.shape)


def _with_shape(array: np.ndarray[Any, Any], shape: Any, verify: bool) -> np.ndarray[Any, Any]:
    sizes = _sizes_of(tensor_shape.as_shape(shape))
    count = int(np.prod(sizes, dtype=np.int64))
    if verify and tuple(sizes) != array.shape:
        raise TypeError(f"Expected a value of shape {tuple(sizes)}, but got {array.shape}")
    if array.size == count:
        return array.reshape(sizes)
    if array.size > count or array.size == 0:
        raise ValueError(f"Cannot give {array.size} elements the shape {tuple(sizes)}")
    # TensorFlow's rule: the last element fills the rest.
    flat = array.reshape(-1)
    return np.concatenate([flat, np.repeat(flat[-1:], count - flat.size)]).reshape(sizes)


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:  # fmt: skip
    """Return a tensor that always has that value.

    Raises TypeError or ValueError when value cannot have that type and shape.
    """
    array = make_array(value, dtype)
    if shape is not None:
        array = _with_shape(array, shape, verify_shape)
    number = (
        dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)
    ).as_datatype_enum
    graph = defaults.get_default_graph()
    op = graph.create_op("Const", (), {"value": array, "dtype": number}, name)
    return op.outputs[0]  # type: ignore[no-any-return]


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """Return the value of a tensor that is known while the graph is built; None when it is not."""
    if isinstance(tensor, np.ndarray):
        return tensor
    if not isinstance(tensor, Tensor):
        return None
    op = tensor.op
    if op.type == "Const":
        return op.get_attr("value")
    if op.type in ("Shape", "Size", "Rank"):
        known = _known_dimensions(op)
        return None if known is None else np.array(known, tensor.dtype.as_numpy_dtype)
    if op.type == "VariableShape" and op.inputs[0].op.type == "VarHandleOp":
        held = tensor_shape.as_shape(op.inputs[0].op.get_attr("shape"))
        return np.array(held.as_list(), np.int32) if held.is_fully_defined() else None
    if op.type == "Cast":
        known = constant_value(op.inputs[0])
        return None if known is None else known.astype(tensor.dtype.as_numpy_dtype)
    if op.type in ("Pack", "ConcatV2"):
        return _joined_value(op)
    if op.type in _COMPUTED:
        known_inputs = [constant_value(t) for t in op.inputs]
        if all(value is not None for value in known_inputs):
            return np.asarray(_COMPUTED[op.type](*known_inputs), tensor.dtype.as_numpy_dtype)
    return None


def known_ints(tensor: Any) -> list[int | None] | None:
    """Return the elements of an integer scalar or vector that are known while the graph is built.

    None stands for an element that is not; None alone, where not even their number is.
    """
    if not isinstance(tensor, Tensor):
        return [int(value) for value in np.ravel(make_array(tensor))]
    found = tensor.graph._native.known_ints(tensor.op._id, tensor.value_index)
    return None if found is None else list(found)


def constant_value_as_shape(tensor: Any) -> tensor_shape.TensorShape:
    """Return what is known of the shape that a tensor of sizes holds; -1 is not known.

    Raises ValueError for another negative number, or a tensor of a higher rank than 1.
    """
    if isinstance(tensor, Tensor) and (tensor.shape.rank or 0) > 1:
        raise ValueError(f"a shape is a vector, and {tensor} is none")
    known = known_ints(tensor)
    scalar = tensor.shape.rank == 0 if isinstance(tensor, Tensor) else np.ndim(tensor) == 0
    if known is None or (scalar and known in ([-1], [None])):
        return tensor_shape.TensorShape(None)
    return tensor_shape.TensorShape([None if size == -1 else size for size in known])


# What is followed, as in TensorFlow, besides what has cases of its own.
_COMPUTED = {
    "Range": np.arange,
    "Fill": np.full,
    "Equal": lambda x, y: x == y,
    "NotEqual": lambda x, y: x != y,
    "StopGradient": lambda x: x,
}


def _known_dimensions(op: Any) -> Any:
    shape = op.inputs[0].shape
    if op.type == "Rank":
        return shape.rank
    if not shape.is_fully_defined():
        return None
    return shape.as_list() if op.type == "Shape" else shape.num_elements()


def _joined_value(op: Any) -> Any:
    values = [constant_value(tensor) for tensor in op.inputs]
    if any(value is None for value in values):
        return None
    if op.type == "Pack":
        return np.stack(values, op.get_attr("axis"))
    return np.concatenate(values[:-1], int(values[-1]))
