"""From tree to archive, with a workshop on this machine."""

import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.lite.workbenches import a_library, a_workshop
from tests.lite_trees import LIBRARY, lite_tree
from tests.schema_maker import check
from tests.shared_libraries import real_tools
from tfbuild.core.errors import AuditFailed, EnvironmentFailed, SmokeFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.reports import Rung, SmokeReport
from tfbuild.facts.tables import Tables
from tfbuild.lite import pipeline
from tfbuild.lite.pipeline import build_lite, report_of_lite
from tfbuild.lite.records import LiteLibrary, LitePlan, LiteRequest
from tfbuild.lite.workshop import Workshop


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """Doors to this machine, where the toy's library is what was built, and models all pass."""
    found = replace(real_tools(tmp_path), host=a_host())
    flags = ("-Wl,-soname,libtensorflow-lite.so", "-s")

    @contextmanager
    def here(plan: LitePlan, tools: Tools, _: object) -> Iterator[Workshop]:
        yield a_workshop(plan, tools)

    def built(plan: LitePlan, _: Workshop, tools: Tools) -> LiteLibrary:
        return a_library(plan, tools, LIBRARY, *flags)

    def tried(plan: LitePlan, library: LiteLibrary, *_: object) -> SmokeReport:
        rungs = (Rung(name="models", state="passed"),)
        return SmokeReport(wheel=plan.archive, sha256=library.sha256, rungs=rungs)

    monkeypatch.setattr(pipeline, "open_workshop", here)
    monkeypatch.setattr(pipeline, "build_library", built)
    monkeypatch.setattr(pipeline, "smoke_library", tried)
    return found


@pytest.fixture
def wanted(tmp_path: Path) -> LiteRequest:
    return LiteRequest(source=lite_tree(tmp_path / "tree"), output=tmp_path / "dist")


def test_what_has_passed_is_delivered(wanted: LiteRequest, tables: Tables, tools: Tools) -> None:
    report = build_lite(wanted, tables, tools)
    assert sorted(path.name for path in wanted.output.iterdir()) == [
        "tensorflow-lite-2.14.1-debian-forky-x86_64.tar.gz",
        "tensorflow-lite-2.14.1-debian-forky-x86_64.tar.gz.report.json",
    ]
    with tarfile.open(report.archive) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
        stream = archive.extractfile(archive.getnames()[names.index("lite.json")])
        assert stream
        told = json.load(stream)
    assert "lib/libtensorflow-lite.so" in names
    assert "include/tensorflow/lite/c/c_api.h" in names
    assert "LICENSE" in names
    assert (told["release"], told["system"]) == ("2.14.1", "debian 14")
    check("lite-report", json.loads(json.dumps(report_of_lite(report))))


def test_the_same_library_is_the_same_archive(
    wanted: LiteRequest, tables: Tables, tools: Tools
) -> None:
    first = build_lite(wanted, tables, tools).archive_sha256
    assert build_lite(wanted, tables, tools).archive_sha256 == first


def test_a_library_that_fails_its_audit_is_not_delivered(
    wanted: LiteRequest, tables: Tables, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pipeline, "build_library", lambda plan, _, tools: a_library(plan, tools, LIBRARY)
    )
    with pytest.raises(AuditFailed):
        build_lite(wanted, tables, tools)
    assert not wanted.output.exists()


def test_a_ladder_that_fails_is_not_delivered(
    wanted: LiteRequest, tables: Tables, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = SmokeReport(
        wheel="", sha256="", rungs=(Rung(name="models", state="failed", reason="no"),)
    )
    monkeypatch.setattr(pipeline, "smoke_library", lambda *_: bad)
    with pytest.raises(SmokeFailed):
        build_lite(wanted, tables, tools)
    assert not wanted.output.exists()


@pytest.mark.parametrize("is_bare", [True, False])
def test_without_a_python_to_compare_with_nothing_is_compiled(
    wanted: LiteRequest,
    tables: Tables,
    tools: Tools,
    monkeypatch: pytest.MonkeyPatch,
    is_bare: bool,
) -> None:
    monkeypatch.setattr(pipeline, "open_workshop", lambda *_: pytest.fail("it was opened"))
    lame = tuple(replace(python, can_venv=False) for python in tools.host.pythons)
    host = replace(tools.host, pythons=() if is_bare else lame)
    with pytest.raises(EnvironmentFailed, match="has no Python") as caught:
        build_lite(wanted, tables, replace(tools, host=host))
    assert "python3-venv" in caught.value.hint
