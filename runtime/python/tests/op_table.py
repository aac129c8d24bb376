"""Writes runtime/OPS.md, the table of all ops, and the stubs of the raw ones: python op_table.py

It needs the built package, and the sources for what is only there on a machine with a GPU.
"""

import math
import re
import sys
from pathlib import Path

import raw_op_stubs
from accuracy import measure
from tfbuild_runtime.framework import dtypes, native
from tfbuild_runtime.gradients import calls, registry

RUNTIME = Path(__file__).resolve().parents[2]
TABLE = RUNTIME / "OPS.md"
HEAD = """# Ops

Written by `python/tests/op_table.py`; `python/tests/test_op_table.py` says when to run it again.

*Types* are those of the CPU's kernels, *GPU* says whether there is a kernel for GPUs.
*Gradient*: yes; none, where asking for it gives None; - where asking for it is an error. *Accuracy*
is the largest error that was measured, rounded up, in units in the last place: over the whole range
of arguments for elementwise ops (0.5 is the nearest number), for sums of 5,000 products in units of
the sum of magnitudes, for softmax on rows of 1,000 logits. *File* is where definition and
documentation stand.

Where a NaN is among others, their maximum is NaN, in windows, reductions and segments alike.
TensorFlow's CPU kernels leave it out of the windows of `MaxPool`, and of segments that it begins.
`TopK` puts it last, where TensorFlow puts it first.

| op | types | GPU | gradient | accuracy | file |
|---|---|---|---|---|---|
"""


def cpu_types():
    """Return the types of the CPU's kernels by op, in the order of their registration."""
    found = {}
    for op, device, types in native.kernels():
        if device != "CPU":
            continue
        names = found.setdefault(op, [])
        for attr, number in types[:1]:
            name = dtypes.as_dtype(number).name if attr else ""
            names += [name] if name not in names else []
    return found


def sources(ending):
    """Return the texts of all files of that ending."""
    return {p: p.read_text(encoding="utf-8") for p in sorted(RUNTIME.glob(f"kernels/**/*{ending}"))}


def definitions():
    """Return the file that defines each op, below runtime/kernels."""
    found = {}
    for path, text in sources(".cc").items():
        macro = r"\b(?:REGISTER_OP|DEFINE|TFBUILD_\w+_(?:OP|DEFINITION))\(\s*\"?(\w+)"
        for op in re.findall(macro, text):
            place = path.relative_to(RUNTIME / "kernels").as_posix()
            found[op] = place
            found.setdefault(f"{op}V2", place)  # of a macro for both
    return found


def gpu_ops(names):
    """Return those ops that have a kernel for GPUs, of CUDA's files or with nothing to compute."""
    words = {op for op, device, _ in native.kernels() if device == "GPU"}
    for text in [*sources(".cu").values(), *sources("/cuda_*.cc").values()]:
        words |= set(re.findall(r"Kernel\(\"(\w+)", text))
        words |= set(re.findall(r"REGISTER\w*\(\s*\"?(\w+)", text))
    return words & set(names)


def rounded_up(value):
    """Return the error as the table has it."""
    return f"{math.ceil(value * 10 - 1e-6) / 10:.1f}" if math.isfinite(value) else str(value)


def accuracy_of(op, types):
    """Return the errors of an op's floating types, as the table has them."""
    kinds = {"bfloat16": "bfloat16", "float16": "half", "float32": "float", "float64": "double"}
    rows = [(kinds[t], measure(op, kinds[t])) for t in types if t in kinds]
    return ", ".join(f"{kind} {rounded_up(value)}" for kind, value in rows if value is not None)


def rows():
    """Return the cells of the table by op, without what has to be measured.

    Names that begin with _ are of ops that passes put into a graph, not people.
    """
    names, types, places = native.op_names(), cpu_types(), definitions()
    on_gpu, gradients = gpu_ops(names), registry.registered()
    return {
        op: [
            ", ".join(t for t in types.get(op, []) if t) or "any",
            "yes" if op in on_gpu else "",
            {True: "yes", False: "none", None: "-"}[gradients.get(op, op in calls.OPS or None)],
            places[op],
        ]
        for op in sorted(names)
        if not op.startswith("_")
    }


def measured(op):
    """Return the measured cell of an op."""
    return accuracy_of(op, cpu_types().get(op, []))


def main():
    """Measure everything and write the table, and the stubs."""
    raw_op_stubs.main()
    lines = []
    for op, (types, gpu, gradient, place) in rows().items():
        lines.append(f"| {op} | {types} | {gpu} | {gradient} | {measured(op)} | {place} |\n")
    TABLE.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
