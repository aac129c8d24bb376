"""Runs one program and writes what its sessions fetch, a line of JSON for each call.

child.py reference|ours PROGRAM RECORDS STEPS SECONDS MEGABYTES
"""

from __future__ import annotations

import builtins
import json
import os
import random
import resource
import runpy
import signal
import sys
import threading
import traceback

import recording
import stand_ins


class Stop(BaseException):
    """The program has run far enough; no handler of its own takes this for an error."""


def main(kind, program, records, *limits):
    """Run the program; how it ended is the last line of the records."""
    steps, seconds, megabytes = limits
    most = int(megabytes) << 20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    out = open(records, "w", buffering=1)  # noqa: SIM115 (until the process ends)
    tf = _tensorflow(kind)
    stand_ins.install()
    _seed(tf)
    _watch(tf, out, int(steps))
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(int(float(seconds)))
    sys.argv, sys.path[0] = [program], os.path.dirname(program)
    builtins.input = lambda *_: ""
    ending, detail = "ended", ""
    try:
        runpy.run_path(program, run_name="__main__")
    except Stop as stop:
        ending = str(stop)
    except SystemExit as leave:
        ending, detail = ("ended", "") if leave.code in (None, 0) else ("failed", repr(leave))
    except BaseException as error:
        ending, detail = "failed", _detail(error, program)
    signal.alarm(0)
    out.write(json.dumps({"ending": ending, "detail": detail}) + "\n")
    out.close()
    os._exit(0)  # threads of the program may wait for ever


def _tensorflow(kind):
    """Return tf, which `import tensorflow` gives from now on."""
    if kind == "ours":
        from tfbuild_runtime import as_tensorflow
        from tfbuild_runtime.compat import v1

        as_tensorflow.install()
        return v1
    from tensorflow.compat import v1

    v1.disable_v2_behavior()
    v1.logging.set_verbosity(v1.logging.ERROR)
    sys.modules["tensorflow"] = v1
    return v1


def _seed(tf):
    """Make the same random numbers on both sides, in every graph that the program makes."""
    import numpy

    random.seed(1)
    numpy.random.seed(1)
    begin = tf.Graph.__init__

    def seeded(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        self.seed = 1

    tf.Graph.__init__ = seeded
    tf.reset_default_graph()
    tf.get_default_graph().seed = 1


def _watch(tf, out, steps):
    """Record what each call of a session on the main thread fetches, and stop after the steps."""
    calls = [0]

    def watched(cls):
        run = cls.run

        def recorded(self, *args, **kwargs):
            fetched = run(self, *args, **kwargs)
            if threading.current_thread() is threading.main_thread():
                calls[0] += 1
                out.write(json.dumps({"values": recording.values(fetched)}) + "\n")
                if calls[0] >= steps:
                    raise Stop("stopped")
            return fetched

        cls.run = recorded

    plain, interactive = tf.Session.run, tf.InteractiveSession.run
    watched(tf.Session)
    if interactive is plain and tf.InteractiveSession.run is plain:
        watched(tf.InteractiveSession)


def _stop(*_):
    raise Stop("timed out")


def _detail(error, program):
    """What an error says, and the line of the program that it came from."""
    beside = os.path.dirname(program)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename.startswith(beside)]
    said = str(error).strip().split("\n")[0][:300]
    return f"{type(error).__name__}: {said} (line {lines[-1] if lines else '?'})"


if __name__ == "__main__":
    main(*sys.argv[1:])
