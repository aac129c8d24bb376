"""The C program on a toy library: what runs, what is refused, what crashes, beside LiteRT."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.lite.workbenches import SAME, Bench, litert_says
from tfbuild.core.interfaces import Watch
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.core.reports import SmokeCheck
from tfbuild.lite.smoke import reference_python, try_models
from tfbuild.places.place import Place


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return litert_says(monkeypatch)


def suite(bench: Bench) -> dict[str, SmokeCheck]:
    report = try_models(bench.plan, bench.trial, bench.open_bare, bench.source, bench.tools)
    return {check.name: check for check in report.checks}


def states(bench: Bench) -> dict[str, str]:
    return {name: check.state for name, check in suite(bench).items()}


def test_the_suite_holds_the_library_against_litert(bench: Bench, answers: dict[str, str]) -> None:
    answers |= {"double.bin": SAME, "broken.bin": "refused", "dies.tflite": "refused"}
    found = suite(bench)
    assert {name: check.state for name, check in found.items()} == {
        "broken.bin": "passed", "double.bin": "passed", "dies.tflite": "failed", "models": "passed",
    }  # fmt: skip
    assert found["broken.bin"].reason == "refused, as by LiteRT: model"
    assert "it ended with" in found["dies.tflite"].reason


def test_headers_that_do_not_compile_fail(bench: Bench) -> None:
    header = bench.trial.product / "include/tensorflow/lite/core/c/c_api_types.h"
    header.write_text(header.read_text().replace("kTfLiteBool", "kTfLiteBoolean"))
    found = suite(bench)
    assert [*found] == ["models"]
    assert "does not compile" in found["models"].reason
    assert "kTfLiteBool" in found["models"].reason


@pytest.mark.parametrize(
    ("ending", "state"), [("ok 7 7 7", "failed"), ("refused", "skipped"), ("", "skipped")]
)
def test_what_litert_does_not_confirm_proves_nothing(
    bench: Bench, answers: dict[str, str], ending: str, state: str
) -> None:
    answers |= {"double.bin": ending, "broken.bin": "refused"}
    found = states(bench)
    assert (found["double.bin"], found["models"]) == (state, "failed")


def test_a_model_that_only_we_refuse_is_a_fault(bench: Bench, answers: dict[str, str]) -> None:
    answers |= {"double.bin": SAME, "broken.bin": SAME}
    assert states(bench)["broken.bin"] == "failed"


def test_names_of_models_are_no_words_of_ours(bench: Bench, answers: dict[str, str]) -> None:
    odd = bench.dies.with_name("{work} $x.tflite")
    odd.write_text("TOY\n")
    bench.plan = replace(bench.plan, models=(odd,))
    answers |= {odd.name: SAME}
    assert states(bench)[odd.name] == "passed"


@pytest.mark.parametrize("is_bare", [True, False])
def test_a_machine_without_a_python_to_compare_with(bench: Bench, is_bare: bool) -> None:
    host = bench.tools.host
    lame = tuple(replace(python, can_venv=False) for python in host.pythons)
    host = replace(host, pythons=() if is_bare else lame)
    with fails("python-venv-missing", "python3-venv"):
        reference_python(replace(bench.tools, host=host))


@dataclass(frozen=True)
class Planting:
    """A place in which the library puts links to files of the user where others might write."""

    work: Path
    victim: Path

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        done = ProcessRunner().run(command, watch)
        for output in self.work.glob("*/*.out"):
            theirs = output.with_suffix(".litert")
            if not theirs.is_symlink():
                theirs.symlink_to(self.victim)
        return done


def test_a_library_leads_nobody_to_files_of_the_user(
    bench: Bench, answers: dict[str, str], tmp_path: Path
) -> None:
    answers |= {"double.bin": SAME, "broken.bin": "refused", "key.bin": SAME}
    victim, own = tmp_path / "victim", bench.source / "tensorflow/lite/testdata"
    victim.write_text("of the user")
    (own / "key.bin").symlink_to(victim)
    hostile = Place(runner=Planting(bench.trial.work, victim), words={})
    bench.open_bare = lambda: nullcontext(hostile)
    assert "key.bin" not in states(bench)
    assert victim.read_text() == "of the user"
