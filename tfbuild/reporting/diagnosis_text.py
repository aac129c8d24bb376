"""A diagnosis as people read it: five lines for the root cause, a line for each other one."""

from tfbuild.core.counts import counted
from tfbuild.diagnosis.findings import Diagnosis, Finding

_MOST_OTHERS = 5
_NEXT_OF_LINES = (
    "next:   read the log around the first of these lines; if tfbuild made the build, "
    "`tfbuild debug` runs alone what failed"
)
_NEXT_OF_NOTHING = (
    "next:   give it the whole output of the build, what it writes to standard error as well: "
    "`BUILD 2>&1 | tfbuild diagnose -`"
)


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Cause, place, reason, remedy and source; without a known cause the lines that say most."""
    if not diagnosis.is_known:
        return _unknown(diagnosis)
    first, *others = diagnosis.findings
    lines = list(five_lines(first))
    more = [other for other in others if other.kind != "weak"][:_MOST_OTHERS]
    if more:
        lines += ["", "also in the log, in this order:"]
        lines += [f"  {other.id}, line {other.line}: {other.cause}" for other in more]
    return "\n".join(lines) + "\n"


def five_lines(finding: Finding) -> tuple[str, ...]:
    """A finding in five lines."""
    where = ", ".join(filter(None, (finding.where, f"line {finding.line} of the log")))
    met = f" (met in: {finding.versions})" if finding.versions else ""
    return (
        f"what:   {finding.what}: {finding.id}",
        f"where:  {where}: {finding.excerpt}",
        f"why:    {finding.cause}{met}",
        f"do:     {finding.fix}",
        f"source: {'; '.join(finding.sources)}",
    )


def _unknown(diagnosis: Diagnosis) -> str:
    lines = [f"no known cause in {counted(diagnosis.lines, 'line')}"]
    if diagnosis.key_lines:
        lines += ["the most informative lines:"]
        lines += [f"  {line.line}: {line.text}" for line in diagnosis.key_lines]
    if diagnosis.findings:
        lines += ["harmless as a rule:"]
        lines += [f"  line {weak.line}: {weak.cause}" for weak in diagnosis.findings[:3]]
    lines.append(_NEXT_OF_LINES if diagnosis.key_lines else _NEXT_OF_NOTHING)
    return "\n".join(lines) + "\n"
