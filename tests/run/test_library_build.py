"""The C++ library is delivered as a folder, all of it or nothing."""

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.builds.stages.test_build_tree import prepared
from tests.builds.stages.test_configure_tree import host_for, plan_of
from tests.builds.test_configuration import request_of, tools_of
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.reporting.pages import read_page
from tests.schema_maker import check
from tests.shared_libraries import SOURCE, compile_c
from tfbuild.builds import tree_stages
from tfbuild.core.errors import BuildFailed, DeadlineReached, SmokeFailed
from tfbuild.core.interfaces import Watch
from tfbuild.core.outputs import Configured
from tfbuild.core.records import Command, Completed
from tfbuild.core.reports import LibraryReport, Rung
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import find_target
from tfbuild.run import library_build
from tfbuild.run.execute import execute
from tfbuild.wheels.libraries import is_library_name

FILES = (
    "tensorflow/libtensorflow_cc.so.2",
    "tensorflow/libtensorflow_framework.so.2",
    "tensorflow/include/tensorflow/c.h",
)


ADDS = Rung(name="C interface", state="passed")
MODULE = "lib/pkgconfig/tensorflow_cc.pc"


def a_library_file(folder: Path, name: str) -> Path:
    """A library that programs find by its name without the numbers behind the first."""
    stem, _, numbers = Path(name).name.partition(".so")
    soname = f"{stem}.so" + ".".join(numbers.split(".")[:2])
    (folder / "made").mkdir(exist_ok=True)
    return compile_c(folder / "made", SOURCE, f"-Wl,-soname,{soname}", name=soname)


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

    monkeypatch.setattr(library_build, "open_place", opened)
    monkeypatch.setattr(tree_stages, "configure_tree", lambda *_: configured)
    monkeypatch.setattr(tree_stages, "read_back", lambda *_: ())
    monkeypatch.setattr(library_build, "try_library", lambda *_: (ADDS,))

    def run(*files: str, **changes: object) -> LibraryReport:
        prepared(fake_env, tmp_path, *files)
        bazel = fake_env.runner.answers["bazel"]

        def with_libraries(command: Command, watch: Watch | None) -> Completed:
            done: Completed = bazel(command, watch)
            for name in filter(is_library_name, files if "info" not in command.argv else ()):
                shutil.copyfile(a_library_file(tmp_path, name), tmp_path / "bin" / name)
            return done

        fake_env.runner.answers["bazel"] = with_libraries
        request = request_of(tmp_path, source, product="cc", **changes)
        tools = tools_of(tmp_path, host_for("2.6.5"))
        return execute(library_build.LibraryBuild(request, tables, tools), tools)

    return run


def test_libraries_and_headers_have_their_places(build: Any) -> None:
    folder = build(*FILES).folder
    assert folder.name == "libtensorflow_cc-2.6.5-cpu"
    found = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert found == [
        "include/tensorflow/c.h", "lib/libtensorflow_cc.so.2", "lib/libtensorflow_framework.so.2",
        MODULE,
    ]  # fmt: skip


def test_the_tree_of_the_user_is_copied_and_not_written_to(build: Any, tmp_path: Path) -> None:
    report = build(*FILES)
    source = report.plan.source
    assert [stage.name for stage in report.stages][1:3] == ["source", "environment"]
    assert not (source / ".tf_configure.bazelrc").exists()
    plan = json.loads((tmp_path / "work/runs/one/plan.json").read_text())
    assert plan["source"] != str(source)
    assert Path(plan["source"], "configure.py").read_text() == (source / "configure.py").read_text()


def test_a_page_and_a_bill_lie_beside_the_folder(build: Any) -> None:
    report = build(*FILES)
    folder = report.folder
    page = folder.with_name(f"{folder.name}.report.html").read_text()
    seen = read_page(page)
    for text in ("Ready to use", "lib/libtensorflow_cc.so.2", "tensorflow-cc 2.6.5", "identity"):
        assert text in seen.text
    assert "tar -xf" not in seen.text, "a folder is not packed"
    text = folder.with_name(f"{folder.name}.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    root = json.loads(text)["metadata"]["component"]
    assert (root["name"], root["version"]) == ("libtensorflow_cc", "2.6.5")
    digests = {file["name"]: file["hashes"][0]["content"] for file in root["components"]}
    assert digests == {file.name: file.sha256 for file in report.files if ".so" in file.name}


def test_a_build_that_made_nothing_leaves_the_earlier_one(
    build: Any,
    tmp_path: Path,
) -> None:
    folder = build(*FILES).folder
    shutil.rmtree(tmp_path / "bin")
    with pytest.raises(BuildFailed) as caught:
        build("tensorflow/other")
    assert (folder / "lib/libtensorflow_cc.so.2").is_file()
    names = sorted(path.name for path in folder.parent.iterdir())
    beside = (".cdx.json", ".report.html", ".report.json")
    assert names == [folder.name, *(f"{folder.name}{ending}" for ending in beside)]
    record = tmp_path / "work/runs/one/report.json"
    assert str(record.with_suffix(".html")) in caught.value.hint
    assert "Not delivered" in record.with_suffix(".html").read_text()
    document = json.loads(record.read_text())
    check("library", document)
    assert document["failures"][0]["exit_code"] == BuildFailed.exit_code
    assert document["stages"][-1]["state"] == "failed"
    assert json.loads(record.with_name("plan.json").read_text())["id"] == document["plan"]["id"]


def test_one_library_under_three_names_is_one_file_and_two_links(
    build: Any, tmp_path: Path
) -> None:
    full = "tensorflow/libtensorflow_cc.so.2.6.5"
    place = tmp_path / "bin/tensorflow"
    place.mkdir(parents=True)
    # A copy, as a cache gives it back.
    shutil.copyfile(a_library_file(tmp_path, full), place / "libtensorflow_cc.so")
    (place / "libtensorflow_cc.so.2").symlink_to("libtensorflow_cc.so.2.6.5")
    report = build(full, f"{full}-2.params", *FILES[1:])
    lib = report.folder / "lib"
    assert {path.name: path.is_symlink() for path in lib.glob("*.so*")} == {
        "libtensorflow_cc.so": True,
        "libtensorflow_cc.so.2": True,
        "libtensorflow_cc.so.2.6.5": False,
        "libtensorflow_framework.so.2": False,
    }
    assert (lib / "libtensorflow_cc.so").readlink() == Path("libtensorflow_cc.so.2.6.5")
    assert {file.name: file.target for file in report.files}["lib/libtensorflow_cc.so.2"] == (
        "lib/libtensorflow_cc.so.2.6.5"
    )
    document = json.loads((report.folder.parent / f"{lib.parent.name}.report.json").read_text())
    check("library", document)


def test_a_new_library_takes_the_place_of_the_old_one_whole(build: Any, tmp_path: Path) -> None:
    folder = build(*FILES).folder
    (folder / "lib/libtensorflow_cc.so.1").write_text("of an older build")
    shutil.rmtree(tmp_path / "bin")
    assert build(*FILES).folder == folder
    assert not (folder / "lib/libtensorflow_cc.so.1").exists()
    assert (folder / "include/tensorflow/c.h").is_file()


def test_the_libraries_are_audited(build: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    report = build(*FILES)
    states = {found.name: found.state for found in report.audit.findings}
    assert states["identity"] == states["glibc"] == states["libraries needed"] == "passed"
    assert "audit" in [stage.name for stage in report.stages]
    folder = report.folder
    shutil.rmtree(folder)
    monkeypatch.setattr(library_build, "target_of", lambda _: find_target("linux-aarch64"))
    with fails("wheel-not-as-asked") as caught:
        build(*FILES)
    assert "identity: asked for linux-aarch64" in caught.value.why
    assert not folder.exists(), "what failed its audit is not delivered"


def test_a_library_that_does_not_work_is_not_delivered(
    build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = replace(ADDS, state="failed", reason="it ended with 1")
    monkeypatch.setattr(library_build, "try_library", lambda *_: (failed,))
    with pytest.raises(SmokeFailed) as caught:
        build(*FILES)
    assert "C interface: it ended with 1" in caught.value.why
    assert f"what was made is {tmp_path / 'work/library'}" in caught.value.hint
    assert not list(tmp_path.glob("dist/*"))


def test_what_has_changed_since_it_was_proven_is_not_delivered(
    build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(folder: Path, *_: object) -> tuple[Rung, ...]:
        (folder / "include/tensorflow/c.h").write_text("another header")
        return (ADDS,)

    monkeypatch.setattr(library_build, "try_library", changing)
    with fails("product-changed-since-proven", "include/tensorflow/c.h"):
        build(*FILES)
    assert not list(tmp_path.glob("dist/*"))


def test_what_was_tried_is_remembered_and_what_could_not_be_is_tried_again(
    build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped = replace(ADDS, state="skipped", reason="there is no compiler")
    monkeypatch.setattr(library_build, "try_library", lambda *_: (skipped,))
    assert build(*FILES).folder.is_dir()
    monkeypatch.setattr(library_build, "try_library", lambda *_: (ADDS,))
    assert build(*FILES).smoke.reused_from == ""
    assert build(*FILES).smoke.reused_from


def test_the_same_libraries_are_audited_once(build: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(*FILES).audit.reused_from == ""
    monkeypatch.setattr(library_build, "audit_libraries", lambda *_: ())
    again = build(*FILES).audit
    assert again.reused_from
    assert {found.name for found in again.findings} >= {"identity", "glibc"}


def test_a_deadline_that_has_passed_ends_it(build: Any) -> None:
    with pytest.raises(DeadlineReached):
        build(*FILES, deadline="2020-01-01T00:00:00+00:00")
