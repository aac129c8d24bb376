"""What failed build systems are found to say."""

from pathlib import Path

from tfbuild.core.errors import CommandFailed
from tfbuild.diagnosis.failure_lines import FailureLines
from tfbuild.drivers.failure import build_failed, configure_failed, install_failed


def test_errors_have_a_remedy_and_the_log() -> None:
    error = CommandFailed("x", last_lines=("nobody knows this",), log="/run/log.txt")
    configured = configure_failed("CMake", FailureLines(), error, details=Path("/b/config.log"))
    assert (configured.code, configured.log) == ("configure-command-failed", "/run/log.txt")
    assert configured.hint.startswith("/b/config.log ")
    built = build_failed("make", FailureLines(), error)
    assert (built.code, built.why) == ("build-command-failed", "nobody knows this")
    installed = install_failed("make", FailureLines(), error)
    assert (installed.code, installed.why) == ("install-command-failed", "nobody knows this")
    assert built.hint and installed.hint


def test_a_known_cause_has_its_known_remedy() -> None:
    said = FailureLines()
    said.take("CMake Error at CMakeLists.txt:1 (cmake_minimum_required):")
    said.take("  Compatibility with CMake < 3.5 has been removed from CMake.")
    error = CommandFailed("x", last_lines=())
    assert "CMAKE_POLICY_VERSION_MINIMUM" in configure_failed("CMake", said, error).hint
