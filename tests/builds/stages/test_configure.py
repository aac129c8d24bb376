"""The configure stage: answers in, rc file out, refusals in the script's own words."""

import json
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_request, says
from tests.planning import planned
from tfbuild.builds.stages.configure import configure
from tfbuild.core.plans import Plan
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Host
from tfbuild.facts.tables import Tables


@pytest.fixture
def plan(tables: Tables, host: Host, tmp_path: Path) -> Plan:
    import dataclasses

    request = a_request(tmp_path)
    made = planned(request, tables, host)
    return dataclasses.replace(made, configure_answers=(("compiler", "{compiler}"),))


def test_answers_are_filled_in_and_the_rc_file_is_read(
    plan: Plan, fake_env: FakeEnvironment
) -> None:
    fake_env.runner = ProcessRunner()  # type: ignore[assignment]
    configured = configure(plan, fake_env)
    answers = json.loads((fake_env.toolchain.work / "answers.json").read_text())
    assert answers == {"compiler": "/usr/bin/g++"}
    assert "compiler=/usr/bin/g++" in configured.rc_file.read_text()
    assert len(configured.digest) == 64


def test_a_refusal_is_reported_in_its_own_words(plan: Plan, fake_env: FakeEnvironment) -> None:
    name = Path(fake_env.toolchain.python).name
    fake_env.runner.answers[name] = says("configure.py: no compiler", code=5)
    with fails("configure-refused", "no compiler"):
        configure(plan, fake_env)


def test_silence_without_a_file_is_a_failure(plan: Plan, fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers[Path(fake_env.toolchain.python).name] = says()
    with fails("configuration-not-written", "configure.bazelrc"):
        configure(plan, fake_env)


def test_an_answer_that_the_environment_lacks(plan: Plan, fake_env: FakeEnvironment) -> None:
    import dataclasses

    asks = dataclasses.replace(plan, configure_answers=(("cuda", "{cuda}"),))
    with fails("environment-value-missing", "cuda"):
        configure(asks, fake_env)
