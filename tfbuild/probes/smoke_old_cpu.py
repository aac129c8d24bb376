"""Some checks once more on an emulated processor without AVX, as x86-64-v2 describes it.

Reading machine code shows that a library asks the processor before it uses new instructions, not
that it always does: running it where they are illegal does. NumPy itself needs x86-64-v2, so
nothing older is emulated. Skipped by name where QEMU's user emulation is not installed.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import probe_tools as probe
from smoke_tools import Skip, Suite, expect

EMULATOR = "qemu-x86_64"
PROCESSOR = "Nehalem"
SCRIPTS = {
    "import": "smoke_import",
    "MatMul": "smoke_matmul",
    "Conv2D": "smoke_conv2d",
    "gradients": "smoke_gradients",
}


def emulate(script, module):
    """Run a script of this folder on the old processor; all of its checks must hold."""
    if platform.machine() != "x86_64":
        raise Skip("it is for x86-64 only")
    emulator = shutil.which(EMULATOR)
    if emulator is None:
        raise Skip(f"{EMULATOR} is not installed: Debian and Ubuntu have it in qemu-user")
    run = subprocess.run(
        [
            *(emulator, "-cpu", PROCESSOR, sys.executable),
            *(str(Path(__file__).with_name(f"{script}.py")), "--module", module),
        ],
        capture_output=True,
        text=True,
        check=False,
        # OpenBLAS, which NumPy brings, takes the emulated processor for a newer one.
        env=os.environ | {"OPENBLAS_CORETYPE": "NEHALEM"},
    )
    last = (run.stderr.strip().splitlines() or [""])[-1]
    expect(run.returncode == 0, f"code {run.returncode}: {last[:300]}")
    checks = json.loads(run.stdout.splitlines()[-1])["checks"]
    for check in checks:
        expect(check["state"] != "failed", f"{check['name']}: {check['reason']}")
    return {"processor": PROCESSOR, "checks": len(checks)}


def main():
    """One check for each script."""
    options = probe.arguments(__doc__)
    suite = Suite()
    for name, script in SCRIPTS.items():
        suite.run(f"old CPU: {name}", lambda script=script: emulate(script, options.module))
    suite.finish()


if __name__ == "__main__":
    main()
