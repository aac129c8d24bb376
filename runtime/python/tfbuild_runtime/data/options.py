"""What programs ask of a dataset. All options are kept; none changes the elements."""

from __future__ import annotations

from typing import Any


class Options:
    """Named options, some of them in groups: options.experimental_threading.max_intra_op_..."""

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
        return isinstance(other, Options) and self._given_values() == other._given_values()

    def __hash__(self) -> int:
        return hash(frozenset(self._given_values()))

    def _given_values(self) -> dict[str, Any]:
        """Return the options that say something: a group of none is none."""
        return {
            name: value for name, value in self._values.items()
            if value is not None and not (isinstance(value, Options) and not value._given_values())
        }  # fmt: skip

    def merge(self, other: Options) -> Options:
        """Return these options and the other ones, which go before."""
        merged = Options()
        merged._values.update(self._values)
        merged._values.update(other._values)
        return merged
