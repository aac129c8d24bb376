"""A real CMake on tiny projects."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.places.places import a_site
from tests.shared_libraries import elf_of, needs, real_tools
from tfbuild.core.errors import Interrupted
from tfbuild.core.reporter import SilentReporter
from tfbuild.drivers.cmake import CMakeDriver, cache_entries
from tfbuild.drivers.site import Site
from tfbuild.recipes.records import CMakeBuild

LISTS = """\
cmake_minimum_required(VERSION 3.13)
project(toy C)
option(TOY_LOUD "loud" OFF)
include(GNUInstallDirs)
add_library(toy toy.c)
add_executable(hi hi.c)
target_link_libraries(hi toy)
install(TARGETS toy hi)
"""
FILES = {
    "CMakeLists.txt": LISTS,
    "toy.c": "const char *toy(void) { return __FILE__; }\n",
    "hi.c": "#include <stdio.h>\nconst char *toy(void);\nint main(void) { return !puts(toy()); }\n",
}
STEP = CMakeBuild(
    folder="", arguments=("-DTOY_LOUD=yes",), targets=(), environment=(),
    expect=(("BUILD_SHARED_LIBS", "ON"), ("TOY_LOUD", "ON")),
)  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Site:
    needs("cmake", "ninja", "cc")
    return a_site(real_tools(tmp_path), FILES)


def built(site: Site, step: CMakeBuild = STEP) -> dict[str, str]:
    return dict(CMakeDriver().build(step, site))


def test_it_is_configured_read_back_built_and_installed(site: Site) -> None:
    assert built(site) == {"BUILD_SHARED_LIBS": "ON", "TOY_LOUD": "yes"}
    stage = site.folders.stage / "opt/toy"
    assert {p.relative_to(stage).as_posix() for p in stage.rglob("*.*")} == {"lib/libtoy.so"}
    program = stage / "bin/hi"
    assert elf_of(program).search == ("$ORIGIN/../lib",)
    assert str(site.folders.root).encode() not in (stage / "lib/libtoy.so").read_bytes()
    reporter = site.tools.reporter
    assert isinstance(reporter, RecordingReporter)
    assert reporter.said[0][1] == "configuring"
    assert reporter.said[-2][2:] == ("4", "4")


def test_a_second_call_goes_on_and_another_configuration_begins_anew(site: Site) -> None:
    built(site)
    left = site.folders.build / "left"
    left.touch()
    (site.folders.stage / "of-before").touch()
    built(site)
    assert left.is_file()
    assert not (site.folders.stage / "of-before").exists()
    built(site, replace(STEP, arguments=("-DTOY_LOUD=1",)))
    assert not left.exists()


@pytest.mark.parametrize("is_container", [False, True])
def test_nothing_that_was_built_serves_other_source_code(site: Site, is_container: bool) -> None:
    """What configure has read of it is read once, and a container may have written anything."""
    place = replace(site.place, is_container=is_container)
    first = replace(site, place=place, source_sha256="one")
    built(first)
    left = site.folders.build / "left"
    left.touch()
    built(first)
    assert left.is_file(), "the same source code goes on"
    built(replace(first, source_sha256="two"))
    assert not left.exists()


def test_an_interrupted_build_goes_on(site: Site) -> None:
    class Impatient(SilentReporter):
        """Stops the build at its first step."""

        def progress(
            self, text: str, done: int = 0, total: int = 0, *, is_growing: bool = False
        ) -> None:
            if done:
                raise Interrupted(f"at {text}")

    with fails("interrupted"):
        built(replace(site, tools=replace(site.tools, reporter=Impatient())))
    cache = (site.folders.build / "CMakeCache.txt").stat().st_mtime_ns
    built(site)
    assert (site.folders.stage / "opt/toy/bin/hi").is_file()
    assert (site.folders.build / "CMakeCache.txt").stat().st_mtime_ns == cache


def test_every_difference_is_reported_before_anything_is_compiled(site: Site) -> None:
    step = replace(
        STEP,
        arguments=("-DTOY_LOUD=OFF", "-DTOY_QUITE=ON"),
        expect=(*STEP.expect, ("TOY_QUITE", "ON"), ("TOY_OTHER", "3")),
    )
    with fails("build-option-differs") as caught:
        built(site, step)
    loud, quite, other = caught.value.why.splitlines()
    assert loud.startswith("TOY_LOUD: ") and " ON, " in loud and loud.endswith(" OFF")
    assert quite.startswith("TOY_QUITE: "), "it stands in the cache, and no file reads it"
    assert other.startswith("TOY_OTHER: ") and " 3, " in other
    assert not list(site.folders.build.rglob("*.o"))


def test_a_definition_that_no_file_reads_is_a_mistake_each_time(site: Site) -> None:
    step = replace(STEP, arguments=("-DTOY_LOUDD=ON", "-DTOY_LOUD=ON"))
    for _ in range(2):  # CMake warns when it configures, and not when it has
        with fails("build-argument-unknown", "TOY_LOUDD: ", "'TOY_LOUD'") as caught:
            built(site, step)
        assert len(caught.value.why.splitlines()) == 1
    assert not list(site.folders.build.rglob("*.o"))


def test_what_cmake_misses_is_reported(site: Site) -> None:
    (site.folders.source / "CMakeLists.txt").write_text(f"{LISTS}find_package(Frob REQUIRED)\n")
    with fails("configure-command-failed") as caught:
        built(site)
    assert caught.value.why.startswith("CMake Error at CMakeLists.txt:9 (find_package):")
    assert "Frob" in caught.value.why


def test_what_the_compiler_says_is_shown_and_a_repaired_build_goes_on(site: Site) -> None:
    source = site.folders.source / "hi.c"
    text = source.read_text()
    source.write_text(text.replace("int main", "frob main"))
    with fails("build-command-failed", "hi.c:3:1: error: unknown type name"):
        built(site)
    compiled = next(site.folders.build.rglob("toy.c.o")).stat().st_mtime_ns
    source.write_text(text)
    built(site)
    assert next(site.folders.build.rglob("toy.c.o")).stat().st_mtime_ns == compiled


def test_a_folder_of_the_tree(site: Site, tmp_path: Path) -> None:
    inner = a_site(site.tools, {f"sub/{name}": text for name, text in FILES.items()}, "two")
    built(inner, replace(STEP, folder="sub", targets=("all",)))
    assert (inner.folders.stage / "opt/toy/bin/hi").is_file()


def test_a_folder_that_the_tree_has_not(site: Site) -> None:
    (site.folders.source / "build/cmake").mkdir(parents=True)
    with fails("build-folder-missing", "build/cmak", "'build/cmake'"):
        built(site, replace(STEP, folder="build/cmak"))


def test_entries_of_a_cache() -> None:
    text = '# a: comment\n//HELP: x\nA:BOOL=ON\nB:STRING=a=b:c\n"C:D":INTERNAL=\nE-ADVANCED:X=1\n'
    assert cache_entries(text)[:2] == (("A", "ON"), ("B", "a=b:c"))
    began = time.process_time()
    assert cache_entries("a\n" * 2_000_000) == cache_entries("a" * 4_000_000) == ()
    assert time.process_time() - began < 20  # days by a pattern that goes over the ends of lines


def test_what_is_read_back_is_of_the_build_alone(site: Site, tmp_path: Path) -> None:
    """A build that puts a link to a file of the user there does not get it into the report."""
    secret = tmp_path / "secret"
    secret.write_text("BUILD_SHARED_LIBS:BOOL=ON\nTOY_LOUD:STRING=of-the-user\n")
    built(site)
    cache = site.folders.build / "CMakeCache.txt"
    cache.unlink()
    cache.symlink_to(secret)
    with fails("build-option-differs") as caught:
        built(site)
    assert "of-the-user" not in f"{caught.value.why}"
