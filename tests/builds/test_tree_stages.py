"""The stages of a tree come in their order, and odd things of the tree are reported first."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.fakes import FakeEnvironment, RecordingReporter
from tfbuild.builds import tree_stages
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.tree_stages import actions_of, run_tree_stages
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.reporter import CodedWarning
from tfbuild.facts.tables import Tables

ODD = CodedWarning(code="tree-release-unclear", text="it is odd")


def test_each_stage_takes_what_the_one_before_has_made(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    plan = replace(plan, tree=replace(plan.tree, warnings=(ODD,)))
    called: list[tuple[str, Any]] = []
    made = BuildOutput(files=(), seconds=1.0, actions=3, cache_hits=2)

    def stage(name: str, result: object) -> Callable[..., object]:
        def run(*words: object) -> object:
            called.append((name, words[1]))
            return result

        return run

    results = {"patch_tree": None, "configure_tree": "rc", "read_back": None, "build_tree": made}
    for name, result in results.items():
        monkeypatch.setattr(tree_stages, name, stage(name, result))
    reporter = RecordingReporter()
    fake_env.tools = replace(fake_env.tools, reporter=reporter)
    timeline = Timeline(reporter=reporter)
    assert run_tree_stages(plan, fake_env, timeline) == made
    assert any("it is odd" in words for words in reporter.said)
    assert [name for name, _ in called] == list(results)
    assert called[2][1] == "rc"
    assert [stage.name for stage in timeline.stages] == ["patch", "configure", "readback", "build"]
    assert timeline.stages[-1].detail == actions_of(made)
