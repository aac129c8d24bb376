"""The report as one HTML page: what its template needs beside the document itself."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tfbuild.reporting.charts import Chart, duration, ratios, shares, timeline
from tfbuild.reporting.html import Tile, megabytes, render
from tfbuild.reporting.statistics import unrest
from tfbuild.reporting.summary import peak_text, tally

Document = Mapping[str, Any]


def report_page(report: Document) -> str:
    """The page of a report document as `tfbuild.report/1` describes it."""
    perf = report["perf"]
    return render(
        "report.html",
        report=report,
        title=str(report["wheel"]["path"]).rsplit("/", 1)[-1],
        machine=_machine(report["host"]),
        started=str(report["started_at"]).replace("T", " ").partition("+")[0].partition(".")[0],
        figures=tuple(_tiles(report)),
        timeline=timeline(report["stages"]),
        findings=sorted(report["audit"]["findings"], key=lambda f: str(f["state"]) != "failed"),
        rivals=tuple(_rivals(perf)),
        peaks=shares(perf["roofline"]),
        peaks_told=_peaks(perf["roofline"]),
        quiet=_quiet(perf),
        subjects=_subjects(perf["measurements"]),
        values=tuple(_values(perf["measurements"])),
    )


def _machine(host: Document) -> str:
    parts = (
        f"{host['distribution']} {host['distribution_version']}",
        f"{host['cpu_model'] or host['machine']} ({host['cpus']} processors)",
        " and ".join(gpu["name"] for gpu in host["gpus"]),
    )
    return ", ".join(part for part in parts if part)


def _tiles(report: Document) -> Iterator[Tile]:
    yield _counted("audit", [finding["state"] for finding in report["audit"]["findings"]])
    yield _counted("smoke rungs", [rung["state"] for rung in report["smoke"]["rungs"]])
    yield _speed(report["perf"]["ratios"])
    wheel = report["wheel"]
    installed = f"wheel, {megabytes(wheel['installed_size'])} installed"
    yield Tile(name=installed, value=megabytes(wheel["size"]))
    total = sum(float(stage["seconds"]) for stage in report["stages"])
    yield Tile(name="whole run", value=duration(total))


def _counted(name: str, states: Sequence[str]) -> Tile:
    """How many of each, and the state of all together."""
    if not states:
        return Tile(name=name, value="not run")
    state = "failed" if "failed" in states else "passed"
    return Tile(name=name, value=tally(states), state=state)


def _speed(entries: Sequence[Document]) -> Tile:
    verdicts = [ratio["verdict"] for ratio in entries]
    words = ", ".join(
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in ("faster", "same", "slower", "undecidable")
        if verdict in verdicts
    )
    missed = any(ratio["bar"] and ratio["high"] < ratio["bar"] for ratio in entries)
    state = "" if not verdicts else "failed" if missed else "passed"
    return Tile(name="speed comparisons", value=words or "not measured", state=state)


def _rivals(perf: Document) -> Iterator[tuple[str, Chart]]:
    """What the wheel was compared with, and the picture of each comparison."""
    floors = {name: float(text) for name, text in perf["noise_floor"]}
    for rival in dict.fromkeys(ratio["against"] for ratio in perf["ratios"]):
        entries = [ratio for ratio in perf["ratios"] if ratio["against"] == rival]
        yield rival, ratios(entries, floors)


def _peaks(entries: Sequence[Document]) -> str:
    """How near to the machine's peak each measurement came, in words."""
    keys = ("achieved", "peak", "low", "high")
    return "; ".join(
        peak_text(entry["name"], **{key: float(entry[key]) for key in keys}) for entry in entries
    )


def _quiet(perf: Document) -> str:
    """How busy the machine was, and what that means for the numbers."""
    others = float(perf["others"])
    if said := unrest(others, [float(text) for _, text in perf["noise_floor"]]):
        return f"The machine was busy, so do not count on these numbers: {said}."
    return f"Other programs took {others:.0%} of the processors' time meanwhile."


def _subjects(entries: Sequence[Document]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry["subject"] for entry in entries))


def _values(
    entries: Sequence[Document],
) -> Iterator[tuple[str, str, tuple[Document | None, ...]]]:
    """A row per measurement: its name, its unit, and what each subject reached."""
    found = {(entry["name"], entry["subject"]): entry for entry in entries}
    units = {entry["name"]: entry["unit"] for entry in reversed(entries)}
    subjects = _subjects(entries)
    for name in dict.fromkeys(entry["name"] for entry in entries):
        yield name, units[name], tuple(found.get((name, subject)) for subject in subjects)
