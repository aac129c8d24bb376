"""What a machine can do, in two sentences."""

from tfbuild.doctor.abilities import verdict_lines
from tfbuild.doctor.checks.model import Check, CheckState


def a_check(group: str, name: str, state: CheckState = "pass", detail: str = "fine") -> Check:
    return Check(group=group, name=name, state=state, detail=detail)


GOOD = (a_check("host", "memory"), a_check("compiler", "g++"), a_check("cuda", "kernels"))
ENGINE = a_check("container", "engine")


def test_all_is_well() -> None:
    driver = a_check("gpu", "driver")
    assert verdict_lines((*GOOD, ENGINE, driver)) == [
        "This machine can build: CPU wheel yes, CUDA wheel yes, in a container yes."
    ]


def test_what_lacks_is_named() -> None:
    broken = a_check("cuda", "kernels", "failure", "no")
    away = a_check("container", "engine", "skipped", "docker does not answer; start it")
    driver = a_check("gpu", "driver", "skipped", "no NVIDIA driver on this machine; so what")
    can, cannot = verdict_lines((*GOOD, broken, away, driver))
    assert can.endswith("CUDA wheel no (cuda.kernels), in a container no (docker does not answer).")
    assert cannot == "It cannot run GPU tests: no NVIDIA driver on this machine."


def test_a_container_brings_tools_and_no_memory() -> None:
    no_compiler = a_check("compiler", "g++", "failure")
    assert "CPU wheel no (compiler.g++)" in verdict_lines((no_compiler, ENGINE))[0]
    assert "in a container yes" in verdict_lines((no_compiler, ENGINE))[0]
    no_memory = a_check("host", "memory", "failure")
    assert "in a container no (host.memory)" in verdict_lines((no_memory, ENGINE))[0]
