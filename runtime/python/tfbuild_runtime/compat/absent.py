"""What to say about a name of TensorFlow 1 that is not here: its name, and what to use instead."""

from __future__ import annotations

from functools import cache

# By the beginning of a name; the longest that fits is told.
_INSTEAD = {
    "FIFOQueue": "feed_dict, with a thread of the program that prepares batches",
    "PaddingFIFOQueue": "feed_dict, with a thread of the program that prepares batches",
    "RandomShuffleQueue": "feed_dict, with a thread of the program that prepares batches",
    "SparseTensor": "a dense tensor, or tf.IndexedSlices and tf.nn.embedding_lookup",
    "SparseTensorValue": "a dense array",
    "TFRecordReader": "a file that the program reads itself, and feed_dict",
    "TextLineReader": "a file that the program reads itself, and feed_dict",
    "WholeFileReader": "a file that the program reads itself, and feed_dict",
    "arg_max": "tf.argmax",
    "arg_min": "tf.argmin",
    "batch_matmul": "tf.matmul",
    "concat_v2": "tf.concat",
    "contrib": "what TensorFlow has outside of contrib, such as tf.layers, tf.nn and tf.train",
    "data": "feed_dict, with a generator of the program",
    "decode_": "NumPy on bytes that the program reads",
    "distributions": "tf.random_normal and the formulas of the distribution",
    "div": "tf.divide or //",
    "einsum": "tf.matmul, tf.transpose and tf.reduce_sum",
    "estimator": "a loop around session.run",
    "examples.tutorials": "arrays that the program reads itself, and feed_dict",
    "extract_image_patches": "slices of the images, stacked",
    "feature_column": "tf.one_hot, tf.nn.embedding_lookup and tf.concat",
    "flags": "argparse",
    "app": "argparse and a call of main()",
    "gfile": "open() and the modules os and shutil",
    "histogram_summary": "values that the program fetches and writes",
    "image": "images that the program prepares with NumPy, and feed_dict",
    "image_summary": "values that the program fetches and writes",
    "initialize_variables": "tf.variables_initializer",
    "io": "files that the program reads and writes itself",
    "keras": "tf.layers and tf.nn",
    "linalg": "tf.matmul, or NumPy on fetched values",
    "load_op_library": "ops that the runtime was built with",
    "logging": "Python's module logging",
    "lookup": "a dictionary of the program, and feed_dict",
    "merge_all_summaries": "values that the program fetches and writes",
    "merge_summary": "values that the program fetches and writes",
    "metrics": "numbers that the program adds up from fetched values",
    "models": "a model that the program defines",
    "mul": "tf.multiply",
    "neg": "tf.negative",
    "nn.ctc": "another loss",
    "nn.max_pool_with_argmax": "tf.nn.max_pool",
    "nn.nce_loss": "tf.nn.sparse_softmax_cross_entropy_with_logits",
    "nn.rnn": "tf.nn.dynamic_rnn, or tf.while_loop and tf.scan",
    "nn.sampled_softmax_loss": "tf.nn.sparse_softmax_cross_entropy_with_logits",
    "pack": "tf.stack",
    "parse_": "values that the program parses itself, and feed_dict",
    "profiler": "tf.RunOptions(trace_level=...) and its timeline",
    "python_io": "files that the program reads and writes itself",
    "random_crop": "tf.slice at a place from tf.random_uniform",
    "read_file": "a file that the program reads itself, and feed_dict",
    "saved_model": "tf.train.Saver, or tf.graph_util.convert_variables_to_constants",
    "scalar_summary": "values that the program fetches and writes",
    "select": "tf.where",
    "sparse": "a dense tensor, or tf.gather and tf.scatter_nd",
    "string": "text that the program prepares itself",
    "sub": "tf.subtract",
    "summary": "values that the program fetches and writes",
    "tables_initializer": "no initializer: there are no tables",
    "tpu": "a CPU or a GPU",
    "train.Server": "one process",
    "train.ClusterSpec": "one process",
    "train.Supervisor": "tf.train.Saver and a loop around session.run",
    "train.batch": "feed_dict, with a generator of the program",
    "train.export_meta_graph": "tf.train.Saver, and the program that builds the graph",
    "train.import_meta_graph": "tf.train.Saver, and the program that builds the graph",
    "train.shuffle_batch": "feed_dict, with a generator of the program",
    "train.start_queue_runners": "nothing in its place: there are no queues",
    "train.string_input_producer": "feed_dict, with a generator of the program",
    "unpack": "tf.unstack",
}


@cache
def _names() -> frozenset[str]:
    from tfbuild_runtime.compat.tf1_names import NAMES

    return frozenset(
        f"{namespace}.{name}" if namespace else name
        for namespace, names in NAMES.items()
        for name in names.split()
    )


def explain(name: str) -> str:
    """Return what to say about a missing name, without `tf.`; empty for what never was a name."""
    beginnings = [known for known in _INSTEAD if name.startswith(known)]
    below = any(name.startswith(f"{known}.") for known in ("contrib", "keras", "estimator"))
    is_namespace = any(known.startswith(f"{name}.") for known in _names())
    if name not in _names() and not is_namespace and not below:
        return ""
    told = f"tf.{name} is a name of TensorFlow 1 that is not there yet"
    if not beginnings:
        return told
    return f"{told}; instead use {_INSTEAD[max(beginnings, key=len)]}"
