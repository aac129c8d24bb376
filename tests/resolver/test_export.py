"""Answers in the words of conda and pip."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.matrix_files import ask
from tests.toy_facts import toy_facts
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.export import conda_environment, requirements
from tfbuild.resolver.resolution import Resolution, ResolvedVersion


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path)


def answer(**values: str) -> Resolution:
    """An answer with these values and one constraint."""
    choices = tuple(
        ResolvedVersion(axis=axis, value=value, evidence="documented", because=())
        for axis, value in values.items()
    )
    return Resolution(status="ok", constraints=("cuda=any (a test)",), choices=choices)


def packages(resolution: Resolution) -> list[str]:
    content: dict[str, Any] = yaml.safe_load(conda_environment(resolution))
    assert content["channels"] == ["conda-forge"]
    found: list[str] = content["dependencies"]
    assert all(word.count("=") <= 1 for word in found)
    return found


def test_a_conda_file_holds_what_was_chosen(facts: Facts) -> None:
    resolution = ask(facts, "tensorflow=2.1.0")
    text = conda_environment(resolution)
    assert yaml.safe_load(text)["name"] == "tensorflow-2.1.0-build"
    assert packages(resolution) == [
        "python=3.10", "numpy=1.26.4", "protobuf=4.21.12", "bazel=5.0.0", "gxx_linux-64=9",
    ]  # fmt: skip
    assert "#   tensorflow=2.1.0 (command line)" in text.splitlines()


def test_what_conda_cannot_give_is_named_in_comments(facts: Facts) -> None:
    text = conda_environment(ask(facts, "tensorflow=2.1.0", "gcc=12.2"))
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert "# system: debian 12" in comments
    assert any(line.startswith("# warning: GCC 12.2 is outside") for line in comments)


def test_cuda_of_conda_is_one_package_up_to_11_and_many_from_12() -> None:
    common = {"tensorflow": "2.9.0", "python": "3.10", "numpy": "1.23.5"}
    old = packages(answer(**common, cuda="11.2", cudnn="8.1.1"))
    assert {"cudatoolkit-dev=11.2", "cudnn=8.1.1"} <= set(old)
    new = packages(answer(**common, cuda="12.0", cudnn="9.3.0", nccl="2.20.5"))
    assert {"cuda-version=12.0", "cuda-toolkit", "cudnn=9.3.0", "nccl=2.20.5"} <= set(new)
    without = packages(answer(**common, cuda="none"))
    assert not [word for word in without if word.startswith("cu")]


@pytest.mark.parametrize(
    ("platform", "compiler"),
    [
        ("linux-x86_64", "gxx_linux-64=12"),
        ("linux-aarch64", "gxx_linux-aarch64=12"),
        ("macos-arm64", ""),
    ],
)
def test_the_compiler_is_named_after_the_platform(platform: str, compiler: str) -> None:
    found = packages(answer(runtime="0.1.0", python="3.11", numpy="2.4.6", platform=platform,
                            gcc="12.2"))  # fmt: skip
    assert [word for word in found if word.startswith("gxx")] == ([compiler] if compiler else [])


def test_clang_where_clang_was_chosen() -> None:
    found = packages(answer(runtime="0.1.0", python="3.11", numpy="2.4.6", clang="17"))
    assert "clangxx=17" in found


def whole(tables: Tables, *words: str) -> tuple[str, list[str]]:
    """The conda file of a tree of the project's own facts: its text and its packages."""
    resolution = ask(load_facts(tables), *words)
    text = conda_environment(resolution, tables.build_tools(), tables.axis("tensorflow"))
    found: list[str] = yaml.safe_load(text)["dependencies"]
    return text, found


@pytest.mark.parametrize(
    ("release", "taken", "left"),
    [
        ("1.15.0", {"mock", "keras-applications", "wheel"}, {"patchelf", "requests"}),
        ("2.6.5", {"six", "keras-preprocessing", "git", "patch"}, {"mock", "patchelf"}),
        ("2.12.0", {"wheel<0.40", "packaging", "requests"}, {"wheel", "keras-preprocessing"}),
        ("2.15.0", {"wheel", "patchelf"}, {"wheel<0.40", "coreutils"}),
    ],
)
def test_a_tree_is_given_all_that_its_build_takes(
    tables: Tables, release: str, taken: set[str], left: set[str]
) -> None:
    _, found = whole(tables, f"tensorflow={release}", "cuda=none")
    assert taken <= set(found)
    assert not left & set(found)


def test_what_the_tree_fetches_itself_is_named_and_not_installed(tables: Tables) -> None:
    text, found = whole(tables, "tensorflow=2.18.0", "cuda=12.5")
    assert "# CUDA 12.5: Bazel fetches it for the tree itself" in text.splitlines()
    assert not [name for name in found if name.startswith(("cuda", "cudnn", "nccl"))]
    _, older = whole(tables, "tensorflow=2.6.5", "cuda=11.2")
    assert "cudatoolkit-dev=11.2" in older


def lines_of(text: str) -> list[Requirement]:
    """Every line that is no comment, as pip reads it."""
    return [Requirement(line) for line in text.splitlines() if line[:1] not in {"", "#"}]


def test_requirements_of_a_build_without_cuda(facts: Facts, tables: Tables) -> None:
    found = lines_of(requirements(ask(facts, "tensorflow=2.1.0"), tables.wheels()))
    assert [(r.name, str(r.specifier)) for r in found] == [
        ("numpy", "==1.26.4"), ("protobuf", "==4.21.12"),
    ]  # fmt: skip
    for requirement in found:
        assert requirement.marker
        assert requirement.marker.evaluate({"python_version": "3.10"})
        assert not requirement.marker.evaluate({"python_version": "3.11"})


def test_requirements_with_the_toolkit_of_the_bundled_runtime(tables: Tables) -> None:
    resolution = answer(runtime="0.1.0", python="3.11", numpy="2.4.6", cuda="13.0")
    found = {r.name: str(r.specifier) for r in lines_of(requirements(resolution, tables.wheels()))}
    known = {(row.distribution, f"=={row.version}") for row in tables.wheels() if row.cuda}
    toolkit = {(name, spec) for name, spec in found.items() if name.startswith("nvidia-")}
    assert "nvidia-cuda-nvcc" in found
    assert toolkit <= known
    other = answer(runtime="0.1.0", python="3.11", numpy="2.4.6", cuda="11.2")
    assert {r.name for r in lines_of(requirements(other, tables.wheels()))} == {"numpy"}


@pytest.mark.parametrize("constraint", ["tensorflow=2.6.5", "tensorflow=2.15.0", "runtime=0.1.0"])
@pytest.mark.parametrize("more", [(), ("cuda=any",)])
def test_answers_on_the_project_s_facts_can_be_read(
    tables: Tables, constraint: str, more: tuple[str, ...]
) -> None:
    resolution = ask(load_facts(tables), constraint, *more)
    assert resolution.status == "ok"
    assert len(packages(resolution)) >= 3
    names = {r.name for r in lines_of(requirements(resolution, tables.wheels()))}
    assert "numpy" in names
