"""Staging areas: tensors that one step leaves for a later one, in order or under keys."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes as types
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.framework.operation import Operation


class _StagingArea:
    """What staging areas have in common: what an element is, and how many there may be."""

    _kind: str  # what its operations' names begin with

    def __init__(self, dtypes: Any, shapes: Any = None, names: Any = None,
                 shared_name: str | None = None, capacity: int = 0,
                 memory_limit: int = 0) -> None:  # fmt: skip
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        graph = framework.get_default_graph()
        self._name = shared_name or graph.unique_name(type(self).__name__)
        self._dtypes = [types.as_dtype(dtype) for dtype in dtypes]
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(f"{type(self).__name__} {what} must be the same length as dtypes")
        known = [None] * len(self._dtypes) if shapes is None else shapes
        self._shapes = [tensor_shape.TensorShape(shape) for shape in known]
        self._names = names
        self._capacity = capacity
        self._memory_limit = memory_limit

    @property
    def name(self) -> str:
        """What its operations share."""
        return self._name

    @property
    def dtypes(self) -> list[types.DType]:
        """The types of the components of an element."""
        return self._dtypes

    @property
    def shapes(self) -> list[tensor_shape.TensorShape]:
        """What is known of the shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of the components; None when they have none."""
        return self._names

    @property
    def capacity(self) -> int:
        """How many elements there may be; 0: any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes there may be; 0: any number."""
        return self._memory_limit

    def size(self, name: str | None = None) -> Any:
        """Return how many elements are in it."""
        return self._counted("Size", name or f"{self._name}_size")

    def _counted(self, what: str, name: str) -> Any:
        return framework.apply_op(f"{self._kind}{what}", [], self._attrs(), name).outputs[0]

    def clear(self, name: str | None = None) -> Operation:
        """Return an operation that forgets all elements."""
        name = name or f"{self._name}_clear"
        return framework.apply_op(f"{self._kind}Clear", [], self._attrs(), name)

    def _attrs(self, dtypes: Any = None) -> dict[str, Any]:
        return {"dtypes": self._dtypes if dtypes is None else dtypes, "shared_name": self._name,
                "capacity": self._capacity, "memory_limit": self._memory_limit}  # fmt: skip

    def _check_dict(self, given: Any) -> None:
        named = isinstance(given, dict)
        if named and not self._names:
            raise ValueError("Staging areas must have names to enqueue a dictionary")
        if self._names and not named:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        if named and not set(given) <= set(self._names):
            raise ValueError(
                "Keys in dictionary to put do not match names of staging area. "
                f"Dictionary: {sorted(given)}Queue: {sorted(self._names)}"
            )

    def _components(self, values: Any, indices: Any) -> list[Any]:
        """Return these components as tensors; raises ValueError for what they cannot be."""
        tensors = []
        for i, value in zip(indices, values):
            tensor = framework.convert_to_tensor(value, name=f"component_{i}")
            if tensor.dtype.base_dtype != self._dtypes[i]:
                raise ValueError("Datatypes do not match. Received val.dtype "
                                 f"{tensor.dtype} and dtype {self._dtypes[i]}")  # fmt: skip
            tensor.shape.assert_is_compatible_with(self._shapes[i])
            tensors.append(tensor)
        return tensors

    def _taken(self, outputs: Any, indices: Any) -> Any:
        """Return these components as a list of tensors, or a dict by names."""
        for i, output in zip(indices, outputs):
            output.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: output for i, output in zip(indices, outputs)}
        return list(outputs)


class StagingArea(_StagingArea):
    """Elements of one tensor or several, which come out in the order in which they were put in.

    Putting in waits while there are as many elements, or bytes, as there may be (0: any number),
    and taking out until there is one. Raises ValueError where the arguments do not fit together.
    """

    _kind = "Stage"

    def put(self, values: Any, name: str | None = None) -> Operation:
        """Return an operation that puts an element in: a tensor, a list, or a dict by names.

        Raises ValueError for one that does not have the area's components.
        """
        given = list(values.values()) if isinstance(values, dict) else values
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        with framework.name_scope(name, f"{self._name}_put", given) as scope:
            self._check_dict(values)
            if len(given) != len(self._dtypes):
                raise ValueError(f"Unexpected number of inputs {len(given)} vs {len(self._dtypes)}")
            if self._names:
                given = [values[key] for key in self._names]
            tensors = self._components(given, range(len(given)))
            return framework.apply_op("Stage", [tensors], self._attrs(), scope)

    def get(self, name: str | None = None) -> Any:
        """Return the element that is taken out: a list of tensors, or a dict by names."""
        op = framework.apply_op("Unstage", [], self._attrs(), name or f"{self._name}_get")
        return self._taken(op.outputs, range(len(self._dtypes)))

    def peek(self, index: Any, name: str | None = None) -> Any:
        """Return the element of that number, which stays: a list, or a dict by names."""
        op = framework.apply_op("StagePeek", [index], self._attrs(), name or f"{self._name}_peek")
        return self._taken(op.outputs, range(len(self._dtypes)))


class MapStagingArea(_StagingArea):
    """Elements of one tensor or several under keys, scalars of int64.

    An element may be put in and taken out in parts; it is there once all parts were put in. Putting
    in waits while there are as many elements, or bytes, as there may be (0: any number), and taking
    out until the key is there. With `ordered` keys come out from the lowest on; here they always
    do. Raises ValueError where the arguments do not fit together.
    """

    def __init__(self, dtypes: Any, shapes: Any = None, names: Any = None,
                 shared_name: str | None = None, ordered: bool = False, capacity: int = 0,
                 memory_limit: int = 0) -> None:  # fmt: skip
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._kind = "OrderedMap" if ordered else "Map"

    def put(self, key: Any, vals: Any, indices: Any = None, name: str | None = None) -> Operation:
        """Return an operation that puts an element, or a part of one, in under a key.

        vals is a dict by names, one tensor, or a list with the number of the component of each in
        `indices`. Raises ValueError for what are none of the area's components.
        """
        given = list(vals.values()) if isinstance(vals, dict) else vals
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        with framework.name_scope(name, f"{self._name}_put", given) as scope:
            numbers = self._numbers_of(vals, indices)
            ordered = [vals[self._names[i]] for i in numbers] if self._names else given
            tensors = self._components(ordered, numbers)
            attrs = {"fake_dtypes": [tensor.dtype.base_dtype for tensor in tensors]}
            inputs = [_key(key), _numbers(numbers), tensors]
            return framework.apply_op(f"{self._kind}Stage", inputs, {**self._attrs(), **attrs},
                                      scope)  # fmt: skip

    def _numbers_of(self, vals: Any, indices: Any) -> list[int]:
        self._check_dict(vals)
        if isinstance(vals, dict):
            return [i for i, key in enumerate(self._names) if key in vals]
        if not isinstance(vals, (list, tuple)):
            return [0]
        if indices is None:
            raise ValueError("Indices must be supplied when inserting a list of tensors")
        if len(indices) != len(vals):
            raise ValueError(f"Number of indices {len(indices)} doesn't match number of values "
                             f"{len(vals)}")  # fmt: skip
        return self._checked(indices)

    def _checked(self, indices: Any) -> list[int]:
        if not all(isinstance(i, int) and 0 <= i < len(self._dtypes) for i in indices):
            raise ValueError(f"indices {indices!r} are not those of {len(self._dtypes)} components")
        return list(indices)

    def _asked(self, indices: Any) -> list[int]:
        """Return the numbers of components asked for, by number or name; None asks for all."""
        if indices is None:
            return list(range(len(self._dtypes)))
        given = indices if isinstance(indices, (list, tuple)) else [indices]
        if all(isinstance(i, str) for i in given):
            unknown = set(given) - set(self._names or ())
            if unknown:
                raise ValueError(f"Named indices {sorted(unknown)} are not in Staging Area names "
                                 f"{self._names!r}")  # fmt: skip
            return [self._names.index(i) for i in given]
        return self._checked(given)

    def peek(self, key: Any, indices: Any = None, name: str | None = None) -> Any:
        """Return what is under a key and stays, or those components: a list, or a dict by names."""
        return self._under_key("Peek", key, indices, name or f"{self._name}_pop")

    def get(self, key: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """Return a key and what is taken out from under it; without a key, from any.

        What is taken out, all or those components, is a list of tensors, or a dict by names.
        """
        if key is not None:
            return key, self._under_key("Unstage", key, indices, name or f"{self._name}_get")
        numbers = self._asked(indices)
        attrs = self._attrs([self._dtypes[i] for i in numbers])
        op = framework.apply_op(f"{self._kind}UnstageNoKey", [_numbers(numbers)], attrs,
                                name or f"{self._name}_get_nokey")  # fmt: skip
        return op.outputs[0], self._taken(op.outputs[1:], numbers)

    def _under_key(self, what: str, key: Any, indices: Any, name: str) -> Any:
        numbers = self._asked(indices)
        attrs = self._attrs([self._dtypes[i] for i in numbers])
        inputs = [_key(key), _numbers(numbers)]
        op = framework.apply_op(f"{self._kind}{what}", inputs, attrs, name)
        return self._taken(op.outputs, numbers)

    def incomplete_size(self, name: str | None = None) -> Any:
        """Return how many elements there are of which parts are missing."""
        return self._counted("IncompleteSize", name or f"{self._name}_incomplete_size")


def _key(key: Any) -> Any:
    return framework.convert_to_tensor(key, types.int64, "key")


def _numbers(numbers: list[int]) -> Any:
    return framework.convert_to_tensor(numbers, types.int32, "indices")
