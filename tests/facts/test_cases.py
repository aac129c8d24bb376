"""The files of cases: their shape, their names, the third that is held out, and what is kept."""

from pathlib import Path

import pytest
import yaml

from tests.failing import fails
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.kept_json import state_of, write_kept
from tfbuild.core.paths import data_folder
from tfbuild.facts.cases import Case, case_name, is_held_out, load_cases, read_cases

CASES = data_folder("matrices") / "cases"


def write(folder: Path, name: str = "one", /, **changes: object) -> Path:
    content = {"thread": "a/b#1", "date": "2020-05", "tried": {"python": "3.8"}, "kind": "build",
               "outcome": "worked", "says": "x"}  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(content | changes))
    return folder


def test_a_file_is_read_with_its_name(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, outcome="failed", cause=["python", "os"]))
    assert case == Case(
        name="one", thread="a/b#1", date="2020-05", tried=(("python", "3.8"),), kind="build",
        outcome="failed", says="x", cause=("python", "os"),
    )  # fmt: skip
    assert case.link == "https://github.com/a/b/issues/1"


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"outcome": "perhaps"}, "case-word-unknown", ("outcome", "'perhaps'")),
        ({"kind": "dream"}, "case-word-unknown", ("kind", "'dream'")),
        ({"axis": ["python"]}, "entry-field-unknown", ("'axis'",)),
        ({"tried": "python"}, "entry-field-wrong", ("field tried",)),
        ({"tried": {}}, "case-field-empty", ("tried",)),
        ({"tried": {"pyhton": "3.8"}}, "case-axis-unknown", ("'pyhton'", "'python'")),
        ({"cause": ["cdua"], "outcome": "failed"}, "case-axis-unknown", ("'cdua'", "'cuda'")),
        ({"cause": ["cuda"]}, "case-cause-needless", ()),
        ({"date": "May 2020"}, "case-date-wrong", ("'May 2020'",)),
        ({"date": "2020-13"}, "case-date-wrong", ("'2020-13'",)),
        ({"thread": "issue 5"}, "case-thread-wrong", ("'issue 5'",)),
    ],
)
def test_a_wrong_file_is_named(
    tmp_path: Path, changes: dict[str, object], code: str, named: tuple[str, ...]
) -> None:
    with fails(code, "one.yaml", *named):
        read_cases(write(tmp_path, "one", **changes))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with fails("cases-missing", str(tmp_path)):
        read_cases(tmp_path)
    with fails("cases-missing", str(tmp_path / "nothing")):
        load_cases(tmp_path / "nothing", tmp_path / "kept.json")


def test_one_report_stands_in_one_file(tmp_path: Path) -> None:
    write(tmp_path, "one", tried={"tensorflow": "2.1", "gcc": "9"})
    write(tmp_path, "two", tried={"tensorflow": "2.10", "gcc": "9"})
    write(tmp_path, "three", tried={"tensorflow": "2.1", "clang": "14"})
    read_cases(write(tmp_path, "four", thread="A/B#2", tried={"tensorflow": "2.1", "gcc": "9"}))
    write(tmp_path, "five", thread="A/B#1", tried={"tensorflow": "2.1.3", "gcc": "9", "cuda": "11"})
    with fails("case-twice", "cases/one.yaml", "cases/five.yaml"):
        read_cases(tmp_path)


@pytest.mark.parametrize(
    ("thread", "name"),
    [
        ("tensorflow/tensorflow#24124", "tensorflow-24124"),
        ("NixOS/nixpkgs#305827", "nixos-nixpkgs-305827"),
        ("https://www.example.org/t/some-thing/12?x=1", "example-org-t-some-thing-12-x-1"),
    ],
)
def test_a_file_is_called_as_its_thread(thread: str, name: str) -> None:
    assert case_name(thread) == name


def test_a_third_is_held_out_by_the_name_alone() -> None:
    names = [f"tensorflow-{number}" for number in range(3000)]
    assert 900 < sum(map(is_held_out, names)) < 1100
    assert all(is_held_out(name) == is_held_out(f"{name}-b") for name in names)
    assert not any(is_held_out(f"seen-{name}") for name in names)
    # The draw of 2026-11-22: another would mix what rules come from with what measures them.
    drawn = [number for number in range(20) if is_held_out(f"tensorflow-{number}")]
    assert drawn == [2, 4, 9, 10, 11, 12, 13, 14, 16, 18, 19]


def test_what_was_read_is_kept_until_a_file_changes(tmp_path: Path) -> None:
    make_cache(tmp_path)
    kept = tmp_path / "kept.json"
    folder = write(
        tmp_path / "cases", tried={"tensorflow": "2.1"}, helped="an older one", also=["c/d#3"]
    )
    first = load_cases(folder, kept)
    assert first == read_cases(folder)
    before = kept.read_bytes()
    assert load_cases(folder, kept) == first
    assert kept.read_bytes() == before
    write(folder, "two", thread="a/b#2")
    assert [case.name for case in load_cases(folder, kept)] == ["one", "two"]
    kept.write_text("{}")
    assert len(load_cases(folder, kept)) == 2


@pytest.mark.parametrize(
    "plain",
    [5, {}, [1], [{}], [{"tried": []}], [{"tried": {"cuda": 1}}], [{"tried": {}, "unknown": "x"}]],
)
def test_what_another_has_kept_is_read_anew(tmp_path: Path, plain: object) -> None:
    folder, kept = write(tmp_path / "cases"), tmp_path / "cases.json"
    cases = load_cases(folder, kept)
    write_kept(kept, state_of(folder, *Case.__slots__), plain)
    assert load_cases(folder, kept) == cases


def test_cases_are_read_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = write(tmp_path / "cases")
    assert load_cases(folder, tmp_path / "file" / "kept.json") == read_cases(folder)


def test_the_cases_of_the_project_are_sound() -> None:
    cases = read_cases(CASES)
    assert len(cases) >= 600
    for case in cases:
        name = case.name.removeprefix("seen-")
        is_old = name != case.name
        assert name.removesuffix(f"-{name[-1]}") == case_name(case.thread) or name == case_name(
            case.thread
        ), f"{case.name}: call it {case_name(case.thread)}"
        assert case.date or is_old or "#" not in case.thread, case.name
        assert case.link.startswith("https://"), case.name


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("root:*:20228\n")
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "s.yaml").symlink_to(tmp_path / "secret")
    with fails("case-outside-folder", "s.yaml") as caught:
        read_cases(folder)
    assert "root:" not in f"{caught.value.message}{caught.value.why}"
