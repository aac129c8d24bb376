"""Names as people say them: `RTX 3090`, `debian:bookworm`, `py311`, `linux/amd64`."""

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import did_you_mean, nearest
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rows import GpuRow
from tfbuild.facts.rules import Facts

_CUDA = re.compile(r"cu(9|[1-8]\d)(\d)?$")
# The years of Visual Studio, by the number of its compiler: 19.28 is that of 2019.
_YEARS = {"0": "2015", "1": "2017", "2": "2019", "3": "2022", "4": "2022"}
_LONGEST = 200  # letters of the name of a GPU
_TYPO = 0.85  # how like a known system a word is that was meant to be it


def read_spec(axis: str, text: str, facts: Facts) -> str:
    """The range that a person's words mean on an axis; BadRequest with the nearest known name."""
    word = text.strip()
    if word.lower() in {NONE, "any"}:
        return word.lower()
    if axis == "platform":
        return _platform(word, facts)
    if axis == "os":
        return _system(word, facts)
    if axis == "cpu":
        return word
    return version_word(axis, word)


def version_word(axis: str, word: str) -> str:
    """The version in `py311`, `cu121` or `v2.6.5`; a range as it is."""
    if axis == "python":
        return _python(word)
    if axis == "cuda" and (match := _CUDA.match(word.lower())):
        return f"{match[1]}.{match[2]}" if match[2] else match[1]
    if axis == "msvc" and (match := re.fullmatch(r"(?:v?14|19)\.?([0-4])\d*(\.\d+)*", word)):
        return _YEARS[match[1]]
    return re.sub(r"^[vV](?=\d)", "", word)


def read_capability(word: str, gpus: Sequence[GpuRow]) -> tuple[str, str]:
    """The compute capability that one word means, and the product's name if it named one.

    BadRequest, with the nearest name, where no GPU is called that.
    """
    text = word.strip()
    if match := re.fullmatch(r"(?:sm|compute)_?(\d{1,2})(\d)[af]?", text.lower()):
        return f"{match[1]}.{match[2]}", ""
    if re.fullmatch(r"\d{1,2}\.\d", text):
        return text, ""
    row = find_gpu(text, gpus)
    return row.capability, row.name


def find_gpu(word: str, gpus: Sequence[GpuRow]) -> GpuRow:
    """The GPU of that name; the maker's prefixes and memory sizes may be there or not.

    A family whose members all have one capability (Jetson Orin) is as good as one of them.
    """
    if len(word) > _LONGEST:
        raise BadRequest(
            f"no GPU has a name of {counted(len(word), 'letter')}",
            code="gpu-name-too-long",
            hint="write its architecture: sm_90",
        )
    wanted = plain_gpu(word)
    # A row without a product has a remark alone for a name, which no word means.
    by_name = {plain_gpu(row.name): row for row in reversed(gpus) if plain_gpu(row.name)}
    if same := [row for row in gpus if row.name.lower() == word.strip().lower()]:
        return same[0]  # two of one plain name differ: GT 730, GT 730 (DDR3, 128 bit)
    if wanted in by_name:
        return by_name[wanted]
    members = [row for name, row in by_name.items() if _is_family(word, row.name)]
    if members and len({row.capability for row in members}) == 1:
        return members[0]
    found = nearest(wanted, by_name)
    raise BadRequest(
        f"there is no GPU '{word}' in matrices/gpus.yaml",
        code="gpu-unknown",
        hint=f"did you mean '{by_name[found].name}'?" if found else "write its architecture: sm_90",
    )


def gpu_aliases(row: GpuRow, gpus: Sequence[GpuRow]) -> tuple[str, ...]:
    """Other names that mean this GPU and no other: without its maker's words and remarks."""
    short = re.sub(r"\s*\(.*?\)|\b(NVIDIA|GeForce|Tesla|Quadro)\b", "", row.name).strip()
    same = [other for other in gpus if plain_gpu(other.name) == plain_gpu(row.name)]
    is_own = short and short != row.name and same == [row]
    return (short,) if is_own else ()


@lru_cache(maxsize=4096)
def plain_gpu(name: str) -> str:
    """The name without what differs between sources: maker, spaces, form factor, memory."""
    text = re.sub(r"\(.*?\)|\b\d+\s?gb\b", " ", name.lower())
    text = re.sub(
        r"\b(nvidia|geforce|tesla|quadro|gpu|pcie|sxm\d?|hbm\d?e?|nvl|laptop)\b", " ", text
    )
    return re.sub(r"[^a-z0-9]", "", text)


def _is_family(word: str, name: str) -> bool:
    """Whether every word asked for is a word of the name: Jetson Orin, RTX 4090 laptop."""
    parts = re.findall(r"[a-z0-9]+", name.lower())
    words = re.findall(r"[a-z0-9]+", word.lower())
    return bool(words) and all(part in parts for part in words)


def _platform(word: str, facts: Facts) -> str:
    name = re.sub(r"[/ ]", "-", word.lower())
    rows = facts.rows.get("platform", ())
    for row in rows:
        if name in (row.version, *row.aliases):
            return row.version
    known = [row.version for row in rows]
    raise BadRequest(
        f"there is no platform '{word}'", code="platform-unknown", hint=did_you_mean(name, known)
    )


def _system(word: str, facts: Facts) -> str:
    """`debian:12`, `Ubuntu-22.04`, `bookworm`, `rhel8`, `centos 7` as the name of a row.

    A system of which nothing is known stays as it is, unless it is a known one with a slip.
    """
    if "|" in word:
        return " | ".join(_system(part.strip(), facts) for part in word.split("|"))
    name = system_name(word)
    rows = facts.rows.get("os", ())
    if found := _named_system(name, facts):
        return found
    base = name.split(" ")[0]
    family = [row.version for row in rows if row.version.startswith(f"{base} ")]
    if family and " " not in name:
        return " | ".join(family)
    known = [row.version for row in rows]
    slips = difflib.get_close_matches(name, known, n=1, cutoff=_TYPO)
    if (slips and not family) or not re.search("[a-z]", name):
        raise BadRequest(
            f"there is no system '{word}' in matrices/os.yaml",
            code="os-unknown",
            hint=did_you_mean(name, known),
        )
    return name


def _named_system(name: str, facts: Facts) -> str:
    """The row whose name, or other name, stands in the text; the longest of several."""
    names = _system_names(facts)
    for known in names:
        if known in name and re.search(rf"(?<![a-z0-9.]){re.escape(known)}(?![a-z0-9])", name):
            return names[known]
    return ""


@lru_cache(maxsize=4)
def _system_names(facts: Facts) -> Mapping[str, str]:
    """Every name of a system and its row, long names first."""
    rows = facts.rows.get("os", ())
    names = {system_name(other): row.version for row in rows for other in row.aliases}
    names |= {row.version: row.version for row in rows}
    return dict(sorted(names.items(), key=lambda pair: -len(pair[0])))


def system_name(word: str) -> str:
    """The name in the form of the rows: lower case, a space before the version."""
    text = re.sub(r"[:_/!()\[\],;@-]+", " ", word.strip().lower())
    text = re.sub(r"\blinux ?mint\b", "linuxmint", text)
    text = re.sub(
        r"\b(linux|gnu|lts|release|server|desktop|wsl ?2?|x86 64|x64|amd64|64 ?bit)\b", " ", text
    )
    text = re.sub(r"(?<=[a-z])(?=\d)", " ", text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"^(debian|rocky|alma|rhel|centos|oracle) (\d+)(\.\d+)*$", r"\1 \2", text)


def _python(word: str) -> str:
    """`py311`, `cp311`, `python3.11`, `311` as `3.11`; anything else as it is."""
    text = re.sub(r"^(cpython|python|cp|py)[ -]?", "", word.lower())
    if match := re.fullmatch(r"([23])(\d{1,2})", text):
        return f"{match[1]}.{match[2]}"
    return text
