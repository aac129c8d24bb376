"""Which of the compilers, Pythons and Bazels that were found is the one that a plan means."""

from collections.abc import Sequence

from tfbuild.core.plans import Plan
from tfbuild.core.records import Interpreter, Program
from tfbuild.core.versions import contains


def find_compiler(plan: Plan, compilers: Sequence[Program]) -> Program | None:
    """The g++ that the plan prefers, else one that it accepts."""
    found = [p for p in compilers if p.name.startswith("g++")]
    exact = next((p for p in found if is_release(p.version, plan.compiler.preferred)), None)
    return exact or next((p for p in found if contains(plan.compiler.accepted, p.version)), None)


def find_python(plan: Plan, pythons: Sequence[Interpreter]) -> Interpreter | None:
    """An interpreter of the planned version that has its headers; the running one first."""
    wanted = plan.versions.value("python")
    return next((p for p in pythons if p.headers and is_release(p.version, wanted)), None)


def is_release(version: str, wanted: str) -> bool:
    """Whether a version is the wanted one or a patch release of it."""
    return version == wanted or version.startswith(f"{wanted}.")
