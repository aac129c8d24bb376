"""A machine in the resolver's words."""

from pathlib import Path

import pytest

from tests.fakes import a_host
from tests.matrix_files import chosen, pins, small_facts
from tfbuild.core.records import Gpu, Host, Interpreter, Program
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.machine import HERE, NO_MACHINE, Machine, here_pins, read_machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolver import resolve


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return small_facts(
        tmp_path / "small",
        python=[{"version": v} for v in ("3.12", "3.11", "3.10")],
        gcc=[{"version": v} for v in ("13.2", "12.2", "11.4")],
        clang=[{"version": "17"}, {"version": "16"}],
        bazel=[{"version": "6.5.0"}, {"version": "5.0.0"}],
        cuda=[{"version": "12.4"}, {"version": "11.8"}],
        os=[{"version": "debian 12", "aliases": ["bookworm"]}, {"version": "ubuntu 22.04"}],
        glibc=[{"version": "2.36"}, {"version": "2.35"}],
        driver=[{"version": "550.54.14", "cuda": "12.4.0"}],
        gpus=[{"name": "A100", "capability": "8.0"}],
    )


def python(version: str, headers: str = "/include") -> Interpreter:
    return Interpreter(path=f"/opt/{version}", version=version, tag="cp", headers=headers)


def programs(*versions: str, name: str = "g++") -> tuple[Program, ...]:
    return tuple(Program(name=name, path=f"/usr/bin/{name}-{v}", version=v) for v in versions)


def test_programs_become_rows_with_their_places(facts: Facts) -> None:
    host = a_host(
        pythons=(python("3.11.2"), python("3.12.1")),
        compilers=(*programs("12.2.0", "11.4.0"), *programs("16.0.6", name="clang++")),
        bazels=programs("6.5.0", name="bazel"),
        toolkits=programs("12.4.131", name="nvcc"),
    )
    machine = read_machine(host, facts)
    assert list(machine.has["python"]) == ["3.11", "3.12"]
    assert list(machine.has["gcc"]) == ["12.2", "11.4"]
    assert list(machine.has["clang"]) == ["16"]
    assert list(machine.has["cuda"]) == ["12.4"]
    assert machine.where("bazel", "6.5.0") == "6.5.0 at /usr/bin/bazel-6.5.0"
    assert machine.where("bazel", "5.0.0") == ""
    assert machine.where("nccl", "2.0") == ""


def test_what_has_no_row_stands_for_itself(facts: Facts) -> None:
    host = a_host(
        pythons=(python("3.16.0"),),
        compilers=programs("19.1.0"),
        bazels=programs("9.1.2", name="bazel"),
    )
    machine = read_machine(host, facts)
    assert list(machine.has["python"]) == ["3.16"]
    assert list(machine.has["gcc"]) == ["19.1"]
    assert list(machine.has["bazel"]) == ["9.1.2"]


def test_a_bazel_is_no_other_release(facts: Facts) -> None:
    """A tree that pins 6.5.0 does not take 6.5.1."""
    machine = read_machine(a_host(bazels=programs("6.5.1", name="bazel")), facts)
    assert list(machine.has["bazel"]) == ["6.5.1"]


def test_a_program_that_does_not_say_its_version_is_nothing(facts: Facts) -> None:
    machine = read_machine(a_host(bazels=(Program(name="bazel", path="/usr/bin/bazel"),)), facts)
    assert "bazel" not in machine.has


def test_pythons_with_headers_come_before_those_without(facts: Facts) -> None:
    both = a_host(pythons=(python("3.12.0", headers=""), python("3.10.1")))
    assert list(read_machine(both, facts).has["python"]) == ["3.10"]
    none = a_host(pythons=(python("3.12.0", headers=""), python("3.10.1", headers="")))
    assert list(read_machine(none, facts).has["python"]) == ["3.12"]


@pytest.mark.parametrize(
    ("changes", "platform", "system"),
    [
        ({}, "linux-x86_64", "debian 12"),
        ({"machine": "aarch64"}, "linux-aarch64", "debian 12"),
        ({"machine": "AMD64", "system": "Windows"}, "windows-x86_64", "windows"),
        ({"machine": "arm64", "system": "Darwin"}, "macos-arm64", "macos"),
        ({"machine": "x86_64", "system": "Darwin"}, "macos-x86_64", "macos"),
        (
            {"distribution": "ubuntu", "distribution_version": "22.04"},
            "linux-x86_64",
            "ubuntu 22.04",
        ),
    ],
)
def test_platform_and_system(
    facts: Facts, changes: dict[str, str], platform: str, system: str
) -> None:
    machine = read_machine(a_host(**changes), facts)
    assert machine.bound["platform"] == platform
    assert machine.bound["os"] == system


def test_what_cannot_be_changed_is_bound(facts: Facts) -> None:
    gpus = (Gpu(name="A100", architecture="sm_80"), Gpu(name="A100", architecture="sm_80"))
    machine = read_machine(a_host(gpus=gpus, driver="550.90.07"), facts, "the server")
    assert machine.bound == {
        "platform": "linux-x86_64", "glibc": "2.36", "driver": "550.90.07", "os": "debian 12",
    }  # fmt: skip
    assert machine.gpus == ("8.0",)
    assert machine.name == "the server"
    assert machine.where("glibc", "2.36") == "the server"


def test_a_machine_without_a_driver_is_not_bound_to_one(facts: Facts) -> None:
    machine = read_machine(a_host(), facts)
    assert "driver" not in machine.bound
    assert machine.gpus == ()


def machine_of(facts: Facts) -> Machine:
    gpus = (Gpu(name="A100", architecture="sm_80"), Gpu(name="H100", architecture="sm_90"))
    compilers = programs("12.2.0", "11.4.0")
    return read_machine(a_host(gpus=gpus, driver="550.54.14", compilers=compilers), facts)


def test_here_pins(facts: Facts) -> None:
    found = {pin.axis: pin.spec for pin in here_pins(machine_of(facts), pins(cuda="any"))}
    assert found["os"] == "debian 12"
    assert found["gcc"] == "12.2 | 11.4"
    assert found["driver"] == "550.54.14"
    assert found["gpu"] == "8.0,9.0"
    assert "bazel" not in found, "another Bazel is just a download"
    assert {pin.origin for pin in here_pins(machine_of(facts), pins(cuda="any"))} == {HERE}


def test_what_any_machine_has_is_marked_as_such(facts: Facts) -> None:
    there = read_machine(a_host(), facts, "the machine of x.json")
    assert {pin.kind for pin in here_pins(there, ())} == {"machine"}


def test_here_pins_leave_out_what_the_request_names(facts: Facts) -> None:
    found = {p.axis for p in here_pins(machine_of(facts), pins(gcc="9", gpu="8.0"))}
    assert not found & {"gcc", "gpu"}


def test_a_build_without_cuda_does_not_care_for_gpus(facts: Facts) -> None:
    found = {pin.axis for pin in here_pins(machine_of(facts), ())}
    assert not found & {"driver", "gpu"}


def test_no_machine_has_nothing() -> None:
    assert here_pins(NO_MACHINE, ()) == ()
    assert NO_MACHINE.where("python", "3.11") == ""


# --- what the resolver makes of it, on the project's own tables ----------------------------------


def here(host: Host, tables: Tables, *words: str, **specs: str) -> dict[str, str]:
    facts = load_facts(tables)
    machine = read_machine(host, facts)
    requested = pins(*words, **specs)
    held = (*requested, *here_pins(machine, requested))
    answer = resolve(Question(pins=held, machine=machine), facts)
    assert answer.status == "ok", [conflict.message for conflict in answer.conflicts]
    return chosen(answer)


def test_the_answer_for_a_machine_takes_what_is_there(tables: Tables) -> None:
    host = a_host(pythons=(python("3.9.2"),), compilers=programs("10.2.1"))
    found = here(host, tables, tensorflow="2.6.5")
    assert found["python"] == "3.9"
    assert found["gcc"] == "10.2"
    assert found["os"] == "debian 12"
    assert found["glibc"] == "2.36"


@pytest.mark.parametrize(
    ("distribution", "version"),
    [("arch", ""), ("debian", "99"), ("ubuntu", "12.10"), ("nixos", "25")],
)
def test_a_system_without_a_row_is_no_obstacle(
    tables: Tables, distribution: str, version: str
) -> None:
    host = a_host(
        distribution=distribution, distribution_version=version, glibc="2.40",
        pythons=(python("3.11.9"),), compilers=programs("14.2.0"),
    )  # fmt: skip
    assert here(host, tables)["os"].startswith(distribution)


def test_a_driver_between_known_ones_is_judged_by_ranges(tables: Tables) -> None:
    gpus = (Gpu(name="A100", architecture="sm_80"),)
    host = a_host(
        gpus=gpus, driver="535.183.01", pythons=(python("3.11.9"),), compilers=programs("12.2.0")
    )
    found = here(host, tables, tensorflow="2.15.0", cuda="12.2")
    assert found["driver"] == "535.183.01"
    assert found["gpu"] == "8.0"
