"""Kernels as they were compiled, as a table."""

from collections.abc import Sequence

from tfbuild.core.reports import KernelCode

_HEADS = (
    "kernel", "functions", "registers", "shared memory", "stack", "local memory", "spills",
    "64-bit division", "tensor cores", "16-byte access",
)  # fmt: skip


def kernel_table(kernels: Sequence[KernelCode]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A line for each kernel: what it takes on one architecture, or on all from least to most."""
    rows = []
    for name in dict.fromkeys(kernel.name for kernel in kernels):
        same = [kernel for kernel in kernels if kernel.name == name]
        counts = [
            (
                k.functions,
                k.registers,
                k.shared,
                k.stack,
                k.local,
                k.spills,
                k.divisions,
                k.tensor,
                k.wide,
            )
            for k in same
        ]
        rows.append((name, *(_span(numbers) for numbers in zip(*counts, strict=True))))
    return _HEADS, rows


def _span(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(most) if least == most else f"{least}-{most}"
