"""make_template: a function whose variables are made by its first call and shared by all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops.variable_scope import variable_scope


class Template:
    """A function with variables of its own."""

    def __init__(self, name: str, func: Callable[..., Any], unique_name: str | None = None,
                 custom_getter: Any = None, **kwargs: Any) -> None:  # fmt: skip
        self._func = func
        self._arguments = kwargs
        self._name = name
        self._unique_name = unique_name
        self._getter = custom_getter
        self._scope: Any = None
        self._called = False

    def _new_scope(self, **how: Any) -> Any:
        chosen, default = self._unique_name, None if self._unique_name else self._name
        return variable_scope(chosen, default, custom_getter=self._getter, **how)

    def _make_scope(self) -> None:
        """Make the scope of the variables; operations of calls have name scopes of their own."""
        with self._new_scope(auxiliary_name_scope=False) as scope:
            self._scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function gives."""
        is_new = self._scope is None
        entered = self._new_scope() if is_new else variable_scope(self._scope, reuse=self._called)
        with entered as scope:
            self._scope = scope if is_new else self._scope
            result = self._func(*args, **{**self._arguments, **kwargs})
        self._called = True
        return result

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> Any:
        """The scope of its variables; None before the first call when that is to make it."""
        return self._scope

    @property
    def var_scope(self) -> Any:
        """The scope of its variables."""
        return self.variable_scope

    def _of(self, collection: str) -> list[Any]:
        if self._scope is None:
            return []
        return framework.get_collection(collection, f"{self._scope.name}/")

    @property
    def variables(self) -> list[Any]:
        """Its variables."""
        return self._of(GraphKeys.GLOBAL_VARIABLES)

    global_variables = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of its variables that are trained."""
        return self._of(GraphKeys.TRAINABLE_VARIABLES)


def make_template(name_: str, func_: Callable[..., Any], create_scope_now_: bool = False,
                  unique_name_: str | None = None, custom_getter_: Any = None,
                  **kwargs: Any) -> Template:  # fmt: skip
    """Return func_ as a template: its calls share the variables that get_variable makes in it."""
    template = Template(name_, func_, unique_name_, custom_getter_, **kwargs)
    if create_scope_now_:
        template._make_scope()
    return template
