"""Functions of Python that ops call: each has a token, by which the kernel asks for it."""

from __future__ import annotations

import secrets
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbuild_runtime.framework import native

_INVALID_ARGUMENT, _UNKNOWN, _RESOURCE_EXHAUSTED, _OUT_OF_RANGE, _UNIMPLEMENTED = 3, 2, 8, 11, 12
_CODES = (
    ((ValueError, TypeError), _INVALID_ARGUMENT),
    (StopIteration, _OUT_OF_RANGE),
    (MemoryError, _RESOURCE_EXHAUSTED),
    (NotImplementedError, _UNIMPLEMENTED),
)

_functions: weakref.WeakValueDictionary[str, HostFunction] = weakref.WeakValueDictionary()


class HostFunction:
    """A function, and the types of the arrays that it gives back."""

    def __init__(self, function: Callable[..., Any], dtypes: list[Any]) -> None:
        self._function = function
        self._dtypes = dtypes

    def __call__(self, arrays: list[Any]) -> list[Any]:
        """Return what the function makes of the arrays, as arrays."""
        result = self._function(*arrays)
        if result is None and not self._dtypes:
            return []
        many = isinstance(result, (list, tuple))
        values = list(result) if many and (len(self._dtypes) != 1 or len(result) == 1) else [result]
        if len(values) != len(self._dtypes):
            raise ValueError(f"the function returns {len(values)} values, but expects to see "
                             f"{len(self._dtypes)} values.")  # fmt: skip
        return [_array(value, dtype) for value, dtype in zip(values, self._dtypes)]


def _array(value: Any, dtype: Any) -> Any:
    if dtype.name == "string":
        texts = np.asarray(value, dtype=object)
        encode = np.vectorize(lambda t: t.encode() if isinstance(t, str) else t, otypes=[object])
        return encode(texts) if texts.size else texts
    wanted = np.dtype(dtype.as_numpy_dtype)
    given = np.asarray(value)
    with np.errstate(invalid="ignore", over="ignore"):  # what does not fit is found below
        array = given.astype(wanted, order="C", copy=False)
    if given.dtype != wanted and not _keeps(given, array):
        raise TypeError(f"a value that the function returns is {given.dtype.name}, but expects "
                        f"{dtype.name}, which cannot hold it")  # fmt: skip
    return array


def _keeps(given: Any, array: Any) -> bool:
    """Return whether a conversion changed no value; to fewer digits of a fraction is no change."""
    if given.size == 0:
        return True
    if given.dtype.kind in "USOMm":
        return False
    if given.dtype.kind in "biu" and array.dtype.kind not in "biu":
        return True
    if array.dtype.kind in "biu":
        return bool(np.all(array == given) and np.all((array < 0) == (given < 0)))
    if given.dtype.kind == "c" and array.dtype.kind != "c":
        return False
    return bool(np.all(np.isfinite(array) == np.isfinite(given)))


def _new_token(kind: str) -> str:
    """Return a token that nobody can guess, so that graphs of strangers call nothing of ours."""
    return f"{kind}_{secrets.token_hex(16)}"


def register(function: Callable[..., Any], dtypes: list[Any], graph: Any) -> str:
    """Return the token of a function, which lives as long as the graph."""
    token = _new_token("pyfunc")
    kept = HostFunction(function, dtypes)
    _functions[token] = kept
    graph._scratch.setdefault("host_functions", []).append(kept)
    native.set_function_caller(_call)
    return token


def register_kernel(kernel: Any, graph: Any) -> str:
    """Return the token of a kernel in machine code, which lives as long as the graph.

    kernel has an address (numba's cfunc), or is a function of ctypes.
    """
    address = kernel.address if hasattr(kernel, "address") else _address_of(kernel)
    if not address:
        raise ValueError("the kernel's address is 0")
    token = _new_token("native")
    native.set_native_kernel(token, address)
    # What has compiled the kernel keeps its code: nobody may let go of it before the graph does.
    graph._scratch.setdefault("host_functions", []).append(kernel)
    weakref.finalize(graph, native.set_native_kernel, token, 0).atexit = False
    return token


def _address_of(kernel: Any) -> int:
    import ctypes

    if not isinstance(kernel, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        raise TypeError("a kernel has an address, as numba's cfunc, or is a function of ctypes; "
                        f"got {type(kernel).__name__}")  # fmt: skip
    return ctypes.cast(kernel, ctypes.c_void_p).value or 0


def _call(token: str, arrays: list[Any]) -> tuple[int, str, list[Any]]:
    function = _functions.get(token)
    if function is None:
        return _INVALID_ARGUMENT, f"callback {token} is not found", []
    try:
        return 0, "", function(arrays)
    except Exception as error:  # noqa: BLE001 (whatever it is, the step says so)
        code = next((c for kind, c in _CODES if isinstance(error, kind)), _UNKNOWN)
        return code, _text_of(error), []


def _text_of(error: BaseException) -> str:
    """Return what was raised, where, and because of what, each message once.

    A function may run a step whose own function failed: messages within messages, as often as one
    is in the other, would be twice as long on each level.
    """
    text = f"{type(error).__name__}: {error}\n"
    seen = set()
    while True:
        seen.add(id(error))
        notes = [f"{note}\n" for note in getattr(error, "__notes__", [])]
        frames = traceback.format_tb(error.__traceback__)
        text += "".join([*notes, "Traceback (most recent call last):\n", *frames])
        around = None if error.__suppress_context__ else error.__context__
        cause = error.__cause__ or around
        if cause is None or id(cause) in seen:
            return text
        message = str(cause)
        addition = "" if message in text else f": {message}"
        text += f"This came of {type(cause).__name__}{addition}\n"
        error = cause
