"""How long the import takes in a new interpreter, and how much the distribution installs.

The first import of a run warms the file cache and is left out. Sizes are those of the installed
files that the distribution lists, alone and with everything it requires.
"""

import importlib.metadata
import re
import subprocess
import sys

import probe_tools as probe

TIMED = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


def import_seconds(module):
    """Seconds of one import in a new interpreter."""
    code = TIMED.format(module=module)
    run = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    return float(run.stdout.split()[-1])


def installed_bytes(distribution):
    """Bytes of the files that one distribution installed."""
    paths = {path.locate().resolve() for path in importlib.metadata.files(distribution) or ()}
    return sum(path.stat().st_size for path in paths if path.is_file())


def closure(distribution, seen):
    """The distribution and everything it requires that is installed; extras are left out."""
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    if name in seen:
        return seen
    try:
        requires = importlib.metadata.requires(name) or ()
    except importlib.metadata.PackageNotFoundError:
        return seen
    seen.add(name)
    for line in requires:
        if "extra ==" not in line:
            closure(re.match(r"[A-Za-z0-9._-]+", line)[0], seen)
    return seen


def main():
    """Measure both."""
    options = probe.arguments(__doc__)
    if options.module == "numpy":
        skipped = "NumPy is part of what the wheel needs, not a baseline of it"
        probe.finish({"measurements": {}, "skipped": skipped})
        return
    name = probe.distribution_of(options.module)
    import_seconds(options.module)
    seconds = [import_seconds(options.module) for _ in range(3)]
    alone = installed_bytes(name) / 1e6
    whole = sum(installed_bytes(each) for each in closure(name, set())) / 1e6
    probe.finish(
        {
            "measurements": {
                "import": probe.duration(seconds, "s"),
                "installed_size": probe.measurement([alone], "MB", higher_is_better=False),
                "installed_size_all": probe.measurement([whole], "MB", higher_is_better=False),
            }
        }
    )


if __name__ == "__main__":
    main()
