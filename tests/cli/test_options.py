"""Options as the texts that settings take."""

from dataclasses import replace

import pytest
import typer

from tests.failing import fails
from tfbuild.cli.options import (
    BuildOptions,
    Json,
    RequestOptions,
    flags_of,
    leave,
    spelled_out,
    style_of,
    verbosity_of,
)


def test_only_what_was_given_is_a_constraint() -> None:
    given = {"cuda": False, "gpu": "", "output": "", "strict": False, "lock": "", "against": None}
    assert flags_of(given) == {}


def test_every_option_under_the_name_of_its_setting() -> None:
    given = {
        "cuda": True, "gpu": "sm_90", "jobs": "2", "against": ["a.whl", "numpy==2.3"],
        "lock": "tfbuild.lock", "skip_perf": True, "install_system_packages": True,
    }  # fmt: skip
    assert flags_of(given) == {
        "cuda": "any", "gpu": "sm_90", "jobs": "2", "against": "a.whl,numpy==2.3",
        "lock": "tfbuild.lock", "skip-perf": "true", "install-system-packages": "true",
    }  # fmt: skip


def test_quiet_beats_verbose() -> None:
    assert [verbosity_of(0, quiet=False), verbosity_of(2, quiet=False)] == [0, 2]
    assert verbosity_of(2, quiet=True) == -1


def test_a_command_ends_with_its_code() -> None:
    leave(0)
    with pytest.raises(typer.Exit) as ended:
        leave(3)
    assert ended.value.exit_code == 3


def test_a_record_of_options_is_shown_field_by_field_and_comes_back_whole() -> None:
    seen: list[object] = []

    @spelled_out
    def command(asked: RequestOptions, as_json: Json = False) -> None:
        """Do it."""
        seen.append((asked, as_json))

    app = typer.Typer()
    app.command()(command)
    line = ["python=3.11", "--gpu", "sm_90", "--strict", "--json"]
    typer.main.get_command(app)(line, standalone_mode=False)
    typer.main.get_command(app)([], standalone_mode=False)
    constraint = RequestOptions(words=["python=3.11"], gpu="sm_90", strict=True)
    assert seen[0] == (constraint, True)
    assert seen[1] == (replace(constraint, words=seen[1][0].words, gpu="", strict=False), False)  # type: ignore[index]
    shown = [p.name for p in typer.main.get_command(app).params]
    asked = ["words", "cuda", "gpu", "prefer", "strict", "trust_project"]
    assert shown[:7] == [*asked, "as_json"]
    assert typer.main.get_command(app).help == "Do it."


def test_records_and_single_options_are_flags_together() -> None:
    asked = BuildOptions(words=["python=3.11"], cuda=True, matrix=["numpy=2.3,2.4"], lock="a.yaml")
    assert flags_of(asked) == {"cuda": "any", "lock": "a.yaml"}
    assert flags_of(RequestOptions(gpu="sm_90"), {"lock": "b.yaml", "image": ""}) == {
        "gpu": "sm_90", "lock": "b.yaml",
    }  # fmt: skip


def test_one_format_is_asked_for() -> None:
    assert style_of("text", as_json=False, usual="text") == "text"
    assert style_of("conda", as_json=False, usual="table") == "conda"
    assert style_of("text", as_json=True, usual="text") == "json"
    assert style_of("json", as_json=True, usual="text") == "json"
    with fails("options-contradict", "--json", "--format script"):
        style_of("script", as_json=True, usual="text")
