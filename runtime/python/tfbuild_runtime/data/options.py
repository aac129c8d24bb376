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

    def merge(self, other: Options) -> Options:
        """Return these wishes and the other ones, which go before."""
        merged = Options()
        merged._values.update(self._values)
        merged._values.update(other._values)
        return merged
