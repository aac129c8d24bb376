"""The report as one HTML page: what its template needs beside the document itself."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tfbuild.core.counts import counted
from tfbuild.core.durations import clock
from tfbuild.core.reports import KernelCode, ran_on_gpu
from tfbuild.reporting.charts import Ratios, ratios, shares, timeline
from tfbuild.reporting.html import (
    Link,
    Outcome,
    Tile,
    card,
    grouped,
    megabytes,
    numbered,
    render,
    utc,
)
from tfbuild.reporting.kernels import kernel_table
from tfbuild.reporting.statistics import noise
from tfbuild.reporting.summary import (
    install_command_here,
    load_text,
    peak_text,
    tally,
    undecided_text,
    wheel_command,
)

Document = Mapping[str, Any]
_LAST = ("passed", "skipped")  # what needs to be looked at stands first


def report_page(report: Document, links: Sequence[Link] = ()) -> str:
    """The page of a report document as `tfbuild.report/2` describes it, with ways to its files."""
    perf = report["perf"]
    checks = _worst_first(report["smoke"]["checks"])
    because, reasons = numbered(choice["because"] for choice in report["versions"].values())
    versions = [
        (*choice, found) for choice, found in zip(report["versions"].items(), because, strict=True)
    ]
    return render(
        "report.html",
        report=report,
        title=_wheel_name(report),
        outcome=_outcome(report),
        size=report["wheel"]["size"],
        card=_card(report),
        links=links,
        machine=_machine(report["host"]),
        container=_container(report),
        started=utc(str(report["started_at"])),
        figures=tuple(_tiles(report)),
        timeline=timeline(report["stages"]),
        findings=[f for f in _worst_first(report["audit"]["findings"]) if f["state"] != "skipped"],
        kernels=kernel_table([KernelCode(**kernel) for kernel in report["audit"]["kernels"]]),
        checks=[check for check in checks if check["state"] != "skipped"],
        skips=grouped(checks, "reason"),
        unlooked=grouped(report["audit"]["findings"], "detail"),
        undecided=undecided_text(perf["load"], perf["cpus"]),
        undecided_all=_undecided_all(perf),
        versions=versions,
        reasons=reasons,
        baselines=tuple(_baselines(perf)),
        peaks=shares(perf["roofline"]),
        peaks_said=_peaks(perf["roofline"]),
        quiet=_quiet(perf),
        subjects=_subjects(perf["measurements"]),
        values=tuple(_values(perf["measurements"])),
    )


def _wheel_name(report: Document) -> str:
    """The file name of the wheel; of one that was not packed what it would have been."""
    if report["wheel"]["sha256"]:
        return str(report["wheel"]["path"]).rsplit("/", 1)[-1]
    planned = report["plan"]["wheel"]
    return f"{planned['distribution']} {planned['version']}"


def _worst_first(entries: Iterable[Document]) -> list[Document]:
    def place(entry: Document) -> int:
        return _LAST.index(entry["state"]) + 1 if entry["state"] in _LAST else 0

    return sorted(entries, key=place)


def _outcome(report: Document) -> Outcome:
    """How the run ended, and what to type next."""
    path = str(report["wheel"]["path"])
    failed = [stage for stage in report["stages"] if stage["state"] == "failed"]
    if failed:
        stage = failed[-1]["name"]
        return Outcome(
            state="failed",
            title=f"Not delivered: {stage} failed",
            says=_what_failed(report),
            command=wheel_command(stage, path),
        )
    install = install_command_here(f"{report['plan']['output']}/{_wheel_name(report)}")
    checks = report["smoke"]["checks"]
    proven = f"Audit: {_counts(report['audit']['findings'])}. Smoke test: {_counts(checks)}."
    proven += f" Speed: {_speed(report['perf']['ratios']).value}"
    missed = sum(map(_is_missed, report["perf"]["ratios"]))
    proven += f"; {missed} below the bar." if missed else "."
    passed = [check["name"] for check in checks if check["state"] == "passed"]
    if report["plan"]["device"] == "cuda" and not ran_on_gpu(passed):
        trial = wheel_command("smoke", _wheel_name(report))
        return Outcome(
            state="unproven",
            title="Ready to install, but its GPU code was compiled and never executed",
            says=f"{proven} Run `{trial}` on a machine with a GPU before you count on it.",
            command=install,
        )
    return Outcome(state="passed", title="Ready to install", says=proven, command=install)


def _card(report: Document) -> str:
    """The report in short: what was made of what, how it came out, when."""
    versions = (f"{axis} {choice['value']}" for axis, choice in report["versions"].items())
    wheel = report["wheel"]
    facts = (
        ("versions", ", ".join(versions)),
        ("size", megabytes(wheel["size"]) if wheel["size"] else ""),
        ("sha256", wheel["sha256"]),
        ("built", f"{utc(str(report['started_at']))} by tfbuild {report['tfbuild_version']}"),
    )
    return card(_wheel_name(report), _outcome(report), facts)


def _what_failed(report: Document) -> str:
    """What audit and smoke test found wrong, in words; else what has ended the build."""
    lines = [*report["audit"]["findings"], *report["smoke"]["checks"]]
    names = [str(line["name"]) for line in lines if line["state"] == "failed"]
    if names:
        return f"What failed: {', '.join(names)}."
    # Reports of older releases have no failures.
    return " ".join(str(failure["message"]) for failure in report.get("failures", ()))


def _counts(entries: Sequence[Document]) -> str:
    return tally([entry["state"] for entry in entries]) or "nothing looked at"


def _container(report: Document) -> str:
    """What it was compiled in, where that was not this machine itself."""
    environment = report["lock"]["environment"]
    if not environment["id"]:
        return ""
    system = f"{environment['system']} {environment['release']}"
    return f"the container {environment['image']} ({system})"


def _machine(host: Document) -> str:
    processors = counted(host["cpus"], "processor")
    parts = (
        f"{host['distribution']} {host['distribution_version']}",
        f"{host['cpu_model'] or host['machine']} ({processors})",
        " and ".join(gpu["name"] for gpu in host["gpus"]),
    )
    return ", ".join(part for part in parts if part)


def _tiles(report: Document) -> Iterator[Tile]:
    yield _counted("audit", [finding["state"] for finding in report["audit"]["findings"]])
    yield _counted("smoke checks", [check["state"] for check in report["smoke"]["checks"]])
    yield _speed(report["perf"]["ratios"])
    wheel = report["wheel"]
    if wheel["size"]:
        installed = f"wheel, {megabytes(wheel['installed_size'])} installed"
        yield Tile(name=installed, value=megabytes(wheel["size"]))
    total = sum(float(stage["seconds"]) for stage in report["stages"])
    made = sum(float(stage["original_seconds"] or stage["seconds"]) for stage in report["stages"])
    name = f"whole run, {clock(made)} when it was made" if made > total else "whole run"
    yield Tile(name=name, value=clock(total))


def _counted(name: str, states: Sequence[str]) -> Tile:
    """How many of each, and the state of all together."""
    if not states:
        return Tile(name=name, value="not run")
    state = "failed" if "failed" in states else "passed"
    return Tile(name=name, value=tally(states), state=state)


def _is_missed(ratio: Document) -> bool:
    """Whether a ratio lies below the bar that was set for it."""
    return bool(ratio["bar"] and ratio["high"] < ratio["bar"])


def _speed(entries: Sequence[Document]) -> Tile:
    verdicts = [ratio["verdict"] for ratio in entries]
    words = ", ".join(
        f"{verdicts.count(verdict)} {said}"
        for verdict, said in (
            ("faster", "faster"),
            ("same", "same"),
            ("slower", "slower"),
            ("undecidable", "undecided"),
        )
        if verdict in verdicts
    )
    missed = any(map(_is_missed, entries))
    state = "" if not verdicts else "failed" if missed else "passed"
    return Tile(name="speed comparisons", value=words or "not measured", state=state)


def _baselines(perf: Document) -> Iterator[tuple[str, Ratios]]:
    """What the wheel was compared with, and the picture of each comparison."""
    floors = {name: float(text) for name, text in perf["noise_floor"]}
    units = {one["name"]: str(one["unit"]) for one in perf["measurements"]}
    for baseline in dict.fromkeys(ratio["against"] for ratio in perf["ratios"]):
        entries = [ratio for ratio in perf["ratios"] if ratio["against"] == baseline]
        yield baseline, ratios(entries, floors, units)


def _peaks(entries: Sequence[Document]) -> str:
    """How near to the machine's peak each measurement came, in words."""
    keys = ("achieved", "peak", "low", "high")
    return "; ".join(
        peak_text(entry["name"], **{key: float(entry[key]) for key in keys}) for entry in entries
    )


def _quiet(perf: Document) -> str:
    """How busy the machine was, and what that means for the numbers."""
    others, load = float(perf["others"]), load_text(perf["load"], perf["cpus"])
    if said := noise(others, [float(text) for _, text in perf["noise_floor"]]):
        return f"The machine was busy ({load}), so do not count on these numbers: {said}."
    return f"Other programs took {others:.0%} of the processors' time meanwhile ({load})."


def _undecided_all(perf: Document) -> str:
    """Why no comparison says anything; empty where one does, or where nothing was compared."""
    verdicts = {ratio["verdict"] for ratio in perf["ratios"]}
    if verdicts != {"undecidable"}:
        return ""
    why = f": {load_text(perf['load'], perf['cpus'])}" if perf["cpus"] else ""
    compared = counted(len(perf["ratios"]), "comparison")
    return f"No verdict in {compared}{why}. The numbers, all the same"


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
