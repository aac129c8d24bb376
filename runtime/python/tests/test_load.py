"""The extension module is loaded with idle threads that soon sleep, and leaves no trace of it."""

import os
import subprocess
import sys

import pytest

NAMES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
SHOW = f"import os, tfbuild_runtime.compat.v1; print([os.environ.get(n) for n in {NAMES}])"


def environment(**changes: str) -> "dict[str, str]":
    return {k: v for k, v in os.environ.items() if k not in NAMES} | changes


def shown(**changes: str) -> str:
    words = [sys.executable, "-c", SHOW]
    ended = subprocess.run(
        words, env=environment(**changes), capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


def spins(**changes: str) -> str:
    """Return what OpenMP itself says, on its error stream, that it has read."""
    words = [sys.executable, "-c", "import tfbuild_runtime.compat.v1"]
    settings = environment(OMP_DISPLAY_ENV="VERBOSE", **changes)
    ended = subprocess.run(words, env=settings, capture_output=True, text=True, check=True)
    return next(line for line in ended.stderr.splitlines() if "GOMP_SPINCOUNT" in line)


def test_the_environment_is_as_before() -> None:
    assert shown() == "[None, None]"


@pytest.mark.parametrize("change", [{"OMP_WAIT_POLICY": "ACTIVE"}, {"GOMP_SPINCOUNT": "7"}])
def test_the_users_policy_is_kept(change: "dict[str, str]") -> None:
    assert shown(**change) == str([change.get(name) for name in NAMES])
    assert "'300'" not in spins(**change)


def test_the_library_reads_the_policy() -> None:
    assert "'300'" in spins()


def test_a_second_import_says_why_it_cannot_be(python) -> None:
    again = """
import sys
import tfbuild_runtime.compat.v1
for name in [name for name in sys.modules if name.split(".")[0] == "tfbuild_runtime"]:
    del sys.modules[name]
try:
    import tfbuild_runtime.compat.v1
except ImportError as error:
    print(error)
"""
    assert "in a new process" in python(again)
