"""Reads which GPU architectures a CUDA fat binary holds; no tool of the toolkit is needed.

A container holds entries of machine code (cubin) and PTX. Each entry names its architecture in its
header, which is never compressed. The driver is given the address of a container, whatever the
section table says of that place; so containers are looked for in all that is loaded.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_CONTAINER = struct.Struct("<IHHQ")  # magic, version, header size, size of the entries
_ENTRY = struct.Struct("<HHIQ")  # kind, version, header size, size of the content
_BEGIN = bytes.fromhex("50ed55ba0100")  # magic and version of a container
_ARCHITECTURE_AT = 28
_FLAGS_AT = 40
_LEAST_HEADER, _MOST_HEADER = _FLAGS_AT + 8, 1 << 16  # of an entry; CUDA's have about 100 bytes
_PTX, _CUBIN = 1, 2
_SPECIFIC = 0x100000  # sm_90a
_FAMILY = 0x200000  # sm_100f
_TEXT = b".text."


@dataclass(frozen=True, slots=True, kw_only=True)
class FatbinContainer:
    """One fat binary: the device code of one source file."""

    machine: frozenset[str]  # sm_90
    ptx: frozenset[str]  # compute_90
    has_kernels: bool  # False only where it is certain: the linker's stub has none


def find_fatbins(memory: bytes) -> Iterator[bytes]:
    """The containers in what is loaded, in order; ValueError where one is cut off.

    None may lie within another: which of the two is run would be the program's secret.
    """
    at, free = memory.find(_BEGIN), 0
    while at >= 0:
        if end := _end_of(memory, at):
            if at < free:
                raise ValueError("a fat binary lies within another")
            yield memory[at:end]
            free = end
        at = memory.find(_BEGIN, at + len(_BEGIN))


def read_fatbins(containers: Sequence[bytes]) -> tuple[FatbinContainer, ...]:
    """What they hold, in order; ValueError when an entry is cut off."""
    return tuple(_container(raw) for raw in containers)


def architectures(containers: Sequence[FatbinContainer]) -> tuple[str, ...]:
    """All architectures of all containers: sm_75, sm_90a, compute_90."""
    names = {name for container in containers for name in container.machine | container.ptx}
    return tuple(sorted(names, key=architecture_key))


def architecture_key(name: str) -> tuple[bool, int, str]:
    """What sorts machine code before PTX, and old before new."""
    kind, _, number = name.partition("_")
    digits = "".join(letter for letter in number if letter.isdigit())
    return kind != "sm", int(digits or 0), number


def _end_of(memory: bytes, at: int) -> int:
    """Where a container ends; 0 where what begins like one is none.

    Programs that write or compare such beginnings hold them as well, before other bytes: a
    container has a first entry.
    """
    if at + _CONTAINER.size > len(memory):
        return 0
    _, _, header, size = _CONTAINER.unpack_from(memory, at)
    if header < _CONTAINER.size or not _is_entry(memory, at + header):
        return 0
    end: int = at + header + size
    if end > len(memory):
        raise ValueError("a fat binary is cut off")
    return end


def _is_entry(memory: bytes, at: int) -> bool:
    """Whether an entry lies there that does not lead out of what is loaded."""
    if at + _ENTRY.size > len(memory):
        return False
    _, _, header, size = _ENTRY.unpack_from(memory, at)
    has_header: bool = _LEAST_HEADER <= header <= _MOST_HEADER
    return has_header and at + header + size <= len(memory)


def _container(raw: bytes) -> FatbinContainer:
    machine, ptx = set(), set()
    has_kernels = False
    position: int = _CONTAINER.unpack_from(raw)[2]
    while position + _ENTRY.size <= len(raw):
        kind, _, header, size = _ENTRY.unpack_from(raw, position)
        if header < _LEAST_HEADER or position + header + size > len(raw):
            raise ValueError("an entry of a fat binary is cut off")
        name = _name(raw, position)
        content = raw[position + header : position + header + size]
        if kind == _PTX:
            ptx.add(f"compute_{name}")
            has_kernels = True
        elif kind == _CUBIN:
            machine.add(f"sm_{name}")
            has_kernels = has_kernels or not content.startswith(b"\x7fELF") or _TEXT in content
        position += header + size
    return FatbinContainer(machine=frozenset(machine), ptx=frozenset(ptx), has_kernels=has_kernels)


def _name(raw: bytes, position: int) -> str:
    (number,) = struct.unpack_from("<I", raw, position + _ARCHITECTURE_AT)
    (flags,) = struct.unpack_from("<Q", raw, position + _FLAGS_AT)
    if flags & _SPECIFIC:
        return f"{number}a"
    return f"{number}f" if flags & _FAMILY else str(number)
