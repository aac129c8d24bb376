"""`python -m tfbuild` and the installed command are the same."""

import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

import tfbuild
from tfbuild.__main__ import main
from tfbuild.ci.origin import DISTRIBUTION


def test_version_loads_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tfbuild", "--version"])
    main()
    assert capsys.readouterr().out == f"tfbuild {tfbuild.__version__}\n"


def test_the_installed_command_is_this_function() -> None:
    path = Path(__file__).parent.parent / "pyproject.toml"
    project = tomllib.loads(path.read_text())["project"]
    assert project["scripts"]["tfbuild"] == "tfbuild.__main__:main"
    assert project["name"] == DISTRIBUTION
    assert distribution(DISTRIBUTION).version == tfbuild.__version__
