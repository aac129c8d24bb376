"""What `doctor --for RECIPE` looks at, and by what it judges."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host
from tests.sample_recipes import A_RECIPE, written
from tests.shared_libraries import real_tools
from tfbuild.commands.doctor_recipe import (
    Judged,
    judge_recipe,
    recipe_of,
    verdict_line,
    without_own,
)
from tfbuild.doctor.checks.model import Check
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.run.decide import decide_product

COSTS = "costs: {disk_mb: 7000, memory_mb_per_job: 3000}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loud = "on: {arguments: [-DGREET_LOUD=ON], needs: [lz4]"
    text = A_RECIPE.replace("on: {arguments: [-DGREET_LOUD=ON]", loud) + COSTS
    written(tmp_path, text)


def judged(tmp_path: Path, *words: str) -> Judged:
    tools = replace(real_tools(tmp_path), host=a_host(cpus=4, memory_mb=8000))
    return judge_recipe(words, tools)


def test_each_need_of_the_options_is_a_line(tmp_path: Path) -> None:
    usual = judged(tmp_path, "./greet.yaml")
    names = [check.name for check in usual.checks]
    assert names == ["cmake", "ninja", "cc", "c++", "strip", "pkg-config", "lz4"]
    assert {check.group for check in usual.checks} == {"needs"}
    assert "lz4" not in [c.name for c in judged(tmp_path, "./greet.yaml", "loud=off").checks]


def test_disk_memory_and_jobs_are_those_of_its_plan(tmp_path: Path) -> None:
    found = judged(tmp_path, "./greet.yaml").needs
    tools = replace(real_tools(tmp_path), host=a_host(cpus=4, memory_mb=8000))
    request = ProductRequest(recipe="./greet.yaml")
    plan = decide_product(request, find_recipe("./greet.yaml"), open_tables(), tools)
    assert (found.disk_mb, found.memory_mb) == (7000, plan.estimate.memory_mb)
    assert (found.jobs, found.jobs_because) == (plan.jobs, plan.jobs_because)
    assert "3.0 GB per job" in found.jobs_because


def test_what_has_a_container_needs_an_engine_and_no_packages_here(tmp_path: Path) -> None:
    found = judged(tmp_path, "tflite")
    assert found.needs.container
    assert found.groups == ("host", "container")
    (line,) = found.checks
    assert "debian:forky" in line.detail
    assert "source tree" in line.detail


def test_another_system_or_version_is_judged_as_it_is_planned(tmp_path: Path) -> None:
    (line,) = judged(tmp_path, "tflite", "os=debian:trixie").checks
    assert "debian:trixie" in line.detail
    with fails("recipe-system-unfit", "ubuntu"):
        judged(tmp_path, "tflite", "os=ubuntu:noble")
    assert judged(tmp_path, "./greet.yaml", "version=1.10") == judged(tmp_path, "./greet.yaml")


def test_another_platform_is_built_on_another_machine(tmp_path: Path) -> None:
    first, *_ = judged(tmp_path, "./greet.yaml", "platform=macos-arm64").checks
    assert (first.name, first.state) == ("platform", "failure")
    assert "macos-arm64" in first.detail
    assert "macos-arm64" in first.fix


def test_a_container_that_the_project_asks_for_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFBUILD_ENV", "docker")
    monkeypatch.setenv("TFBUILD_MEMORY", "6g")
    found = judged(tmp_path, "./greet.yaml")
    assert found.needs.container
    assert found.groups == ("host", "container")
    assert "6.1 GB free" in found.needs.jobs_because
    assert "debian:bookworm" in found.checks[0].detail


@pytest.mark.parametrize(
    ("word", "code", "named"),
    [
        ("lout=on", "recipe-option-unknown", "'lout'"),
        ("loud=perhaps", "recipe-choice-unknown", "'perhaps'"),
        ("version=1.9", "recipe-release-unknown", "1.9"),
        ("os=debian:trixie", "system-without-container", "os=debian:trixie"),
        ("platform=amiga", "platform-unknown", "'amiga'"),
        ("gcc=12", "axis-not-of-kind", "gcc"),
    ],
)
def test_other_words_are_refused(word: str, code: str, named: str, tmp_path: Path) -> None:
    with fails(code, named) as caught:
        judged(tmp_path, "./greet.yaml", word)
    assert caught.value.hint


def test_a_recipe_that_is_none_is_reported(tmp_path: Path) -> None:
    with fails("recipe-unknown", "'zstt'", "'zstd'"):
        judged(tmp_path, "zstt")


def test_a_broken_recipe_is_reported(tmp_path: Path) -> None:
    written(tmp_path, A_RECIPE + "needs: [zlip]\n")
    with fails("recipe-need-unknown", "'zlip'", "'zlib'"):
        judged(tmp_path, "./greet.yaml")


def test_words_of_versions_stay_and_own_recipes_become_them() -> None:
    assert without_own(("python=3.11",)) == (("python=3.11",), False)
    assert without_own(()) == ((), False)
    assert without_own(("zstd", "zlib=on")) == (("zstd", "zlib=on"), True)
    assert without_own(("./mine.yaml",)) == (("./mine.yaml",), True)
    assert without_own(("runtime", "python=3.12")) == (("python=3.12",), False)
    assert without_own(("tensorflow",)) == (("tensorflow>=0",), False)
    assert without_own(("tensorflow", "tensorflow=2.15")) == (("tensorflow=2.15",), False)
    with_text = ("tensorflow", "tensorflow_text=2.15")
    assert without_own(with_text) == (("tensorflow>=0", "tensorflow_text=2.15"), False)
    assert without_own(("tensorflow-cc", "tf=2.14"))[0] == ("tf=2.14",)
    assert (recipe_of(("tensorflow-cc",)), recipe_of(())) == ("tensorflow-cc", "")
    with fails("workspace-needs-unknown", "--workspace"):
        without_own(("workspace",))


def test_the_verdict_names_what_fails() -> None:
    good = Check(group="needs", name="cc", state="pass", detail="")
    bad = replace(good, name="zlib", state="failure")
    assert verdict_line("greet", (good,)) == "This machine can build greet."
    assert "cannot build greet as it is: needs.zlib" in verdict_line("greet", (good, bad))
