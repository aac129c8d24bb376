"""Speed of MatMul in float32, square, at five sizes.

The factors are variables and the product's op is fetched, not its value: the product cannot be
folded into a constant, and no copy of the result to Python is counted. NumPy and PyTorch write into
a result that is there.
"""

from functools import partial

import numpy as np
import onnx_model
import probe_tools as probe

SIZES = (128, 256, 512, 1024, 2048)


def make_call(module, size, device):
    """A function that computes one product."""
    random = np.random.default_rng(size)
    left, right = (random.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    kind = probe.kind_of(module)
    if kind == "onnxruntime":
        return onnx_model.call_of(module, "MatMul", [left, right])
    if kind in ("numpy", "torch"):
        factors = (left, right) if kind == "numpy" else map(module.from_numpy, (left, right))
        left, right = factors
        out = module.empty_like(left)
        return lambda: module.matmul(left, right, out=out)
    with module.device(device):
        product = module.matmul(probe.variable(module, left), probe.variable(module, right)).op
    session = probe.started_session(module)
    return lambda: session.run(product)


def timings(module, device):
    """One product of each size."""
    return {
        f"matmul_{size}": probe.Timed(
            partial(make_call, module, size, device), "GFLOP/s", 2 * size**3
        )
        for size in SIZES
    }


if __name__ == "__main__":
    probe.serve(__doc__, timings)
