"""Work folders of projects that are gone may go; all others stay."""

import os
import shutil
import time
from pathlib import Path

import pytest

from tfbuild.core.layout import MEMO, PRODUCTS, RUNS, WHEELS, Place
from tfbuild.core.paths import work_folder
from tfbuild.core.run_folder import alone, make_work
from tfbuild.fetch import projects
from tfbuild.fetch.projects import (
    forget_older,
    list_projects,
    prunable_projects,
    prune_projects,
)


@pytest.fixture
def works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The work folders of a project that is there and of one that is gone."""
    monkeypatch.delenv("TFBUILD_WORK_DIR")
    found = {}
    for name in ("there", "gone"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        make_work(work_folder())
        (work_folder() / "log").write_bytes(b"x" * 50_000)
        found[name] = work_folder()
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(tmp_path / "gone")
    return found


def test_nothing_is_listed_before_the_first_build() -> None:
    assert list_projects() == prune_projects(older_than_days=0) == ()


def test_each_is_named_by_its_project(works: dict[str, Path], tmp_path: Path) -> None:
    entries = {entry.title: entry for entry in list_projects()}
    assert entries.keys() == {str(tmp_path / "there"), str(tmp_path / "gone")}
    assert {entry.kind for entry in entries.values()} == {"projects"}
    assert all(entry.bytes >= 50_000 for entry in entries.values())


def test_only_that_of_a_project_that_is_gone_goes(works: dict[str, Path]) -> None:
    assert prunable_projects(older_than_days=1) == ()
    assert [entry.path for entry in prunable_projects(older_than_days=0)] == [works["gone"]]
    assert prune_projects(older_than_days=0, agreed=()) == ()
    assert [entry.path for entry in prune_projects(older_than_days=0)] == [works["gone"]]
    assert (works["there"].is_dir(), works["gone"].exists()) == (True, False)


def kept(place: Place, work: Path, name: str, *, days: float, size: int = 10) -> Path:
    """Something that a build has kept, and when it was last used."""
    path = place.path(work) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if place != MEMO:
        path.mkdir()
    file = path if place == MEMO else path / "file"
    file.write_bytes(b"x" * size)
    for used in (file, path):
        os.utime(used, (time.time() - days * 86400,) * 2)
    return path


def test_what_is_kept_for_a_project_goes_when_it_is_old(works: dict[str, Path]) -> None:
    work = works["there"]
    old = [
        kept(PRODUCTS, work, "a", days=40),
        kept(WHEELS, work, "b", days=50),
        kept(RUNS, work, "c", days=60),
        kept(MEMO, work, "perf/d.json", days=40),
    ]
    new = [kept(PRODUCTS, work, "e", days=20), kept(MEMO, work, "perf/f.json", days=20)]
    assert {entry.path for entry in prunable_projects(older_than_days=30)} == {*old}
    assert prune_projects(older_than_days=30, agreed=[old[0]])[0].path == old[0]
    with alone(work):
        assert prune_projects(older_than_days=30) == ()
    assert {entry.path for entry in prune_projects(older_than_days=30)} == {*old[1:]}
    assert [path.exists() for path in (*old, *new)] == [False] * 4 + [True] * 2
    assert work.is_dir()


def test_a_place_keeps_what_was_used_last(works: dict[str, Path]) -> None:
    work = works["there"]
    runs = [kept(RUNS, work, f"run-{days}", days=days) for days in range(RUNS.most + 2)]
    forget_older(RUNS, work)
    assert [path.exists() for path in runs] == [True] * RUNS.most + [False] * 2
    forget_older(PRODUCTS, work)  # nothing is there
    assert PRODUCTS.most > 3


def test_large_things_stay_only_while_they_are_new(
    works: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "_LARGE_BYTES", 2_000_000)
    work = works["there"]
    large = [kept(WHEELS, work, str(days), days=days, size=1_000_000) for days in range(5)]
    forget_older(WHEELS, work)
    assert [path.exists() for path in large] == [True] * 3 + [False] * 2


def test_one_that_is_held_or_says_not_whose_it_is_stays(works: dict[str, Path]) -> None:
    with alone(works["gone"]):
        assert prune_projects(older_than_days=0) == ()
    (works["gone"] / "project.json").write_text("{}")
    assert prune_projects(older_than_days=0) == ()
    assert works["gone"].is_dir()
