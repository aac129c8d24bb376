"""One example in a fresh process: when its first step is done, how fast further ones are, memory.

    python first_step.py MODULE EXAMPLE SECONDS

The last line is a JSON document: `first` is in seconds since the interpreter began, `processor`
what of it the processors worked, `step` the best quarter's end of single steps in processor
milliseconds, and `peak` the most memory that the process held, in MiB.
"""

import importlib
import json
import resource
import sys
import time
from pathlib import Path


def seconds_since_start():
    """Seconds since the kernel made this process."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    return uptime - ticks / 100  # USER_HZ is 100 on every Linux


def main():
    """Run, and print what was measured."""
    module, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    importlib.import_module("on_module").put_in_place(module)
    step, feed = importlib.import_module(name).one_step()
    tf = sys.modules["tfbuild_runtime.compat.v1"]
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    session.run(step, feed)
    first, processor = seconds_since_start(), time.process_time()
    took, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(took) < 8:
        start = time.process_time()
        session.run(step, feed)
        took.append((time.process_time() - start) * 1e3)
    measured = {
        "first": first, "processor": processor, "step": sorted(took[2:])[len(took[2:]) // 4],
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }  # fmt: skip
    sys.stdout.write("\n" + json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
