"""Which trees are of a recipe's source code, and what version they say."""

from pathlib import Path

from tests.failing import fails
from tfbuild.inputs.recognition import is_tree_of, tree_version, version_of
from tfbuild.recipes.recipe import Source

SOURCE = Source(
    recognize=("lib/tiny.h", "CMakeLists.txt"),
    version_file="lib/tiny.h",
    version_pattern=r"(?s)MAJOR (\d+).*MINOR (\d+).*PATCH (\d+)",
)


def a_tree(folder: Path, text: str) -> Path:
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "tiny.h").write_text(text)
    (folder / "CMakeLists.txt").touch()
    return folder


def test_a_tree_has_every_file_by_which_it_is_recognized(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", "")
    assert is_tree_of(SOURCE, tree)
    (tree / "CMakeLists.txt").unlink()
    assert not is_tree_of(SOURCE, tree)


def test_the_groups_of_the_pattern_are_joined_by_points(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", "#define MAJOR 1\n#define MINOR 5\n#define PATCH 7\n")
    assert version_of(SOURCE, tree) == "1.5.7"


def test_a_group_that_begins_with_a_sign_is_joined_as_it_is(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", 'version 1.5 stage "-rc1"')
    pattern = r'version (\d+)\.(\d+) stage "([^"]*)"'
    source = Source(version_file="lib/tiny.h", version_pattern=pattern)
    assert version_of(source, tree) == "1.5-rc1"
    (tree / "lib/tiny.h").write_text('version 1.5 stage ""')
    assert version_of(source, tree) == "1.5"


def test_a_tree_that_does_not_state_its_version_lets_the_user_name_it(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", "nothing")
    with fails("source-version-missing", "lib/tiny.h", "version="):
        version_of(SOURCE, tree)
    with fails("recipe-version-place-unknown", str(tree), "version="):
        version_of(Source(), tree)


def test_a_tree_is_not_called_another_version_than_its_own(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", "#define MAJOR 1\n#define MINOR 5\n#define PATCH 7\n")
    assert [tree_version(SOURCE, tree, asked) for asked in ("", "1.5.7", "1.5.7+mine")] == [
        "1.5.7", "1.5.7", "1.5.7+mine",
    ]  # fmt: skip
    for other in ("1.5.8", "1.5.70"):
        with fails("source-version-differs", "1.5.7", f"{other} "):
            tree_version(SOURCE, tree, other)
    assert tree_version(Source(), tree, "2.0") == "2.0", "it states none"


def test_a_version_becomes_a_file_name_and_holds_nothing_else(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", "version ../../x")
    with fails("source-version-invalid", "lib/tiny.h", "/../x"):
        version_of(Source(version_file="lib/tiny.h", version_pattern=r"version (\S+)"), tree)


def test_no_file_out_of_the_tree_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("version 1")
    tree = a_tree(tmp_path / "tree", "")
    source = Source(version_file="../secret", version_pattern=r"version (\S+)")
    with fails("version-file-unreadable", "../secret"):
        version_of(source, tree)


def test_a_pattern_that_could_take_for_ever_is_refused(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "tree", "a")
    with fails("recipe-pattern-broken", "version_pattern", "(?=a)a"):
        version_of(Source(version_file="lib/tiny.h", version_pattern=r"(?=a)a"), tree)
