"""Which of the compilers, Pythons and Bazels that were found is the one that a plan means."""

from collections.abc import Sequence

from tfbuild.core.records import Interpreter, Plan, Program

OLDEST_GCC = 9


def find_compiler(plan: Plan, compilers: Sequence[Program]) -> Program | None:
    """The g++ of the planned version; where none was asked for, any that compiles C++17 well."""
    wanted = plan.versions.value("gcc")
    found = [p for p in compilers if p.name.startswith("g++")]
    exact = next((p for p in found if is_release(p.version, wanted)), None)
    if exact or is_pinned(plan, "gcc"):
        return exact
    return next((p for p in found if int(p.version.split(".")[0]) >= OLDEST_GCC), None)


def find_python(plan: Plan, pythons: Sequence[Interpreter]) -> Interpreter | None:
    """An interpreter of the planned version that has its headers; the running one first."""
    wanted = plan.versions.value("python")
    return next((p for p in pythons if p.headers and is_release(p.version, wanted)), None)


def is_pinned(plan: Plan, axis: str) -> bool:
    """Whether the user asked for this very version."""
    return any(c.axis == axis and c.is_pinned for c in plan.versions.choices)


def is_release(version: str, wanted: str) -> bool:
    """Whether a version is the wanted one or a patch release of it."""
    return version == wanted or version.startswith(f"{wanted}.")
