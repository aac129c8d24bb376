"""What a machine can do, in two sentences: what it can build and where, which tests run there."""

from collections.abc import Sequence

from tfbuild.doctor.checks.model import Check
from tfbuild.doctor.feasibility import GROUP, Way

# What stands in the way of every build; a container brings its own tools.
_GROUND = ("host", "folders", "network")
_TOOLS = ("compiler", "python", "bazel")


def verdict_lines(checks: Sequence[Check]) -> list[str]:
    """The verdict on all checks of a machine: what it can build, and what it cannot run."""
    ground, tools = _failure(checks, _GROUND), _failure(checks, _TOOLS)
    cuda = _failure(checks, ("cuda",))
    engine = _named(checks, "container", "engine")
    inside = ground or ("" if engine and engine.state == "pass" else _why(engine, "no engine"))
    answers = {
        "CPU wheel": ground or tools,
        "CUDA wheel": ground or tools or cuda,
        "in a container": inside,
    }
    words = [f"{what} {f'no ({why})' if why else 'yes'}" for what, why in answers.items()]
    lines = [f"This machine can build: {', '.join(words)}."]
    return [*lines, *_gpu_lines(checks)]


def request_lines(title: str, way: Way, checks: Sequence[Check], *, of_gpu: bool) -> list[str]:
    """The verdict on a request: whether this machine can build it, how, and what it lacks.

    title is what would be built, in words; way is how versions for it were found; of_gpu where
    what is built computes on a GPU.
    """
    return [_verdict(title, way, checks), *(_gpu_lines(checks) if of_gpu and way != "none" else [])]


def _verdict(title: str, way: Way, checks: Sequence[Check]) -> str:
    lacks = [one.code for one in checks if one.state == "failure" and one.group != GROUP]
    doubts = [one.name for one in checks if one.state == "warning" and one.group == GROUP]
    if way == "none":
        return "No machine can build this: no versions go together that are as asked for."
    if way == "container":
        if not lacks:
            return f"This machine can build {title} in a container, and not with its own tools."
        begin = f"This machine cannot build {title} with its own tools. A container on it can"
        return f"{begin}, once this is in order: {', '.join(lacks)}."
    if lacks:
        return f"This machine cannot build {title} as it is; it lacks: {', '.join(lacks)}."
    if "versions" in doubts:
        return f"This machine can build {title}, with versions that nobody is known to have tried."
    return f"This machine can build {title}."


def _gpu_lines(checks: Sequence[Check]) -> list[str]:
    driver = _named(checks, "gpu", "driver")
    if driver is None or driver.state == "pass":
        return []
    return [f"It cannot run GPU tests: {driver.detail.partition(';')[0]}."]


def _failure(checks: Sequence[Check], groups: Sequence[str]) -> str:
    """The first failure of these groups in words; empty where there is none."""
    failed = (check for check in checks if check.group in groups and check.state == "failure")
    first = next(failed, None)
    return f"{first.group}.{first.name}" if first else ""


def _named(checks: Sequence[Check], group: str, name: str) -> Check | None:
    return next((c for c in checks if (c.group, c.name) == (group, name)), None)


def _why(check: Check | None, usual: str) -> str:
    return check.detail.partition(";")[0] if check else usual
