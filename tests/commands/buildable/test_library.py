"""The C++ library of a tree: versions are planned as for its wheel, all else as for recipes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import host_for
from tests.failing import fails
from tests.sample_report import an_environment
from tests.schema_maker import check
from tests.tensorflow_trees import make_tree
from tfbuild.commands.build import show_plan
from tfbuild.commands.build_matrix import show_cells
from tfbuild.commands.buildable.base import Asked
from tfbuild.core.lock_file import LockedSource, LockFile, lock_text, read_lock_file
from tfbuild.recipes.catalogue import find_recipe


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: host_for("2.14.1"))
    make_tree(tmp_path / "tree", "2.14.1")


def asked(*words: str, matrix: tuple[str, ...] = (), **flags: str) -> Asked:
    words = ("tensorflow-cc", *words)
    return Asked(words=words, flags={"source": "tree", **flags}, matrix=matrix)


def test_a_plan_in_every_style(capsys: pytest.CaptureFixture[str]) -> None:
    show_plan(asked("python=3.11"), style="json")
    document = json.loads(capsys.readouterr().out)
    check("product-plan", document)
    assert document["archive"].startswith("libtensorflow_cc-2.14.1-cpu-linux-")
    assert document["steps"][0]["plan"]["tree"]["release"] == "2.14.1"
    show_plan(asked("python=3.11"), style="text")
    text = capsys.readouterr().out
    for said in (
        f"plan {document['id']}: ", "  python   3.11", "//tensorflow:install_headers",
        "smoke    C interface, C++ interface", document["archive"],
        "configure.py writes what was planned",
    ):  # fmt: skip
        assert said in text
    show_plan(asked("python=3.11"), style="script")
    script = capsys.readouterr().out
    assert f"# Builds plan {document['id']}." in script
    assert " --cc\n" in script


def a_lock(folder: Path, recipe: str = "tensorflow-cc") -> str:
    """The path of the lock of an archive."""
    lock = LockFile(
        archive="a.tar.gz",
        archive_sha256="a" * 64,
        source=LockedSource(recipe=recipe, version="2.14.1", sha256="b" * 64),
        versions=(("python", "3.10"),),
    )
    path = folder / "a.lock.yaml"
    path.write_text(lock_text(lock))
    return str(path)


def test_the_lock_of_an_archive_is_obeyed_for_its_own_recipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_plan(asked(lock=a_lock(tmp_path), env="docker"), style="json")
    document = json.loads(capsys.readouterr().out)
    chosen = document["steps"][0]["plan"]["versions"]["choices"]
    assert {one["axis"]: one["value"] for one in chosen}["python"] == "3.10"
    assert document["held"]["source_sha256"] == "b" * 64
    with fails("lock-of-recipe", "a.tar.gz"):
        show_plan(asked(lock=a_lock(tmp_path, "zstd")), style="json")
    with fails("lock-of-recipe", "a.tar.gz"):
        show_plan(Asked(flags={"source": "tree", "lock": a_lock(tmp_path)}), style="json")


def test_a_lock_of_a_container_is_for_a_container(tmp_path: Path) -> None:
    lock = read_lock_file(Path(a_lock(tmp_path)))
    inside = replace(lock, environment=an_environment("dpkg zlib1g 1.2.13 amd64"))
    path = tmp_path / "inside.lock.yaml"
    path.write_text(lock_text(inside))
    with fails("lock-needs-container", "debian", "--env docker"):
        show_plan(asked(lock=str(path)), style="json")


def test_its_file_alone_is_not_built() -> None:
    path = str(find_recipe("tensorflow-cc").path)
    with fails("recipe-asked-by-file", "tfbuild build tensorflow-cc"):
        show_plan(Asked(words=(path,), flags={"source": "tree"}), style="text")


def test_a_matrix_of_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    show_cells(asked(matrix=("python=3.10,3.11",)), style="json")
    document = json.loads(capsys.readouterr().out)
    check("cells", document)
    assert (document["title"], document["noun"]) == ("C++ libraries", "library")
    assert [cell["axes"] for cell in document["cells"]] == [
        {"python": "3.10"}, {"python": "3.11"},
    ]  # fmt: skip
    show_plan(asked("python=3.11"), style="json")
    assert document["cells"][1]["plan"] == json.loads(capsys.readouterr().out)["id"]
