"""How fast one library is on the first GPU, as one line of JSON: `speed.py LIBRARY [--tiny]`.

LIBRARY is `tfbuild_runtime`, `tensorflow` or `torch`. Operands and results stay on the GPU; what is
measured is the middle of several rounds, each ended by waiting for the GPU. `--tiny` takes small
sizes, and the CPU, to try the program itself.
"""

import argparse
import importlib
import json
import statistics
import sys
import time

ROUNDS = 7
ROUND_SECONDS = 0.2
#        name, float type, elements of a side or images, and what one call moves or computes
SIZES = {"matmul": 8192, "conv": 64, "vector": 1 << 26, "rows": 8192}
TINY = {"matmul": 64, "conv": 1, "vector": 1 << 10, "rows": 32}


def measure(call, wait):
    """Seconds per call."""
    call()
    wait()
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        if time.perf_counter() - start > ROUND_SECONDS:
            break
        calls *= 2
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        rounds.append((time.perf_counter() - start) / calls)
    return statistics.median(rounds)


def work(size):
    """What is measured: its unit, and how much of it a call does."""
    n, images, count, rows = size["matmul"], size["conv"], size["vector"], size["rows"]
    convolution = 2 * images * 56 * 56 * 64 * 64 * 9
    return {
        "matmul_float32": ("TFLOP/s", 2 * n**3 / 1e12),
        "matmul_bfloat16": ("TFLOP/s", 2 * n**3 / 1e12),
        "conv2d_float32": ("TFLOP/s", convolution / 1e12),
        "conv2d_bfloat16": ("TFLOP/s", convolution / 1e12),
        "add": ("GB/s", 12 * count / 1e9),
        "chain": ("GB/s", 8 * count / 1e9),
        "softmax": ("GB/s", 8 * rows * rows / 1e9),
        "sum_of_rows": ("GB/s", 4 * rows * rows / 1e9),
        "sum_of_columns": ("GB/s", 4 * rows * rows / 1e9),
        "transpose": ("GB/s", 8 * rows * rows / 1e9),
        "small_step": ("steps/s", 1),
    }


def torch_calls(size, tiny):
    torch = importlib.import_module("torch")
    device = "cpu" if tiny else "cuda"
    functional = torch.nn.functional

    def numbers(*shape, dtype=torch.float32):
        return torch.randn(*shape, device=device).to(dtype)

    calls = {}
    for name, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        a = numbers(size["matmul"], size["matmul"], dtype=dtype)
        image = numbers(size["conv"], 64, 56, 56, dtype=dtype)
        image = image.contiguous(memory_format=torch.channels_last)
        kernel = numbers(64, 64, 3, 3, dtype=dtype)
        calls[f"matmul_{name}"] = lambda a=a: a @ a
        calls[f"conv2d_{name}"] = lambda i=image, k=kernel: functional.conv2d(i, k, padding=1)
    x, m = numbers(size["vector"]), numbers(size["rows"], size["rows"])
    calls["add"] = lambda: x + x
    calls["chain"] = lambda: torch.relu(torch.tanh(x * 2 + 1))
    calls["softmax"] = lambda: torch.softmax(m, 1)
    calls["sum_of_rows"] = lambda: m.sum(1)
    calls["sum_of_columns"] = lambda: m.sum(0)
    calls["transpose"] = lambda: m.t().contiguous()
    w, y, v = numbers(32, 32).requires_grad_(), numbers(16, 32), numbers(16, 32)
    calls["small_step"] = lambda: torch_step(torch, w, y, v)
    return calls, (lambda: None) if tiny else torch.cuda.synchronize


def torch_step(torch, w, y, v):
    loss = ((torch.tanh(y @ w) - v) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None


def graph_calls(library, size, tiny):
    """Of the runtime or TensorFlow: each quantity a callable of a session, without fetches."""
    tf = importlib.import_module(f"{library}.compat.v1")
    if library == "tensorflow":
        tf.disable_eager_execution()
    tf.set_random_seed(1)
    with tf.device("/CPU:0" if tiny else "/GPU:0"):
        operations = graph_operations(tf, size)
        # Of a variable, so that it is computed each time: behind all that is queued.
        probe = tf.reduce_sum(tf.Variable(tf.ones([2])))
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    calls = {name: session.make_callable(made) for name, made in operations.items()}
    return calls, lambda: session.run(probe)


def graph_operations(tf, size):
    def numbers(name, *shape, dtype=tf.float32):
        return tf.Variable(tf.cast(tf.random_normal(shape), dtype), name=name)

    made = {}
    for name, dtype in (("float32", tf.float32), ("bfloat16", tf.bfloat16)):
        a = numbers(f"a_{name}", size["matmul"], size["matmul"], dtype=dtype)
        image = numbers(f"i_{name}", size["conv"], 56, 56, 64, dtype=dtype)
        kernel = numbers(f"k_{name}", 3, 3, 64, 64, dtype=dtype)
        made[f"matmul_{name}"] = tf.matmul(a, a).op
        made[f"conv2d_{name}"] = tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME").op
    x, m = numbers("x", size["vector"]), numbers("m", size["rows"], size["rows"])
    made["add"] = tf.add(x, x).op
    made["chain"] = tf.nn.relu(tf.tanh(x * 2.0 + 1.0)).op
    made["softmax"] = tf.nn.softmax(m).op
    made["sum_of_rows"] = tf.reduce_sum(m, 1).op
    made["sum_of_columns"] = tf.reduce_sum(m, 0).op
    made["transpose"] = tf.transpose(m).op
    w, y, v = numbers("w", 32, 32), numbers("y", 16, 32), numbers("v", 16, 32)
    loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(y, w)) - v))
    made["small_step"] = tf.train.GradientDescentOptimizer(0.01).minimize(loss, var_list=[w])
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=("tfbuild_runtime", "tensorflow", "torch"))
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    size = TINY if given.tiny else SIZES
    if given.library == "torch":
        calls, wait = torch_calls(size, given.tiny)
    else:
        calls, wait = graph_calls(given.library, size, given.tiny)
    found = {}
    for name, (unit, amount) in work(size).items():
        try:
            found[name] = {"value": amount / measure(calls[name], wait), "unit": unit}
        except Exception as error:  # noqa: BLE001  (the next quantity may work)
            found[name] = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
