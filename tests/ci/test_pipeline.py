"""Words become cells; what each cell runs; what is refused."""

import os
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.ci.pipeline import (
    Pipeline,
    build_script,
    check_pipeline,
    header,
    job_name,
    packages_line,
    published,
    split_word,
    variable,
)
from tfbuild.ci.wheels import WHEELS, wheel_axes
from tfbuild.core.settings import gather


def a_pipeline(*words: str, **changes: object) -> Pipeline:
    """A pipeline of two Pythons and two devices, unless words are given."""
    axes = wheel_axes(words or ("python=3.11,3.13", "cuda=none,13.0"))
    made = Pipeline(
        subject=WHEELS, axes=axes, install=".", tfbuild_version="0.1.0", again="tfbuild ci github"
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_axes_are_crossed_in_their_order() -> None:
    names = [job_name(cell) for cell in a_pipeline().cells]
    assert names == [
        "python-3.11-cuda-none",
        "python-3.11-cuda-13.0",
        "python-3.13-cuda-none",
        "python-3.13-cuda-13.0",
    ]


def test_one_wheel_of_each_name_is_published() -> None:
    """Variants of one Python have one file name, and an index takes it once."""
    assert [job_name(cell) for cell in published(a_pipeline())] == [
        "python-3.11-cuda-none",
        "python-3.13-cuda-none",
    ]


@pytest.mark.parametrize(("minutes", "build"), [(15, 10), (60, 50), (360, 345)])
def test_the_build_ends_before_the_job(minutes: int, build: int) -> None:
    assert a_pipeline(minutes=minutes).build_minutes == build


def test_what_no_runner_can_do_is_refused() -> None:
    check_pipeline(a_pipeline())
    with fails("pipeline-minutes-few", "14", "--minutes 15"):
        check_pipeline(a_pipeline(minutes=14))
    many = ",".join(f"3.{n}" for n in range(8, 15))
    with fails("pipeline-cells-many", "49"):
        check_pipeline(a_pipeline(f"python={many}", f"gcc={many}"))
    with fails("pipeline-option-multiline"):
        check_pipeline(a_pipeline(again="tfbuild ci\ngithub"))


def test_a_word_is_split_into_a_name_and_its_values() -> None:
    assert split_word("threads = on, off") == ("threads", ("on", "off"))
    assert split_word("threads=on=1") == ("threads", ("on=1",))
    assert [split_word(word)[1] for word in ("threads", "threads=", "threads=on,,off")] == [()] * 3


def test_what_is_no_letter_of_a_variable_is_none_of_its_name() -> None:
    assert variable("OPTION_", "with-c++1.7") == "OPTION_WITH_C__1_7"


def test_what_the_build_needs_is_installed_by_the_system() -> None:
    pipeline = a_pipeline(subject=replace(WHEELS, packages=("g++", "nasm")))
    assert packages_line(pipeline) == (
        "apt-get update && apt-get install --yes --no-install-recommends g++ nasm"
    )
    assert packages_line(pipeline, "sudo").count("sudo apt-get ") == 2


def test_notes_stand_in_the_head() -> None:
    pipeline = a_pipeline(subject=replace(WHEELS, notes=("Nothing is published.",)))
    assert header(pipeline).endswith("# Nothing is published.\n")
    assert len(header(a_pipeline()).splitlines()) == 2


def test_the_variables_are_constraints_of_tfbuild(tmp_path: Path) -> None:
    (cell, *_) = a_pipeline().cells
    found = gather((), {}, tmp_path, {WHEELS.variable(axis): value for axis, value in cell})
    assert {setting.name: setting.value for setting in found.values} == dict(cell)
    assert found.warnings == ()


# --- the build, stopped in time ------------------------------------------------------------------


def run_build_script(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """The script with another program as tfbuild."""
    tool = folder / "tfbuild"
    tool.write_text(program)
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    script = build_script(a_pipeline(minutes=15), "::error::")
    path = f"{folder}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_a_build_knows_its_deadline_and_what_it_means_is_said(tmp_path: Path) -> None:
    done = run_build_script(tmp_path, f'#!/bin/sh\necho "$*" > {tmp_path}/asked\nexit 13\n')
    assert done.returncode == 13
    assert "::error::the time is up" in done.stdout
    assert (tmp_path / "asked").read_text() == "build --skip-perf --deadline 10m\n"


@pytest.mark.parametrize("code", [0, 6])
def test_any_other_end_is_passed_on(tmp_path: Path, code: int) -> None:
    done = run_build_script(tmp_path, f"#!/bin/sh\nexit {code}\n")
    assert (done.returncode, done.stdout) == (code, "")
