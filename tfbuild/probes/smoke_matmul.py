"""MatMul against NumPy in every type, with and without transposition."""

import numpy as np
import probe_tools as probe
from smoke_tools import Skip, Suite, close, lacks_kernel, run_on

TOLERANCES = {"float32": 1e-5, "float64": 1e-12, "float16": 5e-3, "int32": 0.0}
MUST = ("float32", "float64")
SHAPES = ((1, 1, 1), (3, 5, 7), (64, 33, 129), (128, 256, 64))


def check(tf, device, kind):
    """All shapes and transpositions of one type."""
    worst = {}
    random = np.random.default_rng(1)
    for rows, inner, columns in SHAPES:
        for flip_left in (False, True):
            for flip_right in (False, True):
                left = _values(random, (inner, rows) if flip_left else (rows, inner), kind)
                right = _values(random, (columns, inner) if flip_right else (inner, columns), kind)
                wanted = (left.T if flip_left else left).astype("f8") @ (
                    right.T if flip_right else right
                ).astype("f8")

                def build(left=left, right=right, flips=(flip_left, flip_right)):
                    one, two = tf.placeholder(kind, left.shape), tf.placeholder(kind, right.shape)
                    product = tf.matmul(one, two, transpose_a=flips[0], transpose_b=flips[1])
                    return product, {one: left, two: right}

                worst = close(run_on(tf, device, build), wanted, TOLERANCES[kind], f"{left.shape}")
    return worst


def _values(random, shape, kind):
    if kind.startswith("int"):
        return random.integers(-9, 10, shape).astype(kind)
    return (random.standard_normal(shape) / 4).astype(kind)


def main():
    """One check for each type."""
    options = probe.arguments(__doc__)
    tf = probe.load(options.module)
    suite = Suite()
    for kind in TOLERANCES:

        def guarded(kind=kind):
            try:
                return check(tf, options.device, kind)
            except Exception as error:
                if kind not in MUST and lacks_kernel(error):
                    raise Skip(f"the wheel has no MatMul of {kind}") from error
                raise

        suite.run(f"MatMul {kind}", guarded)
    suite.finish()


if __name__ == "__main__":
    main()
