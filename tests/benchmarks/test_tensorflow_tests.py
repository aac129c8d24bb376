"""The harness for TensorFlow's own tests: which files, how processes end, what is counted."""

import sys
from pathlib import Path

import pytest

from benchmarks.tensorflow_tests import __main__ as program
from benchmarks.tensorflow_tests import running
from benchmarks.tensorflow_tests.explained import Explanation, judge, read_explanations
from benchmarks.tensorflow_tests.files import test_files as files_of
from benchmarks.tensorflow_tests.report import file_line, summary, verdict
from benchmarks.tensorflow_tests.running import Ended, Limits, run_file

LIMITS = Limits(method_seconds=20, file_seconds=60, megabytes=4000)
# What the wheel's own child does, without a wheel: it speaks lines of JSON and leaves out the done.
CHILD = """
import json, os, sys, time
def say(**row): os.write(int(sys.argv[3]), (json.dumps(row) + "\\n").encode())
done = sys.stdin.read().split("\\n")
say(methods=list("abcd"))
for name in "abcd":
    if name in done: continue
    say(begin=name)
    if name == "b": os.abort()
    if name == "c": time.sleep(60)
    say(end=name, reason="passed", detail="")
"""


def tree_with(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / "tensorflow" / "python" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return folder


def test_files_of_a_tree_are_in_order_and_without_other_folders(tmp_path: Path) -> None:
    names = ("training/b_test.py", "kernel_tests/a_test.py", "kernel_tests/helper.py",
             "keras/c_test.py", "ops/ragged/d_test.py")  # fmt: skip
    tree = tree_with(tmp_path, *names)
    found = [path.relative_to("tensorflow/python").as_posix() for path in files_of(tree)]
    assert found == ["kernel_tests/a_test.py", "training/b_test.py"]
    assert [path.stem for path in files_of(tree, "*/training/*")] == ["b_test"]
    assert [path.stem for path in files_of(tree, "a_*")] == ["a_test"]


@pytest.mark.slow
def test_a_crash_and_a_hang_lose_only_their_own_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text(CHILD)
    monkeypatch.setattr(running, "_CHILD", child)
    limits = Limits(method_seconds=2, file_seconds=60, megabytes=4000)
    ended = run_file(Path(sys.executable), tmp_path, Path("x_test.py"), limits)
    assert [(one.name, one.reason) for one in ended] == [
        ("a", "passed"), ("b", "crashed"), ("c", "timed out"), ("d", "passed"),
    ]  # fmt: skip


def test_a_child_that_dies_while_it_loads_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text("import os; os.write(2, b'no such library'); os._exit(3)")
    monkeypatch.setattr(running, "_CHILD", child)
    ended = run_file(Path(sys.executable), tmp_path, Path("x_test.py"), LIMITS)
    assert ended == (Ended(name="(loading)", reason="crashed", detail="no such library"),)


def test_table_of_reasons_and_missing_names() -> None:
    endings = (
        Ended(name="A.a", reason="passed", detail=""),
        Ended(name="A.b", reason="missing name", detail="python.ops.nn_ops.crelu"),
        Ended(name="A.c", reason="missing name", detail="python.ops.nn_ops.crelu"),
        Ended(name="A.d", reason="missing name", detail="python.ops.nn_ops.selu"),
        Ended(name="A.e", reason="wrong value", detail="not equal: 1 and 2 (line 7)"),
    )
    file = Path("tensorflow/python/ops/x_test.py")
    assert file_line(file, endings).split() == (
        f"1 of 5 {file} missing name: 3, wrong value: 1".split()
    )
    text = summary({file: endings}, names=1)
    assert "(1 passed)" in text
    assert "     2  python.ops.nn_ops.crelu" in text
    assert "selu" not in text


FILE = Path("tensorflow/python/ops/x_test.py")
WRONG = Ended(name="A.e", reason="wrong value", detail="not equal: 1 and 2 (line 7)")


def explanation(method: str = "A.e", says: str = "1 and 2", file: Path = FILE) -> Explanation:
    return Explanation(file=file, method=method, says=says, because="TensorFlow rounds otherwise")


def test_explained_differences_stand_apart_and_are_no_faults() -> None:
    crash = Ended(name="A.f", reason="crashed", detail="1 and 2")
    alone = judge({FILE: (WRONG,)}, [explanation()])
    assert not alone.unexplained
    assert "explained: 1, unexplained: 0" in verdict(alone)
    assert "explained: x_test:A.e: TensorFlow rounds otherwise" in verdict(alone)
    both = judge({FILE: (WRONG, crash)}, [explanation(), explanation("A.f")])
    assert both.unexplained == ((FILE, crash),), "a crash cannot be explained away"
    assert "crashed: x_test:A.f: 1 and 2" in verdict(both)


def test_another_difference_than_the_explained_one_is_a_fault() -> None:
    judged = judge({FILE: (WRONG,)}, [explanation(says="1 and 3")])
    assert judged.unexplained == ((FILE, WRONG),)
    assert "stale explanation: x_test:A.e: now wrong value: not equal: 1 and 2" in verdict(judged)


def test_an_explanation_that_fits_nothing_is_reported_where_its_file_ran() -> None:
    ended = (
        Ended(name="A.e", reason="passed", detail=""),
        Ended(name="A.f", reason="timed out", detail="not begun"),
    )
    elsewhere = explanation(file=FILE.with_name("y_test.py"))
    asked = [explanation(), explanation("A.f"), explanation("A.gone"), elsewhere]
    judged = judge({FILE: ended}, asked)
    assert not judged.unexplained
    assert [(why.method, now) for why, now in judged.stale] == [
        ("A.e", "passed"), ("A.gone", "not in the file"),
    ]  # fmt: skip


def test_every_explanation_of_the_table_says_which_method_and_why() -> None:
    rows = read_explanations()
    assert len({(row.file, row.method) for row in rows}) == len(rows)
    for row in rows:
        assert row.file.parts[:2] == ("tensorflow", "python"), row
        assert row.file.stem.endswith("_test"), row
        assert row.method.count(".") == 1, row
        assert row.says, row
        assert len(row.because.split()) > 5, row


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere", "--wheel", sys.executable], "is no TensorFlow source tree"),
        (["tree", "--wheel", sys.executable, "--only", "z*"], "no test file fits"),
        (["tree", "--wheel", "nowhere/python"], "there is no interpreter"),
        (["tree", "--wheel", sys.executable], "install the wheel, absl-py and six"),
    ],
)
def test_what_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: list[str], says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    tree_with(tmp_path / "tree", "ops/a_test.py")
    assert program.main(words) == 2
    assert says in capsys.readouterr().err
