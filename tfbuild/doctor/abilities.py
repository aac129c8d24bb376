"""What a machine can do, in two sentences: which wheels it can build and where, which tests run."""

from collections.abc import Sequence

from tfbuild.doctor.checks.model import Check

# What stands in the way of every build; a container brings its own tools.
_GROUND = ("host", "folders", "network")
_TOOLS = ("compiler", "python", "bazel")


def verdict_lines(checks: Sequence[Check], noun: str = "wheel") -> list[str]:
    """The verdict on all checks of a machine: what it can build, and what it cannot run.

    noun is what is built of the versions that were asked for.
    """
    ground, tools = _failure(checks, _GROUND), _failure(checks, _TOOLS)
    cuda = _failure(checks, ("cuda",))
    engine = _named(checks, "container", "engine")
    inside = ground or ("" if engine and engine.state == "pass" else _why(engine, "no engine"))
    answers = {
        f"CPU {noun}": ground or tools,
        f"CUDA {noun}": ground or tools or cuda,
        "in a container": inside,
    }
    words = [f"{what} {f'no ({why})' if why else 'yes'}" for what, why in answers.items()]
    lines = [f"This machine can build: {', '.join(words)}."]
    driver = _named(checks, "gpu", "driver")
    if driver is not None and driver.state != "pass":
        lines.append(f"It cannot run GPU tests: {driver.detail.partition(';')[0]}.")
    return lines


def _failure(checks: Sequence[Check], groups: Sequence[str]) -> str:
    """The first failure of these groups in words; empty where there is none."""
    failed = (check for check in checks if check.group in groups and check.state == "failure")
    first = next(failed, None)
    return f"{first.group}.{first.name}" if first else ""


def _named(checks: Sequence[Check], group: str, name: str) -> Check | None:
    return next((c for c in checks if (c.group, c.name) == (group, name)), None)


def _why(check: Check | None, usual: str) -> str:
    return check.detail.partition(";")[0] if check else usual
