"""What `tfbuild resolve` prints and writes, and its exit codes; most of it on a small world."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.failing import fails
from tests.fakes import RUNNING, a_host
from tests.schema_maker import check
from tests.toy_facts import toy_tables
from tfbuild.commands import resolve as front_resolve
from tfbuild.commands.resolve import ResolveOptions
from tfbuild.core.records import Gpu, Host, Interpreter, Program
from tfbuild.core.serialization import to_plain
from tfbuild.facts.installed import open_tables

RTX = Gpu(name="NVIDIA GeForce RTX 3090", architecture="sm_86")
OLD = Program(name="g++", path="/usr/bin/g++", version="9.3.0")
MACHINE = a_host(
    compilers=(OLD,),
    pythons=(Interpreter(path="/p", version="3.8.10", tag="cp38", headers="/i"),),
    gpus=(RTX,),
)


class Say:
    """Calls `resolve` and gives back its exit code and what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.err = ""

    def __call__(self, *words: str, flags: dict[str, str] | None = None, **asked: Any) -> str:
        self.code = front_resolve.resolve(words, flags or {}, ResolveOptions(**asked))
        out, self.err = self._capsys.readouterr()
        return out

    def json(self, *words: str, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self(*words, style="json", **more))
        return found


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Say:
    """On the small world, on a machine with GCC 9.3, Python 3.8 and an RTX 3090."""
    tables = toy_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(front_resolve, "open_tables", lambda: tables)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: MACHINE)
    return Say(capsys)


@pytest.fixture
def say_real(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Say:
    """On the project's facts, on a Debian 12 machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    return Say(capsys)


def versions(document: dict[str, Any]) -> dict[str, str]:
    return {axis: choice["version"] for axis, choice in document["versions"].items()}


def test_a_table_holds_versions_reasons_and_warnings(say: Say) -> None:
    out = say("tensorflow=2.1.0", "gpu=RTX 3090", "gcc=12.2")
    assert say.code == 0
    assert "sm_86" in out
    assert "status: ok (likely)" in out
    assert "GCC 12.2 is outside what was tested" in out
    whole = say("tensorflow=2.1.0", "gpu=RTX 3090", "gcc=12.2", verbosity=1)
    assert "was tested with CUDA 11.2" in whole


def test_a_conflict_ends_in_three_with_the_way_out(say: Say) -> None:
    out = say("tensorflow=2.1.0", "gpu=RTX 3090", "cuda=11.0")
    assert say.code == 3
    for part in ("status: conflict", "compiles for sm_70, sm_80", "1. take cuda=11.2"):
        assert part in out


def test_what_no_fact_covers_is_unknown_and_ends_in_three(say: Say) -> None:
    document = say.json("tensorflow=9.9")
    assert (say.code, document["status"]) == (3, "unknown")
    assert "no fact covers tensorflow=9.9" in document["warnings"][0]["message"]


@pytest.mark.parametrize("style", ["conda", "requirements"])
def test_a_conflict_is_reported_whatever_the_format(say: Say, style: str) -> None:
    out = say("tensorflow=2.1.0", "python=3.11", style=style)
    assert say.code == 3
    assert "status: conflict" in out
    assert "channels" not in out


def test_the_formats_of_other_tools(say: Say) -> None:
    conda = yaml.safe_load(say("tensorflow=2.1.0", "python=3.10", style="conda"))
    assert "python=3.10" in conda["dependencies"]
    assert "numpy==1.26.4" in say("tensorflow=2.1.0", "python=3.10", style="requirements")


def test_an_unknown_format_gets_a_suggestion(say: Say) -> None:
    with fails("format-unknown", "'jsno'", "'json'"):
        say("tensorflow=2.1.0", style="jsno")


def test_json_is_the_answer_and_obeys_its_schema(say: Say) -> None:
    for words in (("tensorflow=2.1.0",), ("cuda=11.9",), ("tensorflow=9",)):
        check("resolution", say.json(*words))


def test_here_holds_to_the_machine(say: Say) -> None:
    free, bound = say.json("tensorflow=2.1.0"), say.json("tensorflow=2.1.0", here=True)
    assert not any("this machine" in constraint for constraint in free["constraints"])
    assert any("python=3.8 (this machine)" in constraint for constraint in bound["constraints"])
    assert versions(bound)["python"] == "3.8"
    assert say.json("runtime=0.1.0")["status"] == "ok"
    assert say.json("runtime=0.1.0", here=True)["status"] == "conflict", "it has Python 3.8 only"
    with_gpu = say.json("tensorflow=2.1.0", "cuda=any", here=True)
    assert versions(with_gpu)["gpu"] == "8.6"
    assert say.json("tensorflow=2.1.0", "cuda=11.0", here=True)["status"] == "conflict"


def test_here_gives_way_to_a_constraint(say: Say) -> None:
    assert versions(say.json("tensorflow=2.1.0", "python=3.10", here=True))["python"] == "3.10"


def write_doctor(path: Path, host: Host) -> str:
    document = {"schema": "tfbuild.doctor/2", "host": to_plain(host)}
    path.write_text(json.dumps(document))
    return str(path)


def test_the_machine_of_a_file_is_not_this_one(say: Say, tmp_path: Path) -> None:
    other = replace(MACHINE, compilers=(replace(OLD, version="12.2.0"),), gpus=())
    name = write_doctor(tmp_path / "far.json", other)
    document = say.json("tensorflow=2.1.0", machine=name)
    assert versions(document)["gcc"] == "12.2"
    assert any("far.json" in constraint for constraint in document["constraints"])
    assert say.json("tensorflow=2.1.0", "gcc=9.3", machine=name)["status"] == "ok"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "saved-file-unreadable"),
        ("{}", "saved-file-wrong-kind"),
        ('{"schema": "tfbuild.doctor/2"}', "saved-file-wrong-fields"),
        ("[1]", "saved-file-wrong-kind"),
    ],
)
def test_a_file_that_is_no_machine_is_refused(
    say: Say, tmp_path: Path, text: str, code: str
) -> None:
    (tmp_path / "x.json").write_text(text)
    with fails(code, str(tmp_path / "x.json")):
        say("tensorflow=2.1.0", machine=str(tmp_path / "x.json"))
    with fails("saved-file-unreadable", "/nowhere.json"):
        say("tensorflow=2.1.0", machine="/nowhere.json")


def test_strict_takes_only_what_was_tested(say: Say) -> None:
    strict = {"strict": "true"}
    assert say.json("tensorflow=2.1.0", "gcc=12.2")["status"] == "ok"
    refused = say.json("tensorflow=2.1.0", "gcc=12.2", flags=strict)
    assert refused["status"] == "conflict"
    assert set(refused["conflicts"][0]["axes"]) == {"tensorflow", "gcc"}
    assert versions(say.json("tensorflow=2.1.0", flags=strict))["gcc"] == "9.3"


def test_the_order_of_preference_can_be_changed(say: Say) -> None:
    usual = versions(say.json("tensorflow=2.1.0"))
    assert (usual["python"], usual["gcc"]) == ("3.8", "9.3"), "tested, then already there"
    newest = versions(say.json("tensorflow=2.1.0", flags={"prefer": "newest"}))
    assert (newest["python"], newest["gcc"]) == ("3.10", "12.2")
    tested = versions(say.json("tensorflow=2.1.0", flags={"prefer": "evidence,newest"}))
    assert (tested["python"], tested["gcc"]) == ("3.10", "9.3")
    with fails("preference-unknown", "'newst'", "'newest'"):
        say("tensorflow=2.1.0", flags={"prefer": "newst"})


def test_settings_of_the_folder_count(say: Say, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\nstrict = true\npython = "3.8"\n')
    document = say.json("tensorflow=2.1.0")
    assert versions(document)["python"] == "3.8"
    assert say.json("tensorflow=2.1.0", "gcc=12.2")["status"] == "conflict"


def test_an_odd_variable_is_a_warning(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_PYHTON", "3.8")
    say.json("tensorflow=2.1.0")
    assert "TFBUILD_PYHTON" in say.err


def test_explain_says_what_becomes_of_each_version(say: Say) -> None:
    document = say.json("tensorflow=2.1.0", "gpu=RTX 3090", explain="cuda")
    check("explanation", document)
    assert [(v["value"], v["verdict"]) for v in document["values"]] == [
        ("11.2", "chosen"), ("11.0", "impossible"),
    ]  # fmt: skip
    out = say("tensorflow=2.1.0", "gpu=RTX 3090", explain="cuda")
    assert "compiles for sm_70, sm_80" in out
    assert "a paper" not in out
    assert "tested-paper" in out  # as `tfbuild facts show` knows it
    with fails("axis-not-in-question", "'cdua'", "'cuda'"):
        say("tensorflow=2.1.0", explain="cdua")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"lock": "a.yaml"}, "options-contradict"),
        ({"style": "conda"}, "explain-format-wrong"),
        ({"style": "requirements"}, "explain-format-wrong"),
    ],
)
def test_explain_refuses_what_it_cannot_give(
    say: Say, tmp_path: Path, asked: dict[str, Any], code: str
) -> None:
    with fails(code, "--explain"):
        say("tensorflow=2.1.0", explain="cuda", **asked)
    assert not (tmp_path / "a.yaml").exists()


def test_explain_takes_the_short_name_of_an_axis(say: Say) -> None:
    assert say.json("tensorflow=2.1.0", explain="np")["axis"] == "numpy"


def test_a_published_wheel_has_fewer_pythons(say: Say) -> None:
    assert say.json("tensorflow=2.0.0", "python=3.8", published=True)["status"] == "ok"
    request = ("tensorflow=2.1.0", "python=3.9")
    assert say.json(*request, published=True)["status"] != "ok"


def test_a_lock_is_written_only_with_an_answer(say: Say, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "constraint.lock.yaml"
    say("tensorflow=2.1.0", "python=3.11", lock=str(path))
    assert not path.exists()
    assert f"nothing was written to {path}" in " ".join(say.err.split())
    path.parent.mkdir(exist_ok=True)
    say("tensorflow=2.1.0", "python=3.8", lock=str(path))
    assert f"written: {path}" in " ".join(say.err.split())
    content = yaml.safe_load(path.read_text())
    assert content["schema"] == "tfbuild.lock/2"
    assert content["versions"]["python"] == "3.8"


def test_the_seeds_case(say_real: Say) -> None:
    """What people ask for most, on the project's own facts."""
    document = say_real.json("tensorflow=2.6.5", "gpu=RTX 3090")
    check("resolution", document)
    found = versions(document)
    assert document["status"] == "ok"
    assert (found["cuda"], found["bazel"], found["gpu"]) == ("11.2", "3.7.2", "8.6")
    assert found["python"] in {"3.6", "3.7", "3.8", "3.9"}
    assert found["numpy"].startswith("1.19")
    assert found["cudnn"].startswith("8.1")
    assert found["gcc"].startswith("7.3")
    wrong = say_real.json("tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0")
    assert set(wrong["conflicts"][0]["axes"]) == {"cuda", "gpu"}
    assert wrong["alternatives"][0]["change"].keys() == {"cuda"}


def test_a_table_that_cannot_work_for_the_gpu_is_caught(say_real: Say) -> None:
    document = say_real.json("tensorflow=2.18.0", "cuda=12.5", "gpu=RTX 5090")
    assert say_real.code == 3
    assert set(document["conflicts"][0]["axes"]) == {"cuda", "gpu"}


def test_this_machine_on_the_project_s_facts(say_real: Say) -> None:
    document = say_real.json(here=True)
    assert document["status"] == "ok"
    found = versions(document)
    assert (found["python"], found["os"], found["gcc"]) == (RUNNING, "debian 12", "12.2")
    assert open_tables().axis("runtime")[0].version == found["runtime"]


FORM = """
- TensorFlow installed from (source or binary): source
- TensorFlow version: v2.4.0-rc4-71-g582c8d236cb 2.4.0
- Python version: 3.9.1
- Bazel version (if compiling from source): 3.1.0
"""


def test_a_pasted_report_is_the_question(say_real: Say, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text(FORM)
    answer = say_real.json(report=str(report))
    assert answer["versions"]["bazel"]["version"] == "3.1.0"
    assert answer["versions"]["tensorflow"]["version"] == "2.4.0"
    assert "about a build: tensorflow=v2.4.0-rc4" in say_real.err


def test_words_count_before_the_report(say_real: Say, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text(FORM.replace("): source", "): binary"))
    answer = say_real.json("tf=2.5.0", report=str(report))
    assert answer["versions"]["tensorflow"]["version"] == "2.5.0"
    assert "about a published wheel" in say_real.err


def test_a_report_without_versions_is_refused(say: Say, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("It does not work.\n")
    with fails("report-without-version", str(report)):
        say(report=str(report))
    with fails("file-unreadable", str(tmp_path / "none.md")):
        say(report=str(tmp_path / "none.md"))
