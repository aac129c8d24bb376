"""Work folders of projects that are gone may go; all others stay."""

import shutil
from pathlib import Path

import pytest

from tfbuild.core.paths import work_folder
from tfbuild.core.run_folder import alone, make_work
from tfbuild.fetch.projects import list_projects, prunable_projects, prune_projects


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


def test_one_that_is_held_or_says_not_whose_it_is_stays(works: dict[str, Path]) -> None:
    with alone(works["gone"]):
        assert prune_projects(older_than_days=0) == ()
    (works["gone"] / "project.json").write_text("{}")
    assert prune_projects(older_than_days=0) == ()
    assert works["gone"].is_dir()
