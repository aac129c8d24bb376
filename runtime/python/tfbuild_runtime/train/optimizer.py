"""What every optimizer does: compute gradients, keep slots, apply updates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, resource_variables, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.indexed_slices import (
    IndexedSlices,
    convert_to_tensor_or_indexed_slices,
)
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.partitioned_variables import SaveSliceInfo
from tfbuild_runtime.ops.variable_scope import variable_scope

GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
_FLOATING = ("float16", "bfloat16", "float32", "float64")


class Optimizer:
    """Base of the optimizers. One that is new defines _apply_dense, and, where it needs them,
    _apply_sparse, _create_slots, _prepare and _finish.
    """

    GATE_NONE = GATE_NONE
    GATE_OP = GATE_OP
    GATE_GRAPH = GATE_GRAPH

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("an optimizer needs a name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Any]] = {}
        self._non_slots: dict[tuple[str, Any], Any] = {}

    def get_name(self) -> str:
        """Return the name that its operations get."""
        return self._name

    # ---- what programs call ---------------------------------------------------------------------

    def minimize(
        self, loss: Any, global_step: Any = None, var_list: Any = None,
        gate_gradients: int = GATE_OP, aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False, name: str | None = None, grad_loss: Any = None,
    ) -> Any:  # fmt: skip
        """Return an operation that makes loss smaller by changing variables, by default all that
        can be trained. Raises ValueError when loss depends on none of them.
        """
        pairs = self.compute_gradients(
            loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops,
            grad_loss,
        )  # fmt: skip
        if all(gradient is None for gradient, _ in pairs):
            names = ", ".join(variable.op.name for _, variable in pairs)
            raise ValueError(f"No gradients provided for any variable: {loss!r} depends on none of "
                             f"{names}")  # fmt: skip
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self, loss: Any, var_list: Any = None, gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None, colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:  # fmt: skip
        """Return (gradient, variable) pairs; the gradient is None where loss does not depend on it.

        Raises ValueError when there is nothing to train.
        """
        from tfbuild_runtime.gradients.engine import gradients

        if gate_gradients not in (GATE_NONE, GATE_OP, GATE_GRAPH):
            raise ValueError(f"gate_gradients is GATE_NONE, GATE_OP or GATE_GRAPH, not "
                             f"{gate_gradients!r}")  # fmt: skip
        if callable(loss):
            loss = loss()
        chosen = _trained_variables() if var_list is None else _as_list(var_list)
        if not chosen:
            raise ValueError("No variables to optimize.")
        found = gradients(
            loss,
            chosen,
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == GATE_GRAPH:
            from tfbuild_runtime.ops import control_ops

            found = control_ops.tuple(found)
        return list(zip(found, chosen))

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Return an operation that updates the variables by their gradients, and then adds 1 to
        global_step. Raises ValueError when no variable has a gradient.
        """
        pairs = [(_as_gradient(g), v) for g, v in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        updated = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        if not updated:
            names = ", ".join(variable.op.name for _, variable in pairs)
            raise ValueError(f"No gradients provided for any variable: {names}")
        with framework.control_dependencies(None):
            self._create_slots([variable for _, variable in updated])
        with framework.name_scope(name, self._name) as scope:
            self._prepare()
            updates = [self._update(gradient, variable) for gradient, variable in updated]
            train_op = self._count(updates, global_step, scope)
        graph = updated[0][1].graph
        if train_op not in graph.get_collection_ref(GraphKeys.TRAIN_OP):
            graph.add_to_collection(GraphKeys.TRAIN_OP, train_op)
        return train_op

    def _update(self, gradient: Any, variable: Any) -> Any:
        with (
            framework.name_scope(f"update_{variable.op.name}"),
            framework.colocate_with(variable.op),
        ):
            if isinstance(gradient, IndexedSlices):
                return self._update_rows(gradient, variable)
            if resource_variables.is_resource_variable(variable):
                update = self._resource_apply_dense(gradient, variable)
            else:
                update = self._apply_dense(gradient, variable)
            if variable.constraint is None:
                return update
            with framework.control_dependencies([update]):
                # Read anew: what was read before this update is not what the constraint is for.
                limited = variable.constraint(variable.read_value())
                return variable.assign(limited, self._use_locking, read_value=False)

    def _update_rows(self, gradient: IndexedSlices, variable: Any) -> Any:
        if variable.constraint is not None:
            raise RuntimeError(
                f"Cannot use a constraint function on a sparse variable: {variable.name}"
            )
        if resource_variables.is_resource_variable(variable):
            return self._resource_apply_sparse_duplicate_indices(
                gradient.values, variable, gradient.indices
            )
        return self._apply_sparse_duplicate_indices(gradient, variable)

    def _count(self, updates: list[Any], global_step: Any, scope: str) -> Any:
        if global_step is None:
            return self._finish(updates, scope)
        with (
            framework.control_dependencies([self._finish(updates, "update")]),
            framework.colocate_with(global_step.op),
        ):
            one = framework.constant(1, global_step.dtype.base_dtype, name="value")
            return variables.assign_add(global_step, one, name=scope).op

    # ---- slots ----------------------------------------------------------------------------------

    def get_slot(self, var: Any, name: str) -> Any:
        """Return what this optimizer keeps for a variable under that name; None when nothing."""
        return self._slots.get(name, {}).get(var)

    def get_slot_names(self) -> list[str]:
        """Return the names of what is kept for variables."""
        return sorted(self._slots)

    def variables(self) -> list[Any]:
        """Return all variables that this optimizer has made in the default graph."""
        graph = framework.get_default_graph()
        kept = [variable for slot in self._slots.values() for variable in slot.values()]
        own = [*self._non_slots.values(), *kept]
        return sorted((v for v in own if v.graph is graph), key=lambda v: str(v.name))

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        return self._initialized_slot(var, slot_name, op_name, "zeros")

    def _ones_slot(self, var: Any, slot_name: str, op_name: str) -> Any:
        return self._initialized_slot(var, slot_name, op_name, "ones")

    def _initialized_slot(self, var: Any, slot_name: str, op_name: str, kind: str) -> Any:
        from tfbuild_runtime.ops import creation_ops

        make = getattr(creation_ops, kind)
        return self._slot(var, slot_name, op_name, lambda: make(var.shape, var.dtype.base_dtype))

    def _get_or_make_slot(self, var: Any, value: Any, slot_name: str, op_name: str) -> Any:
        """Return the slot, made with that first value when it is not there yet."""
        return self._slot(var, slot_name, op_name, lambda: value)

    def _slot(self, var: Any, slot_name: str, op_name: str, first: Callable[[], Any]) -> Any:
        slots = self._slots.setdefault(slot_name, {})
        if var not in slots:
            with var.graph.as_default():
                # It is called after its variable, below the scope of variables that is open; that
                # takes no name of an operation.
                below = f"{var.op.name}/{op_name}"
                with variable_scope(None, below, auxiliary_name_scope=False) as scope:
                    name = scope.name
                with var.graph.name_scope(""), framework.colocate_with(var.op):
                    slots[var] = variables.Variable(
                        first, trainable=False, name=name,
                        use_resource=resource_variables.is_resource_variable(var),
                    )  # fmt: skip
            slots[var]._save_slice_info = _slice_of(var, slots[var])
        return slots[var]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        key = (name, colocate_with.graph)
        if key not in self._non_slots:
            with framework.colocate_with(colocate_with.op):
                self._non_slots[key] = variables.Variable(
                    initial_value, name=name, trainable=False,
                    use_resource=resource_variables.is_resource_variable(colocate_with),
                )  # fmt: skip
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slots.get((name, graph or framework.get_default_graph()))

    # ---- what an optimizer defines --------------------------------------------------------------

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Make the slots that the updates need."""

    def _prepare(self) -> None:
        """Make the tensors, such as the learning rate, that all updates share."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        """Return an operation that updates var."""
        raise NotImplementedError(f"{type(self).__name__} does not define _apply_dense")

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        """Return an operation that updates var by slices of which several may be for one row.

        They are added up first, so that _apply_sparse gets each row once.
        """
        return self._apply_sparse(_added_up(grad), var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Return an operation that updates var by slices; by default as by the whole gradient."""
        return self._apply_dense(framework.convert_to_tensor(grad), var)

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        """As _apply_sparse_duplicate_indices, for a variable behind a handle."""
        slices = _added_up(_slices_of(grad, handle, indices))
        return self._resource_apply_sparse(slices.values, handle, slices.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        """As _apply_sparse, for a variable behind a handle."""
        return self._apply_sparse(_slices_of(grad, handle, indices), handle)

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        """Return an operation that updates a variable behind a handle."""
        return self._apply_dense(grad, handle)

    def _apply(self, op_type: str, changed: Sequence[Any], inputs: Sequence[Any],
               **attrs: Any) -> Any:  # fmt: skip
        """Return the operation that updates a variable and its slots, which come first."""
        if resource_variables.is_resource_variable(changed[0]):
            op_type, changed = f"Resource{op_type}", [variable.handle for variable in changed]
        attrs["use_locking"] = self._use_locking
        return framework.apply_op(op_type, [*changed, *inputs], attrs)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """Return an operation that has run when all updates have."""
        return framework.group(*update_ops, name=name_scope)


def _added_up(slices: IndexedSlices) -> IndexedSlices:
    """Return the slices with one for each row."""
    unique = framework.apply_op("Unique", [slices.indices], {"out_idx": dtypes.int32})
    indices, places = unique.outputs
    values = emit("UnsortedSegmentSum", [slices.values, places, emit("Size", [indices])])
    return IndexedSlices(values, indices, slices.dense_shape)


def _slices_of(values: Any, variable: Any, indices: Any) -> IndexedSlices:
    shape = variable.shape
    return IndexedSlices(values, indices, shape if shape.is_fully_defined() else None)


def _slice_of(var: Any, slot: Any) -> Any:
    """Return which part of a whole the slot of a part is, as checkpoints of TensorFlow name it.

    It takes off the slot's name as many characters as the part's name has, also where the slot lies
    in a scope of its own.
    """
    part = var._get_save_slice_info()
    if part is None:
        return None
    name = f"{part.full_name}/{slot.op.name[len(var.op.name) + 1 :]}"
    return SaveSliceInfo(name, part.full_shape, part.var_offset, part.var_shape)


def number(value: Any, name: str) -> Any:
    """Return a setting of an optimizer, a number, tensor or function of nothing, as a tensor."""
    return framework.convert_to_tensor(value() if callable(value) else value, name=name)


def as_type_of(tensor: Any, var: Any) -> Any:
    """Return a setting in the type of a variable."""
    wanted = var.dtype.base_dtype
    return tensor if tensor.dtype.base_dtype == wanted else emit("Cast", [tensor], DstT=wanted)


def _as_list(value: Any) -> list[Any]:
    several = isinstance(value, Iterable) and not framework.is_tensor_like(value)
    return list(value) if several else [value]


def _trained_variables() -> list[Any]:
    return [v for v in variables.trainable_variables() if v.dtype.base_dtype.name in _FLOATING]


def _as_gradient(gradient: Any) -> Any:
    return None if gradient is None else convert_to_tensor_or_indexed_slices(gradient)
