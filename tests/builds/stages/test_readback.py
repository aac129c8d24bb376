"""Bazel is asked which options hold; a difference stops the build before it begins."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.stages.test_configure_tree import plan_of
from tests.failing import fails
from tests.fakes import Answer, FakeEnvironment
from tfbuild.builds.stages.readback import read_back
from tfbuild.core.interfaces import Watch
from tfbuild.core.outputs import Configured
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command, Completed
from tfbuild.facts.tables import Tables

SETTINGS = (("PYTHON_LIB_PATH", "/library"),)


@pytest.fixture
def plan(tables: Tables, tmp_path: Path) -> Plan:
    return plan_of(tables, tmp_path, "2.6.5", said="copt: [-O3]\n")


@pytest.fixture
def configured(plan: Plan, fake_env: FakeEnvironment) -> Configured:
    python = Path(fake_env.toolchain.python).name
    fake_env.runner.answers[python] = lambda *_: Completed(code=0, stdout=plan.tree.numpy)
    return Configured(rc_file=plan.source / "rc", settings=SETTINGS, digest="")


def reports(env: FakeEnvironment, *instead: str, code: int = 0, says: str = "") -> Answer:
    """A Bazel whose event file has the planned options, and then some."""

    def answer(command: Command, _watch: Watch | None) -> Completed:
        place = next(w for w in command.argv if w.startswith("--build_event_json_file="))
        python = env.toolchain.python
        words = [f"--action_env=PYTHON_BIN_PATH={python}", "--action_env=PYTHON_LIB_PATH=/library"]
        words += [f"--python_path={python}", "--copt=-O3", *instead]
        event = {"id": {"optionsParsed": {}}, "optionsParsed": {"cmdLine": words}}
        Path(place.partition("=")[2]).write_text(json.dumps(event) + "\n")
        return Completed(code=code, last_lines=(says,))

    return answer


def test_options_that_hold_are_given_back(
    plan: Plan, configured: Configured, fake_env: FakeEnvironment
) -> None:
    fake_env.runner.answers["bazel"] = reports(fake_env)
    assert "--copt=-O3" in read_back(plan, configured, fake_env)
    assert "--nobuild" in fake_env.runner.commands[-1].argv


def test_the_numpy_of_the_configured_python_is_looked_at(
    plan: Plan, configured: Configured, fake_env: FakeEnvironment
) -> None:
    fake_env.runner.answers["bazel"] = reports(fake_env)
    python = Path(fake_env.toolchain.python).name
    fake_env.runner.answers[python] = lambda *_: Completed(code=1)
    with fails("numpy-missing", f"numpy=={plan.tree.numpy}"):
        read_back(plan, configured, fake_env)
    fake_env.runner.answers[python] = lambda *_: Completed(code=0, stdout="1.99.0\n")
    read_back(plan, configured, fake_env)
    assert any("1.99.0" in words[1] for words in fake_env.reporter.said)


def test_a_difference_is_named_even_where_the_analysis_fails(
    plan: Plan, configured: Configured, fake_env: FakeEnvironment
) -> None:
    late = "--action_env=PYTHON_BIN_PATH=/usr/bin/python2"
    fake_env.runner.answers["bazel"] = reports(fake_env, late, code=1, says="ERROR: no archive")
    with fails("bazel-options-differ", late):
        read_back(plan, configured, fake_env)


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ("ERROR: no such package 'x'", "analysis-failed"),
        ("ERROR: --x :: Unrecognized option: --x", "bazel-option-unknown"),
    ],
)
def test_what_bazel_says_is_reported(
    plan: Plan, configured: Configured, fake_env: FakeEnvironment, says: str, code: str
) -> None:
    fake_env.runner.answers["bazel"] = reports(fake_env, code=1, says=says)
    with fails(code, says):
        read_back(plan, configured, fake_env)


def test_an_event_file_of_an_earlier_run_counts_for_nothing(
    plan: Plan, configured: Configured, fake_env: FakeEnvironment
) -> None:
    fake_env.runner.answers["bazel"] = reports(fake_env)
    read_back(plan, configured, fake_env)
    fake_env.runner.answers["bazel"] = lambda *_: Completed(code=2, last_lines=("ERROR: flag",))
    with fails("analysis-failed", "ERROR: flag"):
        read_back(plan, configured, fake_env)


def test_a_program_that_an_action_calls_must_be_here(
    plan: Plan, configured: Configured, fake_env: FakeEnvironment
) -> None:
    needy = replace(plan, tree=replace(plan.tree, needs=("patchelf-that-is-nowhere",)))
    with fails("tree-program-missing", "patchelf-that-is-nowhere"):
        read_back(needy, configured, fake_env)
    assert fake_env.runner.commands == []
