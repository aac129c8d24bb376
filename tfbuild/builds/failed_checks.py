"""Failed checks in a few sentences: what was expected, what was found, and what helps."""

from collections.abc import Sequence

from tfbuild.core.reports import AuditFinding, SmokeCheck
from tfbuild.diagnosis.failure_lines import FailureLines
from tfbuild.reporting.layout import cut_middle

_MOST = 3  # checks that get a sentence; the others are named
_LONGEST = 400  # letters of one
# What helps the author of a recipe, by the check of an archive that failed.
_REMEDIES = {
    "promised": "correct `product` in the recipe, or the arguments of its build",
    "libraries": "let the build install a library or a program, or promise headers alone",
    "identity": "build for this platform, with a soname under which the library is installed",
    "exports": "correct `audit.exports` in the recipe, or let the library export them",
    "libraries needed": "build without it, or allow it by `audit.needed` in the recipe",
    "libraries opened at run time": "build without it, or allow it by `audit.opened` in the recipe",
    "search paths": "link with -Wl,-rpath,'$ORIGIN/../lib', and with no absolute path",
    "build paths": "compile with -ffile-prefix-map, or take the path out of the source code",
    "hardening": "pass the flags of the linker on; the how-to for recipes says how",
    "glibc": "build in a container of an older system, or raise `audit.glibc` in the recipe",
    "libstdc++": "build in a container of an older system",
    "CPU level": "drop flags such as -march=native, or see `audit.cpu_level` and `dispatched`",
    "symbols": "strip what the build installs",
    "licence": "correct `product.licenses` in the recipe",
    "files": "correct what the build installs, or leave it out by `product.leave_out`",
    "relocatable": "make these files find their folder by themselves, or patch them",
}


def audit_sentences(bad: Sequence[AuditFinding]) -> str:
    """A line for each of the first findings that failed; the others are named in one more."""
    return _first([(finding.name, _of_finding(finding)) for finding in bad])


def smoke_sentences(bad: Sequence[SmokeCheck]) -> str:
    """A line for each of the first checks that failed; the others are named in one more."""
    return _first([(check.name, _in_one_line(check.reason)) for check in bad])


def audit_remedies(bad: Sequence[AuditFinding]) -> str:
    """What the author of a recipe can do about the first findings that failed, in one line."""
    known = [(one.name, _REMEDIES.get(one.name.partition(" of ")[0], "")) for one in bad[:_MOST]]
    said = [(name, remedy) for name, remedy in known if remedy]
    if len(bad) == 1 and said:
        return said[0][1]
    return "; ".join(f"{name}: {remedy}" for name, remedy in said)


# --- inside ------------------------------------------------------------------------------------


def _first(said: Sequence[tuple[str, str]]) -> str:
    lines = [cut_middle(f"{name}: {sentence}", _LONGEST) for name, sentence in said[:_MOST]]
    more = [name for name, _ in said[_MOST:]]
    if more:
        lines.append(cut_middle(f"and {len(more)} more: {', '.join(more)}", _LONGEST))
    return "\n".join(lines)


def _of_finding(finding: AuditFinding) -> str:
    found = f"expected {finding.asked}, found {finding.built}"
    return f"{found}: {finding.detail}" if finding.detail else found


def _in_one_line(reason: str) -> str:
    """The reason in one line: of the output below it the line that says most."""
    head, *rest = [line.strip() for line in reason.splitlines() if line.strip()] or ["it failed"]
    if not rest:
        return head
    said = FailureLines()
    for line in rest:
        said.take(line)
    first, *further = said.why(tuple(rest[-1:])).splitlines()
    goes_on = f" {further[0]}" if first.endswith(":") and further else ""
    return f"{head.removesuffix(':')}: {first}{goes_on}"
