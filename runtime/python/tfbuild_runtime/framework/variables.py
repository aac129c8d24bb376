"""Variables: values that a session keeps from step to step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.framework import behavior, defaults, dtypes, operators, ops, tensor_shape
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.framework.scatter import Scattering, with_assign
from tfbuild_runtime.framework.shape_origin import why_unknown
from tfbuild_runtime.framework.variable_creators import MadeByCreators


class Variable(Scattering, metaclass=MadeByCreators):
    """A value that operations can change; made with its first value, set by its initializer.

    Operations reach it by a reference, or, where use_resource says so, by a handle: then it is a
    ResourceVariable.
    """

    takes_creators = True  # of variable_creator_scope; classes below this one do not ask again

    def __new__(cls, *_: Any, use_resource: bool | None = None, **__: Any) -> Any:
        """Return a variable of the kind that is asked for."""
        if cls is Variable and _wants_handle(use_resource):
            from tfbuild_runtime.framework.resource_variables import ResourceVariable

            return object.__new__(ResourceVariable)
        return object.__new__(cls)

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        use_resource: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        del caching_device, variable_def, import_scope, use_resource, synchronization, aggregation
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        self.trainable = trainable is None or trainable
        self.constraint = constraint
        self._validate_shape = validate_shape
        self._save_slice_info: Any = None
        self._graph = defaults.get_default_graph()
        wanted = expected_shape if shape is None else shape
        # The first value must not wait for anything that reads variables of this step.
        with self._graph.control_dependencies(None):
            self._build(initial_value, name or "Variable", dtype, wanted)
        self._join(collections)

    def _build(self, initial_value: Any, name: str, dtype: Any, shape: Any) -> None:
        with self._graph.name_scope(name) as scope:
            initial = self._first_value(initial_value, dtype)
            if self._validate_shape and not initial.shape.is_fully_defined() and shape is None:
                raise ValueError(
                    f"initial_value must have a shape specified: {why_unknown(initial)}; "
                    "give validate_shape=False for a shape that is not known"
                )
            known = initial.shape if self._validate_shape else tensor_shape.unknown_shape()
            known = known if shape is None else tensor_shape.as_shape(shape)
            self._initial_value = initial
            self._make(initial, known, scope)

    def _make(self, initial: Tensor, shape: Any, scope: str) -> None:
        """Add the operations that hold it, initialise it and read it."""
        attrs = {"shape": shape, "dtype": initial.dtype.base_dtype}
        self._op = ops.apply_op("VariableV2", (), attrs, scope)
        self._initializer = self._assign_op(initial)
        self._snapshot = self._read_op()

    def _first_value(self, initial_value: Any, dtype: Any) -> Tensor:
        if not callable(initial_value):
            return ops.convert_to_tensor(initial_value, dtype=dtype, name="initial_value")
        with self._graph.name_scope("Initializer"):
            return ops.convert_to_tensor(initial_value(), dtype=dtype, name="initial_value")

    def _assign_op(self, value: Tensor) -> Operation:
        attrs = {"validate_shape": self._validate_shape, "_class": self._location()}
        return ops.apply_op("Assign", [self._ref(), value], attrs, "Assign")

    def _read_op(self) -> Tensor:
        attrs = {"_class": self._location()}
        return ops.apply_op("Identity", [self._ref()], attrs, "read").outputs[0]

    def _location(self) -> list[bytes]:
        return [b"loc:@" + self._op.name.encode()]

    def _join(self, collections: Any) -> None:
        names = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self.trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
            names.append(GraphKeys.TRAINABLE_VARIABLES)
        self._graph.add_to_collections(names, self)

    # ---- what it is -------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of its tensor, which ends in :0."""
        return f"{self._op.name}:0"

    @property
    def _shared_name(self) -> str:
        return self._op.name

    @property
    def op(self) -> Operation:
        """The operation that holds it."""
        return self._op

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._graph

    @property
    def dtype(self) -> dtypes.DType:
        """The type of its elements, as a reference."""
        return self._op.outputs[0].dtype

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """What is known of its shape."""
        return self._op.outputs[0].shape

    def get_shape(self) -> tensor_shape.TensorShape:
        """Return what is known of its shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Add to what is known of its shape."""
        self._ref().set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def device(self) -> str:
        """The device that was asked for."""
        return self._op.device

    @property
    def initializer(self) -> Operation:
        """The operation that sets it to its first value."""
        return self._initializer

    @property
    def initial_value(self) -> Tensor:
        """The tensor with its first value."""
        return self._initial_value

    def initialized_value(self) -> Tensor:
        """Return its first value, for making other variables from it before it is initialised.

        Variables that are made from one another get the value that the initializer computes.
        """
        return self._initial_value

    def value(self) -> Tensor:
        """Return a tensor with the value as it is when something reads it."""
        return self._snapshot

    def read_value(self) -> Tensor:
        """Return a new tensor with the value, read after the current control dependencies."""
        return ops.apply_op("Identity", [self._ref()]).outputs[0]

    def _ref(self) -> Tensor:
        return self._op.outputs[0]

    def _to_tensor(self, as_ref: bool) -> Tensor:
        return self._ref() if as_ref else self._snapshot

    def _as_graph_element(self) -> Tensor:
        return self._ref()

    # ---- what it can do ---------------------------------------------------------------------

    def eval(self, session: Any = None) -> Any:
        """Return its value in the given or the default session."""
        return self._snapshot.eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Set it to an array in the given or the default session."""
        chosen = defaults.session_for(session, self._graph, f"load {self.name!r}")
        chosen.run(self._initializer, {self._initializer.inputs[1]: value})

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Return an operation that sets it; its tensor has the value after that."""
        op = assign(self, value, use_locking=use_locking, name=name)
        return op if read_value else op.op

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Return an operation that adds to it; its tensor has the value after that."""
        op = assign_add(self, delta, use_locking=use_locking, name=name)
        return op if read_value else op.op

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Return an operation that subtracts from it; its tensor has the value after that."""
        op = assign_sub(self, delta, use_locking=use_locking, name=name)
        return op if read_value else op.op

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the names of its operations as a VariableDef; None outside of the scope."""
        from tfbuild_runtime.train.variable_def import to_variable_def

        return to_variable_def(self, f"{export_scope}/" if export_scope else "")

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Variable:
        """Return the variable of the default graph whose operations a VariableDef names."""
        from tfbuild_runtime.train.variable_def import from_variable_def

        return from_variable_def(variable_def, f"{import_scope}/" if import_scope else "")  # type: ignore[no-any-return]

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    def __getitem__(self, key: Any) -> Tensor:
        return with_assign(self, self._snapshot[key])

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self._snapshot.__array__()

    __array_priority__ = 100

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


for _name, _method in operators.operators().items():
    setattr(Variable, _name, _method)

VariableV1 = Variable
RefVariable = Variable


def _wants_handle(use_resource: bool | None) -> bool:
    """Whether a new variable is behind a handle: as asked for, else as its scope says, else as the
    program does.
    """
    if use_resource is None:
        store = defaults.get_default_graph()._scratch.get("variable_store")
        use_resource = None if store is None else store.scope.use_resource
    return behavior.resource_variables_enabled() if use_resource is None else bool(use_resource)


def _is_handled(variable: Any) -> bool:
    return hasattr(variable, "handle")


def _update(op_type: str, ref: Any, value: Any, name: str | None, **attrs: Any) -> Tensor:
    return ops.apply_op(op_type, [ref, value], attrs, name or op_type).outputs[0]


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Return a tensor that sets a variable and then has its value."""
    if _is_handled(ref):
        return ref.assign(value, name=name)  # type: ignore[no-any-return]
    return _update("Assign", ref, value, name, validate_shape=validate_shape,
                   use_locking=use_locking)  # fmt: skip


def assign_add(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor that adds to a variable and then has its value."""
    if _is_handled(ref):
        return ref.assign_add(value, name=name)  # type: ignore[no-any-return]
    return _update("AssignAdd", ref, value, name, use_locking=use_locking)


def assign_sub(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor that subtracts from a variable and then has its value."""
    if _is_handled(ref):
        return ref.assign_sub(value, name=name)  # type: ignore[no-any-return]
    return _update("AssignSub", ref, value, name, use_locking=use_locking)


def _collection(key: str) -> Callable[..., list[Any]]:
    def read(scope: str | None = None) -> list[Any]:
        return ops.get_collection(key, scope)

    read.__doc__ = f"Return the variables in the collection {key!r}."
    return read


global_variables = _collection(GraphKeys.GLOBAL_VARIABLES)
local_variables = _collection(GraphKeys.LOCAL_VARIABLES)
model_variables = _collection(GraphKeys.MODEL_VARIABLES)
trainable_variables = _collection(GraphKeys.TRAINABLE_VARIABLES)
moving_average_variables = _collection(GraphKeys.MOVING_AVERAGE_VARIABLES)
all_variables = global_variables


def variables_initializer(var_list: Sequence[Any], name: str = "init") -> Operation:
    """Return an operation that sets the variables to their first values."""
    if not var_list:
        return ops.apply_op("NoOp", (), name=name)
    return ops.group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Operation:
    """Return an operation that sets all global variables to their first values."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """Return an operation that sets all local variables to their first values."""
    return variables_initializer(local_variables())


def initialize_all_variables() -> Operation:
    """Return global_variables_initializer(), whose older name this is."""
    return global_variables_initializer()


def is_variable_initialized(variable: Any) -> Tensor:
    """Return a bool tensor: whether the variable has a value."""
    if _is_handled(variable):
        return variable.is_initialized()  # type: ignore[no-any-return]
    return ops.apply_op("IsVariableInitialized", [variable]).outputs[0]


def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Any:
    """Return a tensor with the names of the variables that have no value yet."""
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    with ops.name_scope(name):
        if not variables:
            return ops.constant([], dtypes.string)
        names = ops.constant([variable.op.name for variable in variables])
        flags = ops.convert_to_tensor([is_variable_initialized(v) for v in variables])
        missing = ops.apply_op("LogicalNot", [flags]).outputs[0]
        places = ops.apply_op("Where", [missing]).outputs[0]
        flat = ops.apply_op("Squeeze", [places], {"squeeze_dims": [1]}).outputs[0]
        return ops.apply_op("GatherV2", [names, flat, 0]).outputs[0]
