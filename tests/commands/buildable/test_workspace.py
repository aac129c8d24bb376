"""Constraints about a workspace to a request; its plan in three styles."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.schema_maker import check
from tfbuild.commands.build import show_plan
from tfbuild.commands.build_matrix import read_cells, show_cells
from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.buildable.read import read_buildable
from tfbuild.commands.buildable.workspace import BuildableWorkspace
from tfbuild.core.workspaces import WorkspaceRequest
from tfbuild.reporting.console import ConsoleReporter


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "WORKSPACE").touch()
    (tmp_path / "x y").mkdir()
    return tmp_path


BASIC = {"workspace": "space", "target": "//..."}


def request_of(*words: str, **flags: str) -> WorkspaceRequest:
    given = {name.replace("_", "-"): value for name, value in flags.items()}
    return read(words, {**BASIC, **given})


def read(words: tuple[str, ...], flags: Mapping[str, str]) -> WorkspaceRequest:
    found = read_buildable(Asked(words=words, flags=flags), ConsoleReporter(-1))
    assert isinstance(found, BuildableWorkspace)
    return found.request


def test_every_constraint_is_in_the_request(here: Path) -> None:
    found = request_of(
        "bazel=4.2.3", target="//a '//b c:d' -//e", bazel_config="gcc opt", stand_ins="true",
        bazel_flag="--copt=-O1,-g '--define=x=a b'", override_repository="'r=x y'",
        offline="true", jobs="3", collect="true", output="out",
    )  # fmt: skip
    assert found.workspace == here / "space"
    assert found.targets == ("//a", "//b c:d", "-//e")
    assert (found.bazel, found.bazel_origin) == ("4.2.3", "command line")
    assert found.configs == ("gcc", "opt")
    assert found.flags == ("--copt=-O1,-g", "--define=x=a b")
    assert [(o.name, o.path) for o in found.overrides] == [("r", here / "x y")]
    assert (found.stand_ins, found.offline, found.collect, found.jobs) == (True, True, True, 3)
    assert found.output == here / "out"


@pytest.mark.parametrize(
    ("flags", "code", "named"),
    [
        ({"target": ""}, "target-not-named", "--target"),
        ({"target": "-//a"}, "target-not-named", "--target"),
        ({"target": "//a --output_base=/x"}, "target-not-label", "'--output_base=/x'"),
        ({"target": "//a -k=1"}, "target-not-label", "'-k=1'"),
        ({"target": "'//a"}, "quotes-not-closed", "target"),
        ({"bazel-flag": "copt"}, "bazel-flag-wrong", "'copt'"),
        ({"bazel-flag": "--"}, "bazel-flag-wrong", "'--'"),
        ({"bazel-flag": "--copt='a\nb'"}, "list-word-wrong", "bazel-flag"),
        ({"override-repository": "x"}, "override-repository-wrong", "'x'"),
        ({"override-repository": "x=nowhere"}, "override-repository-wrong", "/nowhere"),
        ({"workspace": "x y"}, "not-bazel-workspace", "/x y"),
        ({"jobs": "0"}, "jobs-no-number", "'0'"),
        ({"workspace": "x y"}, "not-bazel-workspace", "/x y"),
        ({"jobs": "0"}, "jobs-no-number", "'0'"),
    ],
)
def test_what_cannot_be_is_refused(flags: Mapping[str, str], code: str, named: str) -> None:
    with fails(code, named):
        read((), {**BASIC, **flags})


def test_lists_of_the_project_file_are_kept_apart(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFBUILD_TRUST_PROJECT", "1")
    (here / "pyproject.toml").write_text(
        '[tool.tfbuild]\nworkspace = "space"\ntarget = ["//a", "//b c:d"]\n'
        'bazel-flag = ["--copt=-Wl,-z", "--define=x=a b"]\npython = "3.11"\n'
    )
    found = read((), {})
    assert found.targets == ("//a", "//b c:d")
    assert found.flags == ("--copt=-Wl,-z", "--define=x=a b")


def test_the_plan_in_three_styles(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    def shown(style: str) -> str:
        asked = Asked(words=("bazel=4.2.3",), flags={**BASIC, "stand-ins": "true"})
        show_plan(asked, style=style)
        return capsys.readouterr().out

    plan = json.loads(shown("json"))
    check("workspace.plan", plan)
    assert f"plan {plan['id']}" in shown("text")
    script = shown("script")
    assert f"--workspace={here / 'space'}" in script
    assert "bazel=4.2.3" in script
    assert not (here / "work").exists()
    with fails("format-unknown", "'yaml'"):
        shown("yaml")


def test_a_matrix_is_of_releases_of_bazel(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collected = {**BASIC, "collect": "true", "output": "out"}
    asked = Asked(flags=collected, matrix=("bazel=4.2.3,6.5.0",))
    _, cells = read_cells(asked, ConsoleReporter(-1))
    assert [cell.output for cell in cells.values()] == [
        here / "out/bazel4.2.3", here / "out/bazel6.5.0",
    ]  # fmt: skip
    assert show_cells(asked, style="json") == 0
    document = json.loads(capsys.readouterr().out)
    check("cells", document)
    assert (document["title"], document["noun"]) == ("space", "build")
    assert len({cell["plan"] for cell in document["cells"]}) == 2
    for flags, matrix, code, hint in (
        (BASIC, "bazel=4.2.3", "matrix-needs-collect", "--collect"),
        (collected, "gcc=12", "matrix-axis-unknown", "bazel=RELEASE"),
        (collected, "bazel=", "not-axis-values", "bazel=RELEASE"),
    ):
        with fails(code, hint):
            read_cells(Asked(flags=flags, matrix=(matrix,)), ConsoleReporter(-1))
