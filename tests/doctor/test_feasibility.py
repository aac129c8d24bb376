"""Whether a requested build can be made on a machine, and the shortest way where it cannot."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.matrix_files import pins
from tests.toy_facts import toy_facts
from tfbuild.core.records import Gpu, Interpreter, Program
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.doctor.feasibility import Feasibility, assess
from tfbuild.facts.build_rows import ImageRow
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import Machine, read_machine
from tfbuild.resolver.question import Question

USUAL = BuildNeeds(disk_mb=10, memory_mb=20, jobs=3)
IMAGE = ImageRow(cuda="11.2.2", os="debian 12", devel="11.2.2-devel-debian12",
                 cudnn_devel=("11.2.2-cudnn7-devel-debian12", "11.2.2-cudnn8-devel-debian12"),
                 source=("a list",), checked="2026-11-20", evidence="documented")  # fmt: skip


def a_machine(python: str = "3.10", gcc: str = "9.3", **more: str) -> Machine:
    """A Linux machine with one Python, one GCC and Bazel 5.0.0."""
    bound = {"platform": "linux-x86_64", "os": "debian 12"}
    has = {axis: {value: "this machine"} for axis, value in bound.items()}
    has |= {"python": {python: "/p"}, "gcc": {gcc: "/g"}, "bazel": {"5.0.0": "/b"}}
    has |= {axis: {value: "/x"} for axis, value in more.items() if axis != "gpu"}
    gpus = (more["gpu"],) if "gpu" in more else ()
    return Machine(has=has, bound=bound, gpus=gpus)


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return toy_facts(tmp_path, os=[{"version": "debian 12", "offers": {"gcc": "9.3"}}])


def fit(facts: Facts, machine: Machine, *words: str) -> Feasibility:
    return assess(Question(pins=pins(*words), machine=machine), facts, [IMAGE], USUAL, costs)


def costs(needs: BuildNeeds, recipe: str) -> BuildNeeds:
    return replace(needs, disk_mb=16_000 if recipe.startswith("tensorflow") else 1_500)


def lines(feasibility: Feasibility) -> dict[str, Check]:
    assert {check.group for check in feasibility.checks} == {"request"}
    return {check.name: check for check in feasibility.checks}


def test_what_the_machine_has_all_of_passes(facts: Facts) -> None:
    found = fit(facts, a_machine(), "tensorflow=2.1.0")
    (line,) = found.checks
    assert (line.name, line.state, line.fix) == ("versions", "pass", "")
    assert "Python 3.10" in line.detail
    assert "TensorFlow 2.1.0" in line.detail


def test_the_other_checks_judge_by_the_resolved_versions(facts: Facts) -> None:
    machine = a_machine(gpu="8.6", cuda="11.2")
    needs = fit(facts, machine, "tensorflow=2.1.0", "gpu=RTX 3090").needs
    assert (needs.title, needs.device) == ("TensorFlow 2.1.0", "cuda")
    assert (needs.python, needs.gcc, needs.clang, needs.cuda) == ("3.10", "9.3", "none", "11.2")
    assert (needs.cudnn, needs.architectures) == ("8.1", ("sm_86",))
    assert (needs.disk_mb, needs.memory_mb, needs.jobs) == (16_000, 20, 3)
    assert not needs.container


def test_untested_is_a_warning_with_the_tested_way(facts: Facts) -> None:
    found = lines(fit(facts, a_machine(gcc="12.2"), "tensorflow=2.1.0"))
    assert found["versions"].state == "warning"
    assert "GCC would be untested" in found["versions"].detail
    assert found["tested way"].state == "warning"
    assert "GCC 9.3" in found["tested way"].detail
    assert "debian 12" in found["tested way"].fix


def test_what_is_missing_is_named(facts: Facts) -> None:
    found = lines(fit(facts, a_machine(), "tensorflow=2.1.0", "cuda=11.2"))
    assert "CUDA 11.2 is not here (none)" in found["cuda"].detail
    assert "install CUDA 11.2" in found["cuda"].fix
    assert "gcc" not in found


def test_where_the_machine_cannot_a_container_on_it_may(facts: Facts) -> None:
    found = fit(facts, a_machine(python="3.11"), "tensorflow=2.1.0")
    by_name = lines(found)
    assert by_name["versions"].state == "failure"
    assert "TensorFlow 2.1.0 needs Python" in by_name["versions"].detail
    assert by_name["shortest way"].state == "warning"
    assert "in a container of debian 12" in by_name["shortest way"].detail
    assert found.needs.container
    assert found.needs.python == "3.10"
    assert (found.way, found.answer.value("python")) == ("container", "3.10")
    assert by_name.keys() == {"versions", "shortest way"}, "the container has what is missing here"


def test_an_image_with_the_toolkit_is_named_where_there_is_one(facts: Facts) -> None:
    found = lines(fit(facts, a_machine(python="3.11"), "tensorflow=2.1.0", "cuda=11.2"))
    assert found["shortest way"].fix.endswith("nvidia/cuda:11.2.2-cudnn8-devel-debian12")
    found = lines(fit(facts, a_machine(python="3.11"), "tensorflow=2.1.0"))
    assert "start from an image of debian 12" in found["shortest way"].fix


def test_where_no_machine_can_the_other_ways_are_listed(facts: Facts) -> None:
    found = fit(facts, a_machine(), "tensorflow=2.1.0", "gpu=RTX 3090", "cuda=11.0")
    assert found.checks[0].state == "failure"
    ways = [check for check in found.checks if check.name == "another way"]
    assert ways
    assert "cuda=11.2" in ways[0].detail
    assert ways[0].fix == "tfbuild resolve tensorflow=2.1.0 'gpu=RTX 3090' cuda=11.2"
    assert (found.way, found.answer.status) == ("none", "conflict")
    assert found.needs == replace(USUAL, disk_mb=16_000), "there are no versions to judge by"


@pytest.mark.parametrize(
    ("words", "recipe"),
    [
        (("tensorflow=2.1.0", "python=2.7"), "tensorflow_cpu"),
        (("tensorflow=2.1.0", "python=2.7", "cuda=11.0"), "tensorflow_cuda"),
        (("tensorflow=2.1.0", "python=2.7", "gpu=RTX 3090"), "tensorflow_cuda"),
        (("python=2.7",), "cpu"),
    ],
)
def test_what_cannot_be_built_is_judged_by_its_own_costs(
    words: tuple[str, ...], recipe: str, facts: Facts
) -> None:
    asked: list[str] = []

    def note(needs: BuildNeeds, name: str) -> BuildNeeds:
        asked.append(name)
        return needs

    assess(Question(pins=pins(*words), machine=a_machine()), facts, [IMAGE], USUAL, note)
    assert asked == [recipe]


def test_a_gpu_of_the_machine_is_no_matter_of_containers(facts: Facts) -> None:
    found = lines(fit(facts, a_machine(gpu="8.6"), "tensorflow=2.1.0", "cuda=11.0"))
    assert found["versions"].state == "failure"
    assert "shortest way" not in found, "no container brings another GPU"


def test_the_seeds_question_on_the_project_s_facts(tables: Tables) -> None:
    """Can TensorFlow 2.6.5 be built for an RTX 3090 on Debian 12, and what is the way?"""
    host = a_host(
        compilers=(Program(name="g++", path="/g", version="12.2.0"),),
        pythons=(Interpreter(path="/p", version="3.11.2", tag="cp311", headers="/i"),),
        gpus=(Gpu(name="NVIDIA GeForce RTX 3090", architecture="sm_86"),),
        driver="550.54.14",
    )
    facts = load_facts(tables)
    question = Question(
        pins=pins("tensorflow=2.6.5", "gpu=RTX 3090"), machine=read_machine(host, facts)
    )
    found = assess(question, facts, tables.images(), USUAL, costs)
    by_name = lines(found)
    assert by_name["versions"].state == "failure"
    assert by_name["shortest way"].detail.startswith("in a container of ubuntu")
    assert "nvidia/cuda:11.2" in by_name["shortest way"].fix
    assert (found.needs.cuda, found.needs.architectures) == ("11.2", ("sm_86",))
