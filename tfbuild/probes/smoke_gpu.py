"""The CPU's checks once more on the first GPU; skipped by name where no GPU is seen.

Ops are pinned to the GPU and soft placement is off, so an op without a GPU kernel is an error: a
check that passes has run its kernels there.
"""

import probe_tools as probe
import smoke_conv2d
import smoke_gradients
import smoke_matmul
import smoke_train
from smoke_tools import Skip, Suite, gpu_names, lacks_kernel

DEVICE = "/GPU:0"
LOOSER = {"float32": 2e-3, "float64": 1e-12, "float16": 1e-2}


def checks(tf):
    """Name -> function, in the order of running."""
    found = {"device list": lambda: {"devices": " ".join(gpu_names(tf))}}
    for kind in LOOSER:
        found[f"MatMul {kind}"] = lambda kind=kind: _typed(smoke_matmul, tf, kind)
        found[f"Conv2D {kind}"] = lambda kind=kind: _typed(smoke_conv2d, tf, kind)
    for name, case in smoke_gradients.float32_cases(tf).items():
        found[f"gradient of {name}"] = lambda case=case: smoke_gradients.check(
            tf, DEVICE, case, step=1e-2, tolerance=5e-3
        )
    found["digits, perceptron, gradient descent"] = lambda: smoke_train.train(
        tf,
        DEVICE,
        smoke_train.perceptron,
        lambda: tf.train.GradientDescentOptimizer(0.2),
        epochs=25,
        least=smoke_train.PERCEPTRON_ACCURACY,
    )
    found["digits, convolutions, Adam"] = lambda: smoke_train.train(
        tf,
        DEVICE,
        smoke_train.convolution,
        lambda: tf.train.AdamOptimizer(0.005),
        epochs=12,
        least=smoke_train.CONVOLUTION_ACCURACY,
    )
    return found


def _typed(script, tf, kind):
    """One script's check in one type, with the tolerance of GPU arithmetic."""
    script.TOLERANCES = LOOSER
    try:
        return script.check(tf, DEVICE, kind)
    except Exception as error:
        if kind != "float32" and lacks_kernel(error):
            raise Skip(f"the wheel has no GPU kernel for {kind}") from error
        raise


def main():
    """Run, or say by name what was not run."""
    tf = probe.load(probe.arguments(__doc__).module)
    suite = Suite()
    seen = gpu_names(tf)

    def guarded(call):
        if not seen:
            raise Skip("no GPU is seen: run `tfbuild smoke WHEEL` on a machine with one")
        return call()

    for name, call in checks(tf).items():
        suite.run(f"GPU: {name}", lambda call=call: guarded(call))
    suite.finish()


if __name__ == "__main__":
    main()
