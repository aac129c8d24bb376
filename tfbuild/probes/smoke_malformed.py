"""Broken graphs end in an error, never in a crash.

The bytes of a good graph are changed in a few hundred ways; another process loads and runs each, so
that a crash is seen with the number of the change that caused it. A change that still gives a good
graph is fine too.
"""

import random
import subprocess
import sys

import graph_source as source
import probe_tools as probe
from smoke_tools import Suite, expect

CHANGES = 400
SECONDS = 100


def changed(raw, number):
    """The bytes with one to four changes, the same at each call."""
    chance = random.Random(number)
    data = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data))
        kind = chance.randrange(5)
        if kind == 0:
            data[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 2:
            del data[place : place + chance.randint(1, 8)]
        elif kind == 3:
            data[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        else:
            del data[place:]
        if not data:
            return b""
    return bytes(data)


def try_all(module, first):
    """Load and run every change from `first` on; the number goes out before each try."""
    import resource

    import numpy as np

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tf = probe.load(module)
    raw = source.good_graph(tf)
    image = np.zeros((1, 8, 8, 2), "f4")
    refused = 0
    for number in range(first, CHANGES):
        sys.stdout.write(f"{number} {refused}\n")
        sys.stdout.flush()
        try:
            graph = source.load(tf, changed(raw, number))
            with tf.Session(graph=graph) as session:
                session.run("out:0", {"image:0": image})
        except Exception:  # noqa: BLE001  (any error is right, only a crash is wrong)
            refused += 1
    sys.stdout.write(f"done {refused}\n")


def watch(module):
    """Run try_all in another process; its last words."""
    run = subprocess.run(
        [sys.executable, __file__, "--module", module, "--worker"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    words = (run.stdout.strip().splitlines() or ["nothing"])[-1].split()
    expect(
        run.returncode == 0,
        f"code {run.returncode} at change {words[0]}: {run.stderr.strip()[-300:]}",
    )
    refused = int(words[1])
    expect(refused > 0, "none of the changes was refused: they cannot have been looked at")
    return {"changes": CHANGES, "refused": refused}


def main():
    """Watch, or be watched."""
    if "--worker" in sys.argv:
        sys.argv.remove("--worker")
        try_all(probe.arguments(__doc__).module, 0)
        return
    options = probe.arguments(__doc__)
    suite = Suite()
    suite.run("malformed graphs", lambda: watch(options.module))
    suite.run("malformed graphs by hand", lambda: by_hand(probe.load(options.module)))
    suite.finish()


def by_hand(tf):
    """Graphs that are well-formed bytes but mean nothing."""
    refused = 0
    for what, raw in source.senseless_graphs().items():
        try:
            graph = source.load(tf, raw)
            with tf.Session(graph=graph) as session:
                session.run(graph.get_operations()[-1].outputs[0])
        except Exception:  # noqa: BLE001  (any error is right, only a crash is wrong)
            refused += 1
            continue
        raise AssertionError(f"{what} was accepted")
    return {"refused": refused}


if __name__ == "__main__":
    main()
