"""Trials of a delivered archive, with real compilers, pkg-config and CMake."""

from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from tests.products.products import a_plan, laid_out
from tests.shared_libraries import needs
from tfbuild.core.interfaces import Watch, fill
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.core.reports import SmokeCheck
from tfbuild.products.archive import pack
from tfbuild.products.probes import try_product, unpack_trial
from tfbuild.recipes.recipe import Probe, Product
from tfbuild.recipes.records import ProductPlan

PROGRAM = """\
#include <stdio.h>
#include <tiny.h>
int main(void) { printf("%s %d\\n", tiny_version(), tiny_answer()); return 0; }
"""
RUN = Probe(name="run", run=("bin/tiny",), input="hello ", prints="hello tiny {version} says 42")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laid_out(tmp_path_factory.mktemp("made"), a_plan())


OTHER_VERSION = "its version is 1.2.3, not 1.3.0; the recipe's product.{} names another"


def run_suite(made: Path, folder: Path, *probes: Probe, **changes: object) -> dict[str, SmokeCheck]:
    plan = a_plan(probes=probes)
    plan = replace(plan, product=replace(plan.product, **changes))  # type: ignore[arg-type]
    return try_plan(plan, made, folder)


def try_plan(plan: ProductPlan, made: Path, folder: Path) -> dict[str, SmokeCheck]:
    archive = pack(made, folder / plan.archive, top="tiny-1.2.3")
    unpack_trial(archive, folder / "trial")
    report = try_product(plan, archive, folder / "trial", ProcessRunner())
    assert (report.wheel, len(report.sha256)) == (plan.archive, 64)
    return {check.name: check for check in report.checks}


def failures(checks: dict[str, SmokeCheck]) -> dict[str, str]:
    return {name: check.reason for name, check in checks.items() if check.state != "passed"}


CALL = Probe(name="call", program=PROGRAM, pkg_config="tiny", prints="{version}")


def test_a_good_product_passes_all(made: Path, tmp_path: Path) -> None:
    needs("pkg-config", "cc", "c++")
    plusplus = replace(CALL, name="call it", language="c++")
    checks = run_suite(made, tmp_path, RUN, CALL, plusplus, cmake=())
    assert failures(checks) == {}
    assert list(checks) == ["headers", "pkg-config tiny", "run", "call", "call it"]


def test_cmake_finds_a_package_and_builds_with_it(made: Path, tmp_path: Path) -> None:
    needs("cmake")
    probe = replace(CALL, pkg_config="", cmake="tiny tiny::tiny")
    checks = run_suite(made, tmp_path, probe, headers=(), pkg_config=(), cmake=())
    assert failures(checks) == {}
    assert list(checks) == ["call, by CMake"]


def test_a_program_is_compiled_without_package_files_too(made: Path, tmp_path: Path) -> None:
    probe = Probe(name="call", program=PROGRAM, prints="{version} 42")
    checks = run_suite(made, tmp_path, probe, pkg_config=(), cmake=(), headers=())
    assert failures(checks) == {}


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        (replace(RUN, prints="43"), "it did not print '43':\nhello tiny 1.2.3 says 42"),
        (replace(RUN, run=("bin/none",)), "bin/none is no program of the product"),
        (replace(RUN, run=("/bin/true",)), "/bin/true is no program of the product"),
        (Probe(name="run", program="int main(void) { return 7; }"), "it ended with 7"),
        (Probe(name="run", program="int main(void) {"), "compile the program: it ended with 1"),
        (
            Probe(name="run", program="#include <stdlib.h>\nint main(void) { abort(); }"),
            "it was ended by signal 6",
        ),
        (Probe(name="run", program="int main(void) { return typeof(1); }"), "typeof"),
        (Probe(name="run", program=PROGRAM, pkg_config="none"), "pkg-config none: it ended with 1"),
    ],
)
def test_a_failed_probe_says_why(made: Path, tmp_path: Path, probe: Probe, said: str) -> None:
    checks = run_suite(made, tmp_path, probe, pkg_config=(), cmake=(), headers=())
    assert checks.keys() == {"run"}
    assert said in checks["run"].reason


def test_a_product_of_which_nothing_was_run_has_not_passed(made: Path, tmp_path: Path) -> None:
    checks = run_suite(made, tmp_path, pkg_config=(), cmake=())
    assert failures(checks).keys() == {"probes"}
    only_headers = Product(headers=("include/tiny.h",))
    assert failures(try_plan(a_plan(product=only_headers), made, tmp_path)) == {}


def test_a_package_that_says_another_version_fails(made: Path, tmp_path: Path) -> None:
    needs("cmake", "pkg-config")
    product = replace(a_plan().product, headers=())
    plan = a_plan(version="1.3.0", product=product, probes=(replace(RUN, prints=""),))
    checks = failures(try_plan(plan, made, tmp_path))
    assert checks == {
        "pkg-config tiny": OTHER_VERSION.format("package_version"),
        "CMake package tiny": OTHER_VERSION.format("cmake_version"),
    }


def test_modules_and_cmake_packages_may_say_different_versions(made: Path, tmp_path: Path) -> None:
    needs("cmake", "pkg-config")
    made = Path(copytree(made, tmp_path / "changed", symlinks=True))
    module = made / "lib/pkgconfig/tiny.pc"
    module.write_text(module.read_text().replace("Version: 1.2.3", "Version: 2.14"))
    probe = replace(RUN, prints="")
    said = run_suite(made, tmp_path, probe, package_version="2.14", cmake_version="1.2.3")
    assert failures(said) == {}
    assert failures(run_suite(made, tmp_path, probe, cmake_version="1.2.3")).keys() == {
        "pkg-config tiny"
    }
    assert failures(run_suite(made, tmp_path, probe, package_version="2.14")).keys() == {
        "CMake package tiny"
    }


def test_a_header_that_lacks_another_one_fails(made: Path, tmp_path: Path) -> None:
    checks = run_suite(made, tmp_path, RUN, headers=("include/none.h",), pkg_config=(), cmake=())
    assert "none.h" in failures(checks)["headers"]


class Filling:
    """This machine as a place that fills placeholders in."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        def filled(text: str) -> str:
            return fill(text, {"brace": "{", "work": "/nowhere"})

        argv = tuple(map(filled, command.argv))
        env = tuple((name, filled(text)) for name, text in command.env)
        changed = replace(command, argv=argv, env=env, cwd=filled(command.cwd))
        return ProcessRunner().run(changed, watch)


def test_words_of_a_recipe_are_no_placeholders(made: Path, tmp_path: Path) -> None:
    probe = Probe(name="run", run=("bin/tiny", "{work}", "{x"), prints="says 42")
    plan = a_plan(probes=(probe,), product=Product(programs=("bin/tiny",)))
    archive = pack(made, tmp_path / plan.archive, top="x")
    unpack_trial(archive, tmp_path / "a {folder}")
    report = try_product(plan, archive, tmp_path / "a {folder}", Filling())
    assert [(check.state, check.reason) for check in report.checks] == [("passed", "")]


class Without:
    """This machine without some of its programs."""

    def __init__(self, *programs: str) -> None:
        self._programs = programs

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        if command.quiet and command.argv[-1] in self._programs:
            return Completed(code=1)
        return ProcessRunner().run(command, watch)


def test_a_place_without_cmake_and_pkg_config_skips_what_needs_them(
    made: Path, tmp_path: Path
) -> None:
    call = Probe(name="call", program=PROGRAM, pkg_config="tiny")
    plan = a_plan(probes=(RUN, call))
    archive = pack(made, tmp_path / plan.archive, top="tiny-1.2.3")
    place = Without("cmake", "pkg-config")
    unpack_trial(archive, tmp_path / "trial")
    report = try_product(plan, archive, tmp_path / "trial", place)
    states = {check.name: check.state for check in report.checks}
    assert states == {
        "headers": "passed",
        "pkg-config tiny": "skipped",
        "CMake package tiny": "skipped",
        "run": "passed",
        "call": "failed",
    }
