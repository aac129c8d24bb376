"""TensorFlow Lite by its recipe: what a proof hangs on, and a toy tree on the one path of all."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.lite.workbenches import SAME, Bench, litert_says
from tests.lite_trees import PLAIN_CMAKE, lite_tree
from tests.shared_libraries import real_tools
from tfbuild.core.run_folder import make_work
from tfbuild.facts.tables import Tables
from tfbuild.lite.code import LiteCode
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.run.execute import execute
from tfbuild.run.product_build import ProductBuild


def test_a_proof_hangs_on_the_models_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    litert_says(monkeypatch)
    first = LiteCode().depends_on(bench.plan, bench.tools)
    bench.dies.write_text("another one")
    assert LiteCode().depends_on(bench.plan, bench.tools) != first
    assert LiteCode().depends_on(replace(bench.plan, models=()), bench.tools) == []


def test_without_a_python_to_compare_with_nothing_is_compiled(
    tmp_path: Path, tables: Tables
) -> None:
    tools = real_tools(tmp_path)
    tools = replace(tools, host=replace(tools.host, pythons=()))
    make_work(tools.folders.work)
    tools.folders.run.mkdir(parents=True)
    request = ProductRequest(
        recipe="tflite", source=str(lite_tree(tmp_path / "tree")), output=tmp_path / "dist"
    )
    build = ProductBuild(request, tables, tools, find_recipe("tflite"))
    with fails("python-venv-missing"):
        execute(build, tools)
    assert not (tools.folders.work / "native").exists()


@pytest.mark.docker
@pytest.mark.slow
def test_a_toy_tree_is_built_in_a_container_and_tried_in_another(
    tmp_path: Path, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    litert_says(monkeypatch).update({"double.bin": SAME, "broken.bin": "refused"})
    tools = real_tools(tmp_path)
    make_work(tools.folders.work)
    tools.folders.run.mkdir(parents=True)
    tree = lite_tree(tmp_path / "tree", cmake=PLAIN_CMAKE)
    request = ProductRequest(recipe="tflite", source=str(tree), output=tmp_path / "dist")
    build = ProductBuild(request, tables, tools, find_recipe("tflite"))
    report = execute(build, tools)
    assert report.archive.name == "tflite-2.14.1-debian-forky-linux-x86_64.tar.gz"
    states = {finding.name: finding.state for finding in report.audit.findings}
    assert [name for name, state in states.items() if state != "passed"] == ["libstdc++"]
    assert {check.state for check in report.smoke.checks} == {"passed"}, report.smoke
    assert {"double.bin", "broken.bin", "links"} <= {check.name for check in report.smoke.checks}
    assert ("libc.so.6", "libc6") in {(need.library, need.package) for need in report.needs}
    assert execute(build, tools).smoke.reused_from
