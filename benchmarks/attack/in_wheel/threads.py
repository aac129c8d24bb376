"""Sessions that many threads use while they are closed, while the process forks, while it ends."""

import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import tfbuild_runtime.compat.v1 as tf

_SECONDS = 15
_CLOSED = "closed"  # in the words of the error that a closed session raises


def threads(folder):
    """Give what tries one meeting of threads: in this process, or in one that forks or ends."""

    def attempt(chance):
        what = chance.choice(("close", "close", "close", "fork", "exit"))
        if what == "close":
            close_beside_runs(chance)
            return
        words = [sys.executable, __file__, what, str(chance.getrandbits(32))]
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=_SECONDS, check=False, cwd=folder
        )
        if done.returncode or "Traceback" in done.stderr:
            raise AssertionError(f"{what}: ended with {done.returncode}: {done.stderr[-1500:]}")

    return attempt, (tf.errors.OpError,)


def close_beside_runs(chance):
    """Let threads run steps of one session, and close it meanwhile; only clear errors may come."""
    session, fetches = work(chance)
    wrong = []

    def run():
        try:
            for _ in range(chance.randint(1, 40)):
                session.run(chance.choice(fetches))
        except tf.errors.OpError:
            pass
        except RuntimeError as error:
            if _CLOSED not in str(error):
                wrong.append(error)
        except Exception as error:  # noqa: BLE001  (the thread that waits raises it)
            wrong.append(error)

    running = [threading.Thread(target=run) for _ in range(chance.randint(1, 6))]
    for thread in running:
        thread.start()
    time.sleep(chance.random() * 0.02)
    session.close()
    for thread in running:
        thread.join()
    if wrong:
        raise wrong[0]


def work(chance):
    """A session with some values to fetch: small and large products, loops, datasets, readers."""
    with tf.Graph().as_default() as graph:
        side = chance.choice((4, 64, 400, 900))
        made = tf.constant(np.ones((side, side), "f4"))
        loop = tf.while_loop(lambda i: i < 300, lambda i: i + 1, [tf.constant(0)])
        numbers = tf.data.Dataset.range(1000).map(lambda x: x * 2, num_parallel_calls=2)
        following = numbers.repeat().batch(3).prefetch(2).make_one_shot_iterator().get_next()
        noise = tf.reduce_sum(tf.nn.softmax(tf.random_normal([side, side])))
        fetches = [tf.matmul(tf.matmul(made, made), made), loop, following, noise]
    threads_of_ops = chance.choice((0, 1, 2, 8))
    config = tf.ConfigProto(inter_op_parallelism_threads=threads_of_ops)
    return tf.Session(graph=graph, config=config), fetches


def main():
    """Be the process that forks or ends while threads of it are inside of steps."""
    what, seed = sys.argv[1:]
    chance = random.Random(seed)
    session, fetches = work(chance)

    def run():
        try:
            while True:
                session.run(chance.choice(fetches))
        except (RuntimeError, tf.errors.CancelledError):  # closed, by the main thread or its end
            return

    for _ in range(chance.randint(1, 3)):
        threading.Thread(target=run, daemon=True).start()
    time.sleep(chance.random() * 0.3)
    if what == "fork":
        for _ in range(chance.randint(1, 5)):
            child = os.fork()
            if child == 0:
                os._exit(0)
            _, status = os.waitpid(child, 0)
            assert status == 0, status
    elif chance.random() < 0.3:
        session.close()


if __name__ == "__main__":
    main()
