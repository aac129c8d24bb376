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
SCALES = {"s": 1.0, "ms": 1e3, "us": 1e6}  # a time in the unit, per second
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def arguments(description):
    """The options every probe takes: the module, the device and the seconds per measurement."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--module", required=True, help="numpy, or a module with TensorFlow 1 names"
    )
    parser.add_argument("--device", default="/CPU:0")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for each measurement")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--version", default="", help="the version that is expected")
    options = parser.parse_args()
    if options.device.startswith("/GPU"):
        # The runtime's steps end before the GPU's work does; those of others do not.
        os.environ.setdefault("TFBUILD_GPU_WAIT", "1")
    return options


def load(name):
    """The module under test; one of TensorFlow's kind in graph mode."""
    module = importlib.import_module(name)
    if hasattr(module, "disable_eager_execution"):
        module.disable_eager_execution()
    if kind_of(module) == "torch":
        module.set_grad_enabled(False)
    return module


def kind_of(module):
    """numpy, torch, onnxruntime, or tensorflow for all that has its interface."""
    name = module.__name__
    return name if name in ("numpy", "torch", "onnxruntime") else "tensorflow"


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


class NotForThis(Exception):
    """Raised where a probe has nothing to measure of a module; its text is the reason."""


class Timed:
    """One quantity: how its call is made, and what one call is worth.

    unit is s, ms or us for a time, or GFLOP/s or GB/s for a rate of work (operations or bytes).
    """

    def __init__(self, make, unit, work=0.0):
        self.make, self.unit, self.work = make, unit, work

    @property
    def higher_is_better(self):
        """Whether it is a rate."""
        return self.unit not in SCALES

    def value(self, seconds):
        """What so many seconds per call are in the unit."""
        return seconds * SCALES[self.unit] if self.unit in SCALES else self.work / seconds / 1e9


class Pieces:
    """A call that is timed in pieces of about so many seconds; warm when it is made."""

    def __init__(self, call, seconds, clock=time.perf_counter):
        self.call, self.clock = call, clock
        for _ in range(3):
            call()
        self.calls = _calls_in(call, seconds)

    def piece(self):
        """Seconds per call, over one piece; the first call of several wakes threads and caches."""
        if self.calls > 1:
            self.call()
        start = self.clock()
        for _ in range(self.calls):
            self.call()
        return (self.clock() - start) / self.calls


def serve(description, timings):
    """What a probe does whose subjects take turns: answer side_by_side.py until it has enough.

    timings takes the module and the device and gives {name: Timed}, or raises NotForThis.
    """
    options = arguments(description)
    module = load(options.module)
    try:
        found, skipped = timings(module, options.device), ""
    except NotForThis as reason:
        found, skipped = {}, str(reason)
    _answer(found, skipped, options)


def _answer(timings, skipped, options):
    """Answer each line of standard input with one JSON document: see side_by_side.py."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer

    def say(document):
        answers.write(json.dumps(document) + "\n")
        answers.flush()

    units = {name: (timed.unit, timed.higher_is_better) for name, timed in timings.items()}
    say({"names": units, "skipped": skipped})
    pieces, timed = None, None
    for line in sys.stdin:
        word, _, name = line.strip().partition(" ")
        if word == "start":
            pieces = None  # what was measured before gives its memory back
            timed = timings[name]
            try:
                pieces = Pieces(timed.make(), options.seconds, CLOCKS[options.clock])
            except Exception as error:  # noqa: BLE001  (the next quantity may work)
                say({"failed": f"{type(error).__name__}: {error}".splitlines()[0][:300]})
            else:
                say({})
        else:
            took = pieces.piece()
            say({"seconds": took, "value": timed.value(took)})


def _calls_in(call, seconds):
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds / 2:
            return max(1, round(calls * seconds / elapsed))
        calls = max(calls * 2, int(calls * seconds / 2 / max(elapsed, 1e-7)))


def duration(values, unit):
    """A measurement in seconds, ms or us per call."""
    return measurement([value * SCALES[unit] for value in values], unit, higher_is_better=False)


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
