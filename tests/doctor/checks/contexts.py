"""Places for checks to look at: a machine made up, programs that are scripts, real programs."""

from collections.abc import Sequence
from pathlib import Path

from tests.fakes import FakeEnvironment, a_host
from tfbuild.core.interfaces import Runner, Tools
from tfbuild.core.process import ProcessRunner
from tfbuild.doctor.checks.model import BuildNeeds, CheckContext, CheckResult


def a_context(
    tmp_path: Path, *, needs: BuildNeeds | None = None, runner: Runner | None = None, **host: object
) -> CheckContext:
    """A context on a machine with these properties; real programs run unless a runner is given."""
    env = FakeEnvironment(tmp_path / "env")
    folder = tmp_path / "probing"
    folder.mkdir(parents=True, exist_ok=True)
    tools = Tools(
        runner=runner or ProcessRunner(),
        reporter=env.reporter,
        folders=env.tools.folders,
        host=a_host(**host),
    )
    return CheckContext(tools=tools, needs=needs or BuildNeeds(), folder=folder)


def a_script(path: Path, *lines: str) -> str:
    """A program that is a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return str(path)


def lines_of(found: CheckResult | Sequence[CheckResult]) -> list[CheckResult]:
    """The lines of a look, each with what a line must have."""
    lines = [found] if isinstance(found, CheckResult) else list(found)
    assert lines, "a look says something"
    for line in lines:
        assert line.detail
        assert "\n" not in line.detail + line.fix
        assert bool(line.fix) == (line.state in {"warning", "failure"}), line
    return lines


def the_line(found: CheckResult | Sequence[CheckResult]) -> CheckResult:
    """The only line of a look."""
    (line,) = lines_of(found)
    return line
