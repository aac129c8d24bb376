"""Speed of elementwise ops on sixteen million float32 numbers: one sum, and a chain of three ops.

The sum is bound by memory: its rate counts two reads and one write. Inputs are variables and ops
are fetched, so nothing is folded and no result is copied out.
"""

from functools import partial

import numpy as np
import onnx_model
import probe_tools as probe

COUNT = 16 * 1024 * 1024


def make_arrays(number):
    """So many vectors."""
    random = np.random.default_rng(0)
    return [random.standard_normal(COUNT, dtype=np.float32) for _ in range(number)]


def make_sum(module, device):
    """A function that adds two vectors."""
    arrays = make_arrays(2)
    kind = probe.kind_of(module)
    if kind == "onnxruntime":
        return onnx_model.call_of(module, "Add", arrays)
    if kind != "tensorflow":
        first, second = map(module.from_numpy, arrays) if kind == "torch" else arrays
        return lambda: first + second
    with module.device(device):
        total = module.add(*(probe.variable(module, array) for array in arrays)).op
    session = probe.started_session(module)
    return lambda: session.run(total)


def make_chain(module, device):
    """A function that computes tanh(a b + c)."""
    arrays = make_arrays(3)
    kind = probe.kind_of(module)
    if kind != "tensorflow":
        first, second, third = map(module.from_numpy, arrays) if kind == "torch" else arrays
        return lambda: module.tanh(first * second + third)
    with module.device(device):
        first, second, third = (probe.variable(module, array) for array in arrays)
        chain = module.tanh(first * second + third).op
    session = probe.started_session(module)
    return lambda: session.run(chain)


def timings(module, device):
    """Both; a chain is no single operator of ONNX."""
    found = {"add_16m": probe.Timed(partial(make_sum, module, device), "GB/s", 12 * COUNT)}
    if probe.kind_of(module) != "onnxruntime":
        found["tanh_chain_16m"] = probe.Timed(partial(make_chain, module, device), "ms")
    return found


if __name__ == "__main__":
    probe.serve(__doc__, timings)
