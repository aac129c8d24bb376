"""An archive with its report: audited and tried again, and what is damaged is reported."""

import gzip
import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.products.products import a_plan, laid_out
from tests.shared_libraries import real_tools
from tfbuild.core.errors import BadRequest, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.process import ProcessRunner
from tfbuild.core.report_seal import sealed
from tfbuild.core.run_folder import make_work
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.products.archive import pack
from tfbuild.products.needed import needed_packages
from tfbuild.recipes.recipe import Probe
from tfbuild.recipes.records import NeededPackage, ProductPlan, ProductReport
from tfbuild.run.delivered import audit_delivered, read_delivered, smoke_delivered
from tfbuild.run.report import plan_document, report_document

PROBES = (
    Probe(name="says", run=("bin/tiny",), prints="tiny {version} says 42"),
    Probe(
        name="links",
        program="#include <stdio.h>\n#include <tiny.h>\n"
        "int main(void) { return printf(\"%d\\n\", tiny_answer()) < 0; }\n",
        pkg_config="tiny",
        prints="42",
    ),
)  # fmt: skip
PLAN = a_plan(target=target_of(a_host()).version, probes=PROBES)


@dataclass(frozen=True)
class Delivery:
    """An output folder with an archive and its report."""

    archive: Path
    report: ProductReport
    tools: Tools
    tables: Tables

    @property
    def beside(self) -> Path:
        return self.archive.with_name(f"{self.archive.name}.report.json")

    def write(self, **changes: Any) -> None:
        """Write the report, changed."""
        document = report_document(replace(self.report, **changes))
        self.beside.write_text(json.dumps(sealed(document)))

    def audit(self, plan: str = "") -> dict[str, str]:
        """The lines that are not passed, and why."""
        report = audit_delivered(read_delivered(self.archive, plan), (), self.tools)
        assert report.sha256 == file_digest(self.archive)
        return {f.name: f"{f.state} {f.detail}" for f in report.findings if f.state != "passed"}

    def smoke(self, plan: str = "") -> dict[str, str]:
        report = smoke_delivered(read_delivered(self.archive, plan), self.tables, self.tools)
        return {check.name: f"{check.state} {check.reason}".strip() for check in report.checks}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    return pack(laid_out(folder, PLAN), folder / PLAN.archive, top="tiny")


@pytest.fixture
def delivery(packed: Path, tmp_path: Path, tables: Tables) -> Delivery:
    tools = real_tools(tmp_path / "work")
    make_work(tools.folders.work)
    (tmp_path / "dist").mkdir()
    archive = Path(shutil.copy(packed, tmp_path / "dist"))
    report = a_report(PLAN, archive)
    report = replace(report, needs=needed_packages(packed.parent / "product", ProcessRunner()))
    made = Delivery(archive=archive, report=report, tools=tools, tables=tables)
    made.write()
    return made


def a_report(plan: ProductPlan, archive: Path) -> ProductReport:
    return ProductReport(
        run_id="one",
        started_at="2026-11-29T10:00:00+00:00",
        tfbuild_version="0",
        host=a_host(),
        plan=plan,
        archive=archive,
        sha256=file_digest(archive),
    )


def test_a_good_archive_passes_again_and_leaves_nothing(delivery: Delivery, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert set(delivery.audit()) == {"libstdc++"}
    assert sorted(tmp_path.rglob("*")) == before
    assert delivery.smoke() == {
        "headers": "passed",
        "pkg-config tiny": "passed",
        "CMake package tiny": "passed",
        "says": "passed",
        "links": "passed",
    }


def test_it_is_held_against_what_the_report_says(delivery: Delivery) -> None:
    product = replace(PLAN.product, libraries=("lib/libother.so.1",))
    delivery.write(plan=replace(PLAN, product=product, exports=("missing_symbol",)))
    lines = delivery.audit()
    assert "lib/libother.so.1" in lines["promised"]
    assert "missing_symbol" in lines["exports"]
    delivery.write(plan=replace(PLAN, probes=(replace(PROBES[0], prints="adieu"),)))
    assert delivery.smoke()["says"].startswith("failed it did not print 'adieu'")


def test_names_that_no_file_can_have_are_missing(delivery: Delivery) -> None:
    long = "a" * 300
    product = replace(PLAN.product, libraries=(f"lib/{long}",), pkg_config=(long,))
    delivery.write(plan=replace(PLAN, product=product, probes=(Probe(name="x", run=(long,)),)))
    assert delivery.audit()["promised"].startswith("failed")
    assert delivery.smoke()["x"].endswith("is no program of the product")


def test_a_plan_may_be_named(delivery: Delivery, tmp_path: Path) -> None:
    other = tmp_path / "plan.json"
    other.write_text(json.dumps(plan_document(replace(PLAN, exports=("missing_symbol",)))))
    assert "missing_symbol" in delivery.audit(str(other))["exports"]
    assert set(delivery.audit(str(delivery.beside))) == {"libstdc++"}
    with fails("saved-file-wrong-kind", "tfbuild.plan/2"):
        other.write_text('{"schema": "tfbuild.plan/2"}')
        delivery.audit(str(other))


def test_without_a_report_what_needs_no_plan_is_checked(delivery: Delivery) -> None:
    delivery.beside.unlink()
    lines = delivery.audit()
    assert "not held against anything" in lines["plan"]
    assert not any(state.startswith("failed") for state in lines.values())
    with fails("product-report-missing", delivery.beside.name):
        delivery.smoke()


def test_a_report_of_somebody_else_counts_where_it_is_named(delivery: Delivery) -> None:
    product = replace(PLAN.product, libraries=("lib/libother.so.1",))
    theirs = report_document(replace(delivery.report, plan=replace(PLAN, product=product)))
    delivery.beside.write_text(json.dumps(theirs))
    found = read_delivered(delivery.archive)
    assert f"--plan {delivery.beside}" in found.said
    assert found.plan is None
    assert "not held against anything" in delivery.audit()["plan"]
    assert "lib/libother.so.1" in delivery.audit(str(delivery.beside))["promised"]
    with fails("product-report-missing", f"--plan {delivery.beside}"):
        delivery.smoke()
    assert delivery.smoke(str(delivery.beside))["says"] == "passed"


def test_faults_are_found_without_a_report(delivery: Delivery, tmp_path: Path) -> None:
    delivery.beside.unlink()
    folder = tmp_path / "bad"
    folder.mkdir()  # Python's own way has its safe form from 3.11.4 on only
    subprocess.run(["tar", "-xf", delivery.archive, "-C", folder], check=True)
    (folder / "tiny/lib/libtiny.so.1").unlink()
    (folder / "tiny/lib/pkgconfig/tiny.pc").write_text("prefix=/home/somebody\n")
    pack(folder / "tiny", delivery.archive, top="tiny")
    lines = delivery.audit()
    assert "which is not there" in lines["identity"]
    assert "/home/somebody" in lines["relocatable"]


def test_another_platform_is_audited_and_not_tried(delivery: Delivery) -> None:
    others = {"linux-x86_64", "linux-aarch64"} - {PLAN.target}
    delivery.write(plan=replace(PLAN, target=others.pop()))
    assert "is for" in delivery.audit()["identity"]
    with fails("machine-not-platform"):
        delivery.smoke()


def test_what_this_machine_lacks_is_reported(delivery: Delivery) -> None:
    needs = (
        NeededPackage(library="libnowhere.so.7", package="libnowhere7"),
        NeededPackage(library="libother.so.1", package="x; touch /tmp/owned"),
    )
    delivery.write(needs=needs)
    with fails("system-library-missing", "libnowhere.so.7", "libnowhere7") as caught:
        delivery.smoke()
    assert "touch" not in caught.value.hint, "nobody pastes what a stranger's report says"


def test_what_code_of_ours_tries_is_skipped_by_name(delivery: Delivery) -> None:
    delivery.write(plan=replace(PLAN, tree="tflite", probes=PROBES[:1]))
    states = delivery.smoke()
    assert [state for state in states.values() if state.startswith("skipped")] == [
        "skipped it is tried beside the source code alone: `tfbuild build` does"
    ]


# --- damaged and malicious -----------------------------------------------------------------------


def _members(*members: tuple[str, bytes, str]) -> Callable[[Path], None]:
    """An archive of members: a name, a type of tar and what it holds or leads to."""

    def write(path: Path) -> None:
        with tarfile.open(path, "w:gz") as archive:
            for name, kind, text in members:
                member = tarfile.TarInfo(name)
                member.type, member.linkname = kind, text if kind != tarfile.REGTYPE else ""
                member.size = len(text) if kind == tarfile.REGTYPE else 0
                archive.addfile(member, io.BytesIO(text.encode()))

    return write


def _bomb(path: Path) -> None:
    member = tarfile.TarInfo("tiny/lib/libtiny.so.1")
    member.size = 1 << 40
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(member.tobuf() + bytes(1 << 20))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-2000])


def _changed(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)


DAMAGES = {
    "cut": _cut,
    "a bit": _changed,
    "empty": lambda path: path.write_bytes(b""),
    "noise": lambda path: path.write_bytes(os.urandom(4000)),
    "only its head": lambda path: path.write_bytes(path.read_bytes()[:8]),
    "escapes": _members(("../../escaped", tarfile.REGTYPE, "x")),
    "absolute": _members(("/tmp/escaped", tarfile.REGTYPE, "x")),
    "link out": _members(("tiny/lib", tarfile.SYMTYPE, "/etc"), ("t/x", tarfile.REGTYPE, "x")),
    "through a link": _members(
        ("tiny/a", tarfile.SYMTYPE, "b"), ("tiny/a/x", tarfile.REGTYPE, "x")
    ),
    "device": _members(("tiny/null", tarfile.CHRTYPE, "")),
    "pipe": _members(("tiny/pipe", tarfile.FIFOTYPE, "")),
    "bomb": _bomb,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_archive_is_a_documented_error(
    damage: Callable[[Path], object], delivery: Delivery, tmp_path: Path
) -> None:
    damage(delivery.archive)
    with fails("report-of-other-archive", delivery.archive.name):
        delivery.audit()
    delivery.write(sha256=file_digest(delivery.archive))  # a stranger makes both
    for look in (delivery.audit, delivery.smoke):
        with fails("product-archive-broken", delivery.archive.name) as caught:
            look()
        assert caught.value.why, "what is wrong with it"
    assert not list(tmp_path.rglob("escaped"))
    assert not Path("/tmp/escaped").exists()
    delivery.beside.unlink()
    with fails("product-archive-broken"):
        delivery.audit()


def test_files_that_are_no_code_fail_as_lines(delivery: Delivery) -> None:
    _members(
        ("tiny/lib/libtiny.so.1", tarfile.REGTYPE, "\x7fELF"),
        ("tiny/share/licenses/tiny/LICENSE", tarfile.SYMTYPE, "nowhere"),
        ("tiny/lib/loop", tarfile.SYMTYPE, "loop"),
        ("tiny/lib/pkgconfig/tiny.pc", tarfile.REGTYPE, "\0"),
    )(delivery.archive)
    delivery.write(sha256=file_digest(delivery.archive))
    lines = delivery.audit()
    assert {"libraries", "licence", "files", "promised"} & set(lines) >= {"licence", "promised"}
    assert all(lines[name].startswith("failed") for name in ("licence", "files", "promised"))
    delivery.beside.unlink()
    assert any(state.startswith("failed") for state in delivery.audit().values())


def _without(*keys: str) -> Callable[[dict[str, Any]], object]:
    def change(document: dict[str, Any]) -> None:
        inner = document
        for key in keys[:-1]:
            inner = inner[key]
        del inner[keys[-1]]

    return change


def _set(value: object, *keys: str) -> Callable[[dict[str, Any]], object]:
    def change(document: dict[str, Any]) -> None:
        inner = document
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value

    return change


REPORTS = {
    "schema": _set("tfbuild.report/2", "schema"),
    "no plan": _without("plan"),
    "no target": _without("plan", "target"),
    "a list": _set([], "plan"),
    "a number": _set(3, "sha256"),
    "unknown key": _set("x", "plan", "more"),
    "unknown step": _set([{"system": "scons"}], "plan", "steps"),
}
# What has the right types, and says what no build writes.
BY_HAND = {
    "escapes": _set(["../../etc/passwd"], "plan", "product", "libraries"),
    "absolute": _set(["/etc/passwd"], "plan", "product", "headers"),
    "recipe": _set("../../../etc", "plan", "recipe"),
    "target": _set("linux-vax", "plan", "target"),
    "level": _set("x86-64-v9", "plan", "audit", "cpu_level"),
    "long": _set(["?" * 200_000], "plan", "dispatched"),
    "nul": _set(["ti\0ny"], "plan", "product", "pkg_config"),
}


@pytest.mark.parametrize("change", REPORTS.values(), ids=REPORTS.keys())
def test_a_changed_report_is_a_documented_error(
    change: Callable[[dict[str, Any]], object], delivery: Delivery
) -> None:
    document = json.loads(delivery.beside.read_text())
    change(document)
    delivery.beside.write_text(json.dumps(document))
    for look in (delivery.audit, delivery.smoke):
        with pytest.raises(BadRequest) as caught:
            look(str(delivery.beside))
        assert str(delivery.beside) in caught.value.message


@pytest.mark.parametrize("change", BY_HAND.values(), ids=BY_HAND.keys())
def test_a_report_with_what_no_build_writes_was_changed_by_hand(
    change: Callable[[dict[str, Any]], object], delivery: Delivery
) -> None:
    document = json.loads(delivery.beside.read_text())
    change(document)
    delivery.beside.write_text(json.dumps(document))
    for look in (delivery.audit, delivery.smoke):
        with fails("report-changed-by-hand", str(delivery.beside)):
            look(str(delivery.beside))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null", '"x"', "\xff\xfe", "{}"])
def test_a_report_that_is_no_document(text: str, delivery: Delivery) -> None:
    delivery.beside.write_bytes(text.encode("latin-1"))
    with pytest.raises(TfbuildError) as caught:
        delivery.audit(str(delivery.beside))
    assert caught.value.exit_code == BadRequest.exit_code
    assert "not held against anything" in delivery.audit()["plan"]


def test_a_report_that_is_a_pipe_or_a_link_to_nowhere(delivery: Delivery) -> None:
    delivery.beside.unlink()
    os.mkfifo(delivery.beside)
    with fails("saved-file-unreadable"):
        delivery.audit(str(delivery.beside))
    assert "not held against anything" in delivery.audit()["plan"]
