"""The attack on the parsers counts what it tried, and keeps what it finds with its command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.attack.parsers.__main__ import document, table
from benchmarks.attack.parsers.engine import FuzzTarget, fuzz
from benchmarks.attack.parsers.native import RUNTIME, kernel_sources, native_targets
from benchmarks.attack.parsers.python_targets import PYTHON_TARGETS

# Stands for a program of libFuzzer: says what one says, leaves an input where its option says.
_PROGRAM = """
import pathlib, sys
options = dict(word[1:].split("=", 1) for word in sys.argv[1:] if word.startswith("-"))
if "minimize_crash" in options:
    sys.exit(0)
say = sys.stderr.write
say("#2\\tINITED cov: 40 ft: 50 corp: 2/9b exec/s: 0 rss: 30Mb\\n")
say("#90\\tNEW    cov: 44 ft: 61 corp: 3/12b lim: 4 exec/s: 0 rss: 31Mb L: 3/4\\n")
if FINDS:
    path = pathlib.Path(options["artifact_prefix"] + "crash-da39a3ee")
    path.write_bytes(b"it")
    say(f"==1==ERROR: AddressSanitizer: heap-use-after-free\\nTest unit written to {path}\\n")
say("stat::number_of_executed_units: 123\\nstat::new_units_added:          1\\n")
say("stat::slowest_unit_time_sec:    2\\n")
sys.exit(CODE)
"""


def _target(folder: Path, *, finds: bool = False, code: int = 0) -> FuzzTarget:
    program = folder / "program.py"
    program.write_text(_PROGRAM.replace("FINDS", str(finds)).replace("CODE", str(code)))
    return FuzzTarget(
        name="made up", command=(sys.executable, str(program)), inputs=folder / "inputs"
    )


def test_what_was_tried_is_counted(tmp_path: Path) -> None:
    done = fuzz(_target(tmp_path), 1, 7, tmp_path / "corpus", tmp_path / "found")
    assert (done.executions, done.new_inputs, done.slowest) == (123, 1, 2)
    assert (done.edges_before, done.edges) == (40, 44)
    assert not done.findings
    assert "made up  123" in table([done])


def test_a_finding_is_kept_with_its_command(tmp_path: Path) -> None:
    target = _target(tmp_path, finds=True, code=77)
    done = fuzz(target, 1, 7, tmp_path / "corpus", tmp_path / "found")
    (finding,) = done.findings
    assert Path(finding.kept).read_bytes() == b"it"
    assert finding.again == f"{sys.executable} {target.command[1]} '{finding.kept}'"
    assert "heap-use-after-free" in table([done])
    written = json.loads(document([done]))["targets"][0]["findings"][0]
    assert written["what"] == "crash"


def test_an_end_without_an_input_is_a_finding_too(tmp_path: Path) -> None:
    done = fuzz(_target(tmp_path, code=3), 1, 7, tmp_path / "corpus", tmp_path / "found")
    assert [finding.what for finding in done.findings] == ["exit 3"]


@pytest.mark.parametrize("name", PYTHON_TARGETS)
def test_what_a_parser_begins_with_is_read_or_refused(tmp_path: Path, name: str) -> None:
    target = PYTHON_TARGETS[name]
    inputs = target.inputs(tmp_path)
    assert inputs
    for number, content in enumerate((*inputs, b"", b"\xff\0")):
        folder = tmp_path / f"folder-{number}"
        folder.mkdir()
        try:
            target.run(content, folder)
        except target.refusals:
            assert content not in inputs or name == "lock", f"{name} refuses its own input"


def test_every_target_of_the_runtime_has_inputs_to_begin_with() -> None:
    seeds = (Path(__file__).parents[2] / "runtime" / "fuzz" / "seeds.cc").read_text()
    assert not [name for name in native_targets() if f'Add("{name}"' not in seeds]


def test_a_name_of_no_target_is_refused() -> None:
    words = [sys.executable, "-m", "benchmarks.attack.parsers", "--only", "none"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "there is no target 'none'" in done.stderr


def test_what_a_parser_includes_is_linked_with_it() -> None:
    """CI links them for minutes: a file that is missing shows here."""
    sources = kernel_sources()
    names = {path.relative_to(RUNTIME / "kernels").with_suffix("").as_posix() for path in sources}
    assert names >= {"string/regex", "string/regex_parser", "string/regex_search"}
    assert len(sources) < 12, "most kernels are compiled: the attack begins minutes later"
