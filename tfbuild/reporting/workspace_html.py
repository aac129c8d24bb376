"""The record of a workspace's build as one HTML page."""

from collections.abc import Mapping
from typing import Any

from tfbuild.core.counts import counted
from tfbuild.core.durations import clock
from tfbuild.core.errors import BuildFailed
from tfbuild.reporting.charts import timeline
from tfbuild.reporting.html import Outcome, Tile, card, render, utc

Document = Mapping[str, Any]


def workspace_page(report: Document) -> str:
    """The page of a document as `tfbuild.workspace/1` describes it."""
    host = report["host"]
    total = sum(float(stage["seconds"]) for stage in report["stages"])
    state = "failed" if report["failures"] else "passed"
    return render(
        "workspace.html",
        report=report,
        title=str(report["plan"]["workspace"]),
        outcome=_outcome(report),
        card=card(
            str(report["plan"]["workspace"]),
            _outcome(report),
            (
                ("actions", f"{report['actions']}, {report['cache_hits']} from the cache"),
                (
                    "built",
                    f"{utc(str(report['started_at']))} by tfbuild {report['tfbuild_version']}",
                ),
            ),
        ),
        machine=f"{host['distribution']} {host['distribution_version']}, "
        + counted(host["cpus"], "processor"),
        started=utc(str(report["started_at"])),
        figures=(
            Tile(name="build", value=state, state=state),
            Tile(name="targets", value=str(report["targets"])),
            Tile(name="actions that ran", value=str(report["actions"])),
            Tile(name="from the cache", value=str(report["cache_hits"])),
            Tile(name="whole run", value=clock(total)),
        ),
        timeline=timeline(report["stages"]),
    )


def _outcome(report: Document) -> Outcome:
    """How the build ended; what to type next where an action has failed."""
    if not report["failures"]:
        return Outcome(state="passed", title="Built: " + counted(report["targets"], "target"))
    failure = report["failures"][0]
    return Outcome(
        state="failed",
        title="Not built",
        says=str(failure["message"]),
        command="tfbuild debug" if failure["exit_code"] == BuildFailed.exit_code else "",
    )
