"""One kernel written for each library that it is measured on, and the call that runs it once.

Each is one op (or the few that the word stands for) on variables, fetched as an op: nothing is
folded, no result is copied out. PyTorch has its images channels last, as the graph has; ONNX
Runtime has them channels first, since it knows nothing else.
"""

from functools import partial

import numpy as np
import onnx_model
import probe_tools as probe


class Kernel:
    """How one kernel is written for each: functions of the module and the inputs; None: not there.

    inputs makes the arrays; onnx is an operator, or that and its attributes.
    """

    def __init__(self, inputs, tensorflow, torch=None, numpy=None, onnx=None):
        self.inputs, self.tensorflow, self.torch = inputs, tensorflow, torch
        self.numpy, self.onnx = numpy, (onnx, {}) if isinstance(onnx, str) else onnx


def normal(*shape):
    """Normally distributed numbers."""
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def torch_images(array):
    """Channels last in memory, second in its shape."""
    return array.permute(0, 3, 1, 2)


def make_call(kernel, module, device):
    """A function that runs the kernel once."""
    kind, arrays = probe.kind_of(module), kernel.inputs()
    if kind == "onnxruntime":
        return onnx_model.call_of(module, kernel.onnx[0], arrays, kernel.onnx[1])
    if kind != "tensorflow":
        inputs = [module.from_numpy(array) for array in arrays] if kind == "torch" else arrays
        return partial(getattr(kernel, kind), module, *inputs)
    with module.Graph().as_default(), module.device(device):
        out = kernel.tensorflow(module, *(probe.variable(module, array) for array in arrays))
        session = probe.started_session(module)
        ops = [getattr(each, "op", each) for each in (out if isinstance(out, list) else [out])]
    return lambda: session.run(ops)


def timings_of(kernels, module, device):
    """All that the module has, by name."""
    kind = "onnx" if probe.kind_of(module) == "onnxruntime" else probe.kind_of(module)
    return {
        name: probe.Timed(partial(make_call, kernel, module, device), "us")
        for name, kernel in kernels.items()
        if getattr(kernel, kind)
    }
