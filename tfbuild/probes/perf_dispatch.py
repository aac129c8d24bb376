"""What one `Session.run` costs beside its work: the sum of two scalars, fetched as a value.

Once with two variables and nothing fed, once with one scalar fed. Others have nothing like it.
"""

import numpy as np
import probe_tools as probe


def graph_calls(tf, device):
    """Functions that run the sum of variables and the fed sum once."""
    with tf.device(device):
        left = probe.variable(tf, np.float32(1))
        right = probe.variable(tf, np.float32(2))
        total = tf.add(left, right)
        fed = tf.placeholder(tf.float32, [])
        fed_total = tf.add(fed, right)
    session = probe.started_session(tf)
    value = np.float32(1)
    return lambda: session.run(total), lambda: session.run(fed_total, {fed: value})


def timings(module, device):
    """Both."""
    if probe.kind_of(module) != "tensorflow":
        raise probe.NotForThis(f"{module.__name__} has no sessions")
    plain, fed = graph_calls(module, device)
    return {
        "session_run": probe.Timed(lambda: plain, "us"),
        "session_run_feed": probe.Timed(lambda: fed, "us"),
    }


if __name__ == "__main__":
    probe.serve(__doc__, timings)
