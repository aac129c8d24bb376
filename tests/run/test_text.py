"""The plan and the report as plain text."""

from dataclasses import replace
from pathlib import Path

from tests.linters import shellcheck
from tests.sample_product import a_product_plan, a_product_report
from tfbuild.core.environments import System
from tfbuild.run.text import plan_script, plan_text, report_text


def test_a_plan_says_from_what_with_what_and_into_what(tmp_path: Path) -> None:
    text = plan_text(a_product_plan(tmp_path))
    for said in (
        "greet 1.10 for linux-x86_64",
        "loud=on",
        "this machine",
        "cmake --build",
        "sha256 " + "a" * 64,
        str(tmp_path / "greet-1.10-linux-x86_64.tar.gz"),
    ):
        assert said in text


def test_a_script_builds_the_same(tmp_path: Path) -> None:
    plan = a_product_plan(tmp_path)
    script = plan_script(plan, "./it's.yaml")
    assert "'./it'\"'\"'s.yaml' version=1.10 platform=linux-x86_64 loud=on" in script
    assert "--source" not in script
    assert shellcheck(script) == ""
    inside = replace(plan, env="docker", system=System(name="debian 12", suite="bookworm"))
    assert "--env=docker os=debian:bookworm" in plan_script(inside, "greet")


def test_a_report_says_where_it_is_and_what_it_needs(tmp_path: Path) -> None:
    text = report_text(a_product_report(tmp_path), tmp_path)
    assert f"archive {tmp_path / 'greet-1.10-linux-x86_64.tar.gz'}" in text
    assert "needs   zlib1g" in text
    assert "audit   1 passed" in text
