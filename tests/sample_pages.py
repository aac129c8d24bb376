"""Pages of every kind with much in them, for tests of how they look."""

import json
from dataclasses import replace
from pathlib import Path

from tests.reporting.test_matrix_html import four_cells, page_of
from tests.sample_product import a_failed_product_report, a_product_report
from tests.sample_report import a_report, a_smoke
from tests.sample_workspace import a_workspace_report
from tfbuild.builds.stages.report import report_document
from tfbuild.builds.workspace_build import workspace_document
from tfbuild.core.reports import Measurement, Ratio, Report, SmokeCheck, SpeedVerdict, StageRecord
from tfbuild.reporting.html import Link
from tfbuild.reporting.product_html import product_page
from tfbuild.reporting.report_html import report_page
from tfbuild.reporting.workspace_html import workspace_page
from tfbuild.run.report import report_document as product_document

_GPU = "no GPU is seen: run `tfbuild smoke WHEEL` on a machine with one"


def a_full_report(folder: Path) -> Report:
    """A wheel with 32 comparisons, from half as fast to 16 times, every fourth undecided."""
    report = a_report(folder)
    verdicts: tuple[SpeedVerdict, ...] = ("faster", "same", "slower", "undecidable")
    ratios = tuple(
        Ratio(
            name=f"digits_convolutions_step_{number}", against="numpy 2.4",
            value=value, low=value * 0.9, high=value * 1.2, verdict=verdicts[number % 4],
            bar=0.8 if number % 3 else 0.0,
        )
        for number, value in ((n, 0.5 * 2 ** (n / 6)) for n in range(32))
    )  # fmt: skip
    measured = tuple(
        Measurement(
            name=ratio.name, subject=subject, unit="samples/s", value=1234.5, low=1200, high=1300,
            samples=9, higher_is_better=True,
        )
        for ratio in ratios
        for subject in ("wheel", "numpy 2.4")
    )  # fmt: skip
    floors = tuple((ratio.name, "0.05") for ratio in ratios)
    skipped = tuple(
        SmokeCheck(name=f"GPU: gradient of Conv{n}D", state="skipped", reason=_GPU)
        for n in range(12)
    )
    checks = (*skipped, *a_smoke().checks)
    stages = tuple(
        StageRecord(name=name, started=at, seconds=187.4, state="passed", detail="178 actions")
        for name, at in (("build", 0.0), ("smoke", 187.4))
    )
    perf = replace(
        report.perf, ratios=ratios, measurements=measured, noise_floor=floors, load=8.0, cpus=2
    )
    return replace(report, perf=perf, smoke=replace(report.smoke, checks=checks), stages=stages)


def write_pages(folder: Path) -> list[Path]:
    """A page of each kind in its file, with what passed and what failed."""
    full = a_full_report(folder)
    failed = replace(
        full,
        smoke=a_smoke("failed", "boom"),
        stages=(replace(full.stages[0], state="failed"),),
    )
    links = (Link(name="wheel", target="a.whl"), Link(name="lock", target="a.lock.yaml"))
    texts = {
        "report": report_page(_plain(report_document(full)), links),
        "failed": report_page(_plain(report_document(failed))),
        "product": product_page(_plain(product_document(a_product_report(folder)))),
        "no-product": product_page(_plain(product_document(a_failed_product_report(folder)))),
        "workspace": workspace_page(_plain(workspace_document(a_workspace_report()))),
        "matrix": page_of(four_cells(folder), folder),
    }
    paths = []
    for name, text in texts.items():
        paths.append(folder / f"{name}.html")
        paths[-1].write_text(text)
    return paths


def _plain(document: object) -> dict[str, object]:
    """The document as a file has it."""
    found: dict[str, object] = json.loads(json.dumps(document))
    return found
