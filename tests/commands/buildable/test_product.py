"""A matrix of a recipe: its options, versions and systems crossed, planned and built in turn."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_recipes import A_RECIPE, a_tree, written
from tests.schema_maker import check
from tfbuild.commands.build_matrix import build_matrix, show_cells
from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.buildable.read import read_buildable
from tfbuild.core.errors import BuildFailed, NoSolution
from tfbuild.core.process import find_program
from tfbuild.core.reporter import SilentReporter

# Another release, and an option that does not go with a quiet build.
_MORE = A_RECIPE.replace(
    f"releases: {{'1.10': '{'a' * 64}'}}",
    f"releases: {{'1.10': '{'a' * 64}', '1.9': '{'b' * 64}'}}",
).replace(
    "build:\n",
    """\
  tall:
    help: Say it from above
    default: off
    choices:
      on: {conflicts: [loud=off]}
      off: {}
build:
""",
    1,
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, _MORE)
    return tmp_path


def matrix(
    *axes: str, words: tuple[str, ...] = (), flags: Mapping[str, str] | None = None
) -> Asked:
    return Asked(matrix=axes, words=("./greet.yaml", *words), flags=flags or {})


def planned(capsys: pytest.CaptureFixture[str], wanted: Asked) -> dict[str, object]:
    capsys.readouterr()
    show_cells(wanted, style="json")
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    check("cells", document)
    return document


def test_options_and_versions_are_crossed_and_what_cannot_be_is_reported(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = matrix("tall=on,off", "loud=on,off", "version=1.9,1.10")
    assert show_cells(wanted, style="text") == NoSolution.exit_code
    out = capsys.readouterr().out
    assert "tall_on-loud_off-version1.9 impossible: tall=on does not go with loud=off" in out
    assert "6 of 8 cells can be built" in out
    document = planned(capsys, wanted)
    cells = document["cells"]
    assert isinstance(cells, list)
    assert document["title"] == "greet"
    assert cells[0]["axes"] == {"tall": "on", "loud": "on", "version": "1.9"}
    assert cells[0]["versions"] == {"version": "1.9"}
    assert len({cell["plan"] for cell in cells if cell["plan"]}) == 6
    assert not (here / "dist").exists()


def test_the_systems_of_containers_are_an_axis(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = matrix("os=debian:bookworm,debian 12,debian:trixie", flags={"env": "docker"})
    cells = planned(capsys, wanted)["cells"]
    assert isinstance(cells, list)
    assert [cell["system"] for cell in cells] == ["debian 12", "debian 12", "debian 13"]
    assert [cell["same_as"] for cell in cells] == ["", "os_debian_bookworm", ""]
    with fails("system-without-container", "os=debian:bookworm", "--env docker"):
        show_cells(matrix("os=debian:bookworm"), style="json")


@pytest.mark.parametrize(
    ("axes", "words", "code", "named"),
    [
        (("lout=on,off",), (), "matrix-axis-unknown", "'lout'"),
        (("python=3.11",), (), "matrix-axis-unknown", "'python'"),
        (("loud=on,,off",), (), "not-axis-values", "'loud=on,,off'"),
        (("loud=../x",), (), "not-axis-values", "'loud=../x'"),
        (("loud=on,on",), (), "matrix-value-twice", "'loud=on,on'"),
        (("loud=on", "loud=off"), (), "matrix-value-twice", "'loud=off'"),
        (("loud=on,maybe",), (), "recipe-choice-unknown", "'maybe'"),
        (("version=3.3",), (), "recipe-release-unknown", "3.3"),
        (("loud=on,off",), ("loud=on",), "option-value-not-one", "loud=VALUE"),
    ],
)
def test_nonsense_is_refused_before_anything_is_built(
    axes: tuple[str, ...], words: tuple[str, ...], code: str, named: str, here: Path
) -> None:
    with fails(code, named) as caught:
        build_matrix(matrix(*axes, words=words), as_json=False, verbosity=-1)
    assert caught.value.hint
    assert not (here / "dist" / "matrix.json").exists()


def test_axes_keep_their_order() -> None:
    wanted = read_buildable(Asked(words=("./greet.yaml",), flags={}), SilentReporter())
    axes = wanted.axes(("version=1.9,1.10", "loud=off"))
    assert axes == (("version", ("1.9", "1.10")), ("loud", ("off",)))


@pytest.mark.slow
@pytest.mark.skipif(
    not (find_program("cmake") and find_program("ninja")), reason="there is no CMake with Ninja"
)
def test_each_cell_has_its_archive_and_a_failure_does_not_end_the_rest(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(here / "state"))
    tree = a_tree(here / "tree")
    with (tree / "greet.c").open("a") as stream:
        stream.write("#ifdef GREET_QUIET\n#error it is quiet\n#endif\n")
    lists = (tree / "CMakeLists.txt").read_text()
    quiet = 'GREETING="hello" GREET_QUIET=1'
    (tree / "CMakeLists.txt").write_text(lists.replace('GREETING="hello"', quiet))
    wanted = matrix("loud=off,on", flags={"source": str(tree)})
    assert build_matrix(wanted, as_json=True, verbosity=-1) == BuildFailed.exit_code
    document = json.loads(capsys.readouterr().out)
    check("cells", document)
    failed, passed = document["cells"]
    assert (failed["state"], passed["state"]) == ("failed", "passed")
    assert "it is quiet" in failed["why"]
    archive = Path(passed["product"])
    assert archive.parent == here / "dist" / "loud_on"
    assert passed["size"] == archive.stat().st_size
    assert Path(passed["report"]).is_file()
    assert all(Path(path).is_file() for path in passed["beside"].values())
    assert set(passed["beside"]) == {"lock", "sbom"}
    assert passed["smoke"]
    assert [stage["name"] for stage in failed["stages"]] == [
        "decide",
        "source",
        "environment",
        "build",
    ]
    assert "greet for loud off, on" in (here / "dist" / "matrix.html").read_text()
