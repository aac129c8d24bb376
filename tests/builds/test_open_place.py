"""Where a plan is carried out."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.sample_report import a_report
from tfbuild.builds.open_place import open_place
from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.records import Toolchain
from tfbuild.facts.tables import Tables


def test_no_image_is_made_for_a_tree_that_needs_what_no_package_has(
    tables: Tables, tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    tree = replace(plan.tree, unpackaged=("opt_einsum",))
    place = EnvironmentPlan(kind="docker", base="nvidia/cuda:x")
    plan = replace(plan, environment=place, tree=tree)
    with (
        fails("image-not-makeable", "opt_einsum", "nvidia/cuda:x", "python3-numpy"),
        open_place(plan, fake_env.tools),
    ):
        pytest.fail("it was opened")


@pytest.mark.parametrize("is_kept", [True, False])
def test_the_server_of_bazel_goes_with_the_place_unless_it_is_asked_to_stay(
    tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    ended: list[Toolchain] = []
    monkeypatch.setattr("tfbuild.bazel.server.end_server", ended.append)
    monkeypatch.setattr(
        "tfbuild.builds.open_place.open_environment", lambda _plan, _tools: nullcontext(fake_env)
    )
    plan = a_report(tmp_path).plan
    plan = replace(plan, services=replace(plan.services, keeps_server=is_kept))
    with open_place(plan, fake_env.tools) as env:
        assert env.toolchain == fake_env.toolchain
        assert ended == []
    assert ended == ([] if is_kept else [fake_env.toolchain])
