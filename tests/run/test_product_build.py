"""A plan is carried out whole: from a source tree to an archive that is proven."""

import json
import tarfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_recipes import A_RECIPE, a_tree, written
from tests.shared_libraries import needs, real_tools
from tfbuild.core.errors import (
    AuditFailed,
    BuildFailed,
    ConfigureFailed,
    EnvironmentFailed,
    SmokeFailed,
    TfbuildError,
)
from tfbuild.core.interfaces import Tools
from tfbuild.core.process import find_program
from tfbuild.core.records import Command, State
from tfbuild.core.reports import SmokeCheck, SmokeReport
from tfbuild.core.run_folder import make_work
from tfbuild.facts.tables import Tables
from tfbuild.products.trial import OpenPlace, Trial
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductPlan, ProductReport, ProductRequest
from tfbuild.run import tree_code
from tfbuild.run.execute import execute
from tfbuild.run.product_build import ProductBuild

pytestmark = pytest.mark.skipif(
    not (find_program("cmake") and find_program("ninja")), reason="there is no CMake with Ninja"
)


class Site:
    """A recipe, its tree, and where it is built."""

    def __init__(self, folder: Path, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        self.folder, self.tables = folder, tables
        self.tree = a_tree(folder / "tree")
        self.tools: Tools = real_tools(folder / "work")
        make_work(self.tools.folders.work)
        self.tools.folders.run.mkdir(parents=True, exist_ok=True)
        self.output = folder / "dist"

    def build(self, text: str = A_RECIPE, *options: tuple[str, str]) -> ProductReport:
        recipe = read_recipe(written(self.folder, text))
        request = ProductRequest(
            recipe="greet", source=str(self.tree), output=self.output, options=options
        )
        return execute(ProductBuild(request, self.tables, self.tools, recipe), self.tools)

    def fails(self, kind: type[TfbuildError], text: str = A_RECIPE) -> TfbuildError:
        """The error, after which nothing is delivered and a report of it lies in the run."""
        with pytest.raises(kind) as caught:
            self.build(text)
        assert not self.output.exists() or not list(self.output.iterdir())
        report = json.loads((self.tools.folders.run / "report.json").read_text())
        assert report["failures"][0]["exit_code"] == kind.exit_code
        assert "report.html" in caught.value.report
        return caught.value


@pytest.fixture
def site(tmp_path: Path, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path, tables, monkeypatch)


def test_from_a_tree_to_a_proven_archive(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    coming: list[str] = []
    monkeypatch.setattr("tfbuild.builds.run.Run.announce", lambda _, *names: coming.extend(names))
    before = sorted(path.name for path in site.tree.iterdir())
    report = site.build()
    assert {line.state for line in report.audit.findings} <= {"passed", "skipped"}
    states = {check.name: check.state for check in report.smoke.checks}
    assert states["says"] == "passed"
    assert "failed" not in states.values()
    assert dict(report.read_back)["GREET_LOUD"] in {"ON", "on"}
    with tarfile.open(report.archive) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"lib/libgreet.so.1", "bin/greet", "include/greet.h"} <= names
    assert {"lib/pkgconfig/greet.pc", "lib/cmake/greet/greetConfig.cmake"} <= names
    assert sorted(path.name for path in site.tree.iterdir()) == before, "the tree is only read"
    stages = [stage.name for stage in report.stages]
    assert stages == ["decide", "source", "environment", "build", "pack", "audit", "smoke"]
    assert stages == ["decide", *coming], "they were announced"


@pytest.mark.slow
def test_a_second_call_proves_nothing_anew_and_gives_the_same_bytes(site: Site) -> None:
    first = site.build()
    again = site.build()
    assert again.sha256 == first.sha256
    states = {stage.name: stage.state for stage in again.stages}
    assert (states["audit"], states["smoke"]) == ("reused", "reused")
    # With other needs it is tried beside other packages, though its bytes are the same.
    other = site.build(f"{A_RECIPE}\nneeds: [nasm]\n")
    assert other.sha256 == first.sha256
    states = {stage.name: stage.state for stage in other.stages}
    assert (states["audit"], states["smoke"]) == ("passed", "passed")


@pytest.mark.slow
def test_other_source_code_is_configured_anew(site: Site) -> None:
    """CMake itself lists and reads files once: neither a new one nor a text is seen later."""
    lists = site.tree / "CMakeLists.txt"
    listed = lists.read_text().replace("greet.c", "${FOUND}")
    assert listed != lists.read_text()
    head, end, rest = listed.partition(")\n")  # behind the first command
    more = "file(GLOB FOUND *.c)\nfile(STRINGS added.txt ADDED)\n"
    lists.write_text(head + end + more + "add_definitions(-DADDED=${ADDED})\n" + rest)
    (site.tree / "added.txt").write_text("1")
    first = site.build()
    text = A_RECIPE.replace("exports: [greeting]", "exports: [greeting, added]")
    (site.tree / "more.c").write_text("int added(void) { return ADDED; }\n")
    (site.tree / "added.txt").write_text("2")
    second = site.build(text)
    site.tools = real_tools(site.folder / "other")
    make_work(site.tools.folders.work)
    site.tools.folders.run.mkdir(parents=True, exist_ok=True)
    assert site.build(text).sha256 == second.sha256 != first.sha256, "as in an empty folder"
    (site.tree / "more.c").unlink()
    (site.tree / "added.txt").write_text("1")
    assert site.build().sha256 == first.sha256


def test_a_broken_source_file_is_reported_with_its_place(site: Site) -> None:
    (site.tree / "greet.c").write_text("int x = ;\n")
    error = site.fails(BuildFailed)
    assert error.code == "build-command-failed"
    assert "greet.c:1" in error.why


def test_an_option_that_cmake_does_not_take_is_found_before_compiling(site: Site) -> None:
    (site.tree / "greet.c").write_text("int x = ;\n")
    text = A_RECIPE.replace("expect: {GREET_LOUD: on}", "expect: {GREET_TALL: on}")
    error = site.fails(ConfigureFailed, text)
    assert error.code == "build-option-differs"
    assert "GREET_TALL" in error.why


def test_what_the_recipe_promises_must_be_there(site: Site) -> None:
    error = site.fails(BuildFailed, A_RECIPE.replace("lib/libgreet.so.1]", "lib/libgreet.so.2]"))
    assert error.code == "promised-file-missing"
    assert "libgreet.so.2" in error.why


def test_a_symbol_that_is_not_exported_fails_the_audit(site: Site) -> None:
    text = A_RECIPE.replace("exports: [greeting]", "exports: [greeting, farewell]")
    assert "farewell" in site.fails(AuditFailed, text).why


@pytest.mark.slow
def test_a_program_that_says_something_else_fails_the_smoke_test(site: Site) -> None:
    text = A_RECIPE.replace("run: [bin/greet], prints: HELLO", "run: [bin/greet], prints: ADIEU")
    assert "says" in site.fails(SmokeFailed, text).why


@pytest.mark.slow
def test_another_folder_gives_the_same_bytes(
    tmp_path: Path, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = set()
    for name in ("one", "a/longer/other"):
        (tmp_path / name).mkdir(parents=True)
        digests.add(Site(tmp_path / name, tables, monkeypatch).build().sha256)
    assert len(digests) == 1


class Code:
    """Code of a tree: one argument and one file more, and one thing more that is tried."""

    proves = "more"
    state: State = "passed"
    is_ready = True

    def complete(self, recipe: Recipe, source: Path, _: Tables) -> Recipe:
        assert (source / "greet.c").is_file()
        build = replace(
            recipe.build,
            arguments=(*recipe.build.arguments, "-DCMAKE_PROJECT_INCLUDE={files}/more.cmake"),
            files=(("more.cmake", 'message(STATUS "more is said")\n'),),
        )
        return replace(recipe, build=build)

    def require(self, _: Tools) -> None:
        if not self.is_ready:
            raise EnvironmentFailed("there is nothing to compare with")

    def depends_on(self, _: ProductPlan, __: Tools) -> list[str]:
        return [self.state]

    def prove(
        self, plan: ProductPlan, trial: Trial, open_bare: OpenPlace, source: Path, _: Tools
    ) -> SmokeReport:
        program = str(trial.product / "bin" / "greet")
        with open_bare() as bare:
            assert bare.run(Command(argv=(program,), cwd="/")).stdout == "HELLO\n"
        assert (source / "greet.c").is_file()
        check = SmokeCheck(name="further", state=self.state)
        return SmokeReport(wheel=plan.archive, sha256="", checks=(check,))


WITH_CODE = f"tree: toy\n{A_RECIPE}"


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> Code:
    made = Code()
    monkeypatch.setattr(tree_code, "_CODES", {"toy": made})
    return made


def test_code_that_a_recipe_names_completes_and_proves_it(site: Site, code: Code) -> None:
    report = site.build(WITH_CODE)
    assert [(check.name, check.state) for check in report.smoke.checks][-1] == ("further", "passed")
    assert "says" in {check.name for check in report.smoke.checks}
    assert "more is said" in (site.folder / "work" / "log.txt").read_text()
    assert dict(report.read_back)["CMAKE_PROJECT_INCLUDE"].endswith("/files/more.cmake")


@pytest.mark.slow
def test_what_that_code_finds_wrong_is_not_delivered(site: Site, code: Code) -> None:
    code.state = "failed"
    assert "further" in site.fails(SmokeFailed, WITH_CODE).why


def test_what_that_code_lacks_is_reported_before_anything_is_compiled(
    site: Site, code: Code
) -> None:
    code.is_ready = False
    site.fails(EnvironmentFailed, WITH_CODE)
    assert not (site.tools.folders.work / "native").exists()


@pytest.mark.slow
def test_a_changed_tree_is_built_anew(site: Site) -> None:
    first = site.build()
    header = (site.tree / "greet.h").read_text()
    (site.tree / "greet.h").write_text(header + '#undef GREETING\n#define GREETING "HELLO!"\n')
    second = site.build()
    assert second.source_sha256 != first.source_sha256
    with tarfile.open(second.archive) as archive:
        (library,) = (m for m in archive.getmembers() if m.name.endswith("libgreet.so.1.10.0"))
        taken = archive.extractfile(library)
        assert taken
        assert b"HELLO!" in taken.read()


@pytest.mark.slow
def test_a_killed_delivery_leaves_the_older_archive(site: Site) -> None:
    first = site.build()
    (site.tree / "greet.c").write_text("int x = ;\n")
    with fails("build-command-failed"):
        site.build()
    assert replace(first).archive.is_file()


HOSTILE = """\
name: greet
summary: A library whose source code attacks whoever builds it
license: MIT
source: {recognize: [configure, h.h]}
build: {system: configure}
product:
  libraries: [lib/libh.so]
  headers: [include/h.h]
  licenses: [COPYING]
  files: {share/notes.txt: key}
probes:
  a first:
    program: |
      #include <h.h>
      int main(void) { return h_init(); }
  b second:
    input: evil
    program: |
      #include <h.h>
      int main(void) { return h_init(); }
"""
_CONFIGURE = """\
#!/bin/sh
for a; do case $a in --prefix=*) prefix=${a#--prefix=};; esac; done
cat > Makefile <<M
all: libh.so
libh.so: h.c
\tcc -O2 -fPIC -shared -fstack-protector-strong -Wl,-z,relro,-z,now,-soname,libh.so -o \\$@ h.c
install:
\tmkdir -p \\$(DESTDIR)$prefix/lib \\$(DESTDIR)$prefix/include
\tcp libh.so \\$(DESTDIR)$prefix/lib/
\tcp h.h \\$(DESTDIR)$prefix/include/
\tsh ./attack \\$(DESTDIR) $prefix
M
"""
_PROBE = """\
#include <string.h>
#include <unistd.h>
int h_init(void) {
  const char *names[] = {"../compile-b-second-run.input", "../../given/compile-b-second-run/input"};
  for (unsigned at = 0; at < 2; ++at) { unlink(names[at]); symlink("VICTIM", names[at]); }
  return 0;
}
"""
_ATTACKS = {  # what `make install` does beside its work, with the stage and the prefix
    "of the probes": "",
    "on the folders": "cd $1/..; for f in build source stage trial product exchange; do "
    "mv $f $f.old; ln -sfn {secret} $f; done",
    "on the licence": "mkdir -p $1$2/share/licenses/greet; "
    "ln -s {victim} $1$2/share/licenses/greet/COPYING",
    "on a file": "rm -f key; ln -s {secret}/key key; ln -s {secret} $1$2/share",
}


@pytest.mark.docker
@pytest.mark.slow
def test_a_hostile_build_in_a_container_reaches_no_file_of_the_user(site: Site) -> None:
    needs("mmdebstrap")
    secret, victim = site.folder / "secret", site.folder / "victim"
    secret.mkdir()
    (secret / "key").write_text("PRIVATE KEY")
    victim.write_text("of the user")
    tree = site.folder / "hostile"
    tree.mkdir()
    for name, text in {
        "configure": _CONFIGURE, "h.h": "int h_init(void);\n", "COPYING": "evil\n",
        "h.c": _PROBE.replace("VICTIM", str(victim)), "key": "of the tree\n",
    }.items():  # fmt: skip
        (tree / name).write_text(text)
    (tree / "configure").chmod(0o755)
    recipe = read_recipe(written(site.folder, HOSTILE))
    for name, attack in _ATTACKS.items():
        (tree / "attack").write_text(attack.format(secret=secret, victim=victim))
        output = site.folder / name
        request = ProductRequest(
            recipe="greet", version="1.0", source=str(tree), output=output, env="docker",
            system="debian:bookworm",
        )  # fmt: skip
        with suppress(TfbuildError):
            execute(ProductBuild(request, site.tables, site.tools, recipe), site.tools)
        taken = [_content(path) for path in output.glob("*.tar.gz")]
        assert victim.read_text() == "of the user", name
        assert [path.name for path in secret.iterdir()] == ["key"], name
        assert not any(b"PRIVATE KEY" in content for content in taken), name
        assert bool(taken) == (name in {"of the probes", "on the folders", "on the licence"}), name


def _content(archive: Path) -> bytes:
    with tarfile.open(archive) as opened:
        files = [opened.extractfile(member) for member in opened if member.isreg()]
        return b"".join(file.read() for file in files if file)
