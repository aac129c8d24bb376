"""The day a GPU is there, without one: its plan, its pieces, its results, and what it says then."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.gpu_day import __main__ as gpu_day
from benchmarks.gpu_day.bench import Bench, PieceFailed
from benchmarks.gpu_day.pieces import (
    PIECES,
    Piece,
    build,
    build_words,
    kernels,
    smoke,
    speed,
    speed_table,
)
from tfbuild.core.records import Gpu

GPU = Gpu(name="NVIDIA H100", architecture="sm_90", memory_mb=80_000)
Run = Callable[[Bench], Iterator[str]]


def a_piece(name: str, run: Run, minutes: int = 1) -> Piece:
    return Piece(name=name, minutes=minutes, does=f"what {name} does", run=run)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    folder = tmp_path / "day"
    folder.mkdir()
    return Bench(root=tmp_path, folder=folder, gpu=GPU, deadline=time.monotonic() + 60)


def day(tmp_path: Path, *pieces: Piece, commit: str = "one") -> int:
    bench = Bench(root=tmp_path, folder=tmp_path / "day", gpu=GPU)
    return gpu_day.run_day(pieces, bench, commit, "580.1", tmp_path / "results")


def test_the_pieces_are_short_enough() -> None:
    assert all(piece.minutes <= 10 for piece in PIECES)
    assert sum(piece.minutes for piece in PIECES) <= 40


def test_the_plan_needs_no_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu_day.main(["--plan"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("40 minutes at most")
    assert [line.split()[0] for line in said.splitlines()[1:]] == [piece.name for piece in PIECES]


def test_without_a_gpu_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpu_day, "find_gpus", lambda _runner: ("", ()))
    assert gpu_day.main(["--folder", str(tmp_path / "day"), "--results", str(tmp_path / "r")]) == 4
    assert "no GPU is here: no NVIDIA driver is loaded" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_results_are_written_and_what_passed_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_day, "PIECES", (*PIECES[:1],))
    calls = []

    def passes(_bench: Bench) -> Iterator[str]:
        calls.append("passes")
        yield "all is well"

    def fails(_bench: Bench) -> Iterator[str]:
        yield "half of it"
        raise PieceFailed("the other half")

    pieces = (a_piece("first", passes), a_piece("second", fails), a_piece("third", passes))
    monkeypatch.setattr(gpu_day, "PIECES", (*pieces, a_piece("never", passes)))
    assert day(tmp_path, *pieces) == 1
    assert day(tmp_path, *pieces) == 1
    assert calls == ["passes", "passes"]
    said = (tmp_path / "results" / "nvidia-h100.txt").read_text().splitlines()
    assert said[0] == "NVIDIA H100 (sm_90), driver 580.1"
    assert said[3:6] == ["first: what first does", "  passed in 0 s", "  all is well"]
    assert said[8:10] == ["  failed in 0 s: the other half", "  half of it"]
    assert said[-2:] == ["never: what never does", "  not run"]


def test_results_of_another_commit_are_not_taken_over(tmp_path: Path) -> None:
    calls = []

    def passes(_bench: Bench) -> Iterator[str]:
        calls.append("passes")
        yield "all is well"

    for commit in ("one", "two", "two"):
        assert day(tmp_path, a_piece("first", passes), commit=commit) == 0
    assert len(calls) == 2


def test_what_was_not_prepared_cannot_be_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gpu_day.main(["--prepared", "--folder", str(tmp_path / "day")]) == 1
    assert "holds nothing that --prepare has made" in capsys.readouterr().err


def test_a_program_is_stopped_when_the_piece_has_had_its_time(bench: Bench) -> None:
    bench.deadline = time.monotonic() + 0.2
    with pytest.raises(PieceFailed, match="was stopped when the piece's time was over"):
        bench.run([sys.executable, "-c", "import time; time.sleep(60)"])
    with pytest.raises(PieceFailed, match="no time was left"):
        bench.run([sys.executable, "-c", ""])


def test_a_program_that_fails_is_named_with_its_last_words(bench: Bench) -> None:
    with pytest.raises(PieceFailed, match=r"ended with 3: two"):
        bench.run([sys.executable, "-c", "print('one'); print('two'); raise SystemExit(3)"])
    assert "one" in (bench.folder / "log.txt").read_text()


def answering(bench: Bench, monkeypatch: pytest.MonkeyPatch, *said: str) -> list[list[str]]:
    """Give these answers to the programs that the bench runs, and keep their words."""
    asked: list[list[str]] = []
    answers = iter(said)

    def run(words: list[str], **_rest: object) -> subprocess.CompletedProcess[str]:
        asked.append(words)
        return subprocess.CompletedProcess(words, 0, stdout=next(answers))

    monkeypatch.setattr(subprocess, "run", run)
    return asked


def delivered(bench: Bench) -> None:
    bench.dist.mkdir()
    (bench.dist / "tfbuild_runtime-0.1.0.whl").write_bytes(b"x")


def said_of(*states: str) -> str:
    checks = [{"name": "GPU: matmul", "state": state, "reason": "why"} for state in states]
    return "a warning\n" + json.dumps({"checks": checks}) + "\n"


def test_the_wheel_is_built_for_the_gpu_as_requested(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(bench, monkeypatch, "")
    bench.request = ("python=3.12",)
    delivered(bench)
    assert list(build(bench)) == ["tfbuild_runtime-0.1.0.whl, 0.0 MB"]
    assert asked[0][3:8] == ["build", "--cuda", "--arch", "sm_90", "python=3.12"]


@pytest.mark.parametrize(
    ("states", "failure"),
    [
        (("passed", "passed"), ""),
        (("passed", "skipped"), "GPU: matmul skipped: why"),
        (("failed", "passed"), "GPU: matmul failed: why"),
        ((), "there were no checks"),
    ],
)
def test_each_check_on_the_gpu_must_have_passed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, states: tuple[str, ...], failure: str
) -> None:
    delivered(bench)
    bench.python = "/usr/bin/python"
    asked = answering(bench, monkeypatch, "", said_of(*states))
    if failure:
        with pytest.raises(PieceFailed, match=failure):
            list(smoke(bench))
    else:
        assert list(smoke(bench)) == ["2 checks passed"]
    assert asked[0][1:4] == ["-m", "pip", "install"]
    assert asked[1][0] == "/usr/bin/python"


def test_what_a_given_interpreter_lacks_is_not_measured(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivered(bench)
    bench.python = sys.executable
    bench.is_installed = True
    speeds = [json.dumps({"add": {"value": value, "unit": "GB/s"}}) for value in (3.0, 2.0)]
    answering(bench, monkeypatch, "torch\n", "", *speeds)
    assert list(speed(bench)) == [
        "tensorflow is not here",
        "add: tfbuild_runtime 3 GB/s, torch 2 GB/s (x1.50)",
    ]


def test_what_was_prepared_elsewhere_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def passes(name: str) -> Run:
        def run(_bench: Bench) -> Iterator[str]:
            calls.append(name)
            yield "all is well"

        return run

    pieces = (
        Piece(name="build", minutes=1, does="x", run=passes("build"), needs_gpu=False),
        a_piece("kernels", passes("kernels")),
    )
    monkeypatch.setattr(gpu_day, "PIECES", pieces)
    monkeypatch.setattr(gpu_day, "_commit", lambda: "one")
    words = ["--folder", str(tmp_path / "day"), "--results", str(tmp_path / "results")]
    assert gpu_day.main(["--prepare", "sm_90", *words]) == 0
    assert not (tmp_path / "results").exists()
    # What is carried need not be a checkout, or one of that commit.
    monkeypatch.setattr(gpu_day, "_commit", lambda: "another")
    monkeypatch.setattr(gpu_day, "find_gpus", lambda _runner: ("580.1", (GPU,)))
    assert gpu_day.main(["--prepared", *words]) == 0
    assert calls == ["build", "kernels"]
    assert "commit one, " in (tmp_path / "results" / "nvidia-h100.txt").read_text()


def test_the_call_of_bazel_is_found_in_the_run() -> None:
    script = "\n# build: x\n(cd '/a b' && /bin/bazel --bazelrc=/r build --jobs=2 //python:lib)\n"
    assert build_words(script) == [
        "/bin/bazel",
        "--bazelrc=/r",
        "build",
        "--jobs=2",
        "//python:lib",
    ]
    with pytest.raises(PieceFailed, match="run the piece `build` first"):
        build_words("")


def test_tests_that_see_no_gpu_have_not_passed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.tests.mkdir()
    for name in ("kernels_test", "cuda_device_test"):
        (bench.tests / name).write_text("")
    delivered(bench)
    bench.python, bench.is_installed = sys.executable, True
    no_gpu = "skipped: GPU support is off: x\n1 passed"
    answering(bench, monkeypatch, "/lib", "3 passed", "/lib", "3 passed", "/lib", no_gpu)
    found = kernels(bench)
    assert [next(found), next(found)] == [f"kernels_test, pool {n}: 3 passed" for n in "10"]
    with pytest.raises(PieceFailed, match="GPU support is off"):
        next(found)


def test_programs_that_were_not_built_are_named(bench: Bench) -> None:
    with pytest.raises(PieceFailed, match="run the piece `programs` first"):
        next(kernels(bench))


def test_speeds_stand_beside_each_other() -> None:
    found: dict[str, dict[str, dict[str, object]]] = {
        "tfbuild_runtime": {"add": {"value": 3000.0, "unit": "GB/s"}},
        "torch": {"add": {"value": 2000.0, "unit": "GB/s"}},
        "tensorflow": {"add": {"failed": "OOM"}},
    }
    assert list(speed_table(found)) == [
        "add: tfbuild_runtime 3000 GB/s, torch 2000 GB/s (x1.50), tensorflow failed (OOM)"
    ]
