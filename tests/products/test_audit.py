"""The audit of a product: a good one, and each fault by itself."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.products.products import FLAGS, a_plan, a_source, laid_out
from tests.shared_libraries import compile_c
from tfbuild.core.reports import AuditFinding
from tfbuild.facts.targets import target_of
from tfbuild.fetch.patchelf import find_patchelf
from tfbuild.products.audit import NOT_HELD, audit_product, audit_unplanned
from tfbuild.recipes.recipe import Product
from tfbuild.recipes.records import ProductPlan


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laid_out(tmp_path_factory.mktemp("made"), a_plan())


@pytest.fixture
def product(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "product", symlinks=True))


def patchelf(*words: str | Path) -> None:
    subprocess.run([find_patchelf(), *words], check=True)


def audit(product: Path, plan: ProductPlan | None = None) -> dict[str, AuditFinding]:
    report = audit_product(plan or a_plan(), product, "x.tar.gz", "0" * 64, target_of(a_host()))
    return {finding.name: finding for finding in report.findings}


def failed(product: Path, plan: ProductPlan | None = None) -> dict[str, str]:
    return {n: f.detail for n, f in audit(product, plan).items() if f.state == "failed"}


def test_a_good_product_passes(product: Path) -> None:
    findings = audit(product)
    assert {n for n, f in findings.items() if f.state != "passed"} == {"libstdc++"}
    assert findings.keys() >= {
        "identity", "exports", "libraries needed", "search paths", "build paths", "hardening",
        "glibc", "CPU level", "symbols", "licence", "files", "relocatable",
    }  # fmt: skip
    assert "with stack protector" in findings["hardening"].built


def rebuilt(*flags: str) -> Callable[[Path], None]:
    def change(product: Path) -> None:
        source = a_source(product.parent / "source")
        words = ("gcc", "-shared", *flags, "-s", "-o", str(product / "lib/libtiny.so.1.2.3"))
        subprocess.run([*words, "tiny.c"], cwd=source, check=True)

    return change


_SONAME = "-Wl,-soname,libtiny.so.1"
FAULTS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "RELRO in part": (
        "hardening", "RELRO in part", rebuilt("-fPIC", _SONAME, "-Wl,-z,relro,-z,lazy"),
    ),
    "no RELRO": ("hardening", "has no RELRO", rebuilt("-fPIC", _SONAME, "-Wl,-z,norelro")),
    "executable stack": (
        "hardening", "an executable stack", rebuilt(*FLAGS, _SONAME, "-Wl,-z,execstack"),
    ),
    "another soname": ("identity", "libother.so.2", rebuilt(*FLAGS, "-Wl,-soname,libother.so.2")),
    "no soname": ("identity", "look for ''", rebuilt(*FLAGS)),
    "nothing exported": (
        "exports", "exports tiny_answer", rebuilt(*FLAGS, _SONAME, "-fvisibility=hidden"),
    ),
    "above the level": (
        "CPU level of libtiny.so.1.2.3", "an instruction above",
        rebuilt(*FLAGS, _SONAME, "-Dtiny_answer=tiny_answer", "-include", "above.h"),
    ),
    "setuid": ("files", "another user", lambda p: (p / "bin/tiny").chmod(0o4755)),
    "writable": ("files", "by anybody", lambda p: (p / "include/tiny.h").chmod(0o666)),
    "absolute link": ("files", "leads out", lambda p: (p / "x").symlink_to("/etc/passwd")),
    "dangling link": ("files", "not there", lambda p: (p / "x").symlink_to("none")),
    "licence": ("licence", "1 are missing", lambda p: (p / "share/licenses/tiny/LICENSE").unlink()),
    "prefix": ("relocatable", "/opt/tiny", lambda p: (p / "x").write_text("in /opt/tiny/lib")),
    "pkg-config": (
        "relocatable", "/srv", lambda p: (p / "lib/pkgconfig/x.pc").write_text("Libs: -L/srv/x"),
    ),
    "linker script": (
        "relocatable", "/srv/x.so", lambda p: (p / "lib/libx.so").write_text("INPUT(/srv/x.so)"),
    ),
    "loader": (
        "search paths", "bin/tiny is started by /srv/ld.so",
        lambda p: patchelf("--set-interpreter", "/srv/ld.so", p / "bin/tiny"),
    ),
    "search path": (
        "search paths", "looks in '/opt/x'",
        lambda p: patchelf("--set-rpath", "/opt/x", p / "bin/tiny"),
    ),
    "not found": (
        "search paths", "does not find libtiny.so.1, which is in lib",
        lambda p: patchelf("--remove-rpath", p / "bin/tiny"),
    ),
    "broken": (
        "library lib/libtiny.so.1.2.3", "not a whole ELF file",
        lambda p: (p / "lib/libtiny.so.1.2.3").write_bytes(b"\x7fELF" + bytes(60)),
    ),
    "no ELF": (
        "library lib/libx.so", "", lambda p: (p / "lib/libx.so").write_bytes(b"\0\0nothing"),
    ),
    "cut": ("library bin/cut", "", lambda p: (p / "bin/cut").write_bytes(b"\x7fELF")),
}  # fmt: skip


def _write_above(product: Path) -> None:
    """A header whose code is above the level, for those faults that include it."""
    (product.parent / "source").mkdir()
    (product.parent / "source" / "above.h").write_text(
        '__attribute__((used)) static void above(void) { __asm__("vpaddd %ymm0,%ymm1,%ymm2"); }'
    )


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_failed_line(product: Path, name: str) -> None:
    line, word, change = FAULTS[name]
    _write_above(product)
    change(product)
    found = failed(product)
    assert set(found) - {"exports"} == {line} - {"exports"}, "nobody knows what a broken one has"
    assert word in found[line]


def test_a_program_at_one_address_fails(product: Path) -> None:
    source = a_source(product.parent / "source")
    library = str(product / "lib/libtiny.so.1.2.3")
    words = ("gcc", "-no-pie", "-fno-pie", "-Wl,-z,relro,-z,now", "-s", "main.c", library)
    rpath = "-Wl,-rpath,$ORIGIN/../lib"
    subprocess.run([*words, rpath, "-o", product / "bin/tiny"], cwd=source, check=True)
    assert "not position independent" in failed(product)["hardening"]


def test_what_is_needed_must_be_allowed(product: Path) -> None:
    library = compile_c(
        product.parent, "int x;", *FLAGS, "-s", "-Wl,-soname,libplug.so", name="libplug.so"
    )
    shutil.copy(library, product / "lib" / "libplug.so")
    patchelf("--add-needed", "libz.so.1", product / "lib" / "libplug.so")
    assert failed(product).keys() == {"libraries needed"}
    allowed = replace(a_plan().audit, excluded_libraries=("libz.so.1",))
    assert failed(product, a_plan(audit=allowed)) == {}


def test_the_ceiling_of_glibc_is_held(product: Path) -> None:
    low = replace(a_plan().audit, glibc_ceiling="2.0")
    assert failed(product, a_plan(audit=low)).keys() == {"glibc"}


def test_a_folder_without_any_file_fails(tmp_path: Path) -> None:
    report = audit_unplanned(tmp_path, "x.tar.gz", "0" * 64, (target_of(a_host()),))
    assert [finding.name for finding in report.findings if finding.state == "failed"] == ["files"]


def test_a_library_is_not_needed_by_its_place(product: Path) -> None:
    patchelf("--add-needed", "/srv/libevil.so", product / "bin/tiny")
    report = audit_unplanned(product, "x.tar.gz", "0" * 64, (target_of(a_host()),))
    wrong = {finding.name: finding.detail for finding in report.findings}
    assert "names /srv/libevil.so, by its place alone" in wrong["search paths"]


def test_without_a_plan_it_says_what_was_not_held(product: Path) -> None:
    target = target_of(a_host())
    report = audit_unplanned(product, "x.tar.gz", "0" * 64, (target,))
    first, *others = report.findings
    assert (first.name, first.state, first.detail) == ("plan", "skipped", NOT_HELD)
    assert not [line for line in others if line.state == "failed"]
    assert {"identity", "hardening", "search paths", "files"} <= {line.name for line in others}
    other = replace(target, version="linux-other", elf="EM_OTHER")
    lines = audit_unplanned(product, "x.tar.gz", "0" * 64, (other, target)).findings
    assert not [line for line in lines if line.state == "failed"], "any known platform will do"


def test_a_product_without_code_fails_unless_it_is_headers(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "x.h").write_text("int x;\n")
    plan = a_plan(product=Product(headers=("include/x.h",)), exports=())
    assert failed(tmp_path, plan) == {}
    assert failed(tmp_path, a_plan(product=Product(libraries=("lib/libx.so",)))).keys() == {
        "libraries", "promised"
    }  # fmt: skip


def test_static_libraries_are_stated_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libx.a").write_bytes(b"!<arch>\n")
    plan = a_plan(product=Product(libraries=("lib/libx.a",)), exports=())
    assert audit(tmp_path, plan)["libraries"].state == "skipped"


def test_links_have_an_end_within_the_product(product: Path) -> None:
    for n in range(41):
        (product / f"row{n}").symlink_to(f"row{n + 1}")
    (product / "row41").write_text("")
    assert "row0 leads in a circle, or by more than 40 links" in failed(product)["files"]
    (product / "row40").unlink()
    assert "row0 leads to row1, which is not there" in failed(product)["files"]
    (product / "row40").write_text("")
    (product / "row0").unlink()
    assert "files" not in failed(product)
    (product / "lib" / "out").symlink_to("../../row41")
    assert failed(product)["files"] == "lib/out leads out, to '../../row41'"


def test_a_linker_script_is_no_broken_library(product: Path) -> None:
    (product / "lib" / "libmore.so").write_text("INPUT(-ltiny)\n")
    assert failed(product) == {}


def test_folders_of_the_build_are_looked_for(product: Path) -> None:
    (product / "x").write_text("made in /somewhere/build")
    report = audit_product(
        a_plan(), product, "x", "y", target_of(a_host()), machine_paths=("/somewhere/build",)
    )
    found = {f.name: f for f in report.findings}
    assert found["relocatable"].state == "failed"


def test_code_that_callers_reach_after_asking_the_processor_is_stated(product: Path) -> None:
    """Some projects keep it in a library of its own, and the question in another one."""
    what = "CPU level of libtiny.so.1.2.3"
    _, _, above = FAULTS["above the level"]
    _write_above(product)
    above(product)
    assert what in failed(product)
    plan = replace(a_plan(), dispatched=("lib/libtiny.so*",))
    assert what not in failed(product, plan)
    assert audit(product, plan)[what].state == "skipped"
    assert what in failed(product, replace(plan, dispatched=("lib/libother.so*",)))
