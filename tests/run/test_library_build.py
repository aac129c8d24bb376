"""The C++ library of a tree is packed, audited, tried and delivered as what recipes build."""

import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.reporting.pages import read_page
from tests.sample_library import ARCHIVE, FILES, Library, open_library
from tests.schema_maker import check
from tfbuild.core.errors import AuditFailed, BuildFailed, DeadlineReached, SmokeFailed
from tfbuild.core.lock_file import archive_lock_path, read_lock_file
from tfbuild.core.paths import file_digest
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import find_target
from tfbuild.products.probes import try_product
from tfbuild.run import archive_build, decide_library
from tfbuild.run.delivered import audit_delivered, read_delivered, sbom_of, smoke_delivered


@pytest.fixture
def library(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> Library:
    return open_library(tables, tmp_path, fake_env, monkeypatch)


def members_of(archive: Path) -> dict[str, str]:
    """What is in an archive, without its top folder; of links where they lead."""
    with tarfile.open(archive) as opened:
        return {one.name.partition("/")[2]: one.linkname for one in opened.getmembers()}


def test_libraries_headers_and_licence_have_their_places(library: Library) -> None:
    report = library.build()
    assert report.archive == library.output / ARCHIVE
    assert file_digest(report.archive) == report.sha256
    assert members_of(report.archive) == {
        "include/tensorflow/c/c_api.h": "",
        "include/tensorflow/core/public/session.h": "",
        "lib/libtensorflow_cc.so": "libtensorflow_cc.so.2",
        "lib/libtensorflow_cc.so.2": "",
        "lib/libtensorflow_framework.so": "libtensorflow_framework.so.2",
        "lib/libtensorflow_framework.so.2": "",
        "lib/pkgconfig/tensorflow_cc.pc": "",
        "share/licenses/tensorflow-cc/LICENSE": "",
    }


def test_it_goes_through_the_stages_of_the_tree_and_those_of_every_archive(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    coming: list[str] = []
    monkeypatch.setattr("tfbuild.builds.run.Run.announce", lambda _, *names: coming.extend(names))
    stages = [stage.name for stage in library.build().stages]
    assert stages == ["decide", *coming]
    assert stages == [
        "decide", "source", "environment", "patch", "configure", "readback", "build", "pack",
        "audit", "smoke",
    ]  # fmt: skip


def test_the_audit_is_that_of_every_archive(library: Library) -> None:
    states = {found.name: found.state for found in library.build().audit.findings}
    assert {name for name, state in states.items() if state == "passed"} == {
        "promised", "identity", "glibc", "libraries needed", "search paths", "build paths",
        "hardening", "licence", "files", "relocatable", "CPU level",
    }  # fmt: skip
    left_open = {"libstdc++", "libraries opened at run time", "symbols"}
    assert {name for name, state in states.items() if state == "skipped"} == left_open


def test_programs_are_compiled_against_it_through_pkg_config(library: Library) -> None:
    smoke = library.build().smoke
    assert {check.name: check.state for check in smoke.checks} == {
        "headers": "passed",
        "pkg-config tensorflow_cc": "passed",
        "C interface": "passed",
        "C++ interface": "passed",
    }
    tried = {check.name: dict(check.detail) for check in smoke.checks}
    assert tried["C++ interface"] == {"compiled with": "pkg-config tensorflow_cc"}


def test_report_page_lock_and_sbom_lie_beside_it(library: Library) -> None:
    archive = library.build().archive
    beside = sorted(path.name for path in archive.parent.iterdir())
    endings = ("", ".cdx.json", ".lock.yaml", ".report.html", ".report.json")
    assert beside == [f"{ARCHIVE}{ending}" for ending in endings]
    document = json.loads(archive.with_name(f"{ARCHIVE}.report.json").read_text())
    check("product", document)
    seen = read_page(archive.with_name(f"{ARCHIVE}.report.html").read_text())
    for text in ("Ready to use", "lib/libtensorflow_cc.so.2", "tensorflow-cc 2.6.5", "identity"):
        assert text in seen.text
    for text in (f"tar -xf {ARCHIVE}", "python", "3.9"):
        assert text in seen.text
    sbom = archive.with_name(f"{ARCHIVE}.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom) is None
    root = json.loads(sbom)["metadata"]["component"]
    assert (root["name"], root["version"]) == ("tensorflow-cc", "2.6.5")
    tools = [tool["name"] for tool in json.loads(sbom)["metadata"]["tools"]["components"]]
    assert sorted(tools) == ["bazel", "gcc", "python", "tfbuild"]
    properties = {one["name"]: one["value"] for one in json.loads(sbom)["metadata"]["properties"]}
    assert properties["tfbuild:version:python"] == "3.9"


def test_what_was_delivered_is_audited_tried_and_listed_again(library: Library) -> None:
    report = library.build()
    found = read_delivered(report.archive)
    audit = audit_delivered(found, (), library.tools)
    lines = {(line.name, line.state) for line in report.audit.findings}
    assert {(line.name, line.state) for line in audit.findings} == lines
    smoke = smoke_delivered(found, library.tables, library.tools)
    assert {check.state for check in smoke.checks} == {"passed"}
    written = report.archive.with_name(f"{ARCHIVE}.cdx.json").read_text()
    assert sbom_of(report.archive) == (written, True)


def test_the_same_libraries_give_the_same_bytes_elsewhere(
    library: Library, tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = library.build()
    elsewhere = tmp_path / "a" / "longer" / "way"
    elsewhere.mkdir(parents=True)
    other = open_library(tables, elsewhere, FakeEnvironment(elsewhere), monkeypatch)
    assert other.build().sha256 == first.sha256


def test_the_tree_of_the_user_is_copied_and_not_written_to(library: Library) -> None:
    before = sorted(library.source.rglob("*"))
    report = library.build()
    assert sorted(library.source.rglob("*")) == before
    assert report.plan.source.place == str(library.source)
    assert len(report.source_sha256) == 64
    plan = json.loads((library.folder / "work/runs/one/plan.json").read_text())
    check("product-plan", plan)
    copy = plan["steps"][0]["plan"]["source"]
    assert copy != str(library.source)
    assert Path(copy, "configure.py").read_text() == (library.source / "configure.py").read_text()


def test_one_library_under_three_names_is_one_file_and_two_links(library: Library) -> None:
    full = "tensorflow/libtensorflow_cc.so.2.6.5"
    members = members_of(library.build(full, f"{full}-2.params", *FILES).archive)
    assert {name: to for name, to in members.items() if "libtensorflow_cc" in name} == {
        "lib/libtensorflow_cc.so": "libtensorflow_cc.so.2.6.5",
        "lib/libtensorflow_cc.so.2": "libtensorflow_cc.so.2.6.5",
        "lib/libtensorflow_cc.so.2.6.5": "",
    }


def test_a_build_that_made_nothing_leaves_the_earlier_one(library: Library) -> None:
    archive = library.build().archive
    names = sorted(path.name for path in archive.parent.iterdir())
    with pytest.raises(BuildFailed) as caught:
        library.build("tensorflow/other")
    assert caught.value.code == "build-made-nothing"
    assert sorted(path.name for path in archive.parent.iterdir()) == names
    record = library.folder / "work/runs/one/report.json"
    assert str(record.with_suffix(".html")) == caught.value.report
    assert "Not delivered" in record.with_suffix(".html").read_text()
    document = json.loads(record.read_text())
    check("product", document)
    assert document["failures"][0]["exit_code"] == BuildFailed.exit_code
    assert document["stages"][-1]["state"] == "failed"


def test_an_archive_without_what_is_promised_is_none(library: Library) -> None:
    with fails("promised-file-missing", "session.h"):
        library.build(*(name for name in FILES if "session" not in name))
    (library.source / "LICENSE").unlink()
    with fails("license-file-missing", "LICENSE"):
        library.build()
    assert not list(library.output.glob("*"))


def test_old_files_are_not_in_a_new_archive(library: Library) -> None:
    more = "tensorflow/include/tensorflow/old.h"
    assert "include/tensorflow/old.h" in members_of(library.build(*FILES, more).archive)
    assert "include/tensorflow/old.h" not in members_of(library.build().archive)


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (("-Wl,-z,relro,-z,now", "-Wl,-z,execstack"), "hardening"),
        (("-Wl,-z,relro,-z,now", "-Wl,--no-as-needed", "-lz"), "libraries needed"),
    ],
)
def test_what_fails_its_audit_is_not_delivered(
    library: Library, flags: tuple[str, ...], name: str
) -> None:
    library.flags = flags
    with pytest.raises(AuditFailed) as caught:
        library.build()
    assert f"{name}: expected" in caught.value.why
    assert not list(library.output.glob("*"))


def test_partial_relro_is_reported_as_tensorflows_rules_link_so(library: Library) -> None:
    library.flags = ("-Wl,-z,lazy",)
    lines = {line.name: line for line in library.build().audit.findings}
    assert lines["hardening"].state == "skipped"
    assert "libtensorflow_cc.so.2 has RELRO in part" in lines["hardening"].detail


def test_a_library_of_another_machine_is_none(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = find_target("linux-aarch64")
    monkeypatch.setattr(decide_library, "target_of", lambda _: other)
    with fails("wheel-not-as-asked") as caught:
        library.build()
    assert "identity: expected for linux-aarch64" in caught.value.why


def test_a_library_that_does_not_work_is_not_delivered(library: Library) -> None:
    wrong = (replace(probe, prints="2 + 3 = 6") for probe in library.recipe.probes)
    library.recipe = replace(library.recipe, probes=tuple(wrong))
    with pytest.raises(SmokeFailed) as caught:
        library.build()
    assert "C++ interface: it did not print '2 + 3 = 6'" in caught.value.why
    assert "product.tar.gz" in caught.value.hint, "what was made is named"
    assert not list(library.output.glob("*"))


def test_what_has_changed_since_it_was_proven_is_not_delivered(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(plan: object, archive: Path, *more: object) -> object:
        found = try_product(plan, archive, *more)  # type: ignore[arg-type]
        archive.write_bytes(b"another archive")
        return found

    monkeypatch.setattr(archive_build, "try_product", changing)
    with fails("product-changed-since-proven", ARCHIVE):
        library.build()
    assert not list(library.output.glob("*"))


def test_what_was_proven_is_remembered(library: Library) -> None:
    assert library.build().smoke.reused_from == ""
    states = {stage.name: stage.state for stage in library.build().stages}
    assert (states["audit"], states["smoke"]) == ("reused", "reused")


def test_a_lock_holds_versions_source_tools_and_packages(library: Library) -> None:
    report = library.build()
    lock = read_lock_file(archive_lock_path(report.archive))
    assert dict(lock.versions)["python"] == "3.9"
    assert lock.source
    assert (lock.source.recipe, lock.source.version) == ("tensorflow-cc", "2.6.5")
    assert library.build(lock=lock).sha256 == report.sha256
    with fails("lock-tools-differ", "bazel", "4.2.3", "9.9"):
        library.build(lock=replace(lock, tools=(("bazel", "9.9"),)))
    with fails("lock-differs", "linux-aarch64"):
        library.build(lock=replace(lock, target="linux-aarch64"))
    (library.source / "BUILD").write_text("# another tree\n")
    with fails("lock-source-differs", report.source_sha256):
        library.build(lock=lock)


def test_what_an_image_of_the_user_has_built_is_not_tried(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = decide_library.library_plan

    def inside(*given: object, **named: object) -> object:
        return replace(usual(*given, **named), env="docker")  # type: ignore[arg-type]

    monkeypatch.setattr("tfbuild.run.library_build.library_plan", inside)
    library.flags = ("-Wl,-z,relro,-z,now", "-Wl,--no-as-needed")
    report = library.build()
    (untried,) = report.smoke.checks
    assert untried.state == "skipped"
    assert "an image of yours" in untried.reason
    needed = [(need.library, need.package) for need in report.needs]
    assert needed == [("libc.so.6", "")], "no place is asked which package has it"


def test_a_deadline_that_has_passed_ends_it(library: Library) -> None:
    with pytest.raises(DeadlineReached):
        library.build(deadline="2020-01-01T00:00:00+00:00")
