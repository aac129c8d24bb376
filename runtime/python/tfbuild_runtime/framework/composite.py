"""What stands for several tensors, and is fetched and fed as one."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework.operation import Tensor


class CompositeTensor:
    """The base of classes whose objects are made of tensors."""

    def parts(self) -> tuple[Tensor, ...]:
        """Return the tensors that it is made of."""
        raise NotImplementedError

    def with_parts(self, parts: Any) -> CompositeTensor:
        """Return one like it that is made of other tensors."""
        raise NotImplementedError

    def shapes_of_parts(self, invariant: Any) -> list[Any]:
        """Return the shapes that its parts keep in a loop; `invariant` is its own."""
        raise NotImplementedError

    def value_of(self, arrays: list[Any]) -> Any:
        """Return what a session gives for it, of the values of its parts."""
        raise NotImplementedError

    def arrays_of(self, value: Any) -> tuple[Any, ...]:
        """Return the values of its parts out of what is fed; raises ValueError if it is none."""
        raise NotImplementedError
