"""The folders of a plan."""

from pathlib import Path

from tfbuild.places.folders import folders_of, make_folders


def test_each_plan_has_its_own_and_old_ones_go(tmp_path: Path) -> None:
    for number in range(7):
        make_folders(folders_of(tmp_path, f"plan{number}"), tmp_path)
    folders = folders_of(tmp_path, "plan7")
    make_folders(folders, tmp_path)
    assert folders.root == tmp_path / "native" / "plan7"
    made = {path.name for path in folders.root.iterdir()}
    assert made == {"source", "build", "stage", "exchange", "files"}
    left = {path.name for path in folders.root.parent.iterdir()}
    assert len(left) == 6
    assert "plan7" in left


def test_what_is_there_stays(tmp_path: Path) -> None:
    folders = folders_of(tmp_path, "one")
    make_folders(folders, tmp_path)
    (folders.build / "a.o").touch()
    make_folders(folders, tmp_path)
    assert (folders.build / "a.o").is_file()


def test_a_link_in_the_place_of_a_folder_goes(tmp_path: Path) -> None:
    folders = folders_of(tmp_path, "one")
    folders.root.mkdir(parents=True)
    folders.build.symlink_to(tmp_path)
    make_folders(folders, tmp_path)
    assert folders.build.is_dir()
    assert not folders.build.is_symlink()
