import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.shared_libraries import tiny_wheel
from tfbuild.builds.stages import perf
from tfbuild.builds.stages.perf import (
    PROBES,
    Baseline,
    PerfSpec,
    measure,
    measure_wheel,
    perf_needs,
)
from tfbuild.builds.stages.plan import read_baselines
from tfbuild.core.interfaces import Watch
from tfbuild.core.paths import PACKAGE
from tfbuild.core.records import Artifact, Command, Completed, Interpreter
from tfbuild.core.reports import PerfReport

PYTHON = Interpreter(path="python", version="3.11.2", tag="cp311")
Speeds = dict[str, float]


def prints(speed: float, name: str = "matmul_1024", others: float = 0.0) -> Completed:
    entry = {"unit": "GFLOP/s", "higher_is_better": True, "median": speed, "best": speed}
    return Completed(
        code=0, stdout=json.dumps({"measurements": {name: entry}, "others": others}) + "\n"
    )


@pytest.fixture
def runner(fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Answers probes by module, and remembers the order in which modules ran."""
    monkeypatch.setattr("sys.executable", "/opt/python3")

    def prepare(**answers: Completed) -> list[str]:
        order: list[str] = []

        def answer(command: Command, _watch: Watch | None) -> Completed:
            if "--module" not in command.argv:
                bad = command.argv[-1] == "broken.compat.v1"
                return Completed(code=int(bad), last_lines=("ModuleNotFoundError",) * bad)
            module = command.argv[command.argv.index("--module") + 1].partition(".")[0]
            order.append(module)
            return answers[module]

        fake_env.runner.answers |= {"python": answer, "python3": answer}
        return order

    return prepare


def a_spec(tmp_path: Path, *baselines: Baseline, **changes: object) -> PerfSpec:
    facts: dict[str, object] = {
        "sha256": "0", "module": "tiny.compat.v1", "python": "python", "rounds": 3,
        "wheels": (tmp_path / "tiny.whl",), "baselines": baselines, "probes": ("perf_import",),
    }  # fmt: skip
    return PerfSpec(**(facts | changes))  # type: ignore[arg-type]


def test_rounds_are_interleaved(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    ran = runner(tiny=prints(150.0), tf=prints(100.0), numpy=prints(50.0))
    baseline = Baseline(name="tf 2", wheels=(), module="tf.compat.v1")
    report = measure(a_spec(tmp_path, baseline), fake_env.tools)
    assert ran == ["tiny", "tf", "tiny", "numpy"] * 3
    assert {r.against: (r.value, r.verdict) for r in report.ratios} == {
        "tf 2": (1.5, "faster"),
        "numpy": (3.0, "faster"),
    }
    assert [m.samples for m in report.measurements] == [6, 3, 3]


def test_a_brief_measurement_takes_fewer_rounds_and_says_so(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    spec = a_spec(tmp_path, rounds=5)
    for asked, rounds, brief in ((spec, 5, False), (spec.made_brief(), 2, True)):
        ran = runner(tiny=prints(150.0), numpy=prints(50.0))
        assert measure(asked, fake_env.tools).brief == brief
        assert ran.count("numpy") == rounds


def test_the_report_knows_how_busy_the_machine_was(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    runner(tiny=prints(1.0, others=0.4), numpy=prints(1.0, others=0.4))
    assert measure(a_spec(tmp_path), fake_env.tools).others == 0.4


def test_a_baseline_that_fails_is_reported_and_left_out(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    crashed = Completed(code=-11, last_lines=("boom",))
    ran = runner(tiny=prints(1.0), numpy=crashed)
    report = measure(a_spec(tmp_path), fake_env.tools)
    assert report.ratios == ()
    assert report.skipped == (("perf_import on numpy", "boom"),)
    assert ran.count("numpy") == 1


def test_a_probe_that_does_not_apply_is_reported(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    text = json.dumps({"measurements": {}, "skipped": "NumPy has no sessions", "others": 0.0})
    runner(tiny=prints(1.0), numpy=Completed(code=0, stdout=text))
    report = measure(a_spec(tmp_path), fake_env.tools)
    assert report.skipped == (("perf_import on numpy", "NumPy has no sessions"),)


def test_a_probe_that_fails_on_the_wheel_is_an_error(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    runner(tiny=Completed(code=1, last_lines=("AttributeError: no matmul",)))
    with fails("speed-probe-failed", "perf_import", "AttributeError: no matmul"):
        measure(a_spec(tmp_path), fake_env.tools)


@pytest.mark.parametrize("code", [-9, 137])
def test_a_probe_that_is_killed_is_no_regression(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]], code: int
) -> None:
    runner(tiny=Completed(code=code))
    with fails("speed-probe-killed", "perf_import"):
        measure(a_spec(tmp_path), fake_env.tools)


def test_a_wheel_without_the_interface_is_refused(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    runner()
    with fails("tensorflow1-interface-missing", "broken.compat.v1"):
        measure(a_spec(tmp_path, module="broken.compat.v1"), fake_env.tools)


def test_baselines_come_from_requirements_and_wheels(
    tmp_path: Path,
    fake_env: FakeEnvironment,
    runner: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wheel = tiny_wheel(tmp_path)
    other = tiny_wheel(tmp_path, name="other_one", version="2.0")
    runner(tiny_thing=prints(1.0), other_one=prints(2.0), numpy=prints(1.0))
    monkeypatch.setattr(perf, "resolve_requirements", lambda words, *_, **__: tuple(
        Artifact(distribution=word, version="", filename="", sha256=word, kind="perf")
        for word in words
    ))  # fmt: skip
    monkeypatch.setattr(perf, "fetch", lambda artifacts, *_, **__: tuple(
        other for artifact in artifacts if artifact.distribution == "other-one==2.0"
    ))  # fmt: skip

    def measured(against: str) -> PerfReport:
        needs = perf_needs(wheel, read_baselines((against,)), PYTHON, fake_env.tools)
        return measure_wheel(wheel, ("perf_import",), PYTHON, fake_env.tools, needs=needs)

    for against in (str(other), "other-one==2.0"):
        report = measured(against)
        assert {m.subject for m in report.measurements} == {"wheel", "other-one 2.0", "numpy"}
    for nonsense in ("tiny", "other-one==3.0"):  # pip installs nothing of that name here
        with fails("baseline-not-installed", nonsense):
            measured(nonsense)


def test_a_baseline_has_what_the_probes_need(
    tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(perf, "resolve_requirements", lambda words, *_, **__: asked.append(words))
    perf_needs(tiny_wheel(tmp_path), read_baselines(("torch==2.13.*",)), PYTHON, fake_env.tools)
    assert asked[-1] == ("numpy", "torch==2.13.*")


def test_nothing_is_fetched_from_an_address(tmp_path: Path, fake_env: FakeEnvironment) -> None:
    wheel = tiny_wheel(tmp_path, requires=("evil @ file:///tmp/evil.zip",))
    with fails("requirement-from-address", "'evil'"):
        perf_needs(wheel, (), PYTHON, fake_env.tools)
    assert fake_env.runner.commands == []
    with fails("baseline-not-requirement", "file:///tmp/evil.zip"):
        read_baselines(("evil @ file:///tmp/evil.zip",))


def test_a_baseline_that_changed_since_it_was_planned_is_not_measured(
    tmp_path: Path,
    fake_env: FakeEnvironment,
    runner: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wheel, other = tiny_wheel(tmp_path), tiny_wheel(tmp_path, name="other_one", version="2.0")
    monkeypatch.setattr(perf, "resolve_requirements", lambda *_, **__: ())
    monkeypatch.setattr(perf, "fetch", lambda *_, **__: ())
    needs = perf_needs(wheel, read_baselines((str(other),)), PYTHON, fake_env.tools)
    tiny_wheel(tmp_path, {"other_one/more.py": b""}, name="other_one", version="2.0")
    with fails("baseline-changed", str(other)):
        measure_wheel(wheel, ("perf_import",), PYTHON, fake_env.tools, needs=needs)


def test_every_probe_is_measured() -> None:
    found = {p.stem for p in (PACKAGE / "probes").glob("perf_*.py")}
    assert found == set(PROBES)


NO_RESULT = (
    "", "no words of ours\n", "[]\n", "3\n", "null\n", "{}\n", "[" * 5000 + "\n",
    '{"measurements": {}}\n', '{"measurements": [], "others": 0}\n',
    '{"measurements": {"a": 3}, "others": 0}\n', '{"measurements": {"a": {}}, "others": 0}\n',
    '{"measurements": {}, "others": []}\n', '{"measurements": {}, "others": NaN}\n',
    *(f'{{"measurements": {{"a": {{"unit": "s", "higher_is_better": true, "median": {median}}}}},'
      ' "others": 0}\n' for median in ("0", "-1", "NaN", "1e999", '"x"', "null")),
    prints(1.0).stdout.rstrip("\n}") + '}, "skipped": "why"}\n',
)  # fmt: skip


@pytest.mark.parametrize("output", NO_RESULT)
def test_a_probe_that_ends_without_a_result_is_reported(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]], output: str
) -> None:
    nothing = Completed(code=0, stdout=output)
    runner(tiny=nothing)
    with fails("speed-result-missing", "perf_import"):
        measure(a_spec(tmp_path), fake_env.tools)
    runner(tiny=prints(1.0), numpy=nothing)
    report = measure(a_spec(tmp_path), fake_env.tools)
    assert report.skipped == (("perf_import on numpy", "it ended without a result"),)


def test_a_probe_measures_the_same_in_every_run(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    answers = [prints(1.0), prints(1.0, "other")]

    def changing(_command: Command, _watch: Watch | None) -> Completed:
        return answers.pop(0)

    runner(tiny=prints(1.0))
    ready = fake_env.runner.answers["python"]
    fake_env.runner.answers["python"] = lambda command, watch: (
        changing(command, watch) if "--module" in command.argv else ready(command, watch)
    )
    with fails("speed-result-differs", "perf_import"):
        measure(a_spec(tmp_path), fake_env.tools)


def test_what_the_wheel_does_not_measure_is_compared_with_nothing(
    tmp_path: Path, fake_env: FakeEnvironment, runner: Callable[..., list[str]]
) -> None:
    runner(tiny=prints(1.0), numpy=prints(1.0, "its_own"))
    report = measure(a_spec(tmp_path), fake_env.tools)
    assert report.ratios == ()
    assert [entry.name for entry in report.measurements] == ["matmul_1024"]
