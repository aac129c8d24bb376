"""The graph that a program builds: names, scopes, devices and collections around the native one."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tfbuild_runtime.framework import defaults, device, errors, native
from tfbuild_runtime.framework.graph_collections import Collections
from tfbuild_runtime.framework.operation import Operation, Tensor, find_definition
from tfbuild_runtime.framework.surroundings import Controller, Surrounded
from tfbuild_runtime.protos import messages

_MOST_BYTES = 1 << 31  # of a message
_VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class Graph(Surrounded, Collections):
    """A dataflow graph that only grows."""

    def __init__(self) -> None:
        super().__init__()
        self._native = native.Graph()
        self._by_id: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names_in_use: dict[str, int] = {}
        self._context: Any = None  # the branch or loop that is being built
        self._overridden: dict[str, str] = {}  # op type -> the name of its gradient
        self._kernel_labels: dict[str, str] = {}
        self._finalized = False
        self.seed: int | None = None
        self._last_seed_number = 0
        # State that other modules keep per graph, by their own keys.
        self._scratch: dict[str, Any] = {}

    @property
    def _building_function(self) -> bool:
        """Whether it is the body of a function."""
        return False

    # ---- operations -----------------------------------------------------------------------

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str | None = None,
    ) -> Operation:
        """Return a new operation; attrs are encoded already.

        Raises ValueError when shapes, types or attributes do not fit together, and RuntimeError
        when the graph is finalized.
        """
        self._check_not_finalized()
        full_name = self._name_for(name or op_type)
        for tensor in inputs:
            if tensor.op.graph is not self:
                raise ValueError(f"Tensor {tensor.name!r} is not an element of this graph")
        inputs, control = self._brought_in(inputs)
        if self._colocated_with and "_class" not in attrs:
            attrs = {**attrs, "_class": self._colocation_attr()}
        if op_type in self._overridden and "_gradient_op_type" not in attrs:
            attrs = {**attrs, "_gradient_op_type": self._overridden[op_type].encode()}
        if op_type in self._kernel_labels:
            attrs = {**attrs, "_kernel": self._kernel_labels[op_type].encode()}
        try:
            node = self._native.add_node(
                op_type,
                full_name,
                [(tensor._op._id, tensor._value_index) for tensor in inputs],
                [op._id for op in control],
                attrs,
                device.merge(
                    self._devices, device.PlannedOperation(full_name, op_type, self, inputs, attrs)
                )
                if self._devices
                else "",
            )
        except errors.InvalidArgumentError as error:  # as in TensorFlow, while a graph is built
            raise ValueError(error.message) from None
        op = self._register(node, find_definition())
        op._context = self._context
        return op

    def _brought_in(self, inputs: Sequence[Tensor]) -> tuple[Sequence[Tensor], list[Operation]]:
        """Return the inputs as they are in the context, and what an operation there waits for."""
        context = self._context
        if context is None:
            return inputs, self._control_inputs_for(inputs)
        inputs = [context.bring_in(tensor) for tensor in inputs]
        return inputs, context.control_for(inputs, self._control_inputs_for(inputs))

    def _copy_op(self, source: Any, node: int, name: str, inputs: Sequence[Tensor]) -> Operation:
        """Return a copy, with these inputs, of a node of another native graph."""
        self._check_not_finalized()
        inputs, control = self._brought_in(inputs)
        full_name = self.unique_name(name)
        places = [(tensor._op._id, tensor._value_index) for tensor in inputs]
        requested = source.device(node)
        if not requested and self._devices:
            requested = device.merge(self._devices, full_name)
        waits = [op._id for op in control]
        copy = self._native.add_copy(source, node, full_name, places, waits, requested)
        op = self._register(copy, find_definition())
        op._context = self._context
        return op

    @contextlib.contextmanager
    def _in_context(self, context: Any) -> Iterator[None]:
        """Build the branch or loop that context stands for; None builds outside of all."""
        before = self._context
        self._context = context
        try:
            yield
        finally:
            self._context = before

    def _register(self, node: Any, defined_at: str) -> Operation:
        op = Operation(self, node, defined_at)
        self._by_id.append(op)
        self._by_name[op.name] = op
        for controller in self._controllers:
            controller.inside.add(op)
        return op

    def _adopt_new_nodes(self) -> list[Operation]:
        """Make operations for nodes that the native graph got by itself, by an import."""
        imported: list[Operation] = []
        defined_at = find_definition()
        # Some at a time: what describes a million nodes would take as much as the operations.
        while nodes := self._native.nodes_from(len(self._by_id), 10_000):
            for _, name, _, _ in nodes:
                self._mark_name(name)
            imported.extend(self._register(node, defined_at) for node in nodes)
        self._scratch.setdefault("imported", []).extend(imported)
        return imported

    def _control_inputs_for(self, inputs: Sequence[Tensor]) -> list[Operation]:
        producers = {tensor._op for tensor in inputs}
        control: dict[Operation, None] = {}
        for controller in self._controllers:
            if not any(op in controller.inside for op in producers):
                control.update(dict.fromkeys(op for op in controller.ops if op not in producers))
        return list(control)

    def _colocation_attr(self) -> list[bytes]:
        groups = {group for op in self._colocated_with for group in op.colocation_groups()}
        return sorted(groups)

    def _consumers(self, node: int, index: int) -> list[int]:
        return list(self._native.consumers(node, index))

    def get_operations(self) -> list[Operation]:
        """Return all operations in the order in which they were made."""
        return list(self._by_id)

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation of that name; raises KeyError when there is none."""
        return self.as_graph_element(name, allow_tensor=False)  # type: ignore[no-any-return]

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Return the tensor of that name, such as dense/add:0; raises KeyError or ValueError."""
        return self.as_graph_element(name, allow_operation=False)  # type: ignore[no-any-return]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Return the tensor or operation that obj is, names or wraps.

        Raises KeyError for an unknown name, ValueError for a malformed one or a foreign element,
        TypeError for anything else.
        """
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            obj = convert()
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation)
        allowed = (Tensor,) * allow_tensor + (Operation,) * allow_operation
        if isinstance(obj, allowed):
            if obj.graph is not self:
                kind = "Tensor" if isinstance(obj, Tensor) else "Operation"
                raise ValueError(f"{kind} {obj.name!r} is not an element of this graph.")
            return obj
        kinds = [k for k, on in (("Tensor", allow_tensor), ("Operation", allow_operation)) if on]
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {' or '.join(kinds)}.")

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        op_name, colon, index = name.rpartition(":")
        if not colon:
            return self._operation_by_name(name, allow_operation)
        if not allow_tensor:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not an Operation.")
        if not index.isdigit():
            raise ValueError(f"The name {name!r} looks like a (invalid) tensor name.")
        op = self._by_name.get(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op_name!r}, does not exist in the graph."
            )
        if int(index) >= len(op.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{op_name!r}, exists but only has {len(op.outputs)} outputs."
            )
        return op.outputs[int(index)]

    def _operation_by_name(self, name: str, allowed: bool) -> Operation:
        op = self._by_name.get(name)
        if op is None and allowed:
            raise KeyError(
                f"The name {name!r} refers to an Operation not in the graph; "
                "names of tensors end in :0, :1, ..."
            )
        if not allowed or op is None:
            raise ValueError(
                f"The name {name!r} looks like an operation name; tensor names end in :0, :1, ..."
            )
        return op

    # ---- names ------------------------------------------------------------------------------

    def _name_for(self, name: str) -> str:
        if name.endswith("/"):
            return name[:-1]
        if not _VALID_OP_NAME.match(name) and not (self._name_stack and name):
            raise ValueError(f"{name!r} is not a valid node name")
        return self.unique_name(name)

    def _mark_name(self, name: str) -> None:
        lowered = name.lower()
        key = name if lowered == name else lowered  # a text that is there already, where it can be
        self._names_in_use[key] = self._names_in_use.get(key, 0) + 1
        parent = key.rpartition("/")[0]
        while parent and parent not in self._names_in_use:  # the scopes that it is in
            self._names_in_use[parent] = 1
            parent = parent.rpartition("/")[0]

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return name below the current scope, with _1, _2, ... where it is taken."""
        if self._name_stack:
            name = f"{self._name_stack}/{name}"
        key = name.lower()
        count = self._names_in_use.get(key, 0)
        if mark_as_used:
            self._names_in_use[key] = count + 1
        if count == 0:
            return name
        base = key
        while key in self._names_in_use:
            key = f"{base}_{count}"
            count += 1
        if mark_as_used:
            self._names_in_use[key] = 1
            self._names_in_use[base] = count  # where the next search begins
        return f"{name}_{count - 1}"

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Put a prefix before the names made in the block; yields it with its slash.

        A name that ends in a slash is entered as it is; None or '' leaves all scopes.
        """
        if name and not name.endswith("/"):
            valid = _VALID_SCOPE_NAME if self._name_stack else _VALID_OP_NAME
            if not valid.match(name):
                raise ValueError(f"{name!r} is not a valid scope name")
        before = self._name_stack
        if not name:
            self._name_stack = ""
        else:
            self._name_stack = name[:-1] if name.endswith("/") else self.unique_name(name)
        try:
            yield f"{self._name_stack}/" if self._name_stack else ""
        finally:
            self._name_stack = before

    def get_name_scope(self) -> str:
        """Return the current scope without a slash at its end."""
        return self._name_stack

    # ---- scopes -----------------------------------------------------------------------------

    def as_default(self) -> Any:
        """Make this the default graph of the thread in a `with` block."""
        return defaults.graph_as_default(self)

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Let all operations made in the block wait for the given ones; None waits for nothing."""
        before, context = self._controllers, self._context
        if control_inputs is None:  # neither of branches and loops around the block
            self._controllers, self._context = [], None
        else:
            elements = [self.as_graph_element(element) for element in control_inputs]
            ops = [e.op if isinstance(e, Tensor) else e for e in elements]
            self._controllers = [*before, Controller(ops)]
        try:
            yield
        finally:
            self._controllers, self._context = before, context

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Ask for a device for the operations made in the block; None asks for any."""
        chosen = device_name_or_function
        if isinstance(chosen, str):
            device.DeviceSpec.from_string(chosen)  # a wrong name is an error here
        before = self._devices
        self._devices = [] if chosen is None else [*before, chosen]
        try:
            yield
        finally:
            self._devices = before

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Ask for the device of op for the operations made in the block; None asks for any."""
        before, devices = self._colocated_with, self._devices
        if op is None:
            self._colocated_with = []
        else:
            element = self.as_graph_element(op)
            target = element.op if isinstance(element, Tensor) else element
            self._colocated_with = [*([] if ignore_existing else before), target]
            self._devices = [target.device] if target.device else []
        try:
            yield
        finally:
            self._colocated_with, self._devices = before, devices

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Iterator[None]:
        """Give operations of those types, made in the block, gradients by registered names."""
        if not all(isinstance(text, str) for pair in op_type_map.items() for text in pair):
            raise TypeError("op_type_map takes op types to names of tf.RegisterGradient")
        before = self._overridden
        self._overridden = {**before, **op_type_map}
        try:
            yield
        finally:
            self._overridden = before

    @contextlib.contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: Mapping[str, str]) -> Iterator[None]:
        """Write a kernel's label into operations of those types; there is one for all labels."""
        before = self._kernel_labels
        self._kernel_labels = {**before, **op_to_kernel_label_map}
        try:
            yield
        finally:
            self._kernel_labels = before

    # ---- as a whole -------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """A number that grows with every operation."""
        return len(self._by_id)

    @property
    def finalized(self) -> bool:
        """Whether nothing can be added any longer."""
        return self._finalized

    def finalize(self) -> None:
        """Refuse to add operations from now on."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a session can return it: everything can be fetched."""
        return isinstance(tensor_or_op, (Tensor, Operation))

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a session can be given a value for it: every tensor can be fed."""
        return isinstance(tensor, Tensor)

    def as_graph_def(self, from_version: Any = None, add_shapes: bool = False,
                     use_pybind11_proto: bool = False) -> Any:  # fmt: skip
        """Return the graph as a GraphDef; raises NotImplementedError for a later part of it.

        Raises ValueError for a graph that no message has room for.
        """
        del use_pybind11_proto
        if from_version is not None:
            raise NotImplementedError("as_graph_def(from_version=...) is not there: it is whole")
        data = native.graph_to_graph_def(self._native, add_shapes)
        if len(data) >= _MOST_BYTES:
            raise ValueError("GraphDef cannot be larger than 2GB.")
        return messages.GraphDef.FromString(data)
