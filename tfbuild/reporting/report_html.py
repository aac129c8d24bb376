"""The report as one HTML page that needs nothing else: no script, no font, no network."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from tfbuild.reporting.charts import duration, number, ratios, shares, timeline
from tfbuild.reporting.html import long_text, note, page, section, state_badge, table, tile
from tfbuild.reporting.statistics import unrest
from tfbuild.reporting.summary import peak_text

Document = Mapping[str, Any]


def report_page(report: Document) -> str:
    """The page of a report document as `tfbuild.report/1` describes it."""
    sections = (
        section("Stages", _stages(report)),
        section("Versions and why", _versions(report)),
        section("Audit: asked = built", _audit(report)),
        section("Smoke ladder", _smoke(report)),
        section("Speed", _perf(report)),
        section("What it was made of", _materials(report)),
    )
    title = str(report["wheel"]["path"]).rsplit("/", 1)[-1]
    return page(title, _head(report, title) + "".join(sections))


# --- head ----------------------------------------------------------------------------------------


def _head(report: Document, title: str) -> str:
    host, wheel = report["host"], report["wheel"]
    machine = ", ".join(
        str(part)
        for part in (
            f"{host['distribution']} {host['distribution_version']}",
            f"{host['cpu_model'] or host['machine']} ({host['cpus']} processors)",
            " and ".join(gpu["name"] for gpu in host["gpus"]),
        )
        if part
    )
    started = str(report["started_at"]).replace("T", " ").partition("+")[0].partition(".")[0]
    words = (
        f"Built {started} UTC by tfbuild {report['tfbuild_version']} on {machine}. "
        f"Run {report['run_id']}, plan {report['plan']['id']}."
    )
    return (
        f'<header><h1>{escape(title)}</h1><p class="soft">{escape(words)}</p>'
        f"<p class='note'>sha256 <code>{escape(wheel['sha256'])}</code></p></header>"
        f'<div class="tiles">{"".join(_tiles(report))}</div>'
    )


def _tiles(report: Document) -> Iterable[str]:
    total = sum(float(stage["seconds"]) for stage in report["stages"])
    yield tile("audit", *_counted([f["state"] for f in report["audit"]["findings"]]))
    yield tile("smoke rungs", *_counted([r["state"] for r in report["smoke"]["rungs"]]))
    verdicts = [ratio["verdict"] for ratio in report["perf"]["ratios"]]
    words = ", ".join(
        f"{verdicts.count(v)} {v}"
        for v in ("faster", "same", "slower", "undecidable")
        if v in verdicts
    )
    missed = any(r["bar"] and r["high"] < r["bar"] for r in report["perf"]["ratios"])
    state = "" if not verdicts else "failed" if missed else "passed"
    yield tile("speed comparisons", words or "not measured", state)
    size = f"{report['wheel']['size'] / 1e6:.1f} MB"
    installed = f"wheel, {report['wheel']['installed_size'] / 1e6:.1f} MB installed"
    yield tile(installed, size, "")
    yield tile("whole run", duration(total), "")


def _counted(states: Sequence[str]) -> tuple[str, str]:
    """How many of each, and the state of all together."""
    if not states:
        return "not run", ""
    words = ", ".join(
        f"{states.count(state)} {state}"
        for state in ("passed", "failed", "skipped")
        if state in states
    )
    return words, "failed" if "failed" in states else "passed"


# --- sections ------------------------------------------------------------------------------------


def _stages(report: Document) -> str:
    stages = report["stages"]
    reused = [s for s in stages if s["reused_from"]]
    notes = [f"{s['name']} was taken from run {s['reused_from']}." for s in reused]
    details = [f"{s['name']}: {s['detail']}" for s in stages if s["detail"]]
    return (
        timeline(stages)
        + note(" ".join(notes))
        + "".join(f'<p class="note">{escape(text)}</p>' for text in details)
    )


def _versions(report: Document) -> str:
    rows = [
        (
            f"<b>{escape(axis)}</b>",
            escape(choice["value"]),
            escape(choice["evidence"]).replace(" ", "&nbsp;"),
            "<br>".join(escape(reason) for reason in choice["because"]),
        )
        for axis, choice in report["versions"].items()
    ]
    return table(("axis", "decided", "evidence", "because"), rows)


def _audit(report: Document) -> str:
    findings = report["audit"]["findings"]
    if not findings:
        return note("The audit was not run.")
    rows = [
        (
            state_badge(f["state"]),
            f"<b>{escape(f['name'])}</b>",
            long_text(f["asked"]),
            long_text(f["built"]),
            f'<span class="why {escape(f["state"])}">{long_text(f["detail"])}</span>',
        )
        for f in sorted(findings, key=lambda f: str(f["state"]) != "failed")
    ]
    return table(("", "checked", "asked", "built", ""), rows)


def _smoke(report: Document) -> str:
    rungs = report["smoke"]["rungs"]
    if not rungs:
        return note("The ladder was not run.")
    items = "".join(_rung(rung) for rung in rungs)
    reused = report["smoke"]["reused_from"]
    words = f"Taken from run {reused}." if reused else ""
    return f'<ul class="plain ladder">{items}</ul>{note(words)}'


def _rung(rung: Document) -> str:
    detail = rung["reason"] or ", ".join(f"{key} {value}" for key, value in rung["detail"])
    more = f'<div class="detail">{escape(detail)}</div>' if detail else ""
    time = f"{float(rung['seconds']):.2f} s" if rung["state"] != "skipped" else ""
    return (
        f'<li>{state_badge(rung["state"])}<div class="what">{escape(rung["name"])}{more}</div>'
        f'<span class="time">{time}</span></li>'
    )


def _perf(report: Document) -> str:
    perf = report["perf"]
    if not perf["measurements"]:
        return note("Speed was not measured.")
    floors = {name: float(text) for name, text in perf["noise_floor"]}
    parts = []
    for rival in dict.fromkeys(ratio["against"] for ratio in perf["ratios"]):
        entries = [ratio for ratio in perf["ratios"] if ratio["against"] == rival]
        parts.append(f"<h3>Against {escape(rival)}: right of 1x the wheel is better</h3>")
        parts.append(ratios(entries, floors))
    parts.append(
        note(
            "Dot: median of the rounds. Line: its 95 % interval. Grey: what the wheel differs from "
            "itself in the same rounds. Upright mark: the bar that must be reached."
        )
    )
    if perf["roofline"]:
        parts.append("<h3>Share of this machine's measured peak</h3>")
        parts.append(shares(perf["roofline"]))
        keys = ("achieved", "peak", "low", "high")
        told = [peak_text(r["name"], **{key: float(r[key]) for key in keys})
                for r in perf["roofline"]]  # fmt: skip
        parts.append(note("; ".join(told) + "."))
    parts.append("<h3>Medians with their 95 % intervals</h3>")
    parts.append(_measurements(perf["measurements"]))
    parts.append(note(_quiet(float(perf["others"]), list(floors.values()))))
    parts += [note(f"Not measured: {what}: {why}.") for what, why in perf["skipped"]]
    return "".join(parts)


def _quiet(others: float, floors: Sequence[float]) -> str:
    """How busy the machine was, and what that means for the numbers."""
    if said := unrest(others, floors):
        return f"The machine was busy, so do not count on these numbers: {said}."
    return f"Other programs took {others:.0%} of the processors' time meanwhile."


def _measurements(entries: Sequence[Document]) -> str:
    subjects = list(dict.fromkeys(entry["subject"] for entry in entries))
    found = {(entry["name"], entry["subject"]): entry for entry in entries}
    rows = []
    for name in dict.fromkeys(entry["name"] for entry in entries):
        unit = next(entry["unit"] for entry in entries if entry["name"] == name)
        cells = [_median(found.get((name, subject))) for subject in subjects]
        rows.append((f"<b>{escape(name)}</b>", escape(unit), *cells))
    return table(("measurement", "unit", *subjects), rows, numbers_from=2)


def _median(entry: Document | None) -> str:
    if entry is None:
        return '<span class="soft">-</span>'
    spread = f"{number(float(entry['low']))} to {number(float(entry['high']))}"
    return f'{number(float(entry["median"]))} <span class="soft">({spread})</span>'


def _materials(report: Document) -> str:
    rows = [
        (
            escape(artifact["kind"]),
            f"{escape(artifact['distribution'])} {escape(artifact['version'])}",
            f"<code>{escape(artifact['filename'])}</code>",
            f'<code title="{escape(artifact["sha256"])}">{escape(artifact["sha256"][:16])}…</code>',
        )
        for artifact in report["lock"]["artifacts"]
    ]
    listed = table(("for", "distribution", "file", "sha256"), rows)
    files = f"<details><summary>{len(rows)} files, pinned by hash</summary>{listed}</details>"
    return files + _container(report["lock"]["environment"])


def _container(environment: Document) -> str:
    """The image that the wheel was compiled in, and its packages; nothing for this machine."""
    if not environment["id"]:
        return ""
    told = (
        ("image", environment["image"]),
        ("identity", environment["id"]),
        ("pulled as", environment["digest"]),
        ("base", environment["base"]),
        ("system", f"{environment['system']} {environment['release']}"),
    )
    image = table(
        ("container", ""),
        [(escape(name), f"<code>{escape(text)}</code>") for name, text in told if text],
    )
    packages = environment["packages"]
    listed = table(
        ("from", "package", "version", "architecture"),
        [
            tuple(escape(p[key]) for key in ("manager", "name", "version", "architecture"))
            for p in packages
        ],
    )
    summary = f"packages in the container: {len(packages)}"
    return f"{image}<details><summary>{summary}</summary>{listed}</details>"
