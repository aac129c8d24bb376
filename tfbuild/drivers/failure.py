"""The errors of build systems that failed, with what may help."""

from pathlib import Path

from tfbuild.core.errors import BuildFailed, CommandFailed, ConfigureFailed
from tfbuild.diagnosis.failure_lines import FailureLines
from tfbuild.diagnosis.findings import first_cause

_AGAIN = "`tfbuild debug` runs it alone"
_SYSTEM = "make"  # remedies are the same for all but Bazel, which has errors of its own
_KEPT = "the log has the whole output; what was compiled is kept"


def configure_failed(
    system: str, said: FailureLines, error: CommandFailed, *, details: Path | None = None
) -> ConfigureFailed:
    """The error of a build system that could not configure; details is a log of its own."""
    why = said.why(error.last_lines)
    more = f"{details} has the details" if details else "the log has the details"
    return ConfigureFailed(
        f"{system} could not configure the source code",
        code="configure-command-failed",
        why=why,
        hint=_hint(why, f"{more}; what the recipe names as needs was there"),
        log=error.log,
    )


def build_failed(builder: str, said: FailureLines, error: CommandFailed) -> BuildFailed:
    """The error of a build system that could not build."""
    why = said.why(error.last_lines)
    return BuildFailed(
        f"{builder} could not build the source code",
        code="build-command-failed",
        why=why,
        hint=_hint(why, _KEPT),
        log=error.log,
    )


def install_failed(builder: str, said: FailureLines, error: CommandFailed) -> BuildFailed:
    """The error of a build system that has built, and could not install."""
    why = said.why(error.last_lines)
    return BuildFailed(
        f"{builder} could not install what was built",
        code="install-command-failed",
        why=why,
        hint=_hint(why, _KEPT),
        log=error.log,
    )


def _hint(why: str, usual: str) -> str:
    return f"{(_remedy(why) or usual).removesuffix('.')}; {_AGAIN}"


def _remedy(text: str) -> str:
    """What the catalogue of known causes knows to do."""
    found = first_cause(text, _SYSTEM)
    return found.fix if found and found.kind in {"cause", "general"} else ""
