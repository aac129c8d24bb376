"""Files become visible together; whatever stops it leaves the folder as it was."""

from pathlib import Path

import pytest

from tfbuild.builds.delivery import delivery

OLD = {"report": "old report", "wheel": "old wheel", "theirs": "kept"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in OLD.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def deliver(folder: Path) -> None:
    with delivery(folder, last="wheel") as aside:
        for name in ("wheel", "report", "lock"):
            (aside / name).write_text(f"new {name}")


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_all_come_and_nothing_else_is_touched(folder: Path) -> None:
    deliver(folder)
    assert content(folder) == {
        "report": "new report", "wheel": "new wheel", "lock": "new lock", "theirs": "kept",
    }  # fmt: skip


def test_nothing_is_seen_before_the_end(folder: Path) -> None:
    with delivery(folder, last="wheel") as aside:
        (aside / "wheel").write_text("new wheel")
        assert {p.name: p.read_text() for p in folder.iterdir() if p.is_file()} == OLD
    assert content(folder)["wheel"] == "new wheel"


@pytest.mark.parametrize("step", range(3))
@pytest.mark.parametrize("kind", [KeyboardInterrupt, PermissionError])
def test_a_failure_in_the_middle_puts_back_what_was_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: int, kind: type[BaseException]
) -> None:
    replace, moved = Path.replace, []

    def failing(self: Path, target: Path) -> Path:
        moved.append(target.name)
        if len(moved) == step + 1:
            raise kind
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(kind):
        deliver(folder)
    assert content(folder) == OLD
    assert moved[: step + 1] == ["lock", "report", "wheel"][: step + 1], "the wheel comes last"


def test_a_folder_in_the_way_stops_it_before_anything_is_moved(folder: Path) -> None:
    (folder / "lock").mkdir()
    with pytest.raises(IsADirectoryError):
        deliver(folder)
    (folder / "lock").rmdir()
    assert content(folder) == OLD


def test_an_older_wheel_never_stands_beside_a_newer_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, seen = Path.replace, []

    def watched(self: Path, target: Path) -> Path:
        done = replace(self, target)
        seen.append((folder / "wheel").exists())
        return done

    monkeypatch.setattr(Path, "replace", watched)
    deliver(folder)
    assert seen == [False, False, True]


def test_what_a_killed_delivery_left_is_swept(folder: Path) -> None:
    (folder / ".tfbuild.999999999.part" / "new").mkdir(parents=True)
    deliver(folder)
    assert len(content(folder)) == 4
