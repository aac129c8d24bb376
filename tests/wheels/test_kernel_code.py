"""Reading what the tools of a CUDA toolkit say.

The folder `kernel_code` holds what those of CUDA 13.2 said of kernels.cu, compiled by nvcc 13.0
with `-O3` for sm_80 and sm_90: `cuobjdump --dump-resource-usage kernels.o` and, for each cubin that
`cuobjdump --extract-elf all kernels.o` wrote, `nvdisasm -c`.
"""

from pathlib import Path

import pytest

from tfbuild.core.reports import KernelCode
from tfbuild.wheels.kernel_code import (
    Instructions,
    by_kernel,
    kernel_name,
    parse_instructions,
    parse_usage,
)

RECORDED = Path(__file__).parent / "kernel_code"


def recorded() -> tuple[KernelCode, ...]:
    counted: dict[tuple[str, str], Instructions] = {}
    for name in ("sm_80.txt", "sm_90.txt"):
        counted |= parse_instructions((RECORDED / name).read_text())
    return by_kernel(parse_usage((RECORDED / "usage.txt").read_text()), counted)


def row(name: str, architecture: str, **changes: int) -> KernelCode:
    numbers = dict.fromkeys(
        ("stack", "shared", "local", "spills", "divisions", "tensor", "wide"), 0
    )
    return KernelCode(
        name=name, architecture=architecture, **{"functions": 1, **numbers, **changes}
    )


def test_each_kernel_has_what_its_source_lets_expect() -> None:
    assert recorded() == (
        row("Copy", "sm_80", functions=2, registers=10, wide=1),
        row("Copy", "sm_90", functions=2, registers=12, wide=1),
        row("Divide", "sm_80", registers=26, divisions=1),
        row("Divide", "sm_90", registers=24, divisions=1),
        row("Local", "sm_80", registers=22, stack=64, local=66, spills=4),
        row("Local", "sm_90", registers=22, stack=64, local=66, spills=4),
        row("Product", "sm_80", registers=14, tensor=1),
        row("Product", "sm_90", registers=16, tensor=1),
        row("Shared", "sm_80", registers=10, shared=256),
        row("Shared", "sm_90", registers=10, shared=1280),
    )


def test_code_that_was_not_disassembled_counts_nothing() -> None:
    usage = parse_usage((RECORDED / "usage.txt").read_text())
    assert [kernel.local for kernel in by_kernel(usage, {})] == [0] * 10


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN6sample6SharedEPf", "Shared"),
        ("_ZN7tfbuild30_GLOBAL__N__a14e34d6_7_pool_cu10PoolKernelIfLb1EEEvv", "PoolKernel"),
        ("_ZN7tfbuild14UnaryMapKernelINS_7functor3CosENS_8BFloat16ES3_EEvllPKT0_PT1_",
         "UnaryMapKernel<Cos>"),
        ("_ZN7tfbuild13SoftmaxKernelINS_8BFloat16EEEvllibPKT_PS3_", "SoftmaxKernel"),
        ("_Z11ProbeKernelv", "ProbeKernel"),
        ("plain", "plain"),
    ],
)  # fmt: skip
def test_names(symbol: str, name: str) -> None:
    assert kernel_name(symbol) == name


def disassembled(*lines: str) -> str:
    return "\n".join(
        ["\t.target\tsm_90", '\t.section\t.text._Z1kv,"ax",@progbits', "_Z1kv:", *lines]
    )


def instruction(words: str, condition: str = "") -> str:
    return f"        /*0010*/             {condition:>5} {words} ;"


DIVIDES = "CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div_s64)"


def divisions(*lines: str) -> int:
    (found,) = parse_instructions(disassembled(*lines)).values()
    return found.divisions


def test_a_division_in_the_outer_loop_is_none_in_an_inner_one() -> None:
    outer = (".L_x_0:", instruction(DIVIDES), instruction("BRA `(.L_x_0)", "@P0"))
    assert divisions(*outer, instruction("EXIT")) == 0


def test_a_division_in_an_inner_loop() -> None:
    assert (
        divisions(
            ".L_x_0:",
            instruction("MOV R0, R1"),
            ".L_x_1:",
            instruction(DIVIDES),
            instruction("BRA P1, `(.L_x_1)"),
            instruction("BRA `(.L_x_0)", "@!P0"),
            instruction("EXIT"),
        )
        == 1
    )


def test_what_has_no_room_in_registers_is_distinguished_from_an_array() -> None:
    (found,) = parse_instructions(
        disassembled(
            instruction("STL [R1+0x18], R0"),
            instruction("LDL R3, [R18+-0x4]"),
            instruction("STL [R18], R0"),
            instruction("LDL R5, [R1]"),
            instruction("STL.64 [R1+0x8], R8"),
            instruction("LDL.LU.64 R4, [R1+0x8]"),
        )
    ).values()
    assert (found.local, found.spills) == (6, 1)


def test_two_loops_after_one_another_are_not_one_in_the_other() -> None:
    loop = [".L_x_0:", instruction(DIVIDES), instruction("BRA `(.L_x_0)", "@P0")]
    assert divisions(*loop, *(line.replace("x_0", "x_1") for line in loop)) == 0


def test_code_behind_a_way_out_is_no_part_of_the_loop_before_it() -> None:
    assert (
        divisions(
            ".L_x_0:",
            ".L_x_1:",
            instruction("BRA `(.L_x_1)", "@P1"),
            instruction("BRA `(.L_x_0)", "@P0"),
            instruction("EXIT"),
            instruction(DIVIDES),
        )
        == 0
    )
