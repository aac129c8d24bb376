"""What a published wheel is bound to: its Pythons, its platforms, the CUDA it was built with."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tfbuild.core.records import Pairs
from tfbuild.core.versions import minor, parse_version
from tfbuild.facts.fact import Fact
from tfbuild.facts.ranges import span
from tfbuild.facts.rows import AxisRow

# From CUDA 11.1 on, libraries of one major version stand in for each other.
_FIRST_COMPATIBLE = "11.1"
_ALMOST = "11.0"


def published_pythons(
    rows: Sequence[AxisRow],
) -> Iterable[tuple[Fact, Pairs, tuple[str, str]]]:
    """Per set of releases: the platforms that have wheels, and the Pythons on each of them."""
    known = [row.version for row in rows]
    platforms: dict[str, list[AxisRow]] = defaultdict(list)
    pythons: dict[tuple[str, str], list[AxisRow]] = defaultdict(list)
    for row in rows:
        if row.wheels:
            platforms[" | ".join(platform for platform, _ in row.wheels)].append(row)
        for platform, tags in row.wheels:
            pythons[platform, tags].append(row)
    for spec, members in platforms.items():
        text = f"{_subject(members, known)} wheels for {spec.replace(' | ', ', ')} only"
        fact = _fact(f"wheel-{members[-1].version}-platform", text, members)
        yield fact, (_releases(members),), ("platform", spec)
    for (platform, tags), members in pythons.items():
        text = f"{_subject(members, known)} wheels on {platform} for Python {tags} only"
        fact = _fact(f"wheel-{members[-1].version}-{platform}-python", text, members)
        when = (_releases(members), ("platform", platform))
        yield fact, when, ("python", " | ".join(tags.split()))


def never_published(rows: Sequence[AxisRow]) -> Iterable[tuple[Fact, Pairs]]:
    """The releases that are tags without a wheel, where others have some."""
    never = [row for row in rows if not row.wheels]
    if never and len(never) < len(rows):
        text = f"{_subject(never, [row.version for row in rows])} no published wheels"
        yield _fact(f"wheel-{never[-1].version}-none", text, never), (_releases(never),)


def wheel_libraries(cuda: str, cudnn: str) -> Mapping[str, str]:
    """The CUDA and cuDNN that a wheel opens, given those that it was built with.

    Up to CUDA 11.0 library names carry the minor version; later the major version is enough. A
    newer cuDNN of the same major version stands in for an older one, not the other way round.
    """
    found = {}
    if cuda:
        major = int(cuda.partition(".")[0])
        cuda = cuda if "." in cuda else f"{cuda}.0"  # a table that says 10 means 10.0
        shared = parse_version(cuda) >= parse_version(_FIRST_COMPATIBLE)
        first = _FIRST_COMPATIBLE if major == 11 else f"{major}.0"
        cuda = f"{cuda} | {_FIRST_COMPATIBLE}" if cuda == _ALMOST else cuda  # but for one library
        found["cuda"] = f">={first},<{major + 1}" if shared else cuda
    if cudnn:
        major = int(cudnn.partition(".")[0])
        found["cudnn"] = f">={minor(cudnn)},<{major + 1}"
    return found


def _releases(rows: Sequence[AxisRow]) -> tuple[str, str]:
    return "tensorflow", " | ".join(f"=={row.version}" for row in rows)


def _subject(rows: Sequence[AxisRow], known: Sequence[str]) -> str:
    versions = [row.version for row in rows]
    return f"TensorFlow {span(versions, known)} {'has' if len(rows) == 1 else 'have'}"


def _fact(identity: str, text: str, rows: Sequence[AxisRow]) -> Fact:
    return Fact(
        id=identity,
        kind="wheel",
        text=text,
        source="; ".join(dict.fromkeys(word for row in rows for word in row.source)),
        checked=min(row.checked for row in rows),
        evidence="metadata",
        fix="build it: that is what tfbuild is for",
    )
