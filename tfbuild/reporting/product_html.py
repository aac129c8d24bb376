"""The report of a build by a recipe as one HTML page."""

from collections.abc import Mapping, Sequence
from typing import Any

from tfbuild.core.counts import counted
from tfbuild.core.durations import clock
from tfbuild.core.errors import BuildFailed
from tfbuild.reporting.charts import timeline
from tfbuild.reporting.html import Outcome, Tile, card, grouped, megabytes, render, utc
from tfbuild.reporting.summary import tally, unpack_command

Document = Mapping[str, Any]


def product_page(report: Document) -> str:
    """The page of a document as `tfbuild.product/2` describes it."""
    host = report["host"]
    return render(
        "product.html",
        report=report,
        title=str(report["plan"]["archive"]),
        outcome=_outcome(report),
        size=report["size"],
        card=_card(report),
        machine=f"{host['distribution']} {host['distribution_version']}, "
        + counted(host["cpus"], "processor"),
        container=report["plan"]["system"]["name"],
        started=utc(str(report["started_at"])),
        versions=_versions(report["plan"]),
        figures=_tiles(report),
        timeline=timeline(report["stages"]),
        findings=_lines(report, "audit", "findings"),
        checks=_lines(report, "smoke", "checks"),
        skips=grouped(report["smoke"]["checks"], "reason"),
        unlooked=grouped(report["audit"]["findings"], "detail"),
    )


def _versions(plan: Document) -> Sequence[Document]:
    """What the facts chose for a TensorFlow tree, axis by axis; nothing for other products."""
    trees = [step["plan"] for step in plan["steps"] if step.get("system") == "tensorflow"]
    return [choice for tree in trees for choice in tree["versions"]["choices"]]


def _lines(report: Document, part: str, name: str) -> Sequence[Document]:
    """The lines of audit or smoke test that were not skipped; what failed stands first."""
    found = [line for line in report[part][name] if line["state"] != "skipped"]
    return sorted(found, key=lambda line: line["state"] != "failed")


def _tiles(report: Document) -> tuple[Tile, ...]:
    state = "failed" if report["failures"] else "passed"
    total = sum(float(stage["seconds"]) for stage in report["stages"])
    tiles = [Tile(name="build", value=state, state=state)]
    if report["size"]:
        tiles.append(Tile(name="archive", value=megabytes(report["size"])))
    for part, name in (("audit", "findings"), ("smoke", "checks")):
        if states := [line["state"] for line in report[part][name]]:
            judged = "failed" if "failed" in states else "passed"
            tiles.append(Tile(name=part, value=tally(states), state=judged))
    return (*tiles, Tile(name="whole run", value=clock(total)))


def _card(report: Document) -> str:
    plan = report["plan"]
    facts = (
        ("recipe", f"{plan['recipe']} {plan['version']}"),
        ("size", megabytes(report["size"]) if report["size"] else ""),
        ("sha256", str(report["sha256"])),
        ("built", f"{utc(str(report['started_at']))} by tfbuild {report['tfbuild_version']}"),
    )
    return card(str(plan["archive"]), _outcome(report), facts)


def _outcome(report: Document) -> Outcome:
    if report["failures"]:
        failure = report["failures"][0]
        is_built = failure["exit_code"] == BuildFailed.exit_code
        return Outcome(
            state="failed",
            title="Not delivered",
            says=str(failure["message"]),
            command="tfbuild diagnose log.txt" if is_built else "",
        )
    audit = tally([line["state"] for line in report["audit"]["findings"]])
    smoke = tally([line["state"] for line in report["smoke"]["checks"]])
    tried = f"Smoke test: {smoke}." if smoke else "It was not tried."
    return Outcome(
        state="passed",
        title="Ready to use",
        says=f"Audit: {audit}. {tried}",
        command=unpack_command(str(report["plan"]["archive"])),
    )
