"""Tries the delivered archive: unpacked elsewhere, as its users would use it."""

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from tfbuild.core.interfaces import Runner
from tfbuild.core.paths import file_digest, real_path
from tfbuild.core.records import Pairs
from tfbuild.core.reports import SmokeCheck, SmokeReport
from tfbuild.fetch.seals import discard
from tfbuild.places.folders import work_of
from tfbuild.products.archive import unpack_own
from tfbuild.products.promises import is_file, is_only_headers
from tfbuild.products.trial import (
    Trial,
    TrialFailed,
    TrialSkipped,
    check,
    is_same_version,
    require_output,
)  # fmt: skip
from tfbuild.recipes.recipe import Probe
from tfbuild.recipes.records import ProductPlan

_CPLUSPLUS = (".hh", ".hpp", ".hxx", ".h++")
_NAME = re.compile(r"[\w.+:-]+")
_LISTING = """\
cmake_minimum_required(VERSION 3.13)
project(probe LANGUAGES {language})
find_package({package} CONFIG REQUIRED)
message(STATUS "found ${{{package}_VERSION}} in ${{{package}_DIR}}")
"""
_PROGRAM = """\
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
add_executable(probe {source})
target_link_libraries(probe PRIVATE {target})
"""


def try_product(plan: ProductPlan, archive: Path, folder: Path, place: Runner) -> SmokeReport:
    """Try the archive in the place, which `unpack_trial` has unpacked into folder.

    What crashes or takes too long is a failed check with its last lines. Raises DiskFull,
    Interrupted.
    """
    trial = trial_of(plan, folder, place)
    return SmokeReport(
        wheel=plan.archive,
        sha256=file_digest(archive),
        checks=tuple(_checks(plan, trial)),
    )


def unpack_trial(archive: Path, folder: Path) -> None:
    """Make folder one in which the archive lies unpacked, to be tried there.

    What lay there goes, so that whoever could write to it cannot any more. Raises FetchFailed where
    the archive is broken, DiskFull.
    """
    if os.path.lexists(folder):
        discard(folder)
    unpack_own(archive, _product(folder))
    _given(folder).mkdir()
    work_of(folder).mkdir()


def trial_of(plan: ProductPlan, folder: Path, place: Runner) -> Trial:
    """The product that was unpacked into folder, for whoever tries it."""
    return Trial(
        product=_product(folder),
        given=_given(folder),
        work=work_of(folder),
        place=place,
        promised=plan.product,
    )


# --- inside ------------------------------------------------------------------------------------


def _product(folder: Path) -> Path:
    return folder / "product"


def _given(folder: Path) -> Path:
    return folder / "given"


def _checks(plan: ProductPlan, trial: Trial) -> Iterator[SmokeCheck]:
    if plan.product.headers:
        yield check("headers", partial(_try_headers, plan, trial))
    for module in plan.product.pkg_config:
        yield check(f"pkg-config {module}", partial(_find_module, plan, trial, module))
    for package in plan.product.cmake:
        yield check(f"CMake package {package}", partial(_find_package, plan, trial, package))
    for probe in plan.probes:
        if probe.run:
            yield check(probe.name, partial(_run_program, plan, trial, probe))
        if probe.program and (probe.pkg_config or not probe.cmake):
            yield check(probe.name, partial(_compile_and_run, plan, trial, probe))
        if probe.program and probe.cmake:
            yield check(f"{probe.name}, by CMake", partial(_build_and_run, plan, trial, probe))
    runs = any(probe.run or probe.program for probe in plan.probes)
    if not runs and not is_only_headers(plan.product):
        reason = "nothing of the product was run: the recipe has no probe that does"
        yield SmokeCheck(name="probes", state="failed", reason=reason)


def _try_headers(plan: ProductPlan, trial: Trial) -> Pairs:
    """Each header alone, as C or else as C++."""
    cwd = trial.new_folder("headers")
    flags = _flags(plan, trial, cwd)
    languages = [probe.language for probe in plan.probes if probe.program]
    first = "c++" if languages and "c" not in languages else "c"
    compiled: dict[str, int] = {}
    for name in plan.product.headers:
        used = _compile_either(trial, name, first, flags, cwd)
        compiled[used] = compiled.get(used, 0) + 1
    return tuple((f"as {language}", str(count)) for language, count in sorted(compiled.items()))


def _compile_either(trial: Trial, name: str, first: str, flags: Sequence[str], cwd: Path) -> str:
    """The language in which a header compiles, C++ where both fail as C; its errors are the first.

    The name says it of those that are C++ alone.
    """
    if PurePosixPath(name).suffix in _CPLUSPLUS or first == "c++":
        trial.compile_header(name, "c++", flags, cwd)
        return "c++"
    try:
        trial.compile_header(name, "c", flags, cwd)
    except TrialFailed as error:
        try:
            trial.compile_header(name, "c++", flags, cwd)
        except TrialFailed:
            raise error from None
        return "c++"
    return "c"


def _flags(plan: ProductPlan, trial: Trial, cwd: Path) -> list[str]:
    """What the product's modules say that a compiler needs."""
    words: list[str] = []
    for module in plan.product.pkg_config:
        try:
            words += trial.ask_flags(module, "--cflags", cwd=cwd)
        except (TrialFailed, TrialSkipped):  # a check of its own says so
            continue
    return words


def _find_module(plan: ProductPlan, trial: Trial, module: str) -> Pairs:
    cwd = trial.new_folder(f"pkg-config-{module}")
    version = trial.ask_package(module, "--modversion", cwd=cwd)
    wanted = plan.product.package_version or plan.version
    if not is_same_version(version, wanted):
        raise TrialFailed(_other_version(version, wanted, "package_version"))
    return (("version", version),)


def _other_version(version: str, wanted: str, key: str) -> str:
    said = version or "not given"
    return f"its version is {said}, not {wanted}; the recipe's product.{key} names another"


def _find_package(plan: ProductPlan, trial: Trial, package: str) -> Pairs:
    cwd = trial.new_folder(f"cmake-{package}")
    language = _language(plan)
    version = _configure(trial, package, cwd, _LISTING.format(package=package, language=language))
    product = plan.product
    wanted = product.cmake_version or product.package_version or plan.version
    if version and not is_same_version(version, wanted):
        raise TrialFailed(_other_version(version, wanted, "cmake_version"))
    return (("version", version or "it says none"),)


def _language(plan: ProductPlan) -> str:
    return "C CXX" if any(probe.language == "c++" for probe in plan.probes) else "C"


def _run_program(plan: ProductPlan, trial: Trial, probe: Probe) -> Pairs:
    name = PurePosixPath(probe.run[0])
    if name.is_absolute() or ".." in name.parts or not is_file(trial.product / name):
        raise TrialFailed(f"{name} is no program of the product")
    cwd = trial.new_folder(f"run-{probe.name}")
    argv = (str(trial.product / name), *probe.run[1:])
    ended = trial.run(str(name), argv, cwd=cwd, given=probe.input)
    require_output(ended, _filled(probe.prints, plan))
    return ()


def _compile_and_run(plan: ProductPlan, trial: Trial, probe: Probe) -> Pairs:
    cwd = trial.new_folder(f"compile-{probe.name}")
    program = _write_program(trial, probe, cwd)
    try:
        made = trial.compile(program, probe.language, probe.pkg_config, cwd=cwd)
    except TrialSkipped as error:
        raise TrialFailed(f"it was not compiled: {error}") from error
    _run_made(plan, trial, probe, made, cwd)
    return (("compiled with", f"pkg-config {probe.pkg_config}" if probe.pkg_config else "-I, -L"),)


def _build_and_run(plan: ProductPlan, trial: Trial, probe: Probe) -> Pairs:
    package, *targets = probe.cmake.split() or [""]
    if not targets or not all(map(_NAME.fullmatch, targets)):
        raise TrialFailed(f"'{probe.cmake}' is not a package and a target")
    cwd = trial.new_folder(f"cmake-{probe.name}")
    program = _write_program(trial, probe, cwd)
    language = "C" if probe.language == "c" else "C CXX"
    listing = _LISTING.format(package=package, language=language)
    listing += _PROGRAM.format(source=program.name, target=" ".join(targets))
    _configure(trial, package, cwd, listing)
    trial.run("build with CMake", ("cmake", "--build", str(cwd / "build")), cwd=cwd)
    _run_made(plan, trial, probe, cwd / "build" / "probe", cwd)
    return (("linked with", " ".join(targets)),)


def _run_made(plan: ProductPlan, trial: Trial, probe: Probe, made: Path, cwd: Path) -> None:
    empty = trial.new_folder(f"{cwd.name}-run")
    ended = trial.run("run the program", (str(made),), cwd=empty, given=probe.input)
    require_output(ended, _filled(probe.prints, plan))


def _configure(trial: Trial, package: str, cwd: Path, listing: str) -> str:
    """Configure a project that looks for a package; the version that was found in the product."""
    if not _NAME.fullmatch(package):
        raise TrialFailed(f"'{package}' is not the name of a package")
    if not trial.has("cmake"):
        raise TrialSkipped("there is no cmake")
    source = trial.give(cwd, "CMakeLists.txt", listing).parent
    generator = ("-G", "Ninja") if trial.has("ninja") else ()
    argv = (
        "cmake", "-S", str(source), "-B", str(cwd / "build"), *generator,
        f"-DCMAKE_PREFIX_PATH={trial.product}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF",
    )  # fmt: skip
    ended = trial.run(f"find_package({package})", argv, cwd=cwd)
    found = re.search(r"-- found (\S*) in (.*)", ended.stdout)
    if found is None or not real_path(Path(found[2])).is_relative_to(real_path(trial.product)):
        raise TrialFailed(f"CMake finds {package} elsewhere: {found[2] if found else 'nowhere'}")
    return found[1]


def _write_program(trial: Trial, probe: Probe, cwd: Path) -> Path:
    return trial.give(cwd, "main.c" if probe.language == "c" else "main.cc", probe.program)


def _filled(text: str, plan: ProductPlan) -> str:
    return text.replace("{version}", plan.version)
