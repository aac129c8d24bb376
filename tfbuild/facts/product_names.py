"""GPUs and systems as people paste them: with memory sizes, counts, kernels, WSL, Docker images."""

import difflib
import re
from collections.abc import Sequence

from tfbuild.core.errors import BadRequest
from tfbuild.facts.names import read_capability, read_spec, system_name
from tfbuild.facts.ranges import NONE
from tfbuild.facts.rows import AxisRow
from tfbuild.facts.rules import Facts
from tfbuild.facts.targets import usual_target
from tfbuild.facts.wording import Reading, is_any, is_nothing, left_open, meaningless, read_as

_BETWEEN_GPUS = re.compile(r"\s*(?:,|;|/|&|\||\+|\band\b|\bwith\b)\s*", re.IGNORECASE)
_MEMORY = re.compile(
    r"\b\d+(?:\.\d+)?\s*(?:gi?b?|mi?b)\b(?: of)?|\b\d{3,5}\s?mib\b|\bg?ddr\d\w?\b|"
    r"\bv?ram\b|\bmemory\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"^\s*\(?\d{1,2}\)?\s*[x*\u00d7]\s*|(?<=\s)[x*\u00d7]\s*\d{1,2}\s*$|^\s*(?:two|dual|2)\s+",
    re.IGNORECASE,
)
_SLIP = 0.85  # how like a known system a word is that was meant to be it
_LEAST = 3  # digits of a number that may name a GPU: 970, 3090
_FORM = re.compile(
    r"\b(mobile|notebook|laptop( gpu)?|max[- ]?q|max[- ]?p|graphics( card)?|card|oem|corporation|"
    r"google|colab|kaggle|aws|azure|cloud|founders edition|external|e-?gpu|desktop|edition|nvlink|"
    r"compute capability|capability|cc)\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(amd|radeon|rx ?\d{3,4}\w*|vega|mi\d{2,3}\w*|intel|uhd|hd graphics|iris|arc|apple|"
    r"m[1-4]( pro| max| ultra)?|integrated|mali|adreno|powervr|llvmpipe|tpu)\b",
    re.IGNORECASE,
)
_WINDOWS = re.compile(
    r"\b(microsoft )?windows( server)?( \d[\w.]*)?|\bwin\d*\b|\bwsl\s*[12]?\b|"
    r"subsystem for linux|version \d+",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"\b(?:without|no|non|not|lacks?|lacking)\b[ -]*(?:support for )?"
    r"(avx-?512|avx-?2|avx|sse4[._]?2)",
    re.IGNORECASE,
)
_ARM = re.compile(
    r"\b(aarch64|arm64|armv8|jetson|jetpack|l4t|apple silicon|m[1-4])\b", re.IGNORECASE
)
_LINUX = re.compile(
    r"^(gnu ?/? ?)?linux(\s+(kernel\s*)?[\d.]\S*)?( x86_64| 64[- ]?bit)?$", re.IGNORECASE
)


def read_gpus(text: str, facts: Facts) -> Reading:
    """Which products or capabilities a text names; memory, counts and forms say nothing here."""
    if is_nothing(text) or is_any(text):
        return Reading(specs=(("gpu", NONE if is_nothing(text) else "any"),))
    if text.strip()[:1] in "<>!~=" or text.strip().lower() == "native":
        return Reading(specs=(("gpu", text.strip()),))
    whole = _COUNT.sub("", text.strip()).strip()
    if "," not in whole and _is_gpu(whole, facts):
        return _of_gpus([whole], text)
    found, strange = _several(text, facts)
    if found and strange:  # what stands beside a GPU is a remark
        return read_as("gpu", text, (("gpu", ",".join(found)),))
    if found:
        return _of_gpus(found, text)
    return _no_gpu(strange, text, facts)


def read_platform(text: str, facts: Facts) -> Reading:
    """Which platform a text names."""
    try:
        return Reading(specs=(("platform", read_spec("platform", text, facts)),))
    except BadRequest:
        found = _platform_in(text.lower())
        if not found:
            return meaningless("platform", text, facts.versions("platform"))
        return read_as("platform", text, (("platform", found),))


def read_processor(text: str, facts: Facts) -> Reading:
    """Which vector instructions the processor of a text has: a product, or the instructions."""
    rows = facts.rows.get("cpu", ())
    known = [row.version for row in rows]
    if is_nothing(text) or is_any(text):
        return left_open("cpu", text, "it names no processor")
    if text.strip().lower() in known:
        return Reading(specs=(("cpu", text.strip().lower()),))
    if match := _LACKS.search(text):
        lacking = _instructions(match[1], rows)
        older = known[known.index(lacking) + 1 :] if lacking else []
        found = older[0] if older else ""
        return read_as("cpu", text, (("cpu", found),)) if found else meaningless("cpu", text, known)
    if found := _instructions(text, rows):
        return read_as("cpu", text, (("cpu", found),))
    return left_open("cpu", text, "which instructions it has is not known")


def read_operating_system(text: str, facts: Facts) -> Reading:
    """Which system a text names, and which platform it implies."""
    words = " ".join(text.strip().strip("\"'`").split())
    several = [part.strip() for part in words.split("|")]
    if set(several) <= {*facts.versions("os"), "any", NONE}:
        return Reading(specs=(("os", " | ".join(several)),))
    on_wsl = re.search(r"\bwsl\s*[12]?\b|subsystem for linux", words, re.IGNORECASE)
    if on_wsl:  # what runs there is Linux
        words = _WINDOWS.sub(" ", words)
    words = _corrected(words, facts)
    platform = usual_target("linux", "arm").version if _ARM.search(words) else ""
    name = system_name(words)
    if _LINUX.match(words.strip()) or not name or is_nothing(words):
        known = platform or usual_target("linux").version
        return read_as("os", text, (("platform", known),), "which distribution it is stays open")
    try:
        system = read_spec("os", words, facts)
    except BadRequest:
        return meaningless("os", text, facts.versions("os"))
    if system in {"macos", "windows"}:
        platform = _elsewhere(system, words)
    release = _macos_release(words, facts) if system == "macos" else ""
    specs = (
        ("os", system),
        *((("platform", platform),) if platform else ()),
        *((("macos", release),) if release else ()),
    )
    is_read = platform or on_wsl or release
    return read_as("os", text, specs) if is_read else Reading(specs=specs)


# --- inside ------------------------------------------------------------------------------------


def _platform_in(low: str) -> str:
    """The platform of a longer text, such as Python's platform.platform(); else an empty string."""
    is_arm = bool(_ARM.search(low.replace("_", " ").replace("-", " ")))
    if "windows" in low:
        return usual_target("windows").version
    family = "arm" if is_arm else "x86"
    if re.search(r"darwin|mac", low):
        return usual_target("macos", family).version
    if is_arm or re.search(r"linux|x86.64|amd64|64[ -]?bit", low):
        return usual_target("linux", family).version
    return ""


def _corrected(words: str, facts: Facts) -> str:
    """The words with what people leave out or slip in: `20.04`, `Ubunutu 20.4`, `Apple M1`."""
    if re.fullmatch(r"(1[468]|2[02468])\.(04|10)(\.\d+)?( lts)?", words.lower()):
        return f"ubuntu {words}"
    if re.match(r"(apple )?m[1-4]\b|apple silicon|macbook|mac ?mini|imac\b", words.lower()):
        return f"macos {words}"
    first, _, rest = words.partition(" ")
    bases = sorted({name.partition(" ")[0] for name in facts.versions("os")})
    near = difflib.get_close_matches(first.lower(), bases, n=1, cutoff=_SLIP)
    corrected = f"{near[0]} {rest}".strip() if near else words
    return re.sub(r"(?i)\b(ubuntu \d\d)\.4\b", r"\1.04", corrected)


def _instructions(text: str, rows: Sequence[AxisRow]) -> str:
    """The newest instructions of the first row that has a pattern for the text."""
    name = re.sub(r"\((R|TM)\)", " ", text.upper())
    fitting = (row.version for row in rows if any(re.search(one, name) for one in row.aliases))
    return next(fitting, "")


def _macos_release(text: str, facts: Facts) -> str:
    """The release of macOS that a text names by its number or by its name; else an empty string."""
    rows, words = facts.rows.get("macos", ()), text.lower()
    numbers = re.findall(r"(?<![\d.])(10\.\d+|\d\d)(?![\d])", words)
    by_number = [row.version for row in rows if row.version in numbers]
    by_name = [row.version for row in rows if any(name in words for name in row.aliases)]
    return next(iter((*by_number, *by_name)), "")


def _several(text: str, facts: Facts) -> tuple[list[str], str]:
    """The GPUs that a list names, and the first word of it that is none of anybody's."""
    found, strange = [], ""
    for part in _BETWEEN_GPUS.split(re.sub(r"\(.*?\)", " ", text)):
        word = " ".join(_FORM.sub(" ", _MEMORY.sub(" ", _COUNT.sub("", part))).split())
        if not re.search(r"[a-z0-9]", word, re.IGNORECASE) or (
            word.isdigit() and len(word) < _LEAST
        ):
            continue
        if name := _gpu_name(word, facts):
            found.append(name)
        elif not _OF_OTHERS.search(part):
            strange = strange or word
    return found, strange


def _no_gpu(strange: str, text: str, facts: Facts) -> Reading:
    """The reading of what names no GPU of NVIDIA."""
    if _OF_OTHERS.search(text):
        return left_open("gpu", text, "it is no GPU of NVIDIA, and of others there are no facts")
    names = [re.sub(r"\b(NVIDIA|GeForce|Tesla|Quadro) ", "", row.name) for row in facts.gpus]
    return meaningless("gpu", strange or text, names)


def _of_gpus(names: list[str], text: str) -> Reading:
    """The GPUs by name; a Jetson is a whole machine, which has an ARM processor."""
    specs = (("gpu", ",".join(names)),)
    if any(name.lower().startswith("jetson") for name in names):
        return read_as("gpu", text, (*specs, ("platform", usual_target("linux", "arm").version)))
    return Reading(specs=specs)


def _gpu_name(word: str, facts: Facts) -> str:
    """The word as a GPU's name; `2080 Ti` lacks its family. Empty where no GPU is called that."""
    word = re.sub(r"(?i)\bGTX(?= ?[2-5]0\d0)", "RTX", word)  # a slip: from 2000 on all are RTX
    families = (
        ("RTX ", "GTX ", "Jetson ") if re.match(r"\d{3}|[a-z]+\d", word, re.IGNORECASE) else ()
    )
    named = next(
        (f"{first}{word}" for first in ("", *families) if _is_gpu(first + word, facts)), ""
    )
    upper = " ".join(re.findall(r"[A-Z0-9]+", word.upper()))
    of_family = (row.capability for row in facts.families if re.search(row.pattern, upper))
    return named or next(of_family, "")


def _is_gpu(word: str, facts: Facts) -> bool:
    try:
        read_capability(word, facts.gpus)
    except BadRequest:
        return False
    return True


def _elsewhere(system: str, words: str) -> str:
    """The platform that a name of macOS implies; Windows has one only."""
    if system == "windows":
        return ""
    if _ARM.search(words):
        return usual_target("macos", "arm").version
    # Until macOS 11 there was no other processor.
    is_old = re.search(r"\b(intel|x86|10\.\d)", words, re.IGNORECASE)
    return usual_target("macos", "x86").version if is_old else ""
