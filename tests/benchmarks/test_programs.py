"""Programs of others on two interpreters: which they are, how they end, what counts as equal."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.programs import __main__ as program
from benchmarks.programs.comparing import compare
from benchmarks.programs.keeping import kept_run
from benchmarks.programs.report import program_line, summary
from benchmarks.programs.running import Limits, Run, run_program
from benchmarks.programs.selection import programs_of

LIMITS = Limits(steps=4, seconds=20, megabytes=4000)
# A stand-in for both packages: a session that gives what it is asked for, plus what a file says.
PACKAGE = """
__path__ = []
class Graph: pass
_graph = Graph()
def reset_default_graph(): pass
def get_default_graph(): return _graph
def disable_v2_behavior(): pass
class logging:
    ERROR = 40
    set_verbosity = staticmethod(lambda level: None)
class Session:
    def run(self, fetches): return fetches
class InteractiveSession(Session): pass
"""
# As much of NumPy as children use of numbers and lists of numbers; here no wheel is installed.
NUMPY = """
import builtins, contextlib
class ndarray:
    def __init__(self, value):
        self.value = value
        self.shape, flat = [], [value]
        while flat and isinstance(flat[0], list):
            self.shape.append(len(flat[0]))
            flat = [one for row in flat for one in row]
        self.flat, self.size = [builtins.float(one) for one in flat], len(flat)
        self.dtype = type("dtype", (), {"kind": "f"})
    def ravel(self): return ndarray(self.flat)
    def astype(self, kind): return self
    def sum(self): return builtins.sum(self.flat)
    def max(self): return builtins.max(self.flat)
    def __getitem__(self, chosen): return self.flat[chosen]
def asarray(value): return value if isinstance(value, ndarray) else ndarray(value)
def abs(array): return ndarray([builtins.abs(one) for one in array.flat])
def errstate(**how): return contextlib.nullcontext()
class random:
    seed = staticmethod(lambda number: None)
"""
HEAD = "import tensorflow as tf\nsession = tf.Session()\n"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, and stand-ins for TensorFlow and the wheel on the path of children."""
    stands = tmp_path / "stands"
    for name in ("tensorflow", "tensorflow.compat", "tfbuild_runtime", "tfbuild_runtime.compat"):
        folder = stands / name.replace(".", "/")
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
    for name in ("tensorflow", "tfbuild_runtime"):
        (stands / name / "compat" / "v1.py").write_text(PACKAGE)
    (stands / "numpy.py").write_text(NUMPY)
    (stands / "tfbuild_runtime" / "as_tensorflow.py").write_text(
        "import sys\nimport tfbuild_runtime.compat.v1 as v1\n"
        "def install(): sys.modules['tensorflow'] = v1\n"
    )
    child = tmp_path / "in_wheel"
    child.mkdir()
    source = Path(program.__file__).with_name("in_wheel")
    for file in source.glob("*.py"):
        (child / file.name).write_text(file.read_text())
    text = (child / "child.py").read_text()
    first = f"import sys\nsys.path.insert(1, {str(stands)!r})\n"
    (child / "child.py").write_text(
        text.replace("import builtins\n", f"{first}import builtins\n", 1)
    )
    monkeypatch.setattr("benchmarks.programs.running._CHILD", child / "child.py")
    folder = tmp_path / "programs"
    (folder / "repository").mkdir(parents=True)
    return folder


def write(folder: Path, name: str, text: str) -> Path:
    path = Path("repository", name)
    (folder / path).write_text(HEAD + text)
    return path


def run_both(folder: Path, path: Path) -> tuple[Run, Run]:
    python = Path(sys.executable)
    reference = run_program(python, "reference", folder, path, LIMITS)
    return reference, run_program(python, "ours", folder, path, LIMITS)


def test_programs_are_those_that_import_and_run(tmp_path: Path) -> None:
    for name, text in {
        "a/one.py": HEAD, "a/two.py": HEAD, "a/three.py": HEAD,
        "b/helper.py": "import tensorflow as tf\n", "b/other.py": "import torch\nSession()\n",
        "b/old.py": HEAD + "print 'Python 2'\n", "c.py": HEAD,
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def found(only: str = "*", sample: int = 0, seed: int = 0) -> list[str]:
        return [path.as_posix() for path in programs_of(tmp_path, only, sample, seed)]

    assert found() == ["a/one.py", "a/three.py", "a/two.py", "c.py"]
    assert found("t*") == ["a/three.py", "a/two.py"]
    assert found(sample=2, seed=5) == found(sample=2, seed=5)
    assert len(found(sample=2)) == 3


def test_a_program_runs_on_both_until_it_ends_fails_or_is_stopped(packages: Path) -> None:
    endings = {
        "ends.py": ("session.run([1.5, [2, 3]])\n", "ended", 1),
        "fails.py": ("session.run(1)\nraise KeyError('gone')\n", "failed", 1),
        "stops.py": ("while True: session.run({'b': 1, 'a': 2})\n", "stopped", 4),
        "leaves.py": ("session.run(1)\nraise SystemExit(3)\n", "failed", 1),
        "dies.py": ("session.run(1)\nimport os; os.kill(os.getpid(), 9)\n", "crashed", 1),
    }
    for name, (text, ending, calls) in endings.items():
        for run in run_both(packages, write(packages, name, text)):
            assert (run.ending, len(run.calls)) == (ending, calls), name
    reference, _ = run_both(packages, write(packages, "where.py", "session.run(1)\n1 / 0\n"))
    assert reference.detail == "ZeroDivisionError: division by zero (line 4)"


@pytest.mark.slow
def test_a_program_that_hangs_is_ended(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.programs.running._GRACE", 1)
    limits = Limits(steps=4, seconds=2, megabytes=4000)
    text = "session.run(1)\nimport signal, time\nsignal.alarm(0)\ntime.sleep(60)\n"
    path = write(packages, "hangs.py", text)
    run = run_program(Path(sys.executable), "ours", packages, path, limits)
    assert (run.ending, len(run.calls)) == ("timed out", 1)


def test_a_program_leaves_its_folder_as_it_was(packages: Path) -> None:
    path = write(packages, "writes.py", "open('made', 'w').write('x')\nsession.run(1)\n")
    run_both(packages, path)
    assert [file.name for file in (packages / "repository").iterdir()] == ["writes.py"]


def test_the_reader_of_digits_of_tutorials_is_there(packages: Path) -> None:
    path = write(packages, "digits.py", (
        "from tensorflow.examples.tutorials.mnist import input_data\n"
        "import numpy as np\n"
        "session.run([input_data.read_data_sets.__name__, np.float(1)])\n"
    ))  # fmt: skip
    reference, ours = run_both(packages, path)
    assert reference.calls[0][0] == {"text": "read_data_sets"}
    assert reference == ours


def number(*values: float) -> dict[str, Any]:
    return {"shape": [len(values)], "sum": sum(values), "total": sum(map(abs, values)),
            "largest": max(map(abs, values)), "some": list(values)}  # fmt: skip


def ran(*calls: tuple[dict[str, Any], ...], ending: str = "ended") -> Run:
    return Run(ending=ending, detail="", calls=calls)


def test_values_are_equal_within_a_share_of_the_largest() -> None:
    theirs = ran((number(1.0, -2.0), {"text": "a"}), (number(float("nan")),))
    assert compare(theirs, theirs, 0.01).equal == 3
    long, longer = ran(({"text": 1000},)), ran(({"text": 1011},))
    assert compare(long, ran(({"text": 1009},)), 0.01).equal == 1
    assert compare(long, longer, 0.01).equal == 0
    near = ran((number(1.005, -2.0), {"text": "b"}), (number(float("nan")),))
    outcome = compare(theirs, near, 0.01)
    assert (outcome.equal, outcome.values) == (2, 3)
    assert outcome.first_difference == "call 0, value 1: 'b', reference 'a'"
    far = ran((number(-2.0, 1.0), {"text": "a"}), (number(0.0),))
    assert compare(theirs, far, 0.01).equal == 1
    other_shape = ran((number(1.0, -2.0, 0.0), {"text": "a"}), (number(float("nan")),))
    assert compare(theirs, other_shape, 0.01).equal == 2


def test_who_stops_early_has_lost_values_or_does_not_run() -> None:
    theirs = ran((number(1.0),), (number(2.0),))
    ended = compare(theirs, ran((number(1.0),)), 0.01)
    assert (ended.here, ended.equal, ended.values) == (True, 1, 2)
    failed = compare(theirs, ran((number(1.0),), ending="failed"), 0.01)
    assert (failed.here, failed.values) == (False, 1)
    same_failure = ran((number(1.0),), ending="failed")
    assert compare(same_failure, same_failure, 0.01).here
    assert not compare(ran(ending="failed"), ran(), 0.01).on_reference


def test_where_the_reference_differs_from_itself_nothing_is_counted() -> None:
    theirs, again = ran((number(1.0), number(5.0))), ran((number(1.0), number(9.0)))
    ours = ran((number(1.0), number(7.0)))
    # One of several runs is enough.
    for runs in ([again], [theirs, again], [again, theirs]):
        outcome = compare(theirs, ours, 0.01, runs)
        assert (outcome.equal, outcome.values, outcome.unsteady) == (1, 1, 1)
    assert compare(theirs, ours, 0.01, [theirs, theirs]).unsteady == 0


def test_what_differs_is_run_again_with_other_numbers_of_threads(
    packages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(packages, "races.py", (
        "import os, sys\n"
        "theirs = 'tensorflow.compat.v1' in sys.modules\n"
        "threads = float(os.environ.get('TF_NUM_INTEROP_THREADS', 2))\n"
        "session.run([threads if theirs else 5.0, 1.0])\n"
    ))  # fmt: skip
    write(packages, "differs.py", "import sys\nsession.run(len('tensorflow.compat.v1' in "
                                  "sys.modules and 'ab' or 'c'))\n")  # fmt: skip
    monkeypatch.setattr(program, "_problem", lambda *_: "")
    words = [str(packages), "--reference", sys.executable, "--wheel", sys.executable]
    assert program.main([*words, "--again", "1"]) == 1
    printed = capsys.readouterr().out
    assert "fetched values equal: 1 of 2 (50.0 %)" in printed
    assert "not counted: 1 that differ on the reference too" in printed


def test_runs_of_the_reference_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    runs = iter([ran((number(1.0),)), ran((number(2.0),)), ran((number(3.0),))])

    def take(turn: int) -> Run:
        return kept_run(tmp_path / "kept", tmp_path / "a.py", LIMITS, turn, lambda: next(runs))

    assert take(0) == take(0) == ran((number(1.0),))
    assert take(1) == ran((number(2.0),))
    (tmp_path / "a.py").write_text("2")
    assert take(0) == ran((number(3.0),))


def test_totals_are_of_programs_that_run_on_the_reference() -> None:
    good, bad = ran((number(1.0),)), ran(ending="failed")
    wrong = ran((number(2.0),))
    rows = {Path(name): (one, other, compare(one, other, 0.01))
            for name, one, other in (("a", good, good), ("b", good, bad), ("c", bad, bad),
                                     ("d", good, wrong))}  # fmt: skip
    text = summary(rows)
    assert "4 programs tried, 3 run on the reference" in text
    assert "run here: 2 of 3 (66.7 %)" in text
    assert "fetched values equal: 1 of 2 (50.0 %)\nall of them in 1 programs" in text
    lines = [program_line(path, *row).split()[:3] for path, row in rows.items()]
    assert lines == [["yes", "yes", "1/1"], ["yes", "no", "0/0"], ["no", "-", "-"],
                     ["yes", "yes", "0/1"]]  # fmt: skip


def test_the_command_prints_and_writes_the_score(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    write(packages, "same.py", "session.run([1, 2])\n")
    write(packages, "fails.py", "raise ValueError('before anything')\n")
    monkeypatch.setattr(program, "_problem", lambda *_: "")
    words = [str(packages), "--reference", sys.executable, "--wheel", sys.executable]
    assert program.main([*words, "--json", str(tmp_path / "out.json")]) == 0
    printed = capsys.readouterr().out
    assert "run here: 1 of 1 (100.0 %)" in printed
    assert "fetched values equal: 2 of 2 (100.0 %)" in printed
    rows = json.loads((tmp_path / "out.json").read_text())
    assert rows["repository/same.py"]["runs_here"]
    assert rows["repository/fails.py"]["reference"]["detail"].startswith("ValueError: before")
    listed = tmp_path / "list"
    listed.write_text("# chosen\nrepository/fails.py\n")
    program.main([*words, "--list", str(listed)])
    assert "1 programs tried, 0 run on the reference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere", "--reference", "x", "--wheel", "x"], "there is no folder"),
        (["empty", "--reference", "x", "--wheel", "x"], "no program in"),
        (["full", "--reference", "x/python", "--wheel", "x"], "there is no interpreter"),
        (["full", "--reference", sys.executable, "--wheel", "x"], "cannot import tensorflow"),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: list[str], says: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.py").write_text(HEAD)
    assert program.main(words) == 2
    assert says in capsys.readouterr().err
