"""`python -m tfbuild` and the installed command are the same."""

import sys
import tomllib
from importlib.abc import MetaPathFinder
from importlib.metadata import distribution
from pathlib import Path

import pytest

import tfbuild
from tfbuild.__main__ import main
from tfbuild.ci.origin import DISTRIBUTION
from tfbuild.core.errors import Interrupted


def test_version_loads_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tfbuild", "--version"])
    main()
    assert capfd.readouterr().out == f"tfbuild {tfbuild.__version__}\n"


def test_an_interrupt_while_it_loads_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupts(MetaPathFinder):
        def find_spec(self, name: str, *_: object) -> None:
            if name == "tfbuild.cli.app":
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["tfbuild", "resolve"])
    monkeypatch.setattr(sys, "meta_path", [Interrupts(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "tfbuild.cli.app", raising=False)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == Interrupted.exit_code


def test_the_installed_command_is_this_function() -> None:
    path = Path(__file__).parent.parent / "pyproject.toml"
    project = tomllib.loads(path.read_text())["project"]
    assert project["scripts"]["tfbuild"] == "tfbuild.__main__:main"
    assert project["name"] == DISTRIBUTION
    assert distribution(DISTRIBUTION).version == tfbuild.__version__
