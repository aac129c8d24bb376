"""Speed of Softmax over 1024 rows of 1024 float32 numbers.

The input is a variable and the op is fetched, so nothing is folded and no result is copied out.
"""

from functools import partial

import numpy as np
import onnx_model
import probe_tools as probe

SIZE = 1024


def make_call(module, device):
    """A function that computes one softmax."""
    logits = np.random.default_rng(0).standard_normal((SIZE, SIZE), dtype=np.float32)
    kind = probe.kind_of(module)
    if kind == "onnxruntime":
        return onnx_model.call_of(module, "Softmax", [logits], {"axis": -1})
    if kind == "torch":
        tensor = module.from_numpy(logits)
        return lambda: module.softmax(tensor, dim=-1)
    if kind == "numpy":

        def softmax():
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)

        return softmax
    with module.device(device):
        out = module.nn.softmax(probe.variable(module, logits)).op
    session = probe.started_session(module)
    return lambda: session.run(out)


def timings(module, device):
    """One softmax."""
    return {"softmax_1024": probe.Timed(partial(make_call, module, device), "ms")}


if __name__ == "__main__":
    probe.serve(__doc__, timings)
