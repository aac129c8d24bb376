"""Configuring, compiling and linking, with programs that only say what the real ones would."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeRunner, RecordingReporter, says
from tests.lite.workbenches import a_plan
from tests.lite_trees import LIBRARY
from tests.shared_libraries import compile_c, real_tools
from tfbuild.core.errors import BuildFailed, ConfigureFailed
from tfbuild.core.interfaces import Tools, Watch
from tfbuild.core.records import Command, Completed
from tfbuild.facts.tables import Tables
from tfbuild.lite.build import build_library
from tfbuild.lite.records import LiteLibrary, LitePlan
from tfbuild.lite.workshop import Workshop


class Site:
    """A workshop whose cmake copies a library into place."""

    def __init__(self, folder: Path, tables: Tables) -> None:
        self.plan: LitePlan = a_plan(folder, tables)
        self.tools: Tools = real_tools(folder)
        self.runner = FakeRunner()
        made = compile_c(folder, LIBRARY, f"-I{self.plan.tree.source}")
        self.library = made.read_bytes()
        self.calls: list[str] = []
        self.ending = 0
        self.runner.answers |= {
            "cmake": self.cmake,
            "strip": self.strip,
            "sh": says("libc.so.6 libc6"),
            "dpkg-query": says("libc6 2.43-1"),
            "c++": says("c++ (Debian) 16.2.0", "more"),
        }

    def cmake(self, command: Command, watch: Watch | None) -> Completed:
        folder = self.tools.folders.work / "lite" / "build"
        if "--build" not in command.argv:
            self.calls.append("configure")
            folder.mkdir(exist_ok=True)
            lines = ("-- looking", "CMake Error at a:1: no absl", "-- more")
            return Completed(code=self.ending, last_lines=lines if self.ending else ())
        self.calls.append("build")
        for line in (
            "[1/2] Building CXX object d/a.cc.o",
            "a.cc:3: error: no such type",
            "[2/2] x",
        ):
            if watch:
                watch(line)
        (folder / "libtensorflow-lite.so").write_bytes(self.library)
        return Completed(code=self.ending)

    def strip(self, command: Command, _: Watch | None) -> Completed:
        Path(command.argv[3]).write_bytes(Path(command.argv[4]).read_bytes())
        return Completed(code=0)

    def build(self) -> LiteLibrary:
        words = {"source": str(self.plan.tree.source), "work": str(self.tools.folders.work)}
        return build_library(
            self.plan, Workshop(runner=self.runner, words=words, image=""), self.tools
        )


@pytest.fixture
def site(tmp_path: Path, tables: Tables) -> Site:
    return Site(tmp_path, tables)


def test_library_headers_and_needs(site: Site) -> None:
    made = site.build()
    assert made.path.read_bytes() == site.library
    assert made.needs == (("libc.so.6", "libc6", "2.43-1"),)
    assert (made.headers / "tensorflow/lite/c/c_api.h").is_file()
    assert made.compiler == "c++ (Debian) 16.2.0"
    reporter = site.tools.reporter
    assert isinstance(reporter, RecordingReporter)
    assert ("progress", "a.cc.o", "1", "2") in reporter.said


def test_options_of_another_plan_do_not_stay(site: Site) -> None:
    site.build()
    left = site.tools.folders.work / "lite" / "build" / "CMakeCache.txt"
    left.write_text("of the first plan")
    site.build()
    assert left.is_file()
    site.plan = replace(site.plan, id="another")
    site.build()
    assert not left.exists()


def test_what_cmake_misses_is_told(site: Site) -> None:
    site.ending = 1
    with pytest.raises(ConfigureFailed) as caught:
        site.build()
    assert caught.value.why.startswith("CMake Error at a:1: no absl")
    assert caught.value.exit_code == 5


def test_the_compilers_words_are_told(site: Site) -> None:
    site.build()
    site.runner.answers["cmake"] = lambda command, watch: (
        Completed(code=0)
        if "--build" not in command.argv
        else replace(site.cmake(command, watch), code=1)
    )
    with pytest.raises(BuildFailed) as caught:
        site.build()
    assert caught.value.why == "a.cc:3: error: no such type"


def test_a_build_without_a_library(site: Site) -> None:
    site.runner.answers["cmake"] = says()
    with pytest.raises(BuildFailed, match="is not there"):
        site.build()
