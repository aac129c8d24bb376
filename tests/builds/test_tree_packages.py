"""Which packages an image gets for a tree."""

from pathlib import Path

from tests.fakes import a_host
from tests.planning import planned
from tests.tensorflow_trees import make_tree
from tfbuild.builds.tree_packages import packages_of
from tfbuild.core.plans import Plan
from tfbuild.core.records import Request
from tfbuild.facts.build_rows import BuildToolRow
from tfbuild.facts.tables import Tables
from tfbuild.sources.tensorflow_tree import read_tree


def a_plan(tables: Tables, tree: Path, release: str) -> Plan:
    request = Request(
        recipe="tensorflow_cpu",
        source=make_tree(tree, release),
        source_version=release,
        output=tree.parent / "dist",
        env="docker",
    )
    return planned(request, tables, a_host())


def a_row(name: str, debian: str, releases: str = ">=1.12", platform: str = "") -> BuildToolRow:
    return BuildToolRow(
        name=name, releases=releases, why="", source=(), checked="", evidence="documented",
        platform=platform, debian=debian,
    )  # fmt: skip


def test_what_rules_fetch_is_no_package(tables: Tables, tmp_path: Path) -> None:
    rows = (
        a_row("git", "git"), a_row("six", "python3-six"), a_row("opt_einsum", ""),
        a_row("coreutils", "coreutils", platform="macos"), a_row("mock", "python3-mock", "<2.2"),
    )  # fmt: skip
    plan = a_plan(tables, tmp_path / "old", "2.6.5")
    old = packages_of(read_tree(plan.source), plan, rows)
    gcc = plan.versions.value("gcc").partition(".")[0]
    python = f"python{plan.versions.value('python')}-dev"
    assert old == {
        "packages": tuple(sorted({f"g++-{gcc}", "git", python, "python3-numpy", "python3-six"})),
        "unpackaged": ("opt_einsum",),
    }
    plan = a_plan(tables, tmp_path / "new", "2.14.1")
    new = packages_of(read_tree(plan.source), plan, rows)
    assert new["unpackaged"] == ()
    assert not {name for name in new["packages"] if name.startswith("python3-")}
