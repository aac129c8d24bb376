from tfbuild.core.reports import KernelCode
from tfbuild.reporting.kernels import kernel_table


def compiled(name: str, architecture: str, registers: int) -> KernelCode:
    return KernelCode(
        name=name, architecture=architecture, functions=4, registers=registers, stack=0,
        shared=1056, local=0, spills=0, divisions=0, tensor=0, wide=2,
    )  # fmt: skip


def test_a_line_for_each_kernel_from_least_to_most() -> None:
    heads, rows = kernel_table(
        [compiled("Sum", "sm_80", 26), compiled("Sum", "sm_90", 40), compiled("Fill", "sm_80", 8)]
    )
    assert rows == [
        ("Sum", "4", "26-40", "1056", "0", "0", "0", "0", "0", "2"),
        ("Fill", "4", "8", "1056", "0", "0", "0", "0", "0", "2"),
    ]
    assert {len(heads)} == {len(row) for row in rows}


def test_nothing_compiled_is_no_line() -> None:
    assert kernel_table([])[1] == []
