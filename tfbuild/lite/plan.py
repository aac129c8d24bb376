"""A tree to a LitePlan: packages, options and commands are decided here."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tfbuild.containers.systems import read_system
from tfbuild.core.errors import BadRequest, NoSolution
from tfbuild.core.identity import plan_id
from tfbuild.core.layout import LITE
from tfbuild.core.records import Command, Host
from tfbuild.core.safe_files import read_inside
from tfbuild.facts.rows import LiteRow
from tfbuild.facts.tables import Tables
from tfbuild.lite.records import LIBRARY, LiteDependency, LitePlan, LiteRequest, LiteTree
from tfbuild.lite.tree import UNLESS, includes, read_lite_tree

TARGET = "tensorflow-lite"
_SYSTEM = "debian:forky"  # the one whose packages are known to do
_TOOLS = ("cmake", "ninja-build", "g++", "binutils")
_MEMORY_MB_PER_JOB = 1500
# Said whatever the tree says by itself, and each for a reason. Where a tree has no such option it
# is left out, so that CMake does not warn of what we do not need.
_OPTIONS = {
    "TFLITE_ENABLE_GPU": "OFF",  # needs OpenCL headers and a driver at run time
    "TFLITE_ENABLE_NNAPI": "OFF",  # Android's
    "TFLITE_ENABLE_XNNPACK": "OFF",  # pinned to a commit that no distribution has
    "TFLITE_ENABLE_RUY": "ON",  # the matrix products of x86-64
    "TFLITE_ENABLE_INSTALL": "OFF",  # we deliver the C interface, not CMake files
}
_OFF = {"TFLITE_KERNEL_TEST", *(name for name, value in _OPTIONS.items() if value == "OFF")}
_ALWAYS = (
    "CMAKE_BUILD_TYPE=Release",
    "BUILD_SHARED_LIBS=ON",
    "CMAKE_FIND_PACKAGE_PREFER_CONFIG=ON",  # the packages' own files before the tree's modules
    "FETCHCONTENT_FULLY_DISCONNECTED=ON",  # what is missing is an error, never a download
    "CMAKE_SKIP_RPATH=ON",
    "CMAKE_SHARED_LINKER_FLAGS=-Wl,-z,defs -Wl,-z,relro -Wl,-z,now",
)


def plan_lite(request: LiteRequest, tables: Tables, host: Host) -> LitePlan:
    """The plan for the TensorFlow Lite of a tree, in a container of a Debian.

    Raises BadRequest for a tree without it or a model that is not there, NoSolution where the
    build asks for something of which no package is known.
    """
    tree = read_lite_tree(request.source)
    system = read_system(request.system or _SYSTEM, tables.axis("os"))
    if system.family != "debian":
        raise BadRequest(
            f"TensorFlow Lite is built with Debian's packages, not with those of {system.name}",
            hint=f"ask for os={_SYSTEM}",
        )
    rows = {row.dependency: row for row in tables.lite()}
    needed = [d for d in tree.dependencies if not _is_off(d)]
    taken = _rows_of(tree, needed, rows)
    stand_ins = tuple(row.dependency for row in taken if not row.package)
    jobs = request.jobs or _jobs(request, host)
    packages = tuple(row.package for row in taken if row.package)
    plan = LitePlan(
        id="",
        tree=tree,
        system=system,
        packages=(*_TOOLS, *packages),
        from_packages=tuple((row.dependency, row.package) for row in taken if row.package),
        stand_ins=stand_ins,
        commands=(),
        models=_models(request),
        output=request.output,
        archive=f"tensorflow-lite-{tree.release}-{system.image.replace(':', '-')}-{host.machine}"
        ".tar.gz",
        jobs=jobs,
        cpus=request.cpus,
        memory_mb=request.memory_mb,
    )
    return _with_commands(plan, taken)


def stand_in_text(names: Sequence[str]) -> str:
    """The CMake file that defines targets without files, under the names that the build links."""
    lines = ["# Linked by the build and included by no source of it: a name is enough."]
    for name in names:
        lines += [f"add_library({name} INTERFACE)", f"set({name}_POPULATED ON)"]
    return "\n".join(lines) + "\n"


# --- inside ------------------------------------------------------------------------------------


def _is_off(dependency: LiteDependency) -> bool:
    """Whether a dependency is asked for only with an option that is switched off."""
    return any(
        word.removeprefix("_") in _OFF
        for condition in dependency.conditions
        if not condition.startswith(UNLESS)
        for word in re.findall(r"\w+", condition)
    )


def _rows_of(
    tree: LiteTree, needed: Sequence[LiteDependency], rows: dict[str, LiteRow]
) -> tuple[LiteRow, ...]:
    """The rows of what the build asks for, and of what options alone ask for."""
    names = dict.fromkeys(d.name for d in needed)
    unknown = [d for d in needed if d.name not in rows or _is_used(tree, rows[d.name])]
    if unknown:
        raise NoSolution(
            "no package is known of "
            + ", ".join(dict.fromkeys(d.name for d in unknown))
            + f", which the TensorFlow Lite of {tree.release} asks for",
            why="\n".join(
                f"{d.name}: its build would fetch {d.url or 'it'} {d.revision}".strip()
                for d in unknown
            ),
            hint="add a row to matrices/lite.yaml once a package is known that does",
        )
    by_option = [name for name, row in rows.items() if row.options and name not in names]
    text = read_inside(tree.source, tree.source / "tensorflow/lite/CMakeLists.txt")
    names |= dict.fromkeys(n for n in by_option if _is_option_of(rows[n], text))
    return tuple(rows[name] for name in names)


def _is_used(tree: LiteTree, row: LiteRow) -> bool:
    """Whether a stand-in would not do: some source includes what it stands for."""
    return bool(row.stands_for and not row.package and includes(tree, row.stands_for))


def _is_option_of(row: LiteRow, text: str) -> bool:
    return any(option.partition("=")[0] in text for option in row.options)


def _models(request: LiteRequest) -> tuple[Path, ...]:
    for model in request.models:
        if not model.is_file():
            raise BadRequest(f"there is no model {model}", hint="name a .tflite file with --model")
    return request.models


def _jobs(request: LiteRequest, host: Host) -> int:
    """As many as there are processors and memory for."""
    memory = request.memory_mb or host.memory_mb
    cpus = min(host.cpus, max(1, int(request.cpus))) if request.cpus else host.cpus
    return max(1, min(cpus, memory // _MEMORY_MB_PER_JOB if memory else cpus))


def _with_commands(plan: LitePlan, rows: Sequence[LiteRow]) -> LitePlan:
    """The plan with its id and what is run."""
    own = [f"{n}={v}" for n, v in _OPTIONS.items() if n in plan.tree.options]
    options = [
        *_ALWAYS,
        *own,
        *(o for r in rows for o in r.options),
    ]
    if plan.stand_ins:
        options.append(f"CMAKE_PROJECT_INCLUDE={{work}}/{LITE.name}/stand_ins.cmake")
    decided = {
        "release": plan.tree.release,
        "system": plan.system,
        "packages": plan.packages,
        "stand_ins": plan.stand_ins,
        "options": options,
        "functions": plan.tree.functions,
        "archive": plan.archive,
    }
    folder = f"{{work}}/{LITE.name}/build"
    configure = Command(
        argv=(
            *("cmake", "-G", "Ninja", "-S", "{source}/tensorflow/lite", "-B", folder, "-Wno-dev"),
            *("-D", "CMAKE_C_FLAGS=-ffile-prefix-map={source}=."),
            *("-D", "CMAKE_CXX_FLAGS=-ffile-prefix-map={source}=."),
            *(word for option in options for word in ("-D", option)),
        ),
        stage="configure",
        purpose="let CMake look for what TensorFlow Lite needs",
        cwd="{work}",
    )
    build = Command(
        argv=("cmake", "--build", folder, "--target", TARGET, "--parallel", str(plan.jobs)),
        stage="build",
        purpose=f"compile and link {LIBRARY}",
        cwd="{work}",
    )
    return replace(plan, id=plan_id(decided), commands=(configure, build))
