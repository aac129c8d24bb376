"""What `tfbuild facts` does: list, show, check and refresh the facts, and add what was proven."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tfbuild.commands.context import open_cases, open_tools
from tfbuild.core.axes import label
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.serialization import to_plain
from tfbuild.curation.cases import JudgedCase, judge_cases, score, split_held_out
from tfbuild.curation.consistency import (
    GPU,
    TESTED,
    check,
    find_rows,
    find_tested,
    known_gpus,
    rules_about,
    summarise,
)
from tfbuild.curation.evidence import Verified, verify
from tfbuild.facts.cases import read_cases
from tfbuild.facts.installed import open_tables
from tfbuild.facts.names import gpu_aliases
from tfbuild.facts.proven_builds import proof_fact
from tfbuild.facts.rows import AxisRow, GpuRow, TestedRow
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.source_names import (
    find_source,
    like_sources,
    names_of_sources,
    short_source,
    source_address,
)
from tfbuild.reporting.console import ConsoleReporter, print_folded, print_json, print_text
from tfbuild.resolver.documents import in_words
from tfbuild.resolver.warnings import stale


def facts_list(*, as_json: bool) -> None:
    """Print what is known of each axis, on what evidence, and how old it is."""
    facts = load_facts(open_tables())
    summaries = summarise(facts, datetime.now(UTC).date())
    if as_json:
        rows = [to_plain(summary) for summary in summaries]
        print_json({"schema": "tfbuild.facts/1", "axes": rows, "rules": len(facts.rules)})
        return
    reporter = ConsoleReporter()
    table = [(s.axis, str(s.rows), s.newest, s.oldest, s.evidence, s.checked) for s in summaries]
    reporter.table("", ("axis", "rows", "newest", "oldest", "evidence", "checked"), table)
    proven = sum(row.is_proven for row in facts.tested)
    print_text(
        f"{counted(len(facts.rules), 'rule')}, "
        f"{counted(len(facts.tested), 'row')} of tested builds, "
        f"{proven} of them proven by a build"
    )
    for warning in stale(facts):
        reporter.warn(warning.message, code=warning.code)


def facts_show(axis: str, version: str, *, as_json: bool) -> None:
    """Print the rows of an axis, or one version with every rule that speaks of it.

    For what is built, also its tested builds; the axis `tested` stands for all of them. The rows
    of axis gpu are products, each known by its names.
    """
    facts = load_facts(open_tables())
    if axis not in facts.rows and (words := find_source(axis, open_tables())):
        _show_source(axis, words, facts, as_json=as_json)
        return
    if axis not in {*facts.rows, GPU, TESTED} and (like := like_sources(axis, open_tables())):
        raise BadRequest(
            f"there is no axis '{axis}'",
            code="axis-unknown",
            hint=f"sources with it: {', '.join(like)}",
        )
    rows = () if axis in {GPU, TESTED} else find_rows(facts, axis, version)
    tested = find_tested(facts, axis, version)
    gpus = known_gpus(facts, version) if axis == GPU else ()
    if as_json:
        document = {"schema": "tfbuild.facts.rows/1", "axis": axis, "rows": _documents(rows)}
        document["tested"] = [_filled(row) for row in tested]
        document["gpus"] = [_gpu_document(row, facts) for row in gpus]
        print_json(document)
        return
    if gpus:
        _print_gpus(gpus, facts)
    elif axis != TESTED and not version:
        table = [(r.version, _needs(r), r.evidence, r.checked, "; ".join(r.source)) for r in rows]
        columns = (axis, "requires", "evidence", "checked", "source")
        ConsoleReporter().table("", columns, table)
    elif version:
        for row in rows:
            _print_row(facts, axis, row)
    if tested and (version or axis == TESTED):
        print_text("\n".join(line for row in tested for line in _tested_lines(row)))


def _show_source(name: str, words: str, facts: Facts, *, as_json: bool) -> None:
    """Print the document that a short name stands for, and how much rests on it."""
    rows = [
        f"{axis} {row.version}"
        for axis in facts.rows
        for row in facts.rows[axis]
        if words in row.source
    ]
    rules = [
        rule.fact for rule in facts.rules if rule.fact.kind == "rule" and words in rule.fact.source
    ]
    if as_json:
        document = {"schema": "tfbuild.facts.source/1", "name": name, "source": words}
        print_json(document | {"rows": rows, "rules": [fact.id for fact in rules]})
        return
    dates = sorted({row.checked for known in facts.rows.values() for row in known
                    if words in row.source} | {fact.checked for fact in rules})  # fmt: skip
    lines = [f"{name}: {words}"]
    lines += [f"  address: {address}"] if (address := source_address(words)) else []
    lines += [f"  checked: {' to '.join(dict.fromkeys((dates[0], dates[-1])))}"] if dates else []
    lines += [f"  rows: {', '.join(rows)}"] if rows else []
    lines += [f"  rule {fact.id}: {fact.text}" for fact in rules]
    print_text("\n".join(lines))


def facts_check(folder: str, *, with_cases: bool, held_out: bool, as_json: bool) -> None:
    """Print what does not agree in the facts; with cases, how real ones are judged.

    The cases are those of this installation, or of the folder where one is named. Of those that
    are held out only the counts are printed, with held_out each of them too.

    Raises BadRecipe where the facts contradict themselves. A case that is judged otherwise than it
    ended is shown and no error: what the facts do not cover cannot be foreseen.
    """
    facts = load_facts(open_tables())
    cases = read_cases(Path(folder)) if folder else open_cases() if with_cases else ()
    findings = check(facts)
    faults = [finding for finding in findings if finding.is_fault]
    blind, rest = split_held_out(judge_cases(cases, facts))
    shown = (*rest, *blind) if held_out else rest
    if as_json:
        print_json(
            {
                "schema": "tfbuild.facts.check/1",
                "findings": [to_plain(finding) for finding in findings],
                "cases": [_case_document(item) for item in shown],
                "held_out": to_plain(score(blind)),
                "rest": to_plain(score(rest)),
            }
        )
    else:
        reporter = ConsoleReporter()
        for finding in findings:
            kind = "fault" if finding.is_fault else "contradiction"
            print_text(f"{kind}: {finding.where}: {finding.message}")
        others = len(findings) - len(faults)
        print_text(
            f"{counted(len(facts.rules), 'rule')}, {counted(len(facts.tested), 'tested row')}: "
            f"{counted(len(faults), 'fault')}, {counted(others, 'contradiction')} between documents"
        )
        if cases:
            _print_cases(shown, reporter)
            print_text(f"cases: {len(cases)}, of which versions decided {len(blind) + len(rest)}")
            for name, counts in (("held out", score(blind)), ("the rest", score(rest))):
                print_text(f"{name}: {counts.in_words()}")
                print_text(f"  {counts.confidence_in_words()}")
    if faults:
        error = BadRecipe(
            "the facts contradict themselves",
            code="facts-contradict",
            hint="fix the entries named above",
        )
        error.is_printed = as_json
        raise error


def facts_refresh(*, write: bool, as_json: bool) -> int:
    """Print as a diff what the package index knows beyond the facts; with write, write it.

    The exit code: 0, whether anything is new or not.
    """
    from tfbuild.curation.refresh import apply, diff_text, propose
    from tfbuild.fetch.package_index import open_index

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
                "schema": "tfbuild.facts.refresh/1",
                "added": {p.file: list(p.added) for p in proposals if p.added},
                "changed": {p.file: list(p.changed) for p in proposals if p.changed},
                "diff": diff_text(proposals),
                "written": [path.name for path in written],
            }
        )
    else:
        print_text(diff_text(proposals) or "nothing is new")
    return 0


def facts_verify(folders: Sequence[str], *, write: bool, as_json: bool) -> int:
    """Print as a diff what the builds below the folders prove; with write, write it.

    The exit code: 0 where no report contradicts what lies beside it. Raises BadRequest where there
    is no report, EnvironmentFailed where the facts must not be written.
    """
    from tfbuild.curation.refresh import apply, diff_text
    from tfbuild.curation.tested_rows import FILE, propose_rows

    tables = open_tables()
    # Whoever names a folder trusts what lies there; `dist` of a checkout may be anybody's.
    places = [Path(folder) for folder in folders or ("dist",)]
    verified = verify(places, load_facts(tables), own_alone=not folders)
    text = (tables.matrices / FILE).read_text()
    proposal, news = propose_rows(text, [proof.row for proof in verified.proofs])
    written = apply(tables.matrices, [proposal]) if write else ()
    diff = diff_text([proposal])
    if as_json:
        print_json(
            {
                "schema": "tfbuild.facts.verify/1",
                "proven": [
                    {"report": str(proof.report), "news": what, "row": _filled(proof.row)}
                    for proof, what in zip(verified.proofs, news, strict=True)
                ],
                "refused": [to_plain(refusal) for refusal in verified.refusals],
                "diff": diff,
                "written": [path.name for path in written],
            }
        )
    else:
        _print_verified(verified, news)
        print_text(diff or "nothing is new")
    return verified.exit_code


def _print_verified(verified: Verified, news: Sequence[str]) -> None:
    """What was made of each report, and why some are not believed."""
    reporter = ConsoleReporter()
    for proof, what in zip(verified.proofs, news, strict=True):
        reporter.note(f"{proof.report}: {what}: {proof_fact(proof.row).text}")
    for refusal in verified.refusals:
        why = f" ({refusal.why})" if refusal.why else ""
        reporter.warn(
            f"{refusal.report} is not believed: {refusal.reason}{why}", code="report-not-believed"
        )


def _print_cases(judged: Sequence[JudgedCase], reporter: ConsoleReporter) -> None:
    """A line for each that was judged otherwise than it ended."""
    table = [
        (
            item.case.name,
            " ".join(f"{axis}={value}" for axis, value in item.case.tried),
            " ".join((item.case.outcome, *item.case.cause)),
            " ".join((item.status, *(" ".join(axes) for axes in item.axes[:1]))),
            item.message,
        )
        for item in judged
        if not item.is_right
    ]
    if table:
        reporter.table("", ("judged otherwise", "tried", "ended", "judged", "because"), table)


def _case_document(item: JudgedCase) -> dict[str, object]:
    return {
        "name": item.case.name,
        "thread": item.case.link,
        "outcome": item.case.outcome,
        "cause": list(item.case.cause),
        "status": item.status,
        "conflicts": [list(axes) for axes in item.axes],
        "is_right": item.is_right,
        "message": item.message,
    }


def _documents(rows: Sequence[AxisRow]) -> list[dict[str, object]]:
    """Rows with the fields that are filled; pairs as mappings."""
    pairs = {"requires", "expects", "sha256", "offers", "wheels", "build_numpy"}
    return [{n: dict(v) if n in pairs else v for n, v in _filled(row).items()} for row in rows]


def _gpu_document(row: GpuRow, facts: Facts) -> dict[str, Any]:
    """A GPU with the names that compilers and people have for it."""
    names = {"architecture": row.architecture, "aliases": list(gpu_aliases(row, facts.gpus))}
    return {**_filled(row), **names}


def _print_gpus(rows: Sequence[GpuRow], facts: Facts) -> None:
    """One line per GPU; of a single one also its note."""
    table = [
        (
            row.name,
            row.capability,
            row.architecture,
            ", ".join(gpu_aliases(row, facts.gpus)),
            row.evidence,
            row.checked,
            "; ".join(row.source),
        )
        for row in rows
    ]
    columns = ("gpu", "capability", "architecture", "also", "evidence", "checked", "source")
    ConsoleReporter().table("", columns, table)
    if len(rows) == 1 and rows[0].note:
        print_text(f"note: {rows[0].note}")


def _filled(row: AxisRow | GpuRow | TestedRow) -> dict[str, Any]:
    """The fields of a row that say something."""
    return {name: value for name, value in to_plain(row).items() if value}


def _needs(row: AxisRow) -> str:
    return ", ".join(f"{axis} {spec}" for axis, spec in row.requires)


def _print_row(facts: Facts, axis: str, row: AxisRow) -> None:
    names = names_of_sources(open_tables())
    lines = _row_lines(axis, row)
    for rule in rules_about(facts, axis, row.version):
        source = short_source(rule.fact.source, names) or rule.fact.source
        lines.append(
            f"  {rule.level:<6}  {rule.fact.text} [{in_words(rule.fact.evidence)}, {source}]"
        )
    print_folded(lines)


def _row_lines(axis: str, row: AxisRow) -> list[str]:
    lines = [f"{axis} {row.version}  [{row.evidence}, checked {row.checked}]"]
    lines += [f"  source  {source}" for source in row.source]
    lines += [f"  note    {row.note}"] if row.note else []
    return lines


def _tested_lines(row: TestedRow) -> list[str]:
    """A tested build, in the shape of the other rows."""
    names = ("os", "glibc", "python", "numpy", "gcc", "clang", "compiler", "bazel", "cuda", "cudnn")
    values = [(name, getattr(row, name)) for name in names]
    where = f"{row.platform}, {row.device}" + (f", {row.gpu}" if row.gpu else "")
    lines = [
        f"{row.target} {row.version} on {where}  [{in_words(row.evidence)}, checked {row.checked}]",
        f"  tested  {', '.join(f'{label(name)} {value}' for name, value in values if value)}",
    ]
    lines += [f"  source  {source}" for source in row.source]
    return lines + ([f"  note    {row.note}"] if row.note else [])
