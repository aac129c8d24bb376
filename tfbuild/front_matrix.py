"""What `matrix` does: list, show, check and refresh the facts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tfbuild.cases import Judged, judge, read_cases, score
from tfbuild.cautions import stale
from tfbuild.codec import to_plain
from tfbuild.console import ConsoleReporter, print_json, print_text
from tfbuild.errors import BadRecipe
from tfbuild.facts import load_facts
from tfbuild.front import open_tables, open_tools
from tfbuild.matrix import check, find_rows, rules_about, summarise
from tfbuild.rows import AxisRow


def matrix_list(*, as_json: bool) -> None:
    """Print what is known of each axis, on what evidence, and how old it is."""
    facts = load_facts(open_tables())
    summaries = summarise(facts, datetime.now(UTC).date())
    if as_json:
        rows = [to_plain(summary) for summary in summaries]
        print_json({"schema": "tfbuild.matrix/1", "axes": rows, "rules": len(facts.rules)})
        return
    reporter = ConsoleReporter()
    table = [
        (s.axis, str(s.rows), s.newest, s.oldest, s.evidence, f"{s.checked} ({s.age_days} d)")
        for s in summaries
    ]
    reporter.table("", ("axis", "rows", "newest", "oldest", "evidence", "checked"), table)
    print_text(f"{len(facts.rules)} rules, {len(facts.tested)} rows of tested builds")
    for caution in stale(facts):
        reporter.warn(caution.message)


def matrix_show(axis: str, version: str, *, as_json: bool) -> None:
    """Print the rows of an axis, or one version with every rule that speaks of it."""
    facts = load_facts(open_tables())
    rows = find_rows(facts, axis, version)
    if as_json:
        print_json({"schema": "tfbuild.matrix.rows/1", "axis": axis, "rows": _documents(rows)})
        return
    if not version:
        table = [(r.version, _needs(r), r.evidence, r.checked, "; ".join(r.source)) for r in rows]
        columns = (axis, "requires", "evidence", "checked", "source")
        ConsoleReporter().table("", columns, table)
        return
    for row in rows:
        print_text("\n".join(_row_lines(axis, row)))
        for rule in rules_about(facts, axis, row.version):
            print_text(f"  {rule.level:<6} {rule.fact.text}")
            print_text(f"         [{rule.fact.evidence}] {rule.fact.source}")


def matrix_check(cases: str, *, as_json: bool) -> None:
    """Print what does not agree in the facts; with cases, how real ones are judged.

    Raises BadRecipe where the facts contradict themselves. A case that is judged otherwise than it
    ended is told, not an error: what the facts do not cover cannot be foreseen.
    """
    facts = load_facts(open_tables())
    findings = check(facts)
    faults = [finding for finding in findings if finding.is_fault]
    judged = judge(read_cases(Path(cases)), facts) if cases else ()
    if as_json:
        print_json(
            {
                "schema": "tfbuild.matrix.check/1",
                "findings": [to_plain(finding) for finding in findings],
                "cases": [_case_document(item) for item in judged],
                "score": score(judged) if judged else "",
            }
        )
    else:
        reporter = ConsoleReporter()
        for finding in findings:
            kind = "fault" if finding.is_fault else "contradiction"
            print_text(f"{kind}: {finding.where}: {finding.message}")
        told = len(findings) - len(faults)
        print_text(
            f"{len(facts.rules)} rules, {len(facts.tested)} tested rows: "
            f"{len(faults)} faults, {told} contradictions between documents"
        )
        _print_cases(judged, reporter)
    if faults:
        error = BadRecipe("the facts contradict themselves", hint="mend the entries named above")
        error.is_told = as_json
        raise error


def matrix_refresh(*, write: bool, as_json: bool) -> int:
    """Print as a diff what the package index knows beyond the facts; with write, write it.

    The exit code: 0, whether anything is new or not.
    """
    from tfbuild.index import open_index
    from tfbuild.refresh import apply, diff_text, propose

    tables = open_tables()
    files = {path.name: path.read_text() for path in sorted(tables.matrices.glob("*.yaml"))}
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        reporter.stage("refresh")
        proposals = propose(files, open_index(tools.runner))
        added = sum(len(proposal.added) for proposal in proposals)
        changed = sum(len(proposal.changed) for proposal in proposals)
        reporter.done(
            "refresh", seconds=0.0, state="passed", detail=f"{added} new, {changed} changed"
        )
        for proposal in proposals:
            for note in proposal.notes:
                reporter.note(f"{proposal.file}: {note}")
    written = apply(tables.matrices, proposals) if write else ()
    if as_json:
        print_json(
            {
                "schema": "tfbuild.matrix.refresh/1",
                "added": {p.file: list(p.added) for p in proposals if p.added},
                "changed": {p.file: list(p.changed) for p in proposals if p.changed},
                "diff": diff_text(proposals),
                "written": [path.name for path in written],
            }
        )
    else:
        print_text(diff_text(proposals) or "nothing is new")
    return 0


def _print_cases(judged: Sequence[Judged], reporter: ConsoleReporter) -> None:
    if not judged:
        return
    wrong = [item for item in judged if not item.is_right]
    table = [
        (
            item.case.name,
            " ".join(f"{axis}={value}" for axis, value in item.case.request),
            " ".join((item.case.outcome, *item.case.axes)),
            " ".join((item.status, *(" ".join(axes) for axes in item.axes[:1]))),
            item.message,
        )
        for item in wrong
    ]
    if table:
        reporter.table("", ("judged otherwise", "request", "ended", "judged", "because"), table)
    print_text(f"cases judged as they ended: {score(judged)}")


def _case_document(item: Judged) -> dict[str, object]:
    return {
        "name": item.case.name,
        "source": item.case.source,
        "outcome": item.case.outcome,
        "axes": list(item.case.axes),
        "status": item.status,
        "conflicts": [list(axes) for axes in item.axes],
        "is_right": item.is_right,
        "message": item.message,
    }


def _documents(rows: Sequence[AxisRow]) -> list[dict[str, object]]:
    """Rows with the fields that are filled; pairs as mappings."""
    pairs = {"requires", "expects", "sha256", "offers", "wheels", "build_numpy"}
    found = []
    for row in rows:
        plain = {name: value for name, value in to_plain(row).items() if value}
        found.append({n: dict(v) if n in pairs else v for n, v in plain.items()})
    return found


def _needs(row: AxisRow) -> str:
    return ", ".join(f"{axis} {spec}" for axis, spec in row.requires)


def _row_lines(axis: str, row: AxisRow) -> list[str]:
    lines = [f"{axis} {row.version}  [{row.evidence}, checked {row.checked}]"]
    lines += [f"  source  {source}" for source in row.source]
    lines += [f"  note    {row.note}"] if row.note else []
    return lines
