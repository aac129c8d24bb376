"""A bug report as it was pasted, read as constraints: each line of its form that names an axis."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tfbuild.core.axes import axes

_LONGEST = 200  # letters of a value
_LONGEST_LINE = 400  # what is longer is a log
# What stands in forms beside versions, and would be taken for one of them.
_IDLE = re.compile(
    r"mobile|custom code|installed using|reproduc|nightly|command|template|issue type|behaviou?r|"
    r"describe|\blog|kernel|\bram\b|^memory|cmake|pytorch|torch|opencv|java\b(?!.*jdk)|git version"
)
_ORIGIN = re.compile(
    r"installed from|installation|installiert|install[ée]e? (depuis|par)|^source$|binary|安装"
)
# A label's words and the axis that it asks for; the first that is found counts.
_LABELS = (
    ("driver", r"driver|treiber|pilote|驱动"),
    ("cudnn", r"^cudnn"),
    ("rocm", r"rocm|miopen"),
    ("cuda", r"\bcuda\b|\bnvcc\b"),
    ("tensorrt", r"tensor ?rt\b"),
    ("gpu", r"\bgpus?\b(?! driver)|graphics|grafikkarte|carte graphique|显卡|显存"),
    ("bazel", r"\bbazel(isk)?\b"),
    ("xcode", r"\bxcode\b"),
    ("msvc", r"\bmsvc\b|visual (studio|c\+\+)"),
    ("clang", r"^(apple )?(clang|llvm)\b"),
    ("gcc", r"\bgcc\b|\bg\+\+|compiler|compilateur|编译器"),
    ("jetpack", r"jetpack|\bl4t\b"),
    ("platform", r"^(platform|plattform|arch(itecture|itektur)?)$"),
    ("os", r"\bos\b|operating system|platform|distribution|betriebssystem|d'exploitation|系统"),
    ("cpu", r"\bcpu\b(?! only)|processor|prozessor|processeur|处理器"),
    ("python", r"\bpython\b"),
    ("tensorflow", r"\btensorflow\b(?!.(addons|text))|^tf(?!.?(addons|text|keras))\b"),
)
# What programs print of themselves.
_PRINTED = (
    ("python", r"^(?:>+ )?Python (\d+\.\d[\w.+]*)"),
    ("gcc", r"^(?:gcc|g\+\+|c\+\+|cc)(?:-\d+)? (?:version )?(\(.*\) ?\d.*|\d+\.\d.*)"),
    ("clang", r"^((?:Apple |Ubuntu |Debian )?clang version \d.*)"),
    ("cuda", r"^Cuda compilation tools, release (\d[\d.]*)"),
    ("bazel", r"^(?:Build label: |bazel )(\d+\.\d[\w.-]*)"),
    ("driver", r"\bDriver Version: (\d[\d.]*)"),
)
# A part with ++ or *+ gives nothing back: each line can be read in one way only, so that a line
# of strangers that fits nowhere is left as quickly as one that does.
_FIELD = re.compile(r"([^:=|]{2,90}+)(?::|(?<=\s)=\s)\s*(.*)$")
_PACKAGE = re.compile(
    r"([A-Za-z][\w.-]*+)(?:\s*+={2,3}\s*+|\s++)(v?\d++(?:\.\d++)++[\w.+-]*+)(?:\s{2,}.*)?$"
)
_EMPTY = re.compile(r"(_?no response_?|none given|\.+|…|)$", re.IGNORECASE)
_BINARY = re.compile(r"\bbinary|\bpip|conda|wheel|binär|binaire|docker|package", re.IGNORECASE)
_FROM_SOURCE = re.compile(r"source|quell|compiled|built|selbst|源码|编译", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedReport:
    """What a report says of versions: words such as `cuda=11.2`, in its own writing.

    `is_published` says that it is about a wheel which others had built.
    """

    words: tuple[str, ...]
    is_published: bool


def read_report(text: str) -> PastedReport:
    """The words of a report: of a form, a table, a list of packages, or what programs print.

    Of two values of one axis the first counts. Lines that name no axis are passed over.
    """
    found: dict[str, str] = {}
    origin = ""
    lines = [_plain(line) for line in text.splitlines() if len(line) < _LONGEST_LINE]
    for place, line in enumerate(lines):
        for axis, value in _read_line(line, lines[place + 1 : place + 5]):
            if axis == "origin":
                origin = origin or value
            elif not _EMPTY.match(value):
                found.setdefault(axis, value[:_LONGEST])
    is_binary = bool(_BINARY.search(origin)) and not _FROM_SOURCE.search(origin)
    return PastedReport(
        words=tuple(f"{axis}={found[axis]}" for axis in axes() if axis in found),
        is_published=is_binary,
    )


# --- inside ------------------------------------------------------------------------------------


def _plain(line: str) -> str:
    """A line without what only shapes it: bullets, headings, bold, quotes, cells of a table."""
    text = re.sub(r"[*`]{1,3}|</?\w[^<>]*+>", "", line.replace("\uff1a", ":")).strip().strip("|")
    text = re.sub(r"^(?:[-+>•#]+\s+|>+\s*|\d+[.)]\s+)+", "", text).strip()
    cells = [cell.strip() for cell in text.split("|")]
    return ": ".join(cells[:2]) if len(cells) > 1 else text


def _read_line(line: str, later: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The axes that a line speaks of, with their values: on the line, or below a heading."""
    for axis, words in _PRINTED:
        if match := re.search(words, line):
            yield axis, match[1].strip()
            return
    if (match := _PACKAGE.match(line)) and (axis := _names().get(_package(match[1]), "")):
        yield axis, match[2]
        return
    # A question in brackets may have a colon: `(e.g., Linux: Ubuntu 16.04)`.
    field = _FIELD.match(re.sub(r"\([^()]*\)(?=.*:)", "", line))
    if field and (axis := _axis(field[1])):
        yield axis, field[2].strip() or _below(later)
    elif not field and len(line) < 90 and (axis := _axis(line.rstrip("?: "))):
        yield axis, _below(later)


def _below(later: Sequence[str]) -> str:
    """The value that stands under a heading: the next line with anything in it, if it is none."""
    line = next((one for one in later if one), "")
    field = _FIELD.match(line)
    return "" if _axis(field[1] if field else line) in axes() else line


def _axis(label: str) -> str:
    """The axis that a label asks for, `origin` where it asks how, or nothing."""
    low = re.sub(r"\([^)]*+\)", " ", label).lower().strip(" -_?")
    if _ORIGIN.search(low):
        return "origin"
    if _IDLE.search(low) or re.search(r"\d", low):
        return ""
    name = re.sub(r"[ _]?version$", "", low).strip().replace("_", "-").replace(" ", "-")
    found = (axis for axis, words in _LABELS if re.search(words, low))
    return _names().get(name) or next(found, "")


@cache
def _names() -> Mapping[str, str]:
    """The axis of each name by which forms and lists of packages call it."""
    listed = {name: axis for axis, row in axes().items() for name in row.packages}
    return {_package(axis): axis for axis in axes()} | listed


def _package(name: str) -> str:
    return name.lower().replace("_", "-")
