"""The adapter for iced-x86: which CPU level the machine code of a library needs.

Every instruction is decoded in a row, and anew from each start of a function that is known: zeros
in front of it would swallow its first bytes. Code that repeats itself is decoded once: it packs so
well that a small wheel can hold hours of it. Whether the code that needs more is reached only after
the processor was asked cannot be read from it; that it asks can.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any

from tfbuild.wheels.elf import CodeSection

_LONGEST = 15  # bytes of an instruction
_RUN = 4096  # bytes that are decoded at once
_FARTHEST = 1 << 15  # how far apart what repeats itself lies in a zip file at most
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "beyond x86-64-v4")
_BASE = frozenset(
    {
        "INTEL8086",
        "INTEL8086_ONLY",
        "INTEL186",
        "INTEL286",
        "INTEL286_ONLY",
        "INTEL386",
        "INTEL386_ONLY",
        "INTEL486",
        "X64",
        "FPU",
        "FPU287",
        "FPU387",
        "FPU387SL_ONLY",
        "MMX",
        "CMOV",
        "SSE",
        "SSE2",
        "CPUID",
        "CX8",
        "FXSR",
        "MULTIBYTENOP",
        "PAUSE",
        "TSC",
        "CET_IBT",
        "CET_SS",
        "SYSCALL",
        "MSR",
        "CLFSH",
        "PREFETCHW",
        "NOP",
        "SYSENTER",
        "RDPMC",
        "UDX86",
        "HLE_OR_RTM",
        "HLE",
    }
)
_LEVEL_2 = frozenset({"CMPXCHG16B", "POPCNT", "SSE3", "SSSE3", "SSE4_1", "SSE4_2"})
_LEVEL_3 = frozenset({"AVX", "AVX2", "BMI1", "BMI2", "F16C", "FMA", "LZCNT", "MOVBE", "OSFXSR"})
_LEVEL_4 = frozenset({"AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL"})
# The compiler writes these for every processor: old ones read them as BSF, or as no operation.
_HARMLESS_MNEMONICS = ("TZCNT", "ENDBR64", "RDSSPQ", "RDSSPD")
# Reading state, random numbers and cache hints: no arithmetic that a level would be made of.
_NEUTRAL = frozenset(
    {
        "RDTSCP",
        "XSAVE",
        "RDRAND",
        "RDSEED",
        "CLFLUSHOPT",
        "CLWB",
        "RDPID",
        "PTWRITE",
        "WBNOINVD",
        "SERIALIZE",
        "RTM",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuUse:
    """What the machine code of one library needs at most, and whether it asks the processor."""

    level: str
    features: tuple[str, ...]  # those above x86-64
    instructions: int
    asks_processor: bool
    first_address: int = 0  # of the first instruction of the highest level


@dataclass(frozen=True, slots=True)
class _Run:
    """What became of one piece of code."""

    instructions: int
    length: int


def read_cpu_use(sections: Sequence[CodeSection]) -> CpuUse:
    """The highest level among all instructions."""
    codes: dict[int, int] = {}
    known: dict[object, _Run] = {}
    total = sum(_decode(section, codes, known) for section in sections)
    found: dict[str, int] = {}
    for code, address in codes.items():
        for feature in _features(code):
            found[feature] = min(found.get(feature, address), address)
    above = {feature: address for feature, address in found.items() if rank(feature) > 0}
    top = max((rank(feature) for feature in above), default=0)
    return CpuUse(
        level=LEVELS[top],
        features=tuple(sorted(above)),
        instructions=total,
        asks_processor="CPUID" in found,
        first_address=min((a for f, a in above.items() if rank(f) == top), default=0),
    )


def rank(feature: str) -> int:
    """The place of a feature's level in LEVELS."""
    if feature in _BASE or feature in _NEUTRAL:
        return 0
    for place, features in enumerate((_LEVEL_2, _LEVEL_3, _LEVEL_4), 1):
        if feature in features:
            return place
    return len(LEVELS) - 1


def _decode(section: CodeSection, codes: dict[int, int], known: dict[object, _Run]) -> int:
    """Note the first address of each kind of instruction; how many instructions there are."""
    end = section.address + len(section.code)
    begins = sorted({section.address, *section.starts})
    count = 0
    for begin, until in zip(begins, [*begins[1:], end], strict=True):
        part = section.code[begin - section.address : until - section.address]
        at = 0
        while at < len(part):
            size = _distance(part, at)
            piece = part[at : at + size + _LONGEST]
            key = blake2b(piece, digest_size=16).digest(), size
            if key not in known:
                known[key] = _decode_run(piece, size, begin + at, codes)
            count += known[key].instructions
            at += known[key].length
    return count


def _distance(code: bytes, at: int) -> int:
    """How much to decode at once: up to where the same code seems to begin once more."""
    again = code.find(code[at : at + _LONGEST], at + _RUN, at + _RUN + _FARTHEST)
    return _RUN if again < 0 else again - at


def _decode_run(code: bytes, size: int, address: int, codes: dict[int, int]) -> _Run:
    """Decode until that many bytes are behind; the last instruction may reach farther."""
    from iced_x86 import Decoder, Instruction

    decoder, instruction = Decoder(64, code, ip=address), Instruction()
    size = min(size, len(code))
    count = 0
    while decoder.position < size:
        decoder.decode_out(instruction)
        count += 1
        if instruction.code not in codes:
            codes[instruction.code] = instruction.ip
    return _Run(instructions=count, length=decoder.position)


@cache
def _features(code: int) -> tuple[str, ...]:
    from iced_x86 import CpuidFeature, Instruction, OpCodeInfo

    # The package types its enumerations as classes, but hands out plain numbers.
    kind: Any = code
    if _mnemonics()[OpCodeInfo(kind).mnemonic] in _HARMLESS_MNEMONICS:
        return ()
    instruction = Instruction()
    instruction.code = kind
    names = _names(CpuidFeature)
    return tuple(names[feature] for feature in instruction.cpuid_features())


@cache
def _mnemonics() -> dict[int, str]:
    from iced_x86 import Mnemonic

    return _names(Mnemonic)


@cache
def _names(kind: object) -> dict[int, str]:
    return {value: name for name, value in vars(kind).items() if isinstance(value, int)}
