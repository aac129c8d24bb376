"""The C program on a toy library: what runs, what is refused, what crashes."""

import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lite.workbenches import a_library, a_plan, a_workshop
from tests.lite_trees import LIBRARY
from tests.shared_libraries import real_tools
from tfbuild.core.errors import SmokeFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Completed
from tfbuild.core.reports import SmokeReport
from tfbuild.facts.tables import Tables
from tfbuild.lite import smoke
from tfbuild.lite.records import LiteLibrary, LitePlan
from tfbuild.lite.smoke import ModelRun, compile_program, run_models, smoke_library

SAME = "ok 0.978 -1.624 0.06"  # twice the first numbers of the generator


class Bench:
    """A toy tree with its library, ready to be tried."""

    def __init__(self, folder: Path, tables: Tables) -> None:
        self.dies = folder / "dies.tflite"
        self.dies.write_text("DIE\n")
        self.tools: Tools = real_tools(folder)
        self.plan: LitePlan = a_plan(folder, tables, self.dies)
        self.library: LiteLibrary = a_library(self.plan, self.tools, LIBRARY)

    def tried(self) -> tuple[str, tuple[ModelRun, ...]]:
        workshop = a_workshop(self.plan, self.tools)
        program = compile_program(workshop, self.library)
        return run_models(self.plan, program, self.library, workshop, self.tools)


@pytest.fixture
def bench(tmp_path: Path, tables: Tables) -> Bench:
    return Bench(tmp_path, tables)


def test_each_model_has_an_ending_of_its_own(bench: Bench) -> None:
    version, runs = bench.tried()
    assert version == "2.14.1"
    assert [(r.model.name.partition("-")[2], r.ending) for r in runs] == [
        ("broken.bin", "refused"),
        ("double.bin", "ok"),
        ("dies.tflite", "crashed"),
    ]
    assert runs[1].said == "1:12"
    assert runs[0].said == "model"


def test_headers_that_do_not_compile_fail(bench: Bench) -> None:
    header = bench.library.headers / "tensorflow/lite/core/c/c_api_types.h"
    header.write_text(header.read_text().replace("kTfLiteBool", "kTfLiteBoolean"))
    with pytest.raises(SmokeFailed, match="does not compile"):
        bench.tried()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What LiteRT does with each model: `ok 1 2 3` are its outputs, empty no result."""
    theirs: dict[str, str] = {}

    @contextmanager
    def no_venv(*_: object, **__: object) -> Iterator[None]:
        yield None

    def probe(_: object, __: object, ___: str, words: tuple[str, str], **____: object) -> Completed:
        said = theirs.get(Path(words[0]).name.partition("-")[2], "")
        if said.startswith("ok "):
            Path(words[1]).write_bytes(struct.pack("<3f", *map(float, said.split()[1:])))
            return Completed(code=0, stdout='{"ending": "ok", "said": "float32:12"}')
        line = json.dumps({"ending": said, "said": "so"}) if said else ""
        return Completed(code=0, stdout=line)

    monkeypatch.setattr(smoke, "open_venv", no_venv)
    monkeypatch.setattr(smoke, "run_probe", probe)
    monkeypatch.setattr(smoke, "resolve_requirements", lambda *_, **__: ())
    monkeypatch.setattr(smoke, "fetch", lambda *_, **__: ())
    return theirs


def ladder(bench: Bench) -> SmokeReport:
    version, runs = bench.tried()
    return smoke_library(bench.plan, bench.library, version, runs, bench.tools)


def states(report: SmokeReport) -> dict[str, str]:
    return {rung.name: rung.state for rung in report.rungs}


def test_the_ladder_holds_the_library_against_litert(bench: Bench, answers: dict[str, str]) -> None:
    answers |= {"double.bin": SAME, "broken.bin": "refused", "dies.tflite": "refused"}
    assert states(ladder(bench)) == {
        "version": "passed", "broken.bin": "passed", "double.bin": "passed",
        "dies.tflite": "failed", "models": "passed",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ending", "state"), [("ok 7 7 7", "failed"), ("refused", "skipped"), ("", "skipped")]
)
def test_what_litert_does_not_confirm_proves_nothing(
    bench: Bench, answers: dict[str, str], ending: str, state: str
) -> None:
    answers |= {"double.bin": ending, "broken.bin": "refused"}
    found = states(ladder(bench))
    assert (found["double.bin"], found["models"]) == (state, "failed")


def test_a_model_that_only_we_refuse_is_a_fault(bench: Bench, answers: dict[str, str]) -> None:
    answers |= {"double.bin": SAME, "broken.bin": SAME}
    assert states(ladder(bench))["broken.bin"] == "failed"


def test_another_version_is_a_fault(bench: Bench, answers: dict[str, str]) -> None:
    answers |= {"double.bin": SAME}
    bench.plan = replace(bench.plan, tree=replace(bench.plan.tree, release="2.15.0"))
    assert states(ladder(bench))["version"] == "failed"
