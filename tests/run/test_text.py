"""The plan and the report as plain text."""

from dataclasses import replace
from pathlib import Path

from tests.linters import shellcheck
from tests.sample_product import a_product_plan, a_product_report
from tfbuild.core.environments import System
from tfbuild.recipes.records import CMakeBuild
from tfbuild.run.text import plan_script, plan_text, report_text

HERE = "linux-x86_64"


def test_a_plan_says_from_what_with_what_and_into_what(tmp_path: Path) -> None:
    text = plan_text(a_product_plan(tmp_path), HERE)
    for said in (
        "greet 1.10 for linux-x86_64",
        "loud=on",
        "this machine",
        "cmake --build",
        "sha256 " + "a" * 64,
        str(tmp_path / "greet-1.10-linux-x86_64.tar.gz"),
    ):
        assert said in text


def test_a_plan_shows_what_it_gives_the_build_and_with_what_else_it_is_tried(
    tmp_path: Path,
) -> None:
    plan = a_product_plan(tmp_path)
    (step,) = plan.steps
    assert isinstance(step, CMakeBuild)
    steps = (replace(step, files=(("a.cmake", "set(A 1)\n"),)),)
    text = plan_text(
        replace(plan, steps=steps, tree="tflite", models=(tmp_path / "a.tflite",)), HERE
    )
    assert "file     a.cmake\n  set(A 1)\n" in text
    models = f"the tree's own models beside LiteRT, {tmp_path / 'a.tflite'}"
    assert f"smoke    says, {models}\n" in text


def test_a_plan_for_another_platform_says_where_it_is_to_be_run(tmp_path: Path) -> None:
    plan = a_product_plan(tmp_path)
    assert "place    this machine\n" in plan_text(plan, HERE)
    assert "counted on" not in plan_text(plan, HERE)
    other = replace(plan, target="linux-aarch64")
    text = plan_text(other, HERE)
    assert (
        "place    a machine that is linux-aarch64: run it there, this one is linux-x86_64\n" in text
    )
    assert f"jobs     {plan.jobs_because}, counted on this machine\n" in text
    system = System(name="debian 12", suite="bookworm")
    inside = replace(other, env="docker", system=system)
    assert "place    a container of debian 12, on a machine that is linux-aarch64: " in plan_text(
        inside, HERE
    )
    assert "place    a container of debian 12\n" in plan_text(replace(inside, target=HERE), HERE)


def test_a_script_builds_the_same(tmp_path: Path) -> None:
    plan = a_product_plan(tmp_path)
    script = plan_script(plan, "./it's.yaml")
    assert "'./it'\"'\"'s.yaml' version=1.10 platform=linux-x86_64 loud=on" in script
    assert "--source" not in script
    assert shellcheck(script) == ""
    inside = replace(plan, env="docker", system=System(name="debian 12", suite="bookworm"))
    assert "--env=docker os=debian:bookworm" in plan_script(inside, "greet")
    tried = replace(plan, models=(tmp_path / "a.tflite",))
    assert f"--model={tmp_path / 'a.tflite'}" in plan_script(tried, "greet")


def test_a_report_says_where_it_is_and_what_it_needs(tmp_path: Path) -> None:
    text = report_text(a_product_report(tmp_path), tmp_path)
    archive = tmp_path / "greet-1.10-linux-x86_64.tar.gz"
    assert text.startswith(f"archive {archive}\n")
    assert text.splitlines()[-1] == f"next    tar -xf {archive}"
    assert f"archive {tmp_path / 'greet-1.10-linux-x86_64.tar.gz'}" in text
    assert "needs   zlib1g" in text
    assert "audit   1 passed" in text
