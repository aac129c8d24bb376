"""Runs a model in LiteRT on the inputs of lite/smoke.c, and writes its outputs to a file.

Words: MODEL OUTPUT. The last line printed is {"ending": "ok | refused", "said": ""}, where said
is types and bytes of the outputs (float32:12,int8:4), or why LiteRT refused.
"""

import json
import sys
from pathlib import Path

import numpy as np


class _Generator:
    """The numbers of smoke.c."""

    def __init__(self):
        self.state = 1

    def next(self, count, modulus):
        """As many numbers below modulus; all states at once, in arithmetic that wraps at 2**32."""
        powers = np.cumprod(np.full(count, 1664525, np.uint32), dtype=np.uint32)
        sums = np.cumsum(np.concatenate(([1], powers[:-1])), dtype=np.uint32)
        states = powers * np.uint32(self.state) + np.uint32(1013904223) * sums
        self.state = int(states[-1]) if count else self.state
        return (states >> np.uint32(16)).astype(np.int64) % modulus


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


def main(words):
    """Run one model, and print how that went."""
    model, output = words
    found = run(model)
    if isinstance(found, str):
        ending, said = "refused", found
    else:
        ending = "ok"
        said = ",".join(f"{array.dtype.name}:{array.nbytes}" for array in found)
        Path(output).write_bytes(b"".join(array.tobytes() for array in found))
    print(json.dumps({"ending": ending, "said": said}))


if __name__ == "__main__":
    main(sys.argv[1:])
