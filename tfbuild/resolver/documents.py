"""The resolver's answer as documents: JSON for programs, tables for people, a lock for builds."""

from collections.abc import Sequence
from typing import Any

from tfbuild.core.axes import label
from tfbuild.core.lock_file import LockFile
from tfbuild.core.records import Pairs
from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import parse_version
from tfbuild.facts.build_rows import ImageRow
from tfbuild.facts.fact import OF_TODAY, Fact
from tfbuild.facts.ranges import NONE
from tfbuild.resolver.explain import Explained
from tfbuild.resolver.resolution import Conflict, Resolution, ResolvedVersion

SCHEMA = "tfbuild.resolution/2"
NO_WAY_OUT = "nothing that you can change resolves it: GPU, processor and platform are kept"


def images_for(resolution: Resolution, rows: Sequence[ImageRow]) -> tuple[str, ...]:
    """The container images that have the chosen CUDA, cuDNN and system, newest toolkit first."""
    cuda, cudnn = resolution.value("cuda"), resolution.value("cudnn").partition(".")[0]
    fitting = [
        row
        for row in rows
        if f"{row.cuda}.".startswith(f"{cuda}.") and row.os == resolution.value("os")
    ]
    fitting.sort(key=lambda row: parse_version(row.cuda), reverse=True)
    return tuple(
        f"nvidia/cuda:{tag}"
        for row in fitting
        for tag in row.cudnn_devel
        if f"cudnn{cudnn}" in tag or row.cudnn.partition(".")[0] == cudnn
    )


def resolution_document(resolution: Resolution, images: Sequence[str] = ()) -> dict[str, Any]:
    """The answer as the JSON document tfbuild.resolution/2, with images that have all of it."""
    return {
        "schema": SCHEMA,
        "status": resolution.status,
        "confidence": resolution.confidence,
        "constraints": list(resolution.constraints),
        "versions": {
            choice.axis: {
                "version": choice.value,
                "evidence": choice.evidence,
                "because": list(choice.because),
                "others": list(choice.others),
                "against": dict(choice.against),
            }
            for choice in resolution.choices
        },
        "conflicts": [to_plain(conflict) for conflict in resolution.conflicts],
        "alternatives": [
            {"change": dict(a.change), "versions": dict(a.versions)}
            for a in resolution.alternatives
        ],
        "warnings": [
            {"code": warning.code, **to_plain(warning)} for warning in resolution.warnings
        ],
        "cases": [
            {
                "id": near.case.name,
                "outcome": near.case.outcome,
                "thread": near.case.link,
                "says": near.case.says,
                "differs": list(near.differs),
            }
            for near in resolution.cases
        ],
        "images": list(images),
        "facts": {fact.id: to_plain(fact) for fact in resolution.facts},
    }


def explained_document(axis: str, rows: Sequence[Explained]) -> dict[str, Any]:
    """The verdicts on one axis as the JSON document tfbuild.explanation/1."""
    return {
        "schema": "tfbuild.explanation/1",
        "axis": axis,
        "values": [to_plain(row) for row in rows],
    }


def lock_of_resolution(resolution: Resolution) -> LockFile:
    """What a lock holds before anything was built: the versions and what was asked."""
    # A build without CUDA is held to that too.
    versions = {"cuda": NONE} | {choice.axis: choice.value for choice in resolution.choices}
    return LockFile(requested=tuple(resolution.constraints), versions=tuple(versions.items()))


def version_rows(resolution: Resolution) -> list[tuple[str, ...]]:
    """One line per axis: name, value, evidence, what else would do in its place."""
    return [
        (choice.axis, shown(choice.axis, choice.value), in_words(choice.evidence), _few(choice))
        for choice in resolution.choices
    ]


def reason_lines(resolution: Resolution) -> list[str]:
    """The first fact behind every choice, with its source, and why not its next neighbours."""
    facts = {fact.id: fact for fact in resolution.facts}
    lines = ["", "because:"]
    for choice in resolution.choices:
        lines.append(f"  {choice.axis}: {_reason(choice, facts)}")
        lines += [
            f"    not {shown(choice.axis, value)}: {facts[name].text}"
            for value, name in choice.against
        ]
    return lines


def trouble_lines(resolution: Resolution) -> list[str]:
    """Conflicts with their facts, alternatives and warnings, as lines of text."""
    lines: list[str] = []
    for conflict in resolution.conflicts:
        lines += _conflict_lines(conflict)
    if resolution.alternatives:
        lines += ["", "nearest without a known conflict:"]
        for number, alternative in enumerate(resolution.alternatives, 1):
            changed = ", ".join(
                f"{axis}={shown(axis, value)}" for axis, value in alternative.change
            )
            lines.append(f"  {number}. take {changed}")
            lines.append(f"     then: {_joined(alternative.versions)}")
    elif resolution.conflicts:
        lines += ["", NO_WAY_OUT]
    if resolution.warnings:
        lines += ["", "warnings:"]
    for warning in resolution.warnings:
        lines.append(f"  - {warning.message}")
        lines += [f"    {source_line(fact)}" for fact in warning.facts]
    return lines


def shown(axis: str, value: str) -> str:
    """The value as people know it: compute capability 8.6 is sm_86."""
    if axis == "gpu" and value[:1].isdigit():
        return ", ".join(f"sm_{one.replace('.', '')}" for one in value.split(","))
    return value


def in_words(evidence: str) -> str:
    """The kind of evidence as people read it: proven is what tfbuild did itself, on any machine."""
    return "proven by a build" if evidence == "proven" else evidence


def source_line(fact: Fact) -> str:
    """Where a fact stands, how well it is known and when it was read."""
    return f"[{fact.evidence}, read {fact.checked}] {_short(fact.source)}"


def _short(source: str) -> str:
    """The first documents of a fact; all of them are in the JSON answer."""
    documents = source.split("; ")
    more = f" and {len(documents) - 2} more" if len(documents) > 2 else ""
    return "; ".join(documents[:2]) + more


def _conflict_lines(conflict: Conflict) -> list[str]:
    lines = [f"conflict of {', '.join(conflict.axes)}:"]
    lines += [f"  asked for {text}" for text in conflict.constraints]
    for fact in conflict.facts:
        lines += [f"  but {fact.text}", f"      {source_line(fact)}"]
        lines += [f"      {fact.fix}"] if fact.fix else []
    return lines


def _joined(versions: Pairs) -> str:
    return ", ".join(f"{label(axis)} {shown(axis, value)}" for axis, value in versions)


def _few(choice: ResolvedVersion) -> str:
    others = [shown(choice.axis, value) for value in choice.others]
    return ", ".join(others[:4]) + (f" and {len(others) - 4} more" if len(others) > 4 else "")


def _reason(choice: ResolvedVersion, facts: dict[str, Fact]) -> str:
    behind = [facts[name] for name in choice.because]
    if not behind:
        return "no known limit speaks against it, and it comes first"
    first = behind[0]
    return first.text if first.kind in OF_TODAY else f"{first.text} ({_short(first.source)})"
