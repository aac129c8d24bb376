"""Variables that operations reach by a handle: each read is an operation of its own."""

from __future__ import annotations

import contextlib
from typing import Any

from tfbuild_runtime.framework import dtypes, ops, tensor_shape
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.framework.scatter import with_assign
from tfbuild_runtime.framework.variables import Variable


class ResourceVariable(Variable):
    """A variable behind a handle. What was read of it stays as it is when the variable changes."""

    def _first_value(self, initial_value: Any, dtype: Any) -> Tensor:
        value = initial_value
        with ops.name_scope("Initializer"):
            value = value() if callable(value) else value
            return ops.convert_to_tensor(value, dtype=dtype, name="initial_value")

    def _make(self, initial: Tensor, shape: Any, scope: str) -> None:
        dtype = initial.dtype.base_dtype
        name = scope.rstrip("/")
        attrs = {"shape": shape, "dtype": dtype, "shared_name": name}
        self._op = ops.apply_op("VarHandleOp", (), attrs, scope)
        self._dtype = dtype
        self._shape = tensor_shape.as_shape(shape)
        with ops.name_scope("IsInitialized"):
            self._initialized = ops.apply_op("VarIsInitializedOp", [self.handle]).outputs[0]
        self._initializer = self._assign_op(initial)
        with ops.name_scope("Read"):
            self._snapshot = self._read_op()

    def _assign_op(self, value: Tensor) -> Operation:
        return ops.apply_op("AssignVariableOp", [self.handle, value], name="Assign")

    def _read_op(self) -> Tensor:
        attrs = {"dtype": self._dtype}
        with self._on_its_device():
            return ops.apply_op("ReadVariableOp", [self.handle], attrs).outputs[0]

    def _on_its_device(self) -> Any:
        """Return a block whose operations ask for the device that the variable asks for, if any."""
        device = self.handle.device
        return ops.device(device) if device else contextlib.nullcontext()

    # ---- what it is -------------------------------------------------------------------------

    @property
    def handle(self) -> Tensor:
        """The handle by which operations reach it."""
        return self._op.outputs[0]

    @property
    def dtype(self) -> dtypes.DType:
        """The type of its elements."""
        return self._dtype

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """What is known of its shape."""
        return self._shape

    @property
    def create(self) -> Operation:
        """The operation that sets it to its first value."""
        return self._initializer

    def set_shape(self, shape: Any) -> None:
        """Raise NotImplementedError: its shape is given when it is made."""
        raise NotImplementedError("ResourceVariable does not implement set_shape()")

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return a bool tensor: whether it has a value."""
        return ops.apply_op("VarIsInitializedOp", [self.handle], name=name).outputs[0]

    def value(self) -> Tensor:
        """Return a new tensor with the value, read after the current control dependencies."""
        with ops.colocate_with(None, ignore_existing=True):
            return self._read_op()

    def read_value(self) -> Tensor:
        """Return a new tensor with the value, read after the current control dependencies."""
        with ops.name_scope("Read"):
            read = self._read_op()
        return ops.apply_op("Identity", [read]).outputs[0]

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the rows that indices name."""
        with ops.name_scope(name or "Gather"):
            attrs, numbers = {"dtype": self._dtype}, _indices(indices)
            with self._on_its_device():
                rows = ops.apply_op("ResourceGather", [self.handle, numbers], attrs)
            return ops.apply_op("Identity", [rows.outputs[0]]).outputs[0]

    def _to_tensor(self, as_ref: bool) -> Tensor:
        # What takes variables themselves, as tf.gradients does, takes the handle.
        return self.handle if as_ref else self.value()

    def _as_graph_element(self) -> Tensor:
        return self._snapshot

    # ---- what it can do ---------------------------------------------------------------------

    def eval(self, session: Any = None) -> Any:
        """Return its value in the given or the default session."""
        return self._snapshot.eval(session=session)

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Return what has the value after it was set, or the operation that sets it."""
        del use_locking
        value = ops.convert_to_tensor(value, self._dtype)
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(f"Shapes {self._shape} and {value.shape} are incompatible: "
                             f"{self.name!r} cannot hold {value!r}")  # fmt: skip
        return self._updated("AssignVariableOp", value, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Return what has the value after delta was added, or the operation that adds."""
        del use_locking
        return self._updated("AssignAddVariableOp", delta, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Return what has the value after delta was subtracted, or the operation that subtracts."""
        del use_locking
        return self._updated("AssignSubVariableOp", delta, name, read_value)

    def _updated(self, op_type: str, value: Any, name: str | None, read_value: bool) -> Any:
        value = ops.convert_to_tensor(value, self._dtype)
        update = ops.apply_op(op_type, [self.handle, value], name=name)
        return _UpdatedVariable(self, update) if read_value else update

    def after(self, update: Operation) -> ResourceVariable:
        """Return what has the value after an operation has changed it."""
        return _UpdatedVariable(self, update)

    def scatter(self, kind: str, indices: Any, updates: Any, name: str | None) -> Any:
        """Return what has the value after rows of it were changed; kind is Add, Update, ..."""
        inputs = [self.handle, _indices(indices), ops.convert_to_tensor(updates, self._dtype)]
        return _UpdatedVariable(self, ops.apply_op(f"ResourceScatter{kind}", inputs, name=name))

    def __getitem__(self, key: Any) -> Tensor:
        return with_assign(self, self.value()[key])

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self._snapshot.__array__()


class _UpdatedVariable(ResourceVariable):
    """A variable as it is after an operation has changed it."""

    def __init__(self, variable: ResourceVariable, update: Operation) -> None:
        self.__dict__.update(variable.__dict__)
        self._update = update
        # Which may be the body of a function that changes a variable of the graph around it.
        with update.graph.as_default(), ops.control_dependencies([update]):
            self._snapshot = self._read_op()

    @property
    def op(self) -> Operation:
        """The operation that changes it."""
        return self._update

    @property
    def handle(self) -> Tensor:
        """The handle by which operations reach it."""
        return self._op.outputs[0]

    @property
    def name(self) -> str:
        """The name of the variable."""
        return f"{self._op.name}:0"

    def value(self) -> Tensor:
        """Return a new tensor with the value after the change."""
        with ops.control_dependencies([self._update]):
            return super().value()

    def read_value(self) -> Tensor:
        """Return a new tensor with the value after the change."""
        with ops.control_dependencies([self._update]):
            return super().read_value()

    def _updated(self, op_type: str, value: Any, name: str | None, read_value: bool) -> Any:
        with ops.control_dependencies([self._update]):
            return super()._updated(op_type, value, name, read_value)

    def _to_tensor(self, as_ref: bool) -> Tensor:
        return self.handle if as_ref else self._snapshot


def _indices(value: Any) -> Tensor:
    return ops.convert_to_tensor(value, dtype_hint=dtypes.int32)


def is_resource_variable(value: Any) -> bool:
    """Whether value is a variable behind a handle."""
    return isinstance(value, ResourceVariable)
