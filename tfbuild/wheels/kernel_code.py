"""What a CUDA compiler made of each kernel, as the toolkit's own tools show it.

`cuobjdump --dump-resource-usage` shows registers and memory, `nvdisasm -c` the instructions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tfbuild.core.reports import KernelCode
from tfbuild.wheels.loops import loop_depths

_ARCHITECTURE = re.compile(r"arch = (sm_\w+)")
_TARGET = re.compile(r"\s*\.target\s+(sm_\w+)")
_USAGE = re.compile(r"\s*Function (\S+):$")
_AMOUNT = re.compile(r"(REG|STACK|SHARED):(\d+)")
_SECTION = re.compile(r'\s*\.section\s+"?(?:\.text\.([^",]+))?')
_LABEL = re.compile(r"([.$\w]+):$")
_INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][A-Z0-9_.]*)(.*)")
_JUMP_TO = re.compile(r"`\(([^)]+)\)")
_OF_OPERAND = re.compile(r"\s+!?U?P\d")
_NAME_PART = re.compile(r"(\d+)")
_CLASS_ARGUMENT = re.compile(r"IN(?:S\d*_)?")  # of a template, the first one
_TYPES = ("Half", "BFloat16")

_TENSOR = re.compile(r"[A-Z]*MMA\b")
_WIDE = re.compile(r"(LDG|STG|LD|ST)\.\S*128\b")
_LOCAL = ("LDL", "STL")
# A register for which there was no room goes to one fixed place of the stack, and comes from there;
# of an array at least one of the two is found by a register.
_FIXED = re.compile(r".*\[(R1(?:\+-?0x[0-9a-f]+)?)\]")
_DIVISIONS = re.compile(r"__cuda_sm\d+_(div|rem)_[su]64")
_LEAVES = ("BRA", "EXIT", "RET", "BRX", "JMX", "KILL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one function takes: registers of a thread, bytes of its stack and of a block."""

    registers: int
    stack: int
    shared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What was counted among the instructions of one function."""

    local: int  # loads and stores of local memory
    spills: int  # of those, loads of registers that had been stored for want of room
    divisions: int  # of 64 bits, in a loop within a loop
    tensor: int  # of tensor cores
    wide: int  # loads and stores of 16 bytes


def parse_usage(text: str) -> dict[tuple[str, str], Usage]:
    """The functions by architecture and symbol."""
    found: dict[tuple[str, str], Usage] = {}
    architecture = symbol = ""
    for line in text.splitlines():
        if named := _ARCHITECTURE.match(line):
            architecture = named[1]
        elif named := _USAGE.match(line):
            symbol = named[1]
        elif symbol and (amounts := dict(_AMOUNT.findall(line))):
            registers, stack, shared = (int(amounts.get(k, 0)) for k in ("REG", "STACK", "SHARED"))
            usage = Usage(registers=registers, stack=stack, shared=shared)
            found[architecture, symbol] = usage
            symbol = ""
    return found


def parse_instructions(text: str) -> dict[tuple[str, str], Instructions]:
    """The functions of one file of machine code, by architecture and symbol."""
    found, symbol, architecture = {}, "", ""
    lines: list[str] = []
    for line in [*text.splitlines(), '\t.section\t".text."']:
        if ".target" in line and (named := _TARGET.match(line)):
            architecture = named[1]
        if ".section" in line and (named := _SECTION.match(line)):
            if symbol:
                found[architecture, symbol] = _count(lines)
            symbol, lines = named[1] or "", []
        elif symbol:
            lines.append(line)
    return found


def by_kernel(
    usages: dict[tuple[str, str], Usage], counted: dict[tuple[str, str], Instructions]
) -> tuple[KernelCode, ...]:
    """One row for each kernel of the source and each architecture: the worst of its functions."""
    groups: dict[tuple[str, str], list[tuple[Usage, Instructions]]] = defaultdict(list)
    nothing = Instructions(local=0, spills=0, divisions=0, tensor=0, wide=0)
    for (architecture, symbol), usage in usages.items():
        found = counted.get((architecture, symbol), nothing)
        groups[kernel_name(symbol), architecture].append((usage, found))
    return tuple(
        KernelCode(
            name=name,
            architecture=architecture,
            functions=len(pairs),
            registers=max(usage.registers for usage, _ in pairs),
            stack=max(usage.stack for usage, _ in pairs),
            shared=max(usage.shared for usage, _ in pairs),
            local=max(found.local for _, found in pairs),
            spills=max(found.spills for _, found in pairs),
            divisions=max(found.divisions for _, found in pairs),
            tensor=sum(found.tensor > 0 for _, found in pairs),
            wide=sum(found.wide > 0 for _, found in pairs),
        )
        for (name, architecture), pairs in sorted(
            groups.items(), key=lambda group: _order(group[0])
        )
    )


def _order(key: tuple[str, str]) -> tuple[str, int, str]:
    name, architecture = key
    digits = re.sub(r"\D", "", architecture)
    return name, int(digits or 0), architecture


def kernel_name(symbol: str) -> str:
    """What the source calls the function, without its namespaces and types.

    Of kernels made of formulas the formula is part of the name: UnaryMapKernel<Cos>.
    """
    rest = symbol.removeprefix("_Z")
    if rest == symbol:
        return symbol
    name, rest = _last_part(rest.removeprefix("N"))
    formula = ""
    if first := _CLASS_ARGUMENT.match(rest):
        formula, _ = _last_part(rest[first.end() :])
    return f"{name}<{formula}>" if formula and formula not in _TYPES else name or symbol


def _last_part(text: str) -> tuple[str, str]:
    """The last of the names, each behind its length, that the text begins with; and the rest."""
    name = ""
    while number := _NAME_PART.match(text):
        end = number.end() + int(number[1])
        name, text = text[number.end() : end], text[end:]
    return name, text


def _count(lines: Sequence[str]) -> Instructions:
    """Count the instructions of a function; those that it calls stand behind it."""
    blocks, edges = _blocks(lines)
    depths = loop_depths(edges)
    words = [(depths[at], word, rest) for at, block in enumerate(blocks) for word, rest in block]
    kinds = [word for _, word, _ in words]
    fixed = [
        (word, found[1])
        for _, word, rest in words
        if word.startswith(_LOCAL) and (found := _FIXED.match(rest))
    ]
    stored = {place for word, place in fixed if word.startswith("STL")}
    return Instructions(
        local=sum(word.startswith(_LOCAL) for word in kinds),
        spills=sum(word.startswith("LDL") and place in stored for word, place in fixed),
        divisions=sum(
            depth > 1 and word.startswith("CALL") and _DIVISIONS.search(rest) is not None
            for depth, word, rest in words
        ),
        tensor=sum(_TENSOR.match(word) is not None for word in kinds),
        wide=sum(_WIDE.match(word) is not None for word in kinds),
    )


def _blocks(
    lines: Iterable[str],
) -> tuple[list[list[tuple[str, str]]], list[list[int]]]:
    """Runs of instructions that are entered at their beginning, and where each may go on."""
    blocks: list[list[tuple[str, str]]] = [[]]
    leaves: list[tuple[list[str], bool]] = [([], True)]  # labels, whether the next block may follow
    places: dict[str, int] = {}
    for kind, label, rest in _events(lines):
        if kind == "label":
            if blocks[-1]:
                blocks.append([])
                leaves.append(([], True))
            places[label] = len(blocks) - 1
            continue
        blocks[-1].append((label, rest))
        if not label.startswith(_LEAVES):
            continue
        if label.startswith("BRA") and (target := _JUMP_TO.search(rest)):
            leaves[-1][0].append(target[1])
        leaves[-1] = (leaves[-1][0], kind == "conditional")
        blocks.append([])
        leaves.append(([], True))
    edges = []
    for at, (labels, goes_on) in enumerate(leaves):
        following = [places[label] for label in labels if label in places]
        edges.append(following + ([at + 1] if goes_on and at + 1 < len(blocks) else []))
    return blocks, edges


def _events(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Labels and instructions: what it is, its word, the rest of the line."""
    for line in lines:
        if label := _LABEL.match(line):
            yield "label", label[1], ""
        elif found := _INSTRUCTION.match(line):
            condition, word, rest = found.groups()
            # A branch may have its condition among its operands: BRA P0, `(.L_x_1)
            depends = condition or _OF_OPERAND.match(rest)
            yield "conditional" if depends else "plain", word, rest
