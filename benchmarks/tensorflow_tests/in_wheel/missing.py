"""A name that the runtime does not have: it stands quietly until a test uses it."""

from __future__ import annotations

from typing import Any


class MissingName(Exception):
    """A test used a name of TensorFlow that the runtime does not have; its text is that name."""


class Loading:
    """Whether a test file is being loaded: its module-level code must not end the whole file."""

    active = False


class Missing:
    """Stands for a name that is not there: any use of it within a test says which name it is."""

    def __init__(self, name: str) -> None:
        self.__dict__["missing_name"] = name

    def _used(self, *arguments: Any, **named: Any) -> Any:
        if Loading.active:
            return Missing(self.missing_name)
        raise MissingName(self.missing_name)

    def __iter__(self) -> Any:
        return iter(()) if Loading.active else self._used()

    __call__ = __enter__ = __getitem__ = __instancecheck__ = __subclasscheck__ = _used
    __add__ = __sub__ = __mul__ = __or__ = __len__ = __int__ = __float__ = __index__ = _used

    def __exit__(self, *error: object) -> None:
        """Nothing was entered."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if Loading.active:
            return Missing(f"{self.missing_name}.{name}")
        raise MissingName(self.missing_name)

    def __repr__(self) -> str:
        return f"<missing {self.missing_name}>"

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """Let classes stand on it: tests of them, and what they make, name what is missing."""
        return (missing_base(self.missing_name),)


def missing_base(name: str) -> type:
    """Return a class whose instances, or whose tests, say that the named base is missing."""

    def refuse(self: Any, *arguments: Any, **named: Any) -> None:
        raise MissingName(name)

    if "Test" in name or "test" in name.rsplit(".", 1)[-1]:
        from test_case import TestCase

        return type("MissingBase", (TestCase,), {"setUp": refuse})
    return type("MissingBase", (), {"__init__": refuse})
