"""The session in which Keras keeps values of variables, and those values as arrays."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbuild_runtime.framework import defaults
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.session import Session
from tfbuild_runtime.framework.variables import variables_initializer


class _Own(threading.local):
    """The session that Keras opened or was given."""

    def __init__(self) -> None:
        self.session: Any = None
        self.ready: set[Any] = set()  # variables that are known to have a value


_own = _Own()


def set_session(session: Any) -> None:
    """Let Keras keep its values in that session."""
    _own.session = session
    _own.ready = set()


def get_session(op_input_list: Sequence[Any] = ()) -> Any:
    """Return the default session, or Keras' own one; variables without a value get their first."""
    del op_input_list
    graph = framework.get_default_graph()
    session = defaults.get_default_session()
    if session is None:
        if _own.session is None or (_own.session.graph is not graph):
            set_session(Session(graph=graph))
        session = _own.session
    with session.graph.as_default():
        _initialize(session)
    return session


def _initialize(session: Any) -> None:
    """Give variables that have no value their first one."""
    every = session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    new = [v for v in every if (session, v) not in _own.ready]
    if not new:
        return
    scratch = session.graph._scratch.setdefault("keras_initialized", {})
    for variable in new:
        if variable not in scratch:
            scratch[variable] = _asks(variable)
    have = session.run([scratch[variable] for variable in new])
    missing = [variable for variable, there in zip(new, have) if not there]
    if missing:
        session.run(variables_initializer(missing))
    _own.ready.update((session, variable) for variable in new)


def _asks(variable: Any) -> Any:
    if hasattr(variable, "is_initialized"):
        return variable.is_initialized()
    return framework.apply_op("IsVariableInitialized", [variable._ref()]).outputs[0]


def clear_session() -> None:
    """Forget the default graph and Keras' session."""
    from tfbuild_runtime.framework.defaults import reset_default_graph

    if _own.session is not None:
        _own.session.close()
    set_session(None)
    reset_default_graph()


def get_values(variables: Sequence[Any]) -> list[Any]:
    """Return the values of the variables, as arrays."""
    return list(get_session().run(list(variables))) if variables else []


def set_values(variables: Sequence[Any], values: Sequence[Any]) -> None:
    """Set the variables; raises ValueError where number or shapes do not fit."""
    if len(variables) != len(values):
        raise ValueError(f"{len(variables)} variables need as many weights, not {len(values)}")
    session = get_session()
    for variable, value in zip(variables, values):
        shape = tuple(variable.get_shape().as_list())
        if shape != np.shape(value):
            raise ValueError(f"variable {variable.name} has shape {shape}, and the weight given "
                             f"{np.shape(value)}")  # fmt: skip
        variable.load(value, session)
