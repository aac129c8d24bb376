"""What an image needs to build a TensorFlow source tree: packages of its system."""

from collections.abc import Mapping, Sequence

from tfbuild.core.plans import Plan
from tfbuild.facts.build_rows import BuildToolRow
from tfbuild.facts.ranges import NONE, select
from tfbuild.sources.tensorflow_tree import TensorFlowTree


def packages_of(
    tree: TensorFlowTree, plan: Plan, tools: Sequence[BuildToolRow]
) -> Mapping[str, tuple[str, ...]]:
    """What an image needs to build the tree: packages of its system, and what none of them has."""
    rows = [
        row
        for row in tools
        if select(row.releases, [tree.release])
        and not (row.is_python and tree.fetches_python)
        and row.platform in {"", "linux"}
    ]
    python, gcc = plan.versions.value("python"), plan.versions.value("gcc").partition(".")[0]
    packages = {f"g++-{gcc}", f"python{python}-dev", *(row.debian for row in rows if row.debian)}
    packages |= set() if tree.fetches_python else {"python3-numpy"}
    clang = next((c.value for c in plan.versions.choices if c.axis == "clang"), NONE)
    packages |= set() if clang == NONE else {f"clang-{clang.partition('.')[0]}"}
    return {
        "packages": tuple(sorted(packages)),
        "unpackaged": tuple(sorted(row.name for row in rows if not row.debian)),
    }
