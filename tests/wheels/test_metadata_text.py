"""What METADATA says."""

from tfbuild.core.plans import WheelPlan
from tfbuild.wheels.metadata_text import metadata_text

SPEC = WheelPlan(
    distribution="tiny-runtime", package="tiny_runtime", version="0.1.0", python_tag="cp311",
    abi_tag="cp311", platform="linux_x86_64", summary="A tiny one", requires_python=">=3.10",
    requires=("numpy>=1.23",), extras=(("cuda13", ("nvidia-cublas>=13,<14",)),),
    frontend="python/tiny_runtime", extension="_runtime.so",
)  # fmt: skip


def test_metadata_has_the_extra() -> None:
    lines = metadata_text(SPEC, ["LICENSE"]).splitlines()
    assert "Requires-Dist: numpy>=1.23" in lines
    assert "Provides-Extra: cuda13" in lines
    assert "Requires-Dist: nvidia-cublas>=13,<14; extra == 'cuda13'" in lines
    assert "License-File: LICENSE" in lines
    assert "    pip install tiny-runtime[cuda13]" in lines
