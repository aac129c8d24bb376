"""A plan as conda's environment: all that a build would take."""

from dataclasses import replace
from pathlib import Path

import yaml

from tests.sample_report import a_report
from tfbuild.containers.conda_file import conda_file
from tfbuild.facts.targets import find_target


def test_it_is_the_whole_plan_and_leaves_open_what_the_plan_does(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    text = conda_file(plan, find_target("linux-x86_64"))
    content = yaml.safe_load(text)
    assert plan.id in text.splitlines()[0]
    assert content["channels"] == ["conda-forge"]
    *packages, pip = content["dependencies"]
    value = plan.versions.value
    assert packages == [
        f"python={value('python')}",
        f"numpy={value('numpy')}",
        f"bazel{plan.bazel.accepted}",
        f"gxx_linux-64={value('gcc').partition('.')[0]}",
        f"sysroot_linux-64<={plan.audit.glibc_ceiling}",
        "pip",
    ]
    assert pip == {"pip": [f"{a.distribution}=={a.version}" for a in plan.artifacts]}
    assert {"nanobind", "onednn-cpu-gomp"} <= {line.partition("==")[0] for line in pip["pip"]}


def test_it_says_how_pip_takes_a_package_that_names_another_python(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    assert plan.versions.value("python") == "3.11"
    assert "PIP_IGNORE_REQUIRES_PYTHON=1" in conda_file(plan, find_target("linux-x86_64"))
    choices = tuple(
        replace(choice, value="3.13") if choice.axis == "python" else choice
        for choice in plan.versions.choices
    )
    newer = replace(plan, versions=replace(plan.versions, choices=choices))
    assert "PIP_IGNORE" not in conda_file(newer, find_target("linux-x86_64"))


def test_packages_are_those_of_the_machine(tmp_path: Path) -> None:
    plan = a_report(tmp_path).plan
    assert "gxx_linux-aarch64=" in conda_file(plan, find_target("linux-aarch64"))
    other = replace(plan, bazel=replace(plan.bazel, accepted=">=3.5,<8"))
    assert "bazel>=3.5,<8" in conda_file(other, find_target("linux-x86_64"))
