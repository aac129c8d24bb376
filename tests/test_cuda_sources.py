"""What the rule that compiles CUDA takes for granted of the sources."""

import re
from pathlib import Path

RUNTIME = Path(__file__).parent.parent / "runtime"


def test_kernels_ask_for_no_architecture_but_the_one_of_the_common_ptx() -> None:
    rule = (RUNTIME / "bazel" / "cuda.bzl").read_text()
    (common,) = re.findall(r"^_COMMON_PTX = (\d+)$", rule, re.MULTILINE)
    compared = set()
    for path in [*RUNTIME.glob("kernels/**/*.cu*"), *RUNTIME.glob("kernels/**/*.h")]:
        compared |= set(re.findall(r"__CUDA_ARCH__\s*([<>=!]+\s*\d+)", path.read_text()))
    assert compared == {f">= {common}0"}, "one PTX serves all of them only if they read alike"
