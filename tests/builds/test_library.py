"""The C++ library is delivered as a folder, all of it or nothing."""

from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.builds.stages.test_build_tree import prepared
from tests.builds.stages.test_configure_tree import host_for, plan_of
from tests.builds.test_configuration import request_of, tools_of
from tests.fakes import FakeEnvironment
from tfbuild.builds import library
from tfbuild.core.errors import BuildFailed
from tfbuild.core.outputs import Configured
from tfbuild.facts.tables import Tables

FILES = (
    "tensorflow/libtensorflow_cc.so.2",
    "tensorflow/libtensorflow_framework.so.2",
    "tensorflow/include/tensorflow/c.h",
)


@pytest.fixture
def build(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Builds a library whose Bazel makes the files that are named."""
    source = plan_of(tables, tmp_path, "2.6.5").source
    configured = Configured(rc_file=source / "rc", settings=(), digest="")

    @contextmanager
    def opened(*_: object) -> Any:
        yield fake_env

    monkeypatch.setattr(library, "open_place", opened)
    monkeypatch.setattr(library, "configure_tree", lambda *_: configured)
    monkeypatch.setattr(library, "read_back", lambda *_: ())

    def run(*files: str) -> Path:
        prepared(fake_env, tmp_path, *files)
        request = request_of(tmp_path, source, product="cc")
        return library.build_cc_library(request, tables, tools_of(tmp_path, host_for("2.6.5")))

    return run


def test_libraries_and_headers_have_their_places(build: Any) -> None:
    folder = build(*FILES)
    assert folder.name == "libtensorflow_cc-2.6.5-cpu"
    found = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert found == [
        "include/tensorflow/c.h", "lib/libtensorflow_cc.so.2", "lib/libtensorflow_framework.so.2",
    ]  # fmt: skip


def test_a_build_that_made_nothing_leaves_the_earlier_one(
    build: Any,
    tmp_path: Path,
) -> None:
    import shutil

    folder = build(*FILES)
    shutil.rmtree(tmp_path / "bin")
    with pytest.raises(BuildFailed):
        build("tensorflow/other")
    assert (folder / "lib/libtensorflow_cc.so.2").is_file()
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]
