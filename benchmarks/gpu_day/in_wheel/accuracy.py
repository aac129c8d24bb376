"""How exact the kernels of the first GPU are, as one line of JSON: `accuracy.py FOLDER`.

FOLDER has the frontend's tests, which say how that is measured; the numbers are units in the last
place, beside those that the table of ops states for the processor.
"""

import json
import math
import sys


def main():
    sys.path.insert(0, sys.argv[1])
    import accuracy
    import tfbuild_runtime.compat.v1 as tf
    from test_op_table import MEASURED, stated

    accuracy.PLACE = "/GPU:0"
    found = {}
    for op in MEASURED:
        for kind, limit in stated(op).items():
            try:
                units = accuracy.measure(op, kind)
            except tf.errors.InvalidArgumentError:  # no such kernel
                continue
            found[f"{op} {kind}"] = (units if math.isfinite(units) else None, limit)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
