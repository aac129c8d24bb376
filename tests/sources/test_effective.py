"""Which options hold, by Bazel's own account and rules."""

import json
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.sources.effective import differing_options, read_effective, require_options


def events(path: Path, words: list[str]) -> Path:
    lines = [
        {"id": {"started": {}}, "children": [{"optionsParsed": {}}]},
        {"id": {"optionsParsed": {}}, "optionsParsed": {"cmdLine": words}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_options_are_read_from_the_event(tmp_path: Path) -> None:
    path = events(tmp_path / "events.json", ["--compilation_mode=opt", "--copt", "-DX"])
    assert read_effective(path) == ("--compilation_mode=opt", "--copt=-DX")


@pytest.mark.parametrize("text", ["", "{", '{"optionsParsed": 3}\n', '"optionsParsed"\n'])
def test_a_file_that_does_not_list_them_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "events.json"
    path.write_text(text)
    with fails("bazel-options-not-recorded", str(path)):
        read_effective(path)
    with fails("bazel-options-not-recorded", str(tmp_path / "gone")):
        read_effective(tmp_path / "gone")


@pytest.mark.parametrize(
    ("planned", "effective", "holds"),
    [
        ("--action_env=A=1", ["--action_env=A=1"], None),
        ("--action_env=A=1", ["--action_env=A=1", "--action_env=A=2"], "--action_env=A=2"),
        ("--action_env=A=1", ["--action_env=A=2", "--action_env=A=1"], None),
        ("--action_env=A=1", ["--action_env=AB=1"], ""),
        ("--repo_env=A=sm_86", ["--repo_env=A=sm_60"], "--repo_env=A=sm_60"),
        ("-c opt", ["--compilation_mode=dbg"], "--compilation_mode=dbg"),
        ("--copt=-O3", ["--copt=-g", "--copt=-O3", "--copt=-O0"], None),
        ("--copt=-O3", ["--copt=-g"], ""),
        ("--define=x=true", ["--define=x=true", "--define=y=false"], None),
        ("--announce_rc", ["--announce_rc=1"], None),
        ("--announce_rc", ["--noannounce_rc"], "--noannounce_rc"),
        ("--noannounce_rc", ["--announce_rc=false"], None),
        ("--config=opt", ["--config=opt", "--copt=-g"], None),
        ("--config=opt", ["--copt=-g"], ""),
        ("--override_repository=a=/x", ["--override_repository=a=/y"],
         "--override_repository=a=/y"),
    ],
)  # fmt: skip
def test_the_last_of_a_name_holds_and_all_of_a_list(
    planned: str, effective: list[str], holds: str | None
) -> None:
    found = differing_options(planned.split(), effective)
    assert [d.holds for d in found] == ([] if holds is None else [holds])


def test_each_difference_is_named() -> None:
    with fails("bazel-options-differ") as caught:
        require_options(["--define=a=1", "--copt=-g"], ["--define=a=2"])
    first, second = caught.value.why.splitlines()
    assert " --define=a=1, " in first and first.endswith(" --define=a=2")
    assert " --copt=-g, " in second
