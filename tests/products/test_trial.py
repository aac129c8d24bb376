"""Trials of a product: programs that end well, badly, late or by a signal."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.fakes import FakeRunner, says
from tfbuild.core.errors import CommandFailed
from tfbuild.core.interfaces import Watch
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.products import trial as trials
from tfbuild.products.trial import (
    Trial,
    TrialFailed,
    TrialSkipped,
    check,
    is_same_version,
    require_output,
)  # fmt: skip
from tfbuild.recipes.recipe import Product


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    (tmp_path / "product").mkdir()
    return Trial(
        product=tmp_path / "product",
        given=tmp_path / "given",
        work=tmp_path / "work",
        place=ProcessRunner(),
        promised=Product(),
    )


def run(trial: Trial, script: str, given: str = "") -> str:
    argv = ("sh", "-c", script)
    return trial.run("try it", argv, cwd=trial.new_folder("one"), given=given).stdout


def test_a_program_gets_its_input_and_nothing_of_the_callers_libraries(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    assert run(trial, 'cat; echo "[$LD_LIBRARY_PATH]"', "given\n") == "given\n[]\n"
    assert run(trial, "ls -A; cat") == ""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo some words >&2; exit 3", "ended with 3:\nsome words"),
        ("kill -SEGV $$", "ended by signal 11"),
        ("exec sleep 60", "ran longer than"),
        ("exec /no/such/program", "ended with 127"),
    ],
)
def test_a_bad_end_is_reported_with_the_last_lines(
    trial: Trial, script: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "SECONDS", 0.5)
    with pytest.raises(TrialFailed) as caught:
        run(trial, script)
    assert said in str(caught.value)


def test_checks_say_what_came_of_it(trial: Trial) -> None:
    def fails() -> tuple[tuple[str, str], ...]:
        raise TrialFailed("no")

    def skips() -> tuple[tuple[str, str], ...]:
        raise TrialSkipped("there is no cmake")

    assert check("x", lambda: (("a", "b"),)).detail == (("a", "b"),)
    assert (check("x", fails).state, check("x", fails).reason) == ("failed", "no")
    assert check("x", skips).state == "skipped"


def test_output_is_looked_for(trial: Trial) -> None:
    ended = trial.run("x", ("echo", "version 1.2.3"), cwd=trial.new_folder("one"))
    require_output(ended, "1.2.3")
    require_output(ended, "")
    with pytest.raises(TrialFailed, match="did not print"):
        require_output(ended, "1.2.4")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1.2", "1.2", True), ("20220623", "20220623.1", True), ("1.2.3", "1.2.4", False),
        ("1.20", "1.2", False), ("", "1.2", False),
    ],
)  # fmt: skip
def test_versions_are_the_same_as_far_as_both_say(one: str, other: str, *, same: bool) -> None:
    assert is_same_version(one, other) is same


def test_a_module_of_the_system_is_not_the_products(trial: Trial) -> None:
    cwd = trial.new_folder("one")
    with pytest.raises(TrialFailed, match=r"pkg-config|elsewhere"):
        trial.ask_package("zlib", "--modversion", cwd=cwd)
    other = replace(trial, place=FakeRunner({"sh": says(code=1)}))
    with pytest.raises(TrialSkipped, match="no pkg-config"):
        other.ask_package("zlib", "--modversion", cwd=cwd)


def test_flags_that_are_no_words_are_a_failure(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trial, "ask_package", lambda *_, **__: "-I'a b' -Lc")
    assert trial.ask_flags("x", "--libs", cwd=trial.work) == ["-Ia b", "-Lc"]
    monkeypatch.setattr(Trial, "ask_package", lambda *_, **__: "-I'a b")
    with pytest.raises(TrialFailed, match="pkg-config x: no words"):
        trial.ask_flags("x", "--libs", cwd=trial.work)


@dataclass(frozen=True)
class Planting:
    """A place whose programs put links to a file of the user wherever they can write."""

    work: Path
    victim: Path

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        for name in ("one", "one-run", "header", "next"):
            for link in (self.work / f"{name}.input", self.work / name):
                if not link.exists():
                    link.parent.mkdir(exist_ok=True)
                    link.symlink_to(self.victim)
        return Completed(code=0, stdout="")


def test_nothing_is_written_where_programs_of_a_place_write(trial: Trial, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("of the user")
    hostile = replace(trial, place=Planting(trial.work, victim))
    for name in ("one", "next"):
        cwd = hostile.new_folder(name)
        hostile.run("x", ("true",), cwd=cwd, given="evil")
        hostile.compile_header("include/x.h", "c", (), cwd)
        hostile.compile(hostile.give(cwd, "main.c", "evil"), "c", "", cwd=cwd)
    assert victim.read_text() == "of the user"
    assert {path.name for path in trial.work.iterdir() if not path.is_symlink()} == set()


def test_a_place_that_makes_no_folder_fails_the_trial(trial: Trial) -> None:
    lame = replace(trial, place=Failing())
    with pytest.raises(TrialFailed, match="no folder"):
        lame.new_folder("one")


class Failing:
    """A place in which nothing works."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        raise CommandFailed("it failed", status=1)
