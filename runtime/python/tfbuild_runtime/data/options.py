"""What programs wish of a dataset. All wishes are kept; none changes the elements."""

from __future__ import annotations

from typing import Any


class Options:
    """Named wishes, some of them in groups: options.experimental_threading.max_intra_op_..."""

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        is_group = name in ("threading", "experimental_threading", "autotune", "distribute",
                            "experimental_distribute", "experimental_optimization")  # fmt: skip
        if is_group and name not in self._values:
            self._values[name] = Options()
        return self._values.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._values[name] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(frozenset(self._told()))

    def _told(self) -> dict[str, Any]:
        """Return the wishes that say something: a group of none is none."""
        return {
            name: value for name, value in self._values.items()
            if value is not None and not (isinstance(value, Options) and not value._told())
        }  # fmt: skip

    def merge(self, other: Options) -> Options:
        """Return these wishes and the other ones, which go before."""
        merged = Options()
        merged._values.update(self._values)
        merged._values.update(other._values)
        return merged
