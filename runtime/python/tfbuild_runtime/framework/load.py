"""Loads the extension module so that its idle threads soon sleep instead of spinning.

OpenMP's threads spin while they wait for the next loop. Where anything else runs on the machine
they take the processor from the very thread they wait for, and a step of 0.5 ms takes 100 ms. Yet
waking one that sleeps costs about 50 us, which the next small kernel need not pay if it comes soon.
Whoever sets OMP_WAIT_POLICY or GOMP_SPINCOUNT keeps it.
"""

import importlib
import os
from typing import Any

_SPINS = "GOMP_SPINCOUNT"
_SOON = "300"  # turns of 20 to 60 ns each


def load_extension() -> Any:
    """Return the extension module.

    Raises ImportError as its import does, and where this process has imported it before.
    """
    module = _load()
    if not hasattr(module, "Graph"):
        raise ImportError(
            "tfbuild_runtime was imported in this process before, and then removed from "
            "sys.modules: its extension module cannot be loaded twice. Keep its modules there, or "
            "import it in a new process."
        )
    return module


def _load() -> Any:
    name = "tfbuild_runtime._runtime"
    if _SPINS in os.environ or "OMP_WAIT_POLICY" in os.environ:
        return importlib.import_module(name)
    os.environ[_SPINS] = _SOON  # read once, while the library is loaded
    try:
        return importlib.import_module(name)
    finally:
        del os.environ[_SPINS]
