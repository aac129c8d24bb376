"""What people paste from reports, read as ranges: `master`, `11.x`, `gcc (Ubuntu 9.4.0) 9.4.0`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tfbuild.core.axes import axes, label
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pairs
from tfbuild.core.versions import check_range, known_version, minor, nearest_three, parse_version
from tfbuild.facts.ages import began
from tfbuild.facts.names import version_word
from tfbuild.facts.ranges import NONE, is_prerelease
from tfbuild.facts.rules import Facts

ReadingKind = Literal["plain", "read", "open", "meaningless"]
_NOTHING = frozenset(
    ("none", "no", "n/a", "na", "nil", "-", "--", "/", "without", "not used", "not applicable",
     "not installed", "not present", "cpu", "cpu only", "cpu-only", "no cuda", "no gpu", "off",
     "disabled", "false")
)  # fmt: skip
# The same in sentences, and in other tongues.
_NONE_SAID = re.compile(
    r"(?:no|not|without|kein\w*|ohne|pas de|aucune?|sans)(?: (?:used|needed|applied|available|"
    r"nvidia|gpus?|cuda|cudnn|rocm|tensorrt|support|vorhanden|grafikkarte|carte))+|kein\w*|nein|non|aucune?|"
    r"nope|无|没有|否|n\.a\.?|cpu[ -](?:build |version ?)?(?:only)?"
)
_ANY = frozenset(
    ("any", "all", "*", "unknown", "?", "unspecified", "default", "not sure", "not specified",
     "idk", "various", "irrelevant", "system", "tbd", "x", "source", "from source", "don't know",
     "do not know", "keine angabe", "k.a.", "不知道")
)  # fmt: skip
_NEWEST = re.compile(
    r"(the |die )?(latest|newest|current|stable|most recent|up to date|neueste|aktuelle?|最新)\b"
)
_DEVELOPMENT = re.compile(
    r"\b(master|main|head|nightly|trunk|develop(ment)?|git|tip|tf-nightly|unreleased)\b"
)
# Ways to get a tool, and not a version of it.
_WAYS = re.compile(
    r"\b(bazelisk|conda|miniconda|anaconda|mamba|docker|container|homebrew|brew|apt|apt-get|pip|"
    r"virtualenv|venv|pyenv|system|distro|package manager|nix|spack|guix)\b"
)
_ONE = r"\d+(?:\.\d+)*"
_TAIL = r"(?:[-.]?(?:rc|alpha|beta|dev|post|a|b)[-.]?\d*)?(?:\+[a-z0-9.]+)?"
_VERSION = re.compile(rf"(?<![\d.]){_ONE}(?:\.[x*])?{_TAIL}(?![\d])", re.IGNORECASE)
_SERIES = re.compile(rf"v?({_ONE})\.[xX*]$")
_OR_NEWER = re.compile(
    rf"v?({_ONE})\s*(?:\+|and (?:above|newer|later|up)|or (?:newer|later))$", re.IGNORECASE
)
_BETWEEN = re.compile(rf"v?({_ONE})\s*(?:-|\u2013|to|through|\.\.+)\s*v?({_ONE})$", re.IGNORECASE)
_SEVERAL = re.compile(rf"v?{_ONE}(?:\s*(?:,|/|;|&|\||\bor\b|\band\b)\s*v?{_ONE})+$", re.IGNORECASE)
_NO_VERSIONS = re.compile(
    r"x86_64|[a-z]+\d*_(?=\d)|\b(x86|x64|amd64|arm64|aarch64|i\d86)\b|\d+[- ]?bit", re.IGNORECASE
)
_DATE = re.compile(r"\b(20\d\d)(?:-(\d\d))?(?:-\d\d)?\b")
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_BY_ARCHIVE = re.compile(rf"[67]\.[05],? ?[(-]?[vr]\.? ?({_ONE})\)?")  # cuDNN 6.5 v2, 7.0 (R4)
_NVCC = re.compile(r"cuda_(\d+\.\d+)(?:\.r[\d.]+)?/compiler[\w.]*")  # its build, of `nvcc -V`
_COMMIT = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_DESCRIBED = re.compile(r"v?\d[\w.]*(?:-\w+)*-\d+-g[0-9a-f]+", re.IGNORECASE)  # git describe


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text means: a range per axis (none: left open), and what should be said about it."""

    specs: Pairs
    kind: ReadingKind = "plain"
    remark: str = ""


def read_version(axis: str, text: str, facts: Facts) -> Reading:
    """What a text means on an axis of versions."""
    plain = _NVCC.sub(r"\1", " ".join(text.strip().strip("\"'`").split()))
    word = version_word(axis, re.sub(r"^=(?=\d)", "", plain))
    if is_nothing(word):
        return _nothing(axis, text)
    if is_any(word):
        return Reading(specs=((axis, "any"),))
    if _is_range(word):
        return _of_release(axis, word, text, facts)
    if word[:1] in set("<>!~="):  # a range that is none
        return meaningless(axis, text, facts.versions(axis))
    for read in (_series, _foreign, _described, _by_words, _named, _pair, _extracted):
        found = read(axis, word, text, facts)
        if found is not None:
            return found
    return meaningless(axis, text, facts.versions(axis))


def meaningless(axis: str, text: str, known: Sequence[str]) -> Reading:
    """The reading of a word that means nothing on its axis: the nearest three are named."""
    near = nearest_three(text, known)
    hint = f"; nearest are {', '.join(near)}" if near else ""
    return Reading(
        specs=(),
        kind="meaningless",
        remark=f"{axis}={text} means nothing to tfbuild and is left open{hint}",
    )


def left_open(axis: str, text: str, why: str) -> Reading:
    """The reading of words of which no fact knows anything: the axis is left open."""
    return Reading(specs=(), kind="open", remark=f"{axis}={text} is left open: {why}")


def read_as(axis: str, text: str, specs: Pairs, why: str = "") -> Reading:
    """The reading of words that mean a range, or ranges on other axes too."""
    said = ", ".join(f"{name}={spec.removeprefix('==')}" for name, spec in specs)
    remark = f"{axis}={text} is read as {said}{why and f': {why}'}"
    return Reading(specs=specs, kind="read", remark=remark)


def is_nothing(text: str) -> bool:
    """Whether a text says that there is none: n/a, no, cpu only."""
    low = text.strip().lower()
    return low in _NOTHING or bool(_NONE_SAID.fullmatch(low))


def is_any(text: str) -> bool:
    """Whether a text says nothing about which one: unknown, any, not sure."""
    return text.strip().lower() in _ANY


def development_day(text: str) -> str:
    """The day in words such as `master (2019-05-08)`; empty where no day or a version is named."""
    low = text.lower()
    day = _DAY.search(low)
    return day[0] if day and _says_development(low) else ""


# --- inside ------------------------------------------------------------------------------------


def _says_development(low: str) -> bool:
    rest = _DATE.sub(" ", _COMMIT.sub(" ", re.sub(r"\(.*?\)", " ", low)))
    return not _VERSION.search(rest) and bool(_COMMIT.search(low) or _DEVELOPMENT.search(low))


def _nothing(axis: str, text: str) -> Reading:
    row = axes().get(axis)
    if (row and row.is_optional and not row.assumed) or text.strip().lower() == NONE:
        return Reading(specs=((axis, NONE),))
    return left_open(axis, text, "it names no version")


def _is_range(word: str) -> bool:
    """Whether the resolver takes the word as it is."""
    parts = [part.strip() for part in word.split("|")]
    try:
        for part in parts:
            if part not in {NONE, "any"}:
                check_range(part)
    except BadRequest:
        return False
    return all(parts)


def _of_release(axis: str, word: str, text: str, facts: Facts) -> Reading:
    """A version or range; what comes before a release, or beside it, is judged as the release."""
    version = known_version(word.removeprefix("=="))
    if version is None or word in facts.versions(axis) or word[:1] in "<>!~":
        return Reading(specs=((axis, word),))
    plain = version.base_version
    if version.is_prerelease or version.local or version.post is not None:
        known = {known_version(value): value for value in facts.versions(axis)}
        if version in known:
            return Reading(specs=((axis, known[version]),))
    if version.is_prerelease:
        released = _led_to(plain, axis, facts)
        if not released:
            return Reading(specs=((axis, plain),))
        why = "it is judged as the release that it leads to"
        if parse_version(released) < parse_version(plain):
            why = "it is judged as the newest release known here"
        return read_as(axis, text, ((axis, released),), why)
    if version.local or version.post is not None:
        return read_as(
            axis, text, ((axis, plain),), "what is behind the release is its maker's own"
        )
    return _patch_release(axis, word, text, facts) or Reading(specs=((axis, word),))


def _patch_release(axis: str, word: str, text: str, facts: Facts) -> Reading | None:
    """A patch release without a row, as one of its series; None where there is nothing to say."""
    number = word.removeprefix("==")
    if axis != "tensorflow" or not re.fullmatch(r"\d+\.\d+\.\d+", number):
        return None
    if number in {row.version for row in facts.absent.get(axis, ())}:
        return None
    rows = facts.versions(axis)
    series = [value for value in rows if minor(value) == minor(number) and not is_prerelease(value)]
    if not series or number in rows:
        return None
    wanted = parse_version(number)
    later = [value for value in series if parse_version(value) > wanted]
    near = (later[-1:] or series)[0]
    return read_as(axis, text, ((axis, near),), "the release of its series that is known here")


def _led_to(plain: str, axis: str, facts: Facts) -> str:
    """The release that came of a candidate: itself, the first one after it, or the newest."""
    rows = [value for value in facts.versions(axis) if not is_prerelease(value)]
    wanted = parse_version(plain)
    same = [value for value in rows if parse_version(value) == wanted]
    later = [v for v in rows if minor(v) == minor(plain) and parse_version(v) > wanted]
    newest = max(rows, key=parse_version, default="")
    beyond = newest if newest and parse_version(newest) < wanted else ""
    return (same or later[-1:] or [beyond])[0]


def _series(axis: str, word: str, text: str, _facts: Facts) -> Reading | None:
    if match := _SERIES.match(word):
        return Reading(specs=((axis, f"=={match[1]}.*"),))
    if match := _OR_NEWER.match(word):
        return Reading(specs=((axis, f">={match[1]}"),))
    if (match := _BETWEEN.match(word)) and parse_version(match[1]) < parse_version(match[2]):
        return read_as(axis, text, ((axis, f">={match[1]},<={match[2]}"),))
    if axis != "cuda" and _SEVERAL.match(word):
        return Reading(specs=((axis, " | ".join(re.findall(_ONE, word))),))
    return None


def _foreign(axis: str, word: str, text: str, facts: Facts) -> Reading | None:
    """What names another compiler than its axis: `clang 14` on gcc, Visual Studio, Xcode."""
    low = word.lower()
    if axis not in {"gcc", "clang", "xcode", "msvc"}:
        return None
    version = _first_version(low)
    if re.search(r"\bgcc|\bg\+\+", low) and "clang" in low and axis == "gcc":
        return None  # both are there, and the axis asks for one
    if re.search(r"msvc|visual|microsoft|\bvs ?20|\bvc\+*\+|cl\.exe", low):
        other = "msvc"
    elif re.search(r"xcode|apple", low):
        other = "xcode"
    elif re.search(r"clang|llvm", low):
        other = "clang"
    elif re.search(r"gcc|g\+\+|gnu|mingw", low):
        other = "gcc"
    else:
        return None
    if other == axis:
        return None
    if other not in facts.rows or not version:
        return left_open(axis, text, f"it names {label(other)}")
    return read_as(axis, text, ((axis, NONE), (other, version)))


def _described(axis: str, word: str, text: str, facts: Facts) -> Reading | None:
    """`v2.4.0-rc4-71-g582c8d236cb 2.4.0`, as TensorFlow prints itself: the last word says it."""
    if not _DESCRIBED.search(word):
        return None
    rest = _VERSION.findall(_DESCRIBED.sub(" ", word))
    first = re.match(rf"v?({_ONE})", word, re.IGNORECASE)
    version = rest[-1] if rest else first[1] if first else ""
    if not version or known_version(version) is None:
        return None
    found = _of_release(axis, version, text, facts)
    return found if found.kind == "read" else read_as(axis, text, found.specs)


def _by_words(axis: str, word: str, text: str, facts: Facts) -> Reading | None:
    """`latest`, `master`, and ways of getting a thing that name no version."""
    low = word.lower()
    if _VERSION.search(_DATE.sub(" ", _COMMIT.sub(" ", re.sub(r"\(.*?\)", " ", low)))):
        return None
    if axis == "tensorflow" and _COMMIT.search(low):
        return _development(axis, word, text, facts)
    if _NEWEST.match(low) and facts.versions(axis):
        return _newest(axis, word, text, facts)
    if _DEVELOPMENT.search(low) and facts.versions(axis):
        return _development(axis, word, text, facts)
    if _WAYS.search(low):
        return left_open(axis, text, "that is a way to get it, and no version")
    return None


def _newest(axis: str, word: str, text: str, facts: Facts) -> Reading:
    """The newest release known, or that of the months before a day that is named."""
    date, begun = _DATE.search(word), _beginnings(axis, facts)
    before = [month for month in begun if date and month < _month_of(date)]
    if before:
        return read_as(axis, text, ((axis, begun[max(before)]),), "the newest one before that day")
    rows = facts.versions(axis)
    newest = next((value for value in rows if not is_prerelease(value)), rows[0])
    return read_as(axis, text, ((axis, newest),), "the newest one known here")


def _development(axis: str, word: str, text: str, facts: Facts) -> Reading:
    """The release that the development of a day led to: the first that began after that month."""
    date, begun = _DATE.search(word), _beginnings(axis, facts)
    if date is None or not begun:
        newest = facts.versions(axis)[0]
        return read_as(axis, text, ((axis, newest),), "what it leads to is the newest known here")
    later = [month for month in begun if month > _month_of(date)]
    led_to = min(later, default=max(begun))
    return read_as(axis, text, ((axis, begun[led_to]),), "the release that it led to")


def _month_of(date: re.Match[str]) -> int:
    return int(date[1]) * 12 + int(date[2] or 6)


def _beginnings(axis: str, facts: Facts) -> dict[int, str]:
    """The newest release of each series, by the month in which the series began.

    What began later than a newer one (1.15 after 2.0) came from a branch of old.
    """
    found: dict[int, str] = {}
    for value in facts.versions(axis):
        year, _, month = began(facts.series, axis, value).partition("-")
        months = int(year) * 12 + int(month) if year else 0
        if months and not is_prerelease(value) and months <= min(found, default=months):
            found[months] = value
    return found


def _named(axis: str, word: str, text: str, _facts: Facts) -> Reading | None:
    """CUDA and cuDNN where each is named before its version, as archives and tools write them."""
    low = _NO_VERSIONS.sub(" ", re.sub(r"windows(10|11|7)?|linux", " ", word.lower()))
    if axis == "cudnn" and (match := re.match(r"cudnn-(\d+\.\d)-.*-v(\d[\d.]*\d)", low)):
        return read_as(axis, text, (("cuda", match[1]), ("cudnn", match[2])))
    if axis == "cudnn" and (match := _BY_ARCHIVE.fullmatch(low)):
        return read_as(axis, text, ((axis, match[1]),), "the first number is that of a CUDA")
    if axis not in {"cuda", "cudnn"} or not re.search("cuda.*cudnn|cudnn.*cuda|driver", low):
        return None
    between = r"(?:[\s:_=/v-]|version|toolkit|runtime|api)*"
    own = {
        "cuda": re.search(rf"(?<![_+])(?<!for )cuda{between}({_ONE})", low),
        "cudnn": re.search(rf"(?:lib)?cudnn{between}({_ONE})", low),
    }
    if own[axis] is None:
        return None
    return read_as(axis, text, tuple((name, match[1]) for name, match in own.items() if match))


def _pair(axis: str, word: str, text: str, _facts: Facts) -> Reading | None:
    """`10.1 / 7.6.5` and `CUDA 10.1, cuDNN 7.6`, as forms ask for both in one line."""
    if axis not in {"cuda", "cudnn"}:
        return None
    found = [version for version in _VERSION.findall(word) if known_version(version) is not None]
    if len(found) != 2 or found[1].startswith(found[0]):
        return None
    if not re.search(r"[/,;&+]|\band\b|cudnn|with", word, re.IGNORECASE):
        return None
    first, second = found
    if axis == "cudnn" and not re.search(r"cuda", word, re.IGNORECASE):
        return None
    by_order = word.lower().find("cudnn")
    if axis == "cudnn" or 0 <= by_order < word.find(first):
        first, second = second, first
    return read_as(axis, text, (("cuda", first), ("cudnn", second)))


def _extracted(axis: str, word: str, text: str, facts: Facts) -> Reading | None:
    """The version in a longer text: outside its brackets, where there is one."""
    version = _first_version(word)
    if not version:
        return None
    if "bazelisk" in word.lower() and version.startswith("1."):
        return left_open(axis, text, "that is Bazelisk's own version")
    series = _series(axis, version, text, facts)
    return series or read_as(axis, text, _of_release(axis, version, text, facts).specs)


def _first_version(word: str) -> str:
    """The first version in a text that the resolver would take, or an empty string."""
    outside = re.sub(r"\([^)]*\)?", " ", word)
    names = _NO_VERSIONS.sub(" ", f"{outside} ; {word}")
    for found in _VERSION.findall(names):
        text = found.rstrip(".-")
        if _SERIES.match(text) or known_version(text) is not None:
            return str(text)
    return ""
