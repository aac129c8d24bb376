"""The stages of a wheel; what a failure leaves; what the second run takes from the first."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.builds.wheel_chain import Chain
from tests.deliveries import cut_off
from tests.failing import fails
from tests.fakes import TINY, FakeEnvironment, says
from tests.sample_report import a_perf, a_smoke, an_audit, an_environment
from tests.schema_maker import check
from tfbuild.builds import wheel_build
from tfbuild.builds.stages import wheel as wheel_stage
from tfbuild.builds.stages.perf import PerfNeeds
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.errors import BuildFailed, PerfRegressed, SmokeFailed
from tfbuild.core.kept_json import read_kept, write_kept
from tfbuild.core.layout import CACHE, WORK, strangers
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Artifact
from tfbuild.core.reports import PerfReport
from tfbuild.facts.tables import Tables

STAGES = ("decide", "environment", "configure", "build", "wheel", "audit", "smoke", "perf")


@pytest.fixture
def chain(
    tmp_path: Path, fake_env: FakeEnvironment, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> Chain:
    made = Chain(tmp_path, fake_env, tables)
    made.install(monkeypatch)
    return made


def delivered_files(chain: Chain) -> list[str]:
    output = chain.request.output
    return sorted(p.name for p in output.iterdir()) if output.is_dir() else []


def test_every_stage_runs_in_order_and_the_wheel_is_delivered(chain: Chain) -> None:
    done = chain.run()
    assert tuple(s.name for s in done.report.stages) == STAGES
    assert chain.env.reporter.coming == STAGES[1:], "they were announced"
    assert all(s.state == "passed" for s in done.report.stages)
    stem = done.wheel.name.removesuffix(".whl")
    assert delivered_files(chain) == sorted(
        [
            "report.html",
            "report.json",
            *(f"{stem}{end}" for end in (".cdx.json", ".lock.yaml", ".whl")),
        ]
    )
    assert done.wheel.read_text() == "a wheel"
    lock = (chain.request.output / f"{stem}.lock.yaml").read_text()
    assert done.report.wheel.sha256 in lock
    assert "http" not in lock
    folders = chain.env.tools.folders
    assert strangers(folders.cache, CACHE) == strangers(folders.work, WORK) == ()


def test_the_files_of_a_lock_reach_what_smoke_and_perf_install(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = chain.run().report.plan.id
    held = tuple(
        Artifact(distribution="numpy", version="2.3", filename="n.whl", sha256="ab" * 32, kind=kind)
        for kind in ("smoke", "perf")
    )
    got: dict[str, object] = {}

    def smoke_needs(*words: object) -> tuple[Artifact, ...]:
        got["smoke"] = words[-1]
        return chain.needs

    def perf_needs(*words: object) -> PerfNeeds:
        got["perf"] = words[-1]
        return PerfNeeds(wheel=chain.needs)

    monkeypatch.setattr(wheel_build, "smoke_needs", smoke_needs)
    monkeypatch.setattr(wheel_build, "perf_needs", perf_needs)
    chain.request = replace(chain.request, held=held)
    assert chain.run().report.plan.id == free, "it is that build again"
    assert got == {"smoke": held[:1], "perf": held[1:]}


def test_the_second_run_reuses_what_it_may(chain: Chain) -> None:
    first = chain.run()
    second = chain.run()
    assert chain.calls == ["configure", "run_build"]
    states = {s.name: s.state for s in second.report.stages}
    assert [n for n, state in states.items() if state == "reused"] == [
        "wheel", "audit", "smoke", "perf",
    ]  # fmt: skip
    assert second.report.smoke.checks == first.report.smoke.checks
    assert second.report.smoke.reused_from == "one"


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_in_the_place_of_a_wheel_is_replaced(
    chain: Chain, make: Callable[[Path], object]
) -> None:
    first = chain.run()
    (kept,) = (chain.env.tools.folders.work / "wheels").glob("*/*.whl")
    kept.unlink()
    make(kept)
    assert chain.run().wheel.read_bytes() == first.wheel.read_bytes() == kept.read_bytes()


def test_a_wheel_is_believed_at_its_own_place_only(chain: Chain, tmp_path: Path) -> None:
    """As another build may have written it down: digest and checksum are right."""
    first = chain.run()
    (kept,) = (chain.env.tools.folders.memo / "wheel").glob("*.json")
    elsewhere = tmp_path / first.wheel.name
    elsewhere.write_text("a strange wheel")
    note = read_kept(kept, f"wheel {kept.stem}")
    note["result"] |= {"path": str(elsewhere), "sha256": file_digest(elsewhere)}
    write_kept(kept, f"wheel {kept.stem}", note)
    assert chain.run().wheel.read_text() == "a wheel"
    assert "make_wheel" in chain.calls


@pytest.mark.parametrize(
    ("stage", "answer"),
    [
        ("audit_wheel", replace(an_audit(), sha256="1" * 64)),
        ("smoke_wheel", replace(a_smoke(), sha256="1" * 64)),
        ("measure_wheel", replace(a_perf(), sha256="1" * 64)),
    ],
)
def test_a_result_of_another_wheel_is_not_reused(chain: Chain, stage: str, answer: object) -> None:
    chain.answers[stage] = answer
    chain.run()
    chain.run()
    assert chain.calls == ["configure", "run_build", stage]


@pytest.mark.parametrize(
    ("stage", "answer", "code"),
    [
        ("audit_wheel", replace(an_audit(), findings=()), "audit-empty"),
        ("smoke_wheel", replace(a_smoke(), checks=()), "smoke-empty"),
        ("smoke_wheel", a_smoke("skipped"), "smoke-empty"),
    ],
)
def test_a_result_that_says_nothing_delivers_nothing(
    chain: Chain, stage: str, answer: object, code: str
) -> None:
    chain.answers[stage] = answer
    for _ in range(2):
        with fails(code):
            chain.run()
        assert chain.calls[-1] == stage, "it is not remembered"
    assert not chain.request.output.exists()


@pytest.mark.parametrize("stage", ["wheel", "audit", "smoke", "perf", "sbom"])
def test_an_edited_result_is_not_reused(chain: Chain, stage: str) -> None:
    chain.run()
    (memo,) = (chain.env.tools.folders.memo / stage).iterdir()
    memo.write_text(memo.read_text().replace("0.1.0", "0.1.1").replace("passed", "failed"))
    again = chain.run()
    kept = read_kept(memo, json.loads(memo.read_text())["subject"])
    assert kept, "it was made anew"
    assert "failed" not in str(again.report.smoke.checks)


def test_each_run_warns_of_what_a_busy_machine_measured(
    chain: Chain,
) -> None:
    chain.answers["measure_wheel"] = replace(a_perf(), others=0.5)
    for number in (1, 2):
        assert chain.run().report.perf.others == 0.5
        said = [words[0] for kind, *words in chain.env.reporter.said if kind == "warn"]
        assert len([text for text in said if "the machine was busy" in text]) == number
    assert "measure_wheel" not in chain.calls, "a machine may never be quiet"


def test_other_code_measures_anew(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    chain.run()
    monkeypatch.setattr("tfbuild.core.stage_cache.code_digest", lambda: "a comment was edited")
    chain.run()
    assert "smoke_wheel" in chain.calls
    assert "measure_wheel" not in chain.calls
    monkeypatch.setattr("tfbuild.builds.wheel_build.measuring_code", lambda: "another probe")
    chain.run()
    assert "measure_wheel" in chain.calls


def test_another_build_is_proven_anew(chain: Chain, tmp_path: Path) -> None:
    chain.run()
    (tmp_path / "a.so").write_text("another library")
    chain.run()
    assert "make_wheel" in chain.calls


def test_whatever_flows_into_a_wheel_makes_another(
    chain: Chain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def source_with(licence: str) -> None:
        source = tmp_path / "source"
        shutil.rmtree(source, ignore_errors=True)
        shutil.copytree(TINY, source)
        (source / "LICENSE").write_text(licence)
        chain.env.toolchain = replace(chain.env.toolchain, source=source)

    def artifact_of(sha256: str) -> None:
        artifact = Artifact(
            distribution="a", version="1", filename="a.whl", sha256=sha256, kind="build"
        )
        lock = replace(chain.env.toolchain.lock, artifacts=(artifact,))
        chain.env.toolchain = replace(chain.env.toolchain, lock=lock)

    monkeypatch.setattr(wheel_stage, "_PLACES", (tmp_path,))
    changes: list[Callable[[], object]] = [
        lambda: source_with("ours"),
        lambda: source_with("ours, changed"),
        lambda: (tmp_path / "libgomp.so.1").write_text("one"),
        lambda: (tmp_path / "libgomp.so.1").write_text("two"),
        lambda: artifact_of("1" * 64),
        lambda: artifact_of("2" * 64),
        lambda: chain.env.runner.answers.update(strip=says("GNU strip 2.41")),
        lambda: monkeypatch.setattr(wheel_stage, "version", lambda _: "another auditwheel"),
        lambda: monkeypatch.setattr(wheel_stage, "find_program", lambda *_: sys.executable),
        lambda: monkeypatch.setenv("SOURCE_DATE_EPOCH", "400000000"),
    ]
    for number, change in enumerate(changes):
        change()
        chain.run()
        assert "make_wheel" in chain.calls, f"change {number}"
        chain.run()
        assert "make_wheel" not in chain.calls, f"change {number}"


def test_what_a_wheel_is_tried_with_is_part_of_what_is_remembered(
    chain: Chain, tmp_path: Path
) -> None:
    chain.run()
    chain.needs = (
        Artifact(distribution="numpy", version="2", filename="n.whl", sha256="1", kind="smoke"),
    )
    chain.run()
    assert chain.calls == ["configure", "run_build", "smoke_wheel", "measure_wheel"]
    chain.run()
    assert chain.calls == ["configure", "run_build"]


def test_a_baseline_at_the_same_path_is_measured_again_when_it_changed(
    chain: Chain, tmp_path: Path
) -> None:
    baseline = tmp_path / "baseline-1-py3-none-any.whl"
    baseline.write_text("one")
    chain.request = replace(chain.request, against=(str(baseline),))
    chain.run()
    chain.run()
    assert "measure_wheel" not in chain.calls
    baseline.write_text("two")
    chain.run()
    assert "measure_wheel" in chain.calls


@pytest.mark.parametrize(
    ("stage", "answer", "code", "last"),
    [
        ("run_build", BuildFailed("broken", code="action-failed"), "action-failed", "run_build"),
        ("audit_wheel", an_audit("failed"), "wheel-not-as-asked", "audit_wheel"),
        ("smoke_wheel", a_smoke("failed", "it crashed"), "smoke-checks-failed", "smoke_wheel"),
        ("measure_wheel", a_perf(high=0.5), "speed-threshold-missed", "measure_wheel"),
    ],
)
def test_the_first_failure_stops_and_delivers_nothing(
    chain: Chain, stage: str, answer: object, code: str, last: str
) -> None:
    chain.request = replace(chain.request, against=("tensorflow-cpu==2.21.0",))  # has thresholds
    good = chain.answers[stage]
    chain.answers[stage] = answer
    with fails(code):
        chain.run()
    assert chain.calls[-1] == last
    assert delivered_files(chain) == []
    chain.answers[stage] = good
    assert chain.run().wheel.is_file()
    assert last in chain.calls, "a failure must be tried again"


def test_a_found_failure_is_in_the_report_of_the_run(chain: Chain) -> None:
    chain.answers["smoke_wheel"] = a_smoke("failed", "it crashed")
    with fails("smoke-checks-failed", "it crashed"):
        chain.run()
    record = json.loads((chain.env.tools.folders.run / "report.json").read_text())
    check("report", record)
    assert record["smoke"]["checks"][0]["reason"] == "it crashed"
    assert record["stages"][-1]["state"] == "failed"
    assert record["failures"][0]["exit_code"] == SmokeFailed.exit_code


def test_a_failure_says_where_the_wheel_and_the_report_are(chain: Chain) -> None:
    chain.answers["audit_wheel"] = an_audit("failed")
    with fails("wheel-not-as-asked", str(chain.request.output), ".whl", "report.html"):
        chain.run()


def test_a_build_that_made_no_wheel_has_a_report_too(chain: Chain) -> None:
    chain.answers["run_build"] = BuildFailed("it does not compile")
    with pytest.raises(BuildFailed) as caught:
        chain.run()
    assert str(chain.request.output) not in caught.value.hint
    record = json.loads((chain.env.tools.folders.run / "report.json").read_text())
    check("report", record)
    assert record["failures"][0]["message"] == "it does not compile"
    assert [stage["state"] for stage in record["stages"]][-1] == "failed"


def test_a_wheel_is_there_while_its_speed_is_measured(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    there: list[dict[str, Any]] = []

    def measure(*_: object, **__: object) -> PerfReport:
        (wheel,) = chain.request.output.glob("*.whl")
        report = json.loads((chain.request.output / "report.json").read_text())
        check("report", report)
        there.append(report)
        assert file_digest(wheel) == report["wheel"]["sha256"]
        return replace(a_perf(), sha256=report["wheel"]["sha256"])

    monkeypatch.setattr(wheel_build, "measure_wheel", measure)
    done = chain.run()
    assert [report["perf"]["measurements"] for report in there] == [[]]
    delivered = json.loads((chain.request.output / "report.json").read_text())
    assert delivered["perf"]["measurements"]
    assert [stage["name"] for stage in delivered["stages"]][-1] == "perf"
    assert any("its speed is measured now" in str(said) for said in chain.env.reporter.said)
    chain.run()
    assert len(there) == 1, "what is remembered takes no time"
    assert done.wheel.is_file()


def test_a_wheel_whose_speed_cannot_be_measured_stays_delivered(chain: Chain) -> None:
    chain.answers["measure_wheel"] = PerfRegressed("no memory", code="speed-probe-killed")
    with pytest.raises(PerfRegressed) as caught:
        chain.run()
    assert [name for name in delivered_files(chain) if name.endswith(".whl")]
    assert "nothing was put into" not in caught.value.hint


def test_perf_can_be_skipped_and_says_so(chain: Chain) -> None:
    chain.request = replace(chain.request, skip_perf=True)
    done = chain.run()
    assert done.report.stages[-1].state == "skipped"
    assert "measure_wheel" not in chain.calls


def test_the_plan_is_in_the_folder_of_the_run(chain: Chain) -> None:
    chain.run()
    assert '"tfbuild.plan/2"' in (chain.env.tools.folders.run / "plan.json").read_text()


def test_what_it_was_built_in_is_kept_by_a_build_that_passed(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = replace(chain.env.toolchain.lock, environment=an_environment("dpkg gcc-12 1-1 amd64"))
    chain.env.toolchain = replace(chain.env.toolchain, lock=lock)
    kept: list[EnvironmentLock] = []
    monkeypatch.setattr(wheel_build, "remember", lambda *words: kept.append(words[1]))
    chain.answers["smoke_wheel"] = a_smoke("failed", "it crashed")
    with fails("smoke-checks-failed"):
        chain.run()
    assert kept == []
    chain.answers["smoke_wheel"] = a_smoke()
    done = chain.run()
    assert kept == [lock.environment] == [done.report.lock.environment]
    assert "gcc-12:amd64: 1-1" in done.wheel.with_suffix(".lock.yaml").read_text()


def test_a_delivery_that_was_cut_off_is_finished_even_by_a_build_that_fails(chain: Chain) -> None:
    cut_off(chain.request.output, {"report.json": "report", "a.whl": "wheel"}, last="a.whl")
    chain.answers["run_build"] = BuildFailed("it does not compile")
    with pytest.raises(BuildFailed):
        chain.run()
    assert sorted(p.name for p in chain.request.output.iterdir()) == ["a.whl", "report.json"]
    (warning,) = [words for kind, *words in chain.env.reporter.said if kind == "warn"]
    assert "a.whl" in warning[0]
