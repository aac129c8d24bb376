"""What the smoke probes share: checks that pass, fail or are skipped, and their last line."""

import time
import traceback

import probe_tools as probe

NO_KERNEL = ("NotFoundError", "UnimplementedError", "InvalidArgumentError", "TypeError")
NO_KERNEL_WORDS = (
    "no opkernel",
    "no kernel",
    "could not satisfy",
    "not in the list",
    "not in list of allowed values",
)
SESSION_SETTINGS = {"allow_soft_placement": False}


class Skip(Exception):
    """Raised by a check that cannot be run here; its text is the reason."""


class Suite:
    """Runs checks one after the other, whatever happened to the one before."""

    def __init__(self):
        self.checks = []

    def run(self, name, call):
        """Run one check; call may return details."""
        start = time.perf_counter()
        state, reason, detail = "passed", "", {}
        try:
            detail = call() or {}
        except Skip as skip:
            state, reason = "skipped", str(skip)
        except AssertionError as error:
            state, reason = "failed", str(error) or traceback.format_exc(limit=1)
        except Exception as error:  # noqa: BLE001  (the next check is run all the same)
            state, reason = "failed", f"{type(error).__name__}: {error}".splitlines()[0][:500]
        self.checks.append(
            {
                "name": name,
                "state": state,
                "reason": reason,
                "seconds": time.perf_counter() - start,
                "detail": {key: str(value) for key, value in detail.items()},
            }
        )

    def finish(self):
        """Print the one JSON line."""
        probe.finish({"checks": self.checks})


def expect(held, message):
    """Raise AssertionError with the message unless held."""
    if not held:
        raise AssertionError(message)


def close(got, wanted, tolerance, what):
    """Raise AssertionError with the largest difference unless got is near wanted."""
    import numpy as np

    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    expect(got.shape == wanted.shape, f"{what}: shape {got.shape}, expected {wanted.shape}")
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    error = float(np.abs(got - wanted).max(initial=0.0)) / scale
    expect(error <= tolerance, f"{what}: off by {error:.2e}, allowed are {tolerance:.0e}")
    return {"error": f"{error:.1e}"}


def gpu_names(tf):
    """Names of the GPUs that a session sees."""
    with tf.Session(graph=tf.Graph()) as session:
        return [d.name for d in session.list_devices() if ":GPU:" in d.name.upper()]


def run_on(tf, device, build):
    """What `build` gives on that device and no other: an op without a kernel there is an error."""
    with tf.Graph().as_default():
        with tf.device(device):
            fetches, feeds = build()
        settings = tf.ConfigProto(**SESSION_SETTINGS)
        with tf.Session(config=settings) as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)


def lacks_kernel(error):
    """Whether an error says that there is no kernel for this type."""
    text = str(error).lower()
    return type(error).__name__ in NO_KERNEL and any(words in text for words in NO_KERNEL_WORDS)
