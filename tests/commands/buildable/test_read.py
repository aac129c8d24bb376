"""Which kind of thing a command line asks to build."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.sample_recipes import A_RECIPE, written
from tests.tensorflow_trees import make_tree
from tfbuild.commands.buildable.base import Asked, Buildable
from tfbuild.commands.buildable.library import BuildableLibrary
from tfbuild.commands.buildable.product import BuildableProduct
from tfbuild.commands.buildable.read import read_buildable
from tfbuild.commands.buildable.wheel import BuildableWheel
from tfbuild.commands.buildable.workspace import BuildableWorkspace
from tfbuild.core.reporter import SilentReporter


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    written(tmp_path, A_RECIPE)
    make_tree(tmp_path / "tree", "2.14.1")
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "WORKSPACE").touch()


def read(*words: str, **flags: str) -> Buildable:
    return read_buildable(Asked(words=words, flags=flags), SilentReporter())


@pytest.mark.parametrize(
    ("words", "flags", "kind"),
    [
        ((), {}, BuildableWheel),
        (("python=3.11",), {}, BuildableWheel),
        (("runtime", "python=3.11"), {}, BuildableWheel),
        (("tensorflow",), {"source": "tree"}, BuildableWheel),
        (("tensorflow-cc",), {"source": "tree"}, BuildableLibrary),
        ((), {"source": "tree", "cc": "true"}, BuildableLibrary),
        (("workspace",), {"workspace": "space", "target": "//..."}, BuildableWorkspace),
        ((), {"workspace": "space", "target": "//..."}, BuildableWorkspace),
        (("./greet.yaml", "loud=on"), {}, BuildableProduct),
        (("zstd",), {}, BuildableProduct),
    ],
)
def test_each_kind_is_found(words: tuple[str, ...], flags: dict[str, str], kind: type) -> None:
    assert type(read(*words, **flags)) is kind


@pytest.mark.parametrize(
    ("name", "code", "option"),
    [
        ("tensorflow", "source-tree-not-named", "--source"),
        ("tensorflow-cc", "source-tree-not-named", "--source"),
        ("workspace", "workspace-not-named", "--workspace"),
    ],
)
def test_a_name_alone_says_what_it_is_built_from(name: str, code: str, option: str) -> None:
    with fails(code, option):
        read(name)


def test_what_a_kind_does_not_obey_is_refused() -> None:
    with fails("option-not-of-kind", "--cc"):
        read("zstd", cc="true")
