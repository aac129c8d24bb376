"""Where a plan is carried out."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.fakes import FakeEnvironment
from tfbuild.builds.open_place import open_place
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.facts.tables import Tables


def test_no_image_is_made_for_a_tree_and_the_remedy_names_what_it_needs(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    plan = replace(plan, environment=EnvironmentPlan(kind="docker", base="nvidia/cuda:x"))
    with pytest.raises(EnvironmentFailed, match="makes no image") as caught:
        open_place(plan, fake_env.tools)
    assert "nvidia/cuda:x" in caught.value.hint
    assert "Bazel 3.7.2" in caught.value.hint
