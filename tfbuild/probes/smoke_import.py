"""The package is imported from where it was installed, and works with no source tree around."""

import importlib
import importlib.metadata
import sys
import time
from pathlib import Path

import probe_tools as probe
from smoke_tools import Suite, expect


def main():
    """Import it and compare its versions."""
    options = probe.arguments(__doc__)
    package = options.module.partition(".")[0]
    suite = Suite()

    def import_it():
        start = time.perf_counter()
        module = importlib.import_module(package)
        importlib.import_module(options.module)
        seconds = time.perf_counter() - start
        path = Path(module.__file__).resolve()
        expect(path.is_relative_to(Path(sys.prefix).resolve()), f"{path} is not in the environment")
        return {"seconds": f"{seconds:.2f}"}

    def version():
        found = importlib.import_module(package).__version__
        stated = importlib.metadata.version(probe.distribution_of(package))
        expect(found == stated, f"__version__ is {found}, METADATA says {stated}")
        wanted = options.version or stated
        expect(found == wanted, f"__version__ is {found}, expected {wanted}")
        return {"version": found}

    suite.run("import", import_it)
    suite.run("version", version)
    suite.finish()


if __name__ == "__main__":
    main()
