"""What a machine can do, in two sentences."""

import pytest

from tfbuild.doctor.abilities import request_lines, verdict_lines
from tfbuild.doctor.checks.model import Check, CheckState
from tfbuild.doctor.feasibility import Way


def a_check(group: str, name: str, state: CheckState = "pass", detail: str = "fine") -> Check:
    return Check(group=group, name=name, state=state, detail=detail)


GOOD = (a_check("host", "memory"), a_check("compiler", "g++"), a_check("cuda", "kernels"))
ENGINE = a_check("container", "engine")
_LATER = (
    "This machine cannot build it with its own tools. "
    "A container on it can, once this is in order: container.engine."
)


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


@pytest.mark.parametrize(
    ("way", "checks", "verdict"),
    [
        ("here", GOOD, "This machine can build it."),
        (
            "here",
            (*GOOD, a_check("request", "versions", "warning")),
            "This machine can build it, with versions that nobody is known to have tried.",
        ),
        (
            "here",
            (*GOOD, a_check("host", "disk", "failure")),
            "This machine cannot build it as it is; it lacks: host.disk.",
        ),
        (
            "container",
            (a_check("request", "versions", "failure"), ENGINE),
            "This machine can build it in a container, and not with its own tools.",
        ),
        (
            "container",
            (a_check("request", "versions", "failure"), a_check("container", "engine", "failure")),
            _LATER,
        ),
        ("none", GOOD, "No machine can build this: no versions go together that are as asked for."),
    ],
)
def test_a_request_has_one_verdict(way: Way, checks: tuple[Check, ...], verdict: str) -> None:
    assert request_lines("it", way, checks, of_gpu=False) == [verdict]


def test_gpu_tests_matter_where_a_gpu_is_asked_for() -> None:
    checks = (*GOOD, a_check("gpu", "driver", "skipped", "no driver; so what"))
    assert request_lines("it", "here", checks, of_gpu=False) == ["This machine can build it."]
    assert request_lines("it", "here", checks, of_gpu=True)[1:] == [
        "It cannot run GPU tests: no driver."
    ]
