"""Reads which GPU architectures a CUDA fat binary holds; no tool of the toolkit is needed.

A section holds containers; a container holds entries of machine code (cubin) and PTX. Each entry
names its architecture in its header, which is never compressed.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_CONTAINER = struct.Struct("<IHHQ")  # magic, version, header size, size of the entries
_ENTRY = struct.Struct("<HHIQ")  # kind, version, header size, size of the content
_MAGIC = 0xBA55ED50
_ARCHITECTURE_AT = 28
_FLAGS_AT = 40
_PTX, _CUBIN = 1, 2
_SPECIFIC = 0x100000  # sm_90a
_FAMILY = 0x200000  # sm_100f
_ALIGNMENT = 8
_TEXT = b".text."


@dataclass(frozen=True, slots=True, kw_only=True)
class FatbinContainer:
    """One fat binary: the device code of one source file."""

    machine: frozenset[str]  # sm_90
    ptx: frozenset[str]  # compute_90
    has_kernels: bool  # False only where it is certain: the linker's stub has none


def read_fatbins(sections: Sequence[bytes]) -> tuple[FatbinContainer, ...]:
    """The containers in order; ValueError when a section is cut off."""
    return tuple(container for section in sections for container in _containers(section))


def architectures(containers: Sequence[FatbinContainer]) -> tuple[str, ...]:
    """All architectures of all containers: sm_75, sm_90a, compute_90."""
    names = {name for container in containers for name in container.machine | container.ptx}
    return tuple(sorted(names, key=architecture_key))


def architecture_key(name: str) -> tuple[bool, int, str]:
    """What sorts machine code before PTX, and old before new."""
    kind, _, number = name.partition("_")
    digits = "".join(letter for letter in number if letter.isdigit())
    return kind != "sm", int(digits or 0), number


def _containers(section: bytes) -> Iterator[FatbinContainer]:
    position = 0
    while position + _CONTAINER.size <= len(section):
        magic, _, header, size = _CONTAINER.unpack_from(section, position)
        if magic != _MAGIC:  # padding between containers
            position += _ALIGNMENT
            continue
        start, end = position + header, position + header + size
        if header < _CONTAINER.size or end > len(section):
            raise ValueError("a fat binary is cut off")
        yield _container(section, start, end)
        position = -(-end // _ALIGNMENT) * _ALIGNMENT


def _container(section: bytes, position: int, end: int) -> FatbinContainer:
    machine, ptx = set(), set()
    has_kernels = False
    while position + _ENTRY.size <= end:
        kind, _, header, size = _ENTRY.unpack_from(section, position)
        if header < _FLAGS_AT + 8 or position + header + size > end:
            raise ValueError("an entry of a fat binary is cut off")
        name = _name(section, position)
        content = section[position + header : position + header + size]
        if kind == _PTX:
            ptx.add(f"compute_{name}")
            has_kernels = True
        elif kind == _CUBIN:
            machine.add(f"sm_{name}")
            has_kernels = has_kernels or not content.startswith(b"\x7fELF") or _TEXT in content
        position += header + size
    return FatbinContainer(machine=frozenset(machine), ptx=frozenset(ptx), has_kernels=has_kernels)


def _name(section: bytes, position: int) -> str:
    (number,) = struct.unpack_from("<I", section, position + _ARCHITECTURE_AT)
    (flags,) = struct.unpack_from("<Q", section, position + _FLAGS_AT)
    if flags & _SPECIFIC:
        return f"{number}a"
    return f"{number}f" if flags & _FAMILY else str(number)
