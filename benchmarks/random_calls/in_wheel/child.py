"""Calls functions with random arguments, in an interpreter with TensorFlow or with the runtime.

    python child.py reference list                 print what can be called
    python child.py ours have NAMES                print which of a file's names are there
    python child.py reference search NAMES SEED N  find calls that the function takes; print them
    python child.py ours run CALLS FIRST           make those calls too, from a number on; print
                                                   how each compares

They print a line of JSON for each function or call; "begin" lines name what a crash would be of.
"""

import inspect
import json
import os
import random
import signal
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import arguments
import comparing
import values
from theme import Theme

warnings.filterwarnings("ignore")
_MODULES = (
    "", "math.", "nn.", "linalg.", "strings.", "image.", "signal.", "sparse.", "sets.", "bitwise.",
    "losses.", "audio.", "raw_ops.", "debugging.", "quantization.", "ragged.", "io.", "nest.",
    "keras.backend.", "keras.activations.", "keras.losses.", "keras.metrics.", "spectral.",
)  # fmt: skip
# What has no value of its own: chance, files, state, threads, other processes, programs.
_LEFT_OUT = (
    "random", "dropout", "shuffle", "seed", "sampler", "sampled", "multinomial", "stateless",
    "file", "read", "write", "save", "restore", "queue", "stack_", "print", "py_func",
    "session", "summary", "device", "variable", "barrier", "accumulator", "table", "stage",
    "dataset", "iterator", "tensorarray", "list", "enable", "disable", "placeholder",
    "timestamp", "assign", "apply", "scatter_", "reader", "graph", "function", "load", "record",
    "flops", "nce", "get_", "set_", "uid", "learning_phase", "reset", "clear", "eager",
    "collective", "tpu", "xla", "debug", "distort", "copy", "host", "recv", "send", "abort",
    "nccl", "ModelDataset", "MakeUnique", "OutfeedDequeue", "configure", "fake", "Stack",
    "Mutex", "worker", "initialize", "Uniform", "Lambda", "register", "override", "compress",
    "anonymous", "Cancel", "cudnn", "Enqueue", "Wait", "while", "case", "Cond", "If", "Merge",
    "Switch", "Enter", "Exit", "NextIteration", "map_fn", "scan", "fold", "PartitionedCall",
    "StatefulPartitionedCall", "For", "SymbolicGradient", "RemoteCall", "no_op", "manual",
    "batch_function", "Batch", "Unbatch", "rnn", "one_device", "cell", "export", "import",
    "tf_", "parse_single_sequence", "SdcaOptimizer",
)  # fmt: skip
_KEPT = {
    "raw_ops.BatchMatMul",
    "raw_ops.BatchMatMulV2",
    "raw_ops.BatchToSpace",
    "raw_ops.BatchToSpaceND",
}
_SECONDS = 10
_TRIES = 30  # for each call that is wanted


def module(kind):
    """The interface to call: TensorFlow's or the runtime's."""
    if kind == "ours":
        import tfbuild_runtime.compat.v1 as tf
    else:
        os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_USE_LEGACY_KERAS="1")
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    return tf


def names_of(tf):
    """Every public function that may have a value of its own, by one of its names."""
    found, seen = [], set()
    for prefix in _MODULES:
        owner = look_up(tf, prefix[:-1]) if prefix else tf
        for name in dir(owner):
            full = prefix + name
            if name.startswith("_") or (full not in _KEPT and is_left_out(name)):
                continue
            item = getattr(owner, name)
            if inspect.isclass(item) or not callable(item) or id(item) in seen:
                continue
            seen.add(id(item))
            found.append(full)
    return found


def is_left_out(name):
    """Whether a word of the list is in the name: of small letters anywhere, else as written."""
    return any(word in (name.lower() if word.islower() else name) for word in _LEFT_OUT)


def look_up(tf, name):
    """The function of that name."""
    owner = tf
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


def has(tf, name):
    """Whether there is a function of that name."""
    try:
        return callable(look_up(tf, name))
    except (AttributeError, NotImplementedError):
        return False


def parameters_of(function):
    """Its parameters' names, and of each whether it must be given."""
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name not in ("name", "_sentinel", "keep_dims", "container", "shared_name"):
            found.append((parameter.name, parameter.default is parameter.empty))
    return found


def random_call(function, chance):
    """The arguments of one call by name: all that must be given, and now and then another."""
    theme, rare = Theme(chance), chance.choice((0.0, 0.15, 0.4))
    return {
        name: arguments.argument(name, theme)
        for name, needed in parameters_of(function)
        if needed or chance.random() < rare
    }


class TooLong(BaseException):
    """Raised when a call takes longer than its seconds."""


@contextmanager
def limited():
    """Raise TooLong within after the seconds of a call."""

    def stop(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def evaluate(tf, name, given):
    """What the call gives, and the gradients of its sum by every floating argument, as JSON."""
    with tf.Graph().as_default(), limited():
        made = []
        result = look_up(tf, name)(
            **{key: values.built(value, tf, made) for key, value in given.items()}
        )
        if result is None or isinstance(result, tf.Operation):
            return None
        feeds = dict(made)
        with tf.Session() as session:
            found = {"value": values.as_json(session.run(result, feeds))}
            slopes = slopes_of(tf, result, [tensor for tensor, _ in made])
            if slopes:
                there = [slope for slope in slopes if slope is not None]
                fetched = iter(session.run(there, feeds))
                found["slopes"] = [
                    slope is not None and values.as_json(next(fetched)) for slope in slopes
                ]
    return found


def slopes_of(tf, result, tensors):
    """The gradients of the floating results by the floating tensors, densely; [] where none are."""
    results = [r for r in tf.nest.flatten(result) if isinstance(r, tf.Tensor) and is_real(r)]
    sources = [tensor for tensor in tensors if is_real(tensor)]
    if not results or not sources:
        return []
    try:
        slopes = tf.gradients(results, sources)
    except (LookupError, NotImplementedError, TypeError, ValueError):
        return []  # not every function has one
    return [tf.convert_to_tensor(s) if isinstance(s, tf.IndexedSlices) else s for s in slopes]


def is_real(tensor):
    """Whether it has real numbers with fractions."""
    return tensor.dtype.is_floating


def search(tf, names, seed, wanted):
    """Print calls that the functions take, with their results."""
    for name in names:
        say({"begin": name})
        chance, kept, function = random.Random(f"{seed} {name}"), 0, look_up(tf, name)
        try:
            parameters_of(function)
        except (TypeError, ValueError):
            continue
        for _ in range(_TRIES * wanted):
            given = random_call(function, chance)
            try:
                found = evaluate(tf, name, given)
            except (Exception, TooLong):  # what is refused is left out
                continue
            if found is not None:
                say({"name": name, "given": given, "found": found})
                kept += 1
            if kept == wanted:
                break


def run(tf, path, first):
    """Make the calls of a file from a number on; print what differs, or why one is refused."""
    for number, line in enumerate(Path(path).read_text().splitlines()):
        if number < first:
            continue
        call = json.loads(line)
        say({"begin": number})
        try:
            found = evaluate(tf, call["name"], call["given"])
        except (Exception, TooLong) as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            say({"number": number, "ending": "refused", "what": why[:300]})
            continue
        what = comparing.difference(call["found"], found or {})
        say({"number": number, "ending": "differs" if what else "equal", "what": what})


def say(row):
    """Print a row at once."""
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def main():
    """Do what the arguments say."""
    kind, task, *words = sys.argv[1:]
    tf = module(kind)
    if task == "list":
        say({"names": names_of(tf)})
    elif task == "have":
        say({"names": [name for name in Path(words[0]).read_text().split() if has(tf, name)]})
    elif task == "search":
        search(tf, Path(words[0]).read_text().split(), int(words[1]), int(words[2]))
    else:
        run(tf, words[0], int(words[1]))


if __name__ == "__main__":
    main()
