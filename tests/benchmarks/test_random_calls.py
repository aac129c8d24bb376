"""Random calls beside TensorFlow: what is made, what goes on behind a crash, what is explained."""

import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.random_calls import __main__ as program
from benchmarks.random_calls.explained import Explanation, read_explanations
from benchmarks.random_calls.running import Call, compare_calls, names_on_both

# An interpreter of either side: it knows four functions, and some calls of some end its process.
CHILD = """
import json, os, sys
kind, task, *words = sys.argv[2:]
say = lambda row: print(json.dumps(row), flush=True)
names = ["good", "deadly_there", "deadly_here", "refused"]
if task in ("list", "have"):
    say({"names": names})
elif task == "search":
    for name in open(words[0]).read().split():
        say({"begin": name})
        if name == "deadly_there":
            os.abort()
        for value in range(int(words[2])):
            say({"name": name, "given": {"x": value}, "found": {"value": value}})
else:
    for number, line in enumerate(open(words[0])):
        call = json.loads(line)
        if number < int(words[1]):
            continue
        if call["name"] == "deadly_here":
            os.abort()
        ending = "refused" if call["name"] == "refused" else "equal"
        say({"number": number, "ending": ending, "what": "TypeError: no" * (ending == "refused")})
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An executable that acts as both interpreters."""
    script = tmp_path / "python"
    script.write_text(f"#!{sys.executable}\n{CHILD}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def test_calls_go_on_behind_a_process_that_ends(python: Path) -> None:
    names = names_on_both(python, python)
    calls = [*compare_calls(python, python, names, seed=1, wanted=2)]
    assert [(call.name, call.ending) for call in calls] == [
        ("good", "equal"), ("good", "equal"),
        ("deadly_here", "crashed"), ("deadly_here", "crashed"),
        ("refused", "refused"), ("refused", "refused"),
    ]  # fmt: skip


def test_an_explanation_holds_for_its_functions_and_words_alone() -> None:
    reason = Explanation(functions=("refu*",), ending="refused", says="TypeError", because="why")

    def call(name: str, ending: str, what: str) -> Call:
        return Call(name=name, given={}, ending=ending, what=what)

    assert reason.fits(call("refused", "refused", "TypeError: no"))
    assert not reason.fits(call("refused", "differs", "TypeError: no"))
    assert not reason.fits(call("other", "refused", "TypeError: no"))
    assert not reason.fits(call("refused", "refused", "ValueError: no"))
    crash = Explanation(functions=("*",), ending="crashed", says="", because="why")
    assert not crash.fits(call("refused", "crashed", ""))


def test_what_is_left_is_printed_with_its_arguments() -> None:
    calls = [
        Call(name="tf.one", given={"x": 1}, ending="differs", what="[1], here [2]"),
        Call(name="tf.two", given={"x": 1}, ending="equal", what=""),
    ]
    said = program.report(calls, calls[:1])
    assert "tf.one: [1], here [2]" in said
    assert '{"x": 1}' in said
    assert "2 calls of 2 functions: 1 equal, 1 differs, 0 refused, 0 crashed; 1 unexplained" in said


def test_the_table_explains_what_is_known_and_nothing_else() -> None:
    table = read_explanations()
    assert table and all(one.because for one in table)
    pole = Call(name="zeta", given={}, ending="differs", what="[nan, nan], here [inf, nan]")
    assert any(one.fits(pole) for one in table)
    assert not any(one.fits(replace(pole, what="[1.5], here [2.5]")) for one in table)
    assert not any(one.fits(replace(pole, name="digamma")) for one in table)


def test_interpreters_that_lack_a_package_are_named(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gone = str(tmp_path / "gone")
    assert program.main(["--reference", gone, "--wheel", gone]) == 2
    assert f"there is no interpreter {gone}" in capfd.readouterr().err
