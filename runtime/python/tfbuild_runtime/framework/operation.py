"""The handles that a program holds of its graph: operations and the tensors they produce."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape

_PACKAGE = __name__.partition(".")[0]
# While an imported operation makes its tensors, which are the same for all threads.
_making_outputs = threading.RLock()


def find_definition() -> str:
    """Return the line of the user's program, outside this package, that adds an operation."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        if not frame.f_globals.get("__name__", "").startswith(_PACKAGE):
            break
        frame = frame.f_back
    # Operations of one line share its text.
    return sys.intern(f"{frame.f_code.co_filename}:{frame.f_lineno}")


class Operation:
    """One node of a graph; made by Graph.create_op."""

    __slots__ = ("__weakref__", "_context", "_control", "_graph", "_id", "_inputs", "_name",
                 "_type", "defined_at", "outputs")  # fmt: skip

    outputs: list[Tensor]

    def __init__(
        self,
        graph: Any,
        node: tuple[int, str, str, Sequence[tuple[int, bool]] | None],
        defined_at: str,
    ) -> None:
        self._graph = graph
        self._context: Any = None  # the branch or loop that it is in
        self._id, self._name, self._type, outputs = node
        self._inputs: tuple[Tensor, ...] | None = None
        self.defined_at = defined_at
        if outputs is not None:
            self.outputs = self._tensors(outputs)

    def _tensors(self, outputs: Sequence[tuple[int, bool]]) -> list[Tensor]:
        return [
            Tensor(self, index, dtypes.as_dtype(number + 100 if is_ref else number))
            for index, (number, is_ref) in enumerate(outputs)
        ]

    def __getattr__(self, name: str) -> Any:
        """Return the outputs when they are first asked for; few of an imported graph ever are."""
        if name != "outputs":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with _making_outputs:
            try:  # another thread may have come first
                return object.__getattribute__(self, name)
            except AttributeError:
                self.outputs = self._tensors(self._graph._native.outputs(self._id))
                return self.outputs

    @property
    def name(self) -> str:
        """The full name, unique in its graph."""
        return self._name

    @property
    def type(self) -> str:
        """The name of the op, such as MatMul."""
        return self._type

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._graph

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors that it reads."""
        if self._inputs is None:
            pairs = self._graph._native.inputs(self._id)
            self._inputs = tuple(self._graph._by_id[node].outputs[index] for node, index in pairs)
        return self._inputs

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must have run before."""
        return [self._graph._by_id[node] for node in self._graph._native.control_inputs(self._id)]

    @property
    def device(self) -> str:
        """The device that was asked for; empty for any."""
        return str(self._graph._native.device(self._id))

    @property
    def op_def(self) -> Any:
        """The definition of the op."""
        from tfbuild_runtime.framework import op_defs

        return op_defs.get(self._type)

    @property
    def node_def(self) -> Any:
        """The node as it is written into a GraphDef."""
        from tfbuild_runtime.framework import native
        from tfbuild_runtime.protos import messages

        data = native.node_to_node_def(self._graph._native, self._id)
        return messages.NodeDef.FromString(data)

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute; raises ValueError when there is none of that name."""
        from tfbuild_runtime.framework import attrs

        return attrs.read(self._graph._native.attr(self._id, name), self, name)

    def values(self) -> tuple[Tensor, ...]:
        """Return the outputs."""
        return tuple(self.outputs)

    def colocation_groups(self) -> list[bytes]:
        """Return the names of the groups that must lie on one device."""
        try:
            groups = self.get_attr("_class")
        except ValueError:
            groups = []
        return groups or [b"loc:@" + self._name.encode()]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run it in the given or the default session."""
        from tfbuild_runtime.framework import defaults

        defaults.session_for(session, self._graph, f"run {self._name!r}").run(self, feed_dict)

    def _add_control_input(self, op: Operation) -> None:
        self._graph._native.add_control_edge(op._id, self._id)

    def _add_control_inputs(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            self._add_control_input(op)

    def __str__(self) -> str:
        from tfbuild_runtime.protos import messages

        return messages.to_text(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation {self._name!r} type={self._type}>"


class Tensor:
    """One output of an operation: a value that exists while a session runs."""

    # A part of a variable has a function `assign`; see variables.py.
    __slots__ = ("__weakref__", "_dtype", "_op", "_value_index", "assign")
    __array_priority__ = 100  # NumPy leaves `array + tensor` to the tensor

    # Operators are added by operators.py and, for those that need whole families of ops, by ops/.
    __getitem__: Callable[..., Tensor]
    assign: Callable[..., Tensor]

    def __init__(self, op: Operation, value_index: int, dtype: dtypes.DType) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype

    @property
    def op(self) -> Operation:
        """The operation that produces it."""
        return self._op

    @property
    def value_index(self) -> int:
        """Which output of the operation it is."""
        return self._value_index

    @property
    def dtype(self) -> dtypes.DType:
        """The type of its elements."""
        return self._dtype

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._op._graph

    @property
    def name(self) -> str:
        """The name of the operation, a colon and the index."""
        return f"{self._op._name}:{self._value_index}"

    @property
    def device(self) -> str:
        """The device that was asked for its operation."""
        return self._op.device

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """What is known of the shape."""
        return tensor_shape.TensorShape(
            self._op._graph._native.shape(self._op._id, self._value_index), of=self
        )

    def get_shape(self) -> tensor_shape.TensorShape:
        """Return what is known of the shape."""
        return self.shape

    def _shape_as_list(self) -> list[int | None] | None:
        shape = self.shape
        return None if shape.rank is None else shape.as_list()

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of the shape; raises ValueError when it contradicts."""
        merged = self.shape.merge_with(shape)
        if merged.rank is not None:
            sizes = tuple(-1 if size is None else size for size in merged.as_list())
            self._op._graph._native.refine_shape(self._op._id, self._value_index, sizes)

    @property
    def ndim(self) -> int:
        """The number of dimensions; raises ValueError when it is not known."""
        return len(self.shape)

    def consumers(self) -> list[Operation]:
        """Return the operations that read it."""
        by_id = self.graph._by_id
        return [by_id[n] for n in self.graph._consumers(self._op._id, self._value_index)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Return its value, computed in the given or the default session."""
        from tfbuild_runtime.framework import defaults

        chosen = defaults.session_for(session, self.graph, f"evaluate {self.name!r}")
        return chosen.run(self, feed_dict)

    @staticmethod
    def _override_operator(name: str, function: Callable[..., Any]) -> None:
        """Make function the operator; used by the modules that know how to build it."""
        setattr(Tensor, name, function)

    def __iter__(self) -> Iterator[Tensor]:
        shape = self.shape
        if not shape or shape.rank == 0 or shape.as_list()[0] is None:
            from tfbuild_runtime.framework.shape_origin import why_unknown

            raise TypeError(f"cannot iterate over a tensor without a known size: "
                            f"{why_unknown(self)}")  # fmt: skip
        return (self[index] for index in range(shape.as_list()[0] or 0))

    def __len__(self) -> int:
        raise TypeError(f"len() is not known while the graph is built; use {self.name}.shape[0]")

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self.name} has no value while the graph is built, so it cannot decide an `if`; "
            "use tf.cond or session.run"
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"{self.name} has no value while the graph is built; session.run gives one"
        )

    def __copy__(self) -> Tensor:
        return self

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self._dtype.name}>"
