"""What the probes share: the module under test, repeated timing, and the one JSON line at the end.

Probes use only the TensorFlow 1 interface, so the same file measures any wheel that has it.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import statistics
import sys
import time

from busyness import Busyness

_MEANWHILE = Busyness()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def arguments(description):
    """The options every probe takes: the module, the device and the seconds per measurement."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--module", required=True, help="numpy, or a module with TensorFlow 1 names"
    )
    parser.add_argument("--device", default="/CPU:0")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for each measurement")
    parser.add_argument("--version", default="", help="the version that is expected")
    return parser.parse_args()


def load(name):
    """The module under test in graph mode."""
    tf = importlib.import_module(name)
    if hasattr(tf, "disable_eager_execution"):
        tf.disable_eager_execution()
    return tf


def distribution_of(module):
    """The name of the distribution that installed the module."""
    package = module.partition(".")[0]
    for distribution in importlib.metadata.distributions():
        paths = (path.as_posix() for path in distribution.files or ())
        if f"{package}/__init__.py" in paths:
            return distribution.metadata["Name"]
    raise LookupError(f"no distribution has {package}/__init__.py")


def variable(tf, array):
    """A variable that starts as array: nothing computed from it can be folded away."""
    return tf.Variable(array, dtype=array.dtype.name, trainable=True)


def started_session(tf):
    """A session of the default graph whose variables have their first values."""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def time_calls(call, seconds, *, least_samples=5, least_sample_seconds=0.002):
    """Seconds per call, one value per sample; a sample is as many calls as a clock can tell."""
    for _ in range(3):
        call()
    calls = _calls_per_sample(call, least_sample_seconds)
    values = []
    end = time.perf_counter() + seconds
    while len(values) < least_samples or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        values.append((time.perf_counter() - start) / calls)
    return values


def _calls_per_sample(call, least_seconds):
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        elapsed = time.perf_counter() - start
        if elapsed >= least_seconds:
            return calls
        calls = max(calls * 2, int(calls * least_seconds / max(elapsed, 1e-7)))


def rate(values, work, unit):
    """A measurement in work per second; of 1e9 operations or bytes."""
    return measurement([work / value / 1e9 for value in values], unit, higher_is_better=True)


def duration(values, unit):
    """A measurement in seconds, ms or us per call."""
    scale = {"s": 1.0, "ms": 1e3, "us": 1e6}[unit]
    return measurement([value * scale for value in values], unit, higher_is_better=False)


def measurement(values, unit, *, higher_is_better):
    """What the perf stage reads: the median of one process, and its best."""
    return {
        "unit": unit,
        "higher_is_better": higher_is_better,
        "median": statistics.median(values),
        "best": max(values) if higher_is_better else min(values),
        "samples": len(values),
    }


def finish(result):
    """Print the one JSON line, with how busy other programs kept the processors meanwhile."""
    sys.stdout.write(json.dumps({**result, "others": _MEANWHILE.others()}) + "\n")
    sys.stdout.flush()
