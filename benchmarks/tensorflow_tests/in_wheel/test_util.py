"""What tensorflow.python.framework.test_util gives: decorators and small helpers, graphs only."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import tfbuild_runtime.compat.v1 as tf
from test_case import TestCase

TensorFlowTestCase = TestCase


def _unchanged(function: Any = None, *arguments: Any, **named: Any) -> Any:
    """Decorate with nothing, with or without arguments of the decorator."""
    if callable(function):
        return function
    return lambda decorated: decorated


run_deprecated_v1 = deprecated_graph_mode_only = run_all_in_deprecated_graph_mode_only = _unchanged
enable_control_flow_v2 = enable_output_all_intermediates = assert_no_new_tensors = _unchanged
assert_no_garbage_created = assert_no_new_pyobjects_executing_eagerly = _unchanged
py_func_if_in_function = also_run_as_tf_function = disable_cudnn_autotune = _unchanged
enable_c_shapes = with_c_shapes = with_control_flow_v2 = _unchanged


def _described(*_: Any, **__: Any) -> Any:
    """Take a description; decorate with nothing."""
    return lambda decorated: decorated


disable_xla = no_xla_auto_jit = xla_allow_fallback = enable_tf_xla_constant_folding = _described
disable_control_flow_v2 = run_without_tensor_float_32 = run_all_without_tensor_float_32 = _described


def run_v1_only(reason: Any = None, func: Any = None) -> Any:
    """Run the test: this is version 1."""
    return func if func is not None else lambda decorated: decorated


def _skipping(why: str) -> Any:
    def decorate(func: Any = None) -> Any:
        def decorator(function: Any) -> Any:
            @functools.wraps(function)
            def skip(self: Any, *_: Any, **__: Any) -> None:
                self.skipTest(why)

            return skip

        return decorator if func is None else decorator(func)

    return decorate


run_v2_only = _skipping("version 2 only")
run_gpu_only = run_cuda_only = _skipping("needs a GPU")


def run_in_graph_and_eager_modes(func: Any = None, config: Any = None, use_gpu: bool = True,
                                 **_: Any) -> Any:  # fmt: skip
    """Run the test once, in a graph with a session."""

    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def run(self: Any, *arguments: Any, **named: Any) -> None:
            with self.test_session(use_gpu=use_gpu, config=config):
                function(self, *arguments, **named)

        return run

    return decorator if func is None else decorator(func)


def for_all_test_methods(decorator: Any, *arguments: Any, **named: Any) -> Any:
    """Return what decorates each test of a class."""

    def decorate(cls: type) -> type:
        for name, value in list(vars(cls).items()):
            if callable(value) and name.startswith("test") and name != "test_session":
                setattr(cls, name, decorator(*arguments, **named)(value))
        return cls

    return decorate


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Run each test of the class once, in a graph with a session."""
    return for_all_test_methods(run_in_graph_and_eager_modes)(cls)  # type: ignore[no-any-return]


def build_as_function_and_v1_graph(func: Any = None) -> Any:
    """Run the test in a graph; it takes a mode's name first."""

    def decorator(function: Any) -> Any:
        @functools.wraps(function)
        def run(self: Any, *arguments: Any, **named: Any) -> None:
            with tf.Graph().as_default():
                function(self, *arguments, **named)

        return run

    return decorator if func is None else decorator(func)


def skip_if(condition: Any) -> Any:
    """Leave the test out where the condition, or what it returns, holds."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            holds = condition() if callable(condition) else condition
            return None if holds else function(*arguments, **named)

        return run

    return decorate


def use_gpu() -> Any:
    """Place where it is best."""
    return contextlib.nullcontext()


force_gpu = use_gpu


def force_cpu() -> Any:
    """Place on the processor."""
    return tf.device("/device:CPU:0")


def device(use_gpu: bool) -> Any:
    """Place where it is best, or on the processor."""
    return contextlib.nullcontext() if use_gpu else force_cpu()


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether tests of GPUs run; they do not."""
    return False


IsMklEnabled = IsGoogleCudaEnabled = IsBuiltWithROCm = is_xla_enabled = is_gpu_available
is_built_with_rocm = is_built_with_cuda = is_built_with_gpu_support = is_gpu_available
is_built_with_xla = is_gpu_available


def GpuSupportsHalfMatMulAndConv() -> bool:
    """Whether a GPU has half precision; there is none."""
    return False


def gpu_device_name() -> str:
    """Return no name: tests of GPUs do not run."""
    return ""


def _transposed(value: Any, axes_of: Any) -> Any:
    is_tensor = hasattr(value, "graph")
    axes = axes_of(len(value.shape) if is_tensor else len(value))
    return tf.transpose(value, axes) if is_tensor else [value[axis] for axis in axes]


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Put the channels of an image or a volume, or of its shape, behind the batch."""
    return _transposed(input_tensor, lambda rank: [0, rank - 1, *range(1, rank - 1)])


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Put the channels of an image or a volume, or of its shape, last."""
    return _transposed(input_tensor, lambda rank: [0, *range(2, rank), 1])


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Any) -> dict[str, Any]:
    """Check that the graph has operations of those names and types; return their nodes."""
    nodes = {node.name: node for node in graph.as_graph_def().node if node.name in expected_ops}
    for name, kind in expected_ops.items():
        if name not in nodes or nodes[name].op != kind:
            raise AssertionError(f"the graph has no {kind} called {name}")
    return nodes


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """Return the node of that name, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)


def assert_equal_graph_def(actual: Any, expected: Any, *_: Any, **__: Any) -> None:
    """Check that two graphs have the same nodes, in any order."""
    if _nodes_by_name(actual) != _nodes_by_name(expected):
        raise AssertionError("the graphs differ")


def _nodes_by_name(graph_def: Any) -> dict[str, Any]:
    return {node.name: node for node in graph_def.node}


def set_producer_version(graph: Any, producer_version: int) -> None:
    """Let the graph be as if a program of that version had made it: there is one only."""
