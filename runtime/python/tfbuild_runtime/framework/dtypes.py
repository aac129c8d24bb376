"""Element types under TensorFlow's names and numbers, and their NumPy counterparts."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

_REF_OFFSET = 100  # the number of a reference to a variable is that of its type plus this
_registry: dict[int, DType] = {}
_by_name: dict[str, DType] = {}


class DType:
    """One element type; equal to the NumPy type and to the name that stand for it."""

    __slots__ = ("_is_ref", "_name", "_number", "_numpy")

    def __init__(self, number: int, name: str, numpy_type: Any) -> None:
        self._is_ref = number > _REF_OFFSET
        self._number = number
        self._name = name
        self._numpy = numpy_type
        _registry[number] = self
        _by_name[name] = self

    @property
    def name(self) -> str:
        """The name, such as float32 or float32_ref."""
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """The number that GraphDef files carry."""
        return self._number

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type; raises TypeError for bfloat16 where ml_dtypes is missing."""
        if self.base_dtype._number in (20, 21):
            raise TypeError(f"NumPy has no type for {self._name}s")
        if self._numpy is None:
            return _bfloat16_type()
        return self._numpy

    @property
    def base_dtype(self) -> DType:
        """The type without the mark of a reference."""
        return _registry[self._number - _REF_OFFSET] if self._is_ref else self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: of a complex type that of its parts."""
        return {8: float32, 18: float64}.get(self.base_dtype._number, self.base_dtype)

    @property
    def _as_ref(self) -> DType:
        return self if self._is_ref else _registry[self._number + _REF_OFFSET]

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self._is_ref

    @property
    def is_floating(self) -> builtins.bool:
        """Whether it holds floating point numbers."""
        return self.base_dtype in (float16, float32, float64, bfloat16)

    @property
    def is_integer(self) -> builtins.bool:
        """Whether it holds integers; bool is none."""
        return self.base_dtype in (
            int8,
            int16,
            int32,
            int64,
            uint8,
            uint16,
            uint32,
            uint64,
        )

    @property
    def is_bool(self) -> builtins.bool:
        """Whether it holds truth values."""
        return self.base_dtype._number == 10

    @property
    def is_complex(self) -> builtins.bool:
        """Whether it holds complex numbers."""
        return self.base_dtype._number in (8, 18)

    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether it holds integers without a sign."""
        return self.base_dtype._number in (4, 17, 22, 23)

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy has the type."""
        return self.base_dtype._number != 20

    @property
    def size(self) -> int:
        """The bytes of one element; 1 for strings, as in TensorFlow."""
        if self.base_dtype._number == 7:
            return 1
        return 2 if self.base_dtype._number == 14 else int(np.dtype(self._numpy).itemsize)

    @property
    def min(self) -> Any:
        """The smallest value; raises TypeError where there is none."""
        return self._limits().min

    @property
    def max(self) -> Any:
        """The largest value; raises TypeError where there is none."""
        return self._limits().max

    def _limits(self) -> Any:
        if self.base_dtype._number == 14:
            import ml_dtypes

            return ml_dtypes.finfo(_bfloat16_type())  # type: ignore[no-untyped-call]
        if self.is_floating:
            return np.finfo(self._numpy)
        if self.is_integer:
            return np.iinfo(self._numpy)
        raise TypeError(f"{self.name} has no smallest and largest value")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether other is this type, reference or not."""
        return self.base_dtype == as_dtype(other).base_dtype

    def __eq__(self, other: object) -> builtins.bool:
        if other is self:
            return True
        if other is None:
            return False
        try:
            return self._number == as_dtype(other)._number
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._number

    def __int__(self) -> int:
        return self._number

    def __index__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __reduce__(self) -> Any:
        return as_dtype, (self._name,)


def _bfloat16_type() -> Any:
    try:
        import ml_dtypes
    except ImportError as error:
        raise TypeError(
            "bfloat16 arrays need the package ml_dtypes: pip install ml_dtypes"
        ) from error
    return ml_dtypes.bfloat16


float32 = DType(1, "float32", np.float32)
float64 = DType(2, "float64", np.float64)
int32 = DType(3, "int32", np.int32)
uint8 = DType(4, "uint8", np.uint8)
int16 = DType(5, "int16", np.int16)
int8 = DType(6, "int8", np.int8)
string = DType(7, "string", np.object_)
int64 = DType(9, "int64", np.int64)
bool = DType(10, "bool", np.bool_)
complex64 = DType(8, "complex64", np.complex64)
bfloat16 = DType(14, "bfloat16", None)
uint16 = DType(17, "uint16", np.uint16)
complex128 = DType(18, "complex128", np.complex128)
float16 = DType(19, "float16", np.float16)
resource = DType(20, "resource", None)  # the handle of something that operations share
variant = DType(21, "variant", None)  # any object of the host, such as a list of tensors
uint32 = DType(22, "uint32", np.uint32)
uint64 = DType(23, "uint64", np.uint64)
for _dtype in tuple(_registry.values()):
    globals()[f"{_dtype.name}_ref"] = DType(
        _dtype._number + _REF_OFFSET, f"{_dtype.name}_ref", _dtype._numpy
    )
half = float16
double = float64

_by_name.update(
    {"float": float32, "double": float64, "half": float16, "str": string, "object": string}
)
_by_python_type: dict[Any, DType] = {
    float: float32,
    complex: complex128,
    builtins.bool: bool,
    str: string,
    bytes: string,
}
_by_number_type: dict[Any, DType] = {
    d._numpy: d for d in _registry.values() if d._numpy is not None and not d._is_ref
}


def as_dtype(type_value: Any) -> DType:
    """Return the type that type_value (DType, number, name, NumPy or Python type) stands for.

    Raises TypeError when there is none.
    """
    if isinstance(type_value, DType):
        return type_value
    found = _look_up(type_value)
    if found is None:
        names = ", ".join(d.name for d in _registry.values() if not d._is_ref)
        raise TypeError(f"cannot convert {type_value!r} to a data type; there are {names}")
    return found


def _look_up(value: Any) -> DType | None:
    if isinstance(value, str):
        return _by_name.get(value)
    if isinstance(value, int):
        return _registry.get(value)
    if isinstance(value, type):
        found = _by_python_type.get(value) or _by_number_type.get(value)
        if found is not None:
            return found
    try:
        numpy_type = np.dtype(value)
    except TypeError:
        return None
    if numpy_type.kind in "SU":
        return string
    return _by_number_type.get(numpy_type.type) or _by_name.get(numpy_type.name)
