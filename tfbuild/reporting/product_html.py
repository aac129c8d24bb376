"""The report of a build by a recipe as one HTML page."""

from collections.abc import Mapping, Sequence
from typing import Any

from tfbuild.core.durations import clock
from tfbuild.core.errors import BuildFailed
from tfbuild.reporting.card import Card, card_of
from tfbuild.reporting.charts import timeline
from tfbuild.reporting.check_lists import not_skipped, skipped_by_reason, worst_first
from tfbuild.reporting.html import Outcome, Tile, megabytes, moment, render
from tfbuild.reporting.summary import tally, unpack_command

Document = Mapping[str, Any]


def product_page(report: Document) -> str:
    """The page of a document as `tfbuild.product/2` describes it."""
    host, outcome = report["host"], _outcome(report)
    checks = report["smoke"]["checks"]
    return render(
        "product.html",
        report=report,
        title=str(report["plan"]["archive"]),
        outcome=outcome,
        card=_card(report, outcome),
        machine=f"{host['distribution']} {host['distribution_version']}, {host['cpus']} processors",
        container=report["plan"]["system"]["name"],
        versions=_versions(report["plan"]),
        figures=_tiles(report),
        timeline=timeline(report["stages"]),
        findings=worst_first(report["audit"]["findings"]),
        checks=not_skipped(checks),
        skips=skipped_by_reason(checks),
    )


def _versions(plan: Document) -> Sequence[Document]:
    """What the facts chose for a TensorFlow tree, axis by axis; nothing for other products."""
    trees = [step["plan"] for step in plan["steps"] if step.get("system") == "tensorflow"]
    return [choice for tree in trees for choice in tree["versions"]["choices"]]


def _card(report: Document, outcome: Outcome) -> Card:
    """What of the build is worth passing on."""
    facts = [
        ("audit", tally([line["state"] for line in report["audit"]["findings"]]) or "not run"),
        ("smoke test", tally([line["state"] for line in report["smoke"]["checks"]]) or "not run"),
        ("built for", str(report["plan"]["target"])),
    ]
    if report["sha256"]:
        facts.append(("archive", f"{megabytes(report['size'])}, sha256 {report['sha256'][:16]}..."))
    made = f"tfbuild {report['tfbuild_version']}, {moment(str(report['started_at']))}"
    return card_of(str(report["plan"]["archive"]), outcome, facts, made)


def _tiles(report: Document) -> tuple[Tile, ...]:
    state = "failed" if report["failures"] else "passed"
    total = sum(float(stage["seconds"]) for stage in report["stages"])
    tiles = [Tile(name="build", value=state, state=state)]
    if report["size"]:
        tiles.append(Tile(name="archive", value=megabytes(report["size"])))
    for part, name in (("audit", "findings"), ("smoke", "checks")):
        if states := [line["state"] for line in report[part][name]]:
            passed = sum(one == "passed" for one in states)
            judged = "failed" if "failed" in states else "passed"
            tiles.append(Tile(name=part, value=f"{passed} of {len(states)}", state=judged))
    return (*tiles, Tile(name="whole run", value=clock(total)))


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
