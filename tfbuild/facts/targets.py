"""The platforms that things are built for: what Python, Debian, conda and Bazel call each of them.

Nothing else in tfbuild knows a processor or a system by its name.
"""

from functools import cache

from tfbuild.core.records import Host
from tfbuild.facts.installed import open_tables
from tfbuild.facts.rows import Target


@cache
def all_targets() -> tuple[Target, ...]:
    """The rows of this installation's matrices/platform.yaml; BadRecipe where they are wrong."""
    return open_tables().targets()


def target_of(host: Host) -> Target:
    """What the machine is; where there is no row for it, what it says of itself."""
    said = f"{host.system} {host.machine}".lower()
    for target in all_targets():
        if said in (name.lower() for name in target.uname):
            return target
    return Target(
        version=f"{host.system.lower()}-{host.machine}", family=host.machine,
        debian=host.machine, multiarch=f"{host.machine}-linux-gnu", elf=host.machine,
        conda=f"linux-{host.machine}", bazel=f"linux-{host.machine}",
        oldest_manylinux="2.17",  # PEP 599
        source=(), checked="", evidence="",
    )  # fmt: skip


def find_target(name: str) -> Target:
    """The target of that name: linux-aarch64. KeyError where there is none."""
    return {target.version: target for target in all_targets()}[name]


def usual_target(system: str, family: str = "") -> Target:
    """The first of a system, and of a family of processors where one is named.

    StopIteration where there is none.
    """
    return next(t for t in all_targets() if t.system == system and family in {"", t.family})


def range_of_tested(system: str) -> str:
    """The platforms that rows of tested builds speak of which name a system, as a range.

    KeyError where they name no such system.
    """
    return _tested()[system]


def systems_tested() -> frozenset[str]:
    """The systems that rows of tested builds name: linux, macos, windows."""
    return frozenset(_tested())


def name_in_tests(platform: str) -> str:
    """What tested rows call a platform; empty where they speak of none such."""
    return next((t.tested_as for t in all_targets() if t.version == platform), "")


@cache
def _tested() -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for target in all_targets():
        if target.tested_as:
            found.setdefault(target.tested_as, []).append(target.version)
    return {system: " | ".join(names) for system, names in found.items()}
