"""Runs a model in LiteRT on the inputs of lite/smoke.c, and compares with the outputs of that.

Words: MODEL OUTPUT. The last line printed is {"ending": "equal | different | refused", "said": ""}.
Written for Python 3.9 and newer, as all probes are.
"""

import json
import sys
from pathlib import Path

import numpy as np

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5  # two builds of one kernel, with other instructions
_STEPS = 1  # of quantised numbers


class _Generator:
    """The numbers of smoke.c."""

    def __init__(self):
        self.state = 1

    def next(self, count, modulus):
        numbers = np.empty(count, np.int64)
        for i in range(count):
            self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
            numbers[i] = (self.state >> 16) % modulus
        return numbers


def fill(generator, shape, dtype):
    """An input, or None for a type that smoke.c does not fill."""
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == np.float32:
        thousandths = generator.next(count, 2001).astype(np.float32)
        values = thousandths / np.float32(1000.0) - np.float32(1.0)
    elif dtype in (np.uint8, np.int8):
        values = generator.next(count, 100)
    elif dtype == np.bool_:
        values = generator.next(count, 2)
    elif dtype in (np.int32, np.int64):
        values = generator.next(count, 3)
    else:
        return None
    return values.astype(dtype).reshape(shape)


def run(model):
    """The outputs as arrays, or a text that says where LiteRT refused."""
    from ai_edge_litert.interpreter import Interpreter

    try:
        interpreter = Interpreter(model_path=model, num_threads=1)
        interpreter.allocate_tensors()
    except (ValueError, RuntimeError) as error:
        return str(error).splitlines()[0][:200]
    generator = _Generator()
    for detail in interpreter.get_input_details():
        value = fill(generator, detail["shape"], detail["dtype"])
        if value is None:
            return f"an input of type {np.dtype(detail['dtype']).name}"
        interpreter.set_tensor(detail["index"], value)
    try:
        interpreter.invoke()
        return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
    except (ValueError, RuntimeError) as error:
        return str(error).splitlines()[0][:200]


def compare(outputs, raw):
    """How the bytes that smoke.c wrote differ from these arrays: ending and words."""
    size = sum(output.nbytes for output in outputs)
    if size != len(raw):
        return "different", f"{len(raw)} bytes, LiteRT has {size}"
    at, worst = 0, 0.0
    for output in outputs:
        ours = np.frombuffer(raw, output.dtype, output.size, at).reshape(output.shape)
        at += output.nbytes
        if output.dtype.kind == "f":
            close = np.isclose(ours, output, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True)
            gap = np.abs(ours.astype(np.float64) - output.astype(np.float64))
        else:
            gap = np.abs(ours.astype(np.int64) - output.astype(np.int64))
            close = gap <= (_STEPS if output.dtype.itemsize == 1 else 0)
        if not np.all(close):
            where = int(np.flatnonzero(~np.ravel(close))[0])
            return "different", f"number {where}: {np.ravel(ours)[where]}, LiteRT has " + str(
                np.ravel(output)[where]
            )
        worst = max(worst, float(np.max(gap, initial=0.0)))
    return "equal", f"{sum(o.size for o in outputs)} numbers, at most {worst:.3g} apart"


def main(words):
    """Print what was found about one model."""
    model, output = words
    found = run(model)
    if isinstance(found, str):
        ending, said = "refused", found
    else:
        ending, said = compare(found, Path(output).read_bytes())
    print(json.dumps({"ending": ending, "said": said}))


if __name__ == "__main__":
    main(sys.argv[1:])
