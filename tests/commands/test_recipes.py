"""What `build RECIPE`, `plan RECIPE` and `recipes` take, and what they say."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.failing import fails
from tests.lite_trees import lite_tree
from tests.sample_recipes import A_RECIPE, a_tree, written
from tests.schema_maker import check
from tests.shared_libraries import real_tools
from tfbuild.commands import recipes
from tfbuild.commands.build import show_plan
from tfbuild.commands.buildable.base import Asked
from tfbuild.core.build_kinds import OWN_RECIPES
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.recipes.catalogue import find_recipe


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, A_RECIPE)


def asked(*words: str, flags: dict[str, str] | None = None) -> Asked:
    return Asked(words=("./greet.yaml", *words), flags=flags or {})


def test_a_plan_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    show_plan(asked("loud=off"), style="json")
    document = json.loads(capsys.readouterr().out)
    check("product-plan", document)
    assert document["options"] == [["loud", "off"]]
    show_plan(asked(), style="text")
    assert "greet 1.10 for " in capsys.readouterr().out
    show_plan(asked(), style="script")
    assert "exec tfbuild build ./greet.yaml version=1.10" in capsys.readouterr().out
    with fails("format-unknown", "'yaml'"):
        show_plan(asked(), style="yaml")


def test_a_plan_for_another_platform_is_none_of_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = target_of(real_tools(tmp_path / "tools").host).version
    others = {"linux-x86_64", "linux-aarch64"} - {here}
    show_plan(asked(f"platform={others.pop()}"), style="text")
    out = capsys.readouterr().out
    assert "place    a machine that is linux-" in out
    assert "place    this machine" not in out


@pytest.mark.parametrize(
    ("words", "flags", "code", "named"),
    [
        (("lout=on",), {}, "recipe-option-unknown", "'lout'"),
        (("loud=on", "loud=off"), {}, "option-value-not-one", "loud=VALUE"),
        (("version=",), {}, "option-value-not-one", "version=VALUE"),
        (("python=3.11",), {}, "axis-not-of-kind", "python"),
        ((), {"against": "numpy"}, "option-not-of-kind", "--against"),
        ((), {"image": "x"}, "option-not-of-kind", "--image"),
        ((), {"cpus": "2"}, "option-needs-container", "cpus=2"),
    ],
)
def test_what_it_does_not_obey_is_refused(
    words: tuple[str, ...], flags: dict[str, str], code: str, named: str
) -> None:
    with fails(code, named) as caught:
        show_plan(asked(*words, flags=flags), style="text")
    assert caught.value.hint


def test_a_source_in_a_project_file_is_not_the_recipes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tfbuild]\nsource = "nowhere"\n')
    show_plan(asked(), style="text")
    assert "https://example.org/greet-1.10.tar.gz" in capsys.readouterr().out


def test_the_list_names_what_code_builds_and_what_files_build(
    capsys: pytest.CaptureFixture[str],
) -> None:
    recipes.list_recipes(as_json=True)
    document = json.loads(capsys.readouterr().out)
    check("recipes", document)
    names = [row["name"] for row in document["recipes"]]
    assert names[: len(OWN_RECIPES)] == [name for name, _ in OWN_RECIPES]
    assert len(names) == len(set(names)), "one that has a file as well is listed once"
    assert dict(OWN_RECIPES)["tensorflow-cc"] == find_recipe("tensorflow-cc").summary
    assert {"zstd", "libpng", "dav1d", "re2"} <= set(names)
    recipes.list_recipes(as_json=False)
    assert "zstd" in capsys.readouterr().out


def test_every_need_says_what_it_is_and_who_has_it(
    tables: Tables, capsys: pytest.CaptureFixture[str]
) -> None:
    recipes.list_needs(as_json=True)
    document = json.loads(capsys.readouterr().out)
    check("needs", document)
    found = {need["name"]: need for need in document["needs"]}
    assert set(found) == {row.need for row in tables.needs()}
    assert (found["cmake"]["kind"], found["cmake"]["looked_for"]) == ("program", "cmake")
    assert dict(found["cmake"]["packages"]).keys() == {"debian", "index"}
    zlib = found["zlib"]
    assert (zlib["kind"], zlib["looked_for"], zlib["header"]) == (
        "pkg-config module", "zlib", "zlib.h",
    )  # fmt: skip
    assert (found["bzip2"]["kind"], found["bzip2"]["looked_for"]) == ("header", "bzlib.h")
    recipes.list_needs(as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(found)
    line = next(line for line in lines if line.startswith("zlib "))
    assert line.split() == ["zlib", "pkg-config", "module", "zlib", "debian:", "zlib1g-dev"]


def test_one_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    recipes.show_recipe("zstd", as_json=True)
    check("recipe-shown", json.loads(capsys.readouterr().out))
    recipes.show_recipe("./greet.yaml", as_json=False)
    assert "loud=on|off" in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name, _ in OWN_RECIPES])
def test_what_code_builds_says_what_it_is_asked_for_by(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipes.show_recipe(name, as_json=True)
    document = json.loads(capsys.readouterr().out)
    check("own-recipe", document)
    assert "output" in document["options"]
    assert "bazel" in document["axes"]
    assert Path(document["file"]).name == ("tensorflow-cc.yaml" if "-cc" in name else "")
    recipes.show_recipe(name, as_json=False)
    out = capsys.readouterr().out
    assert out.startswith(f"{name}: ")
    assert "--output" in out
    assert ("tensorflow-cc.yaml: what is delivered" in out) == ("-cc" in name)


def test_unknown_needs_are_reported_when_a_recipe_is_read(tmp_path: Path) -> None:
    written(tmp_path, A_RECIPE.replace("build:\n", "needs: [zlip]\nbild: 3\nbuild:\n"))
    looks: tuple[Callable[[], object], ...] = (
        partial(recipes.show_recipe, "./greet.yaml", as_json=False),
        partial(show_plan, asked(), style="text"),
    )
    for look in looks:
        with fails("recipe-has-faults", "greet.yaml", "'zlib'", "'build'"):
            look()


def test_a_new_recipe_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipes.new_recipe("mine", "meson", "")
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'mine.yaml'}\n"
    assert "`tfbuild plan ./mine.yaml --source DIR`" in said.err
    with fails("output-file-exists", str(tmp_path / "mine.yaml"), "--output"):
        recipes.new_recipe("mine", "cmake", "")
    with fails("build-system-unknown", "'cmak'", "'cmake'"):
        recipes.new_recipe("other", "cmak", "")
    with fails("recipe-name-wrong", "'Other Thing'"):
        recipes.new_recipe("Other Thing", "cmake", "")


def test_keys_and_schema(capsys: pytest.CaptureFixture[str]) -> None:
    recipes.show_keys(as_schema=False)
    assert "build.system" in capsys.readouterr().out
    recipes.show_keys(as_schema=True)
    assert json.loads(capsys.readouterr().out)["title"] == "A recipe of tfbuild"


def test_tensorflow_lite_is_a_recipe_in_a_container(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lite_tree(tmp_path / "lite")
    (tmp_path / "m.tflite").touch()
    flags = {"source": "lite", "cpus": "1"}
    wanted = Asked(words=("tflite", "os=debian:trixie"), flags=flags, models=("m.tflite",))
    show_plan(wanted, style="json")
    document = json.loads(capsys.readouterr().out)
    check("product-plan", document)
    assert (document["system"]["suite"], document["cpus"]) == ("trixie", 1.0)
    assert document["models"] == [str(tmp_path / "m.tflite")]
    assert "TfLiteModelDelete" in document["exports"]
    show_plan(wanted, style="script")
    assert "build tflite version=2.14.1 " in capsys.readouterr().out


def test_a_tree_is_named_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = a_tree(tmp_path / "tree")
    show_plan(asked(flags={"source": str(tree)}), style="text")
    assert str(tree) in capsys.readouterr().out
