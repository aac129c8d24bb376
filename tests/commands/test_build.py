"""A plan is shown in three styles; nothing is run for it."""

import json
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import host_for
from tests.failing import fails
from tests.fakes import a_host
from tests.sample_product import a_product_report
from tests.schema_maker import check
from tests.tensorflow_trees import make_tree
from tfbuild.commands import build
from tfbuild.commands.buildable.base import Asked


def test_a_plan_is_shown_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    flags = {"output": str(tmp_path / "out")}
    build.show_plan(Asked(flags=flags), style="json")
    plan = json.loads(capsys.readouterr().out)
    assert plan["schema"] == "tfbuild.plan/2"
    build.show_plan(Asked(flags=flags), style="text")
    assert f"plan {plan['id']}" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
    with fails("format-unknown", "--format", "'yaml'", "json"):
        build.show_plan(Asked(flags=flags), style="yaml")


def test_an_output_that_cannot_be_written_is_reported_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: pytest.fail("too late"))
    with fails("folder-not-writable", "/proc/tfbuild", "--output"):
        build.build(Asked(flags={"output": "/proc/tfbuild"}), as_json=False, verbosity=-1)
    assert not (tmp_path / "work").exists()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose own file names it, and whose configure.py leaves a mark."""
    tree = make_tree(tmp_path / "checkout", "2.6.5")
    script = tree / "configure.py"
    mark = "open(os.path.join(os.path.dirname(__file__), 'ran'), 'w').write(repr(os.environ))\n"
    script.write_text(script.read_text().replace("import re\n", f"import re\n{mark}", 1))
    (tree / "pyproject.toml").write_text('[tool.tfbuild]\nsource = "."\ncuda = "none"\n')
    monkeypatch.chdir(tree)
    monkeypatch.setenv("CACHE_LOGIN", "sesame")
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: host_for("2.6.5"))
    return tree


@pytest.mark.parametrize("style", ["text", "json", "script"])
def test_a_plan_runs_nothing_of_a_tree_that_a_file_names(
    checkout: Path, capsys: pytest.CaptureFixture[str], style: str
) -> None:
    build.show_plan(Asked(flags={}), style=style)
    said = capsys.readouterr()
    assert not (checkout / "ran").exists()
    if style == "text":
        assert f"not tried: {checkout / 'pyproject.toml'} names the tree" in said.out
        assert "--source" in said.out
    assert f"{checkout / 'pyproject.toml'} decides: cuda, source" in " ".join(said.err.split())


@pytest.mark.parametrize("flags", [{"source": "."}, {"trust-project": "true"}])
def test_a_tree_that_the_user_names_is_tried_without_his_secrets(
    checkout: Path, capsys: pytest.CaptureFixture[str], flags: dict[str, str]
) -> None:
    build.show_plan(Asked(flags=flags), style="text")
    assert "configure.py writes what was planned" in capsys.readouterr().out
    assert "sesame" not in (checkout / "ran").read_text()


@pytest.mark.parametrize("as_json", [True, False])
def test_a_library_is_reported_as_every_archive(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    as_json: bool,
) -> None:
    report = a_product_report(tmp_path)
    source = make_tree(tmp_path / "tree", "2.6.5")
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: host_for("2.6.5"))
    monkeypatch.setattr("tfbuild.run.execute.execute", lambda *_: report)
    flags = {"source": str(source), "cc": "true", "output": str(tmp_path / "dist")}
    build.build(Asked(flags=flags), as_json=as_json, verbosity=-1)
    said = capsys.readouterr().out
    if as_json:
        check("product", json.loads(said))
    else:
        assert f"archive {report.archive}" in said
