"""Containers for TensorFlow Lite."""

from pathlib import Path

import pytest

from tests.lite.workbenches import a_plan
from tests.lite_trees import PLAIN_CMAKE
from tests.shared_libraries import real_tools
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.lite.audit import audit_library
from tfbuild.lite.build import build_library
from tfbuild.lite.smoke import compile_program, run_models
from tfbuild.lite.workshop import open_workshop


@pytest.mark.docker
@pytest.mark.slow
def test_a_toy_tree_is_built_in_a_container_and_tried_in_another(
    tmp_path: Path, tables: Tables
) -> None:
    tools = real_tools(tmp_path)
    plan = a_plan(tmp_path, tables, cmake=PLAIN_CMAKE)
    with open_workshop(plan, tools, plan.packages) as workshop:
        library = build_library(plan, workshop, tools)
        program = compile_program(workshop, library)
    report = audit_library(plan, library, target_of(tools.host))
    assert {finding.state for finding in report.findings} == {"passed"}, report
    assert ("libc.so.6", "libc6") in {need[:2] for need in library.needs}
    with open_workshop(plan, tools, ("libc6",)) as trial:
        version, runs = run_models(plan, program, library, trial, tools)
    assert version == "2.14.1"
    assert [run.ending for run in runs] == ["refused", "ok"]
