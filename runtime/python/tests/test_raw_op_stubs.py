"""What type checkers read of the raw ops is what there is."""

import ast

import raw_op_stubs
import tfbuild_runtime.compat.v1 as tf

AGAIN = "run python/tests/raw_op_stubs.py"


def written():
    """Return the functions of the file that is in the sources, by name."""
    tree = ast.parse(raw_op_stubs.STUBS.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_stubs_are_those_of_the_registered_ops():
    assert raw_op_stubs.STUBS.read_text(encoding="utf-8") == raw_op_stubs.stubs(), AGAIN


def test_a_stub_has_the_arguments_of_its_op():
    arguments = written()["Conv2D"].args
    required = [
        arg.arg
        for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults)
        if default is None
    ]
    assert required == ["input", "filter", "strides", "padding"]
    assert {"data_format", "T", "name"} <= {arg.arg for arg in arguments.kwonlyargs}
    result = tf.raw_ops.Conv2D(
        input=tf.zeros([1, 4, 4, 1]), filter=tf.zeros([2, 2, 1, 1]), strides=[1, 1, 1, 1],
        padding="SAME",
    )  # fmt: skip
    assert ast.unparse(written()["Conv2D"].returns) == f"_{type(result).__name__}"


def test_results_are_distinguished():
    functions = written()
    assert ast.unparse(functions["NoOp"].returns) == "_Operation"
    assert ast.unparse(functions["Unique"].returns) == "list[_Tensor]"
    assert ast.unparse(functions["Split"].returns) == "_Tensor | list[_Tensor]"
