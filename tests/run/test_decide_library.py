"""The plan of a library's archive, out of that of its tree."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import host_for, plan_of
from tests.schema_maker import check
from tfbuild.core.plans import Plan
from tfbuild.core.serialization import from_plain, to_plain
from tfbuild.facts.tables import Tables
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.records import NOT_HELD, Held, ProductPlan
from tfbuild.run.decide_library import library_plan
from tfbuild.run.report import plan_document

TARGETS = (
    "//tensorflow:libtensorflow_cc.so",
    "//tensorflow:libtensorflow_framework.so",
    "//tensorflow:install_headers",
)


@pytest.fixture
def tree(tables: Tables, tmp_path: Path) -> Plan:
    return with_targets(plan_of(tables, tmp_path, "2.6.5"), *TARGETS)


def with_targets(plan: Plan, *targets: str) -> Plan:
    return replace(plan, bazel=replace(plan.bazel, targets=targets))


def archive_plan(tree: Plan, tables: Tables, held: Held = NOT_HELD) -> ProductPlan:
    recipe = find_recipe("tensorflow-cc")
    return library_plan(tree, recipe, tables, host_for("2.6.5"), held=held)


def test_it_says_what_the_recipe_says_and_what_the_tree_decides(tree: Plan, tables: Tables) -> None:
    plan = archive_plan(tree, tables)
    assert plan.archive == "libtensorflow_cc-2.6.5-cpu-linux-x86_64.tar.gz"
    assert (plan.version, plan.license, plan.env) == ("2.6.5", "Apache-2.0", "host")
    assert plan.product == find_recipe("tensorflow-cc").product
    assert [probe.name for probe in plan.probes] == ["C interface", "C++ interface"]
    assert plan.audit == tree.audit
    assert plan.commands == tree.commands
    assert plan.tree_plan == tree
    assert dict(plan.versions)["python"] == "3.9"
    assert {need.name for need in plan.needs} == {"cc", "c++", "strip", "pkg-config"}


def test_it_is_read_back_as_the_same_plan(tree: Plan, tables: Tables) -> None:
    plan = archive_plan(tree, tables)
    assert from_plain(ProductPlan, to_plain(plan)) == plan
    check("product-plan", plan_document(plan))


def test_its_id_counts_what_is_built_and_not_where_it_lies(tree: Plan, tables: Tables) -> None:
    plan = archive_plan(tree, tables)
    moved = replace(tree, source=tree.source / "moved", jobs=99)
    assert archive_plan(moved, tables).id == plan.id
    assert archive_plan(tree, tables, Held(source_sha256="a" * 64)).id == plan.id
    other = replace(tree, configure_answers=(("TF_NEED_ROCM", "1"),))
    assert archive_plan(other, tables).id != plan.id


def test_targets_of_the_user_are_what_is_promised(tree: Plan, tables: Tables) -> None:
    named = with_targets(tree, "//tensorflow:libtensorflow_cc.so.2", "//tensorflow:other")
    product = archive_plan(named, tables).product
    assert (product.libraries, product.headers) == (("lib/libtensorflow_cc.so.2",), ())
