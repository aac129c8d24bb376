"""The only module that imports the extension module; everything native is reached through it."""

import os
import threading

from tfbuild_runtime.framework import errors
from tfbuild_runtime.framework.load import load_extension

_runtime = load_extension()

Graph = _runtime.Graph
make_session = _runtime.make_session
shorten_run = _runtime.shorten_run
step_key = _runtime.step_key
set_feed_converter = _runtime.set_feed_converter
op_names = _runtime.op_names
op_def = _runtime.op_def
kernels = _runtime.kernels
devices = _runtime.devices
gpu_status = _runtime.gpu_status
build_info = _runtime.build_info
set_function_caller = _runtime.set_function_caller
set_native_kernel = _runtime.set_native_kernel
node_to_node_def = _runtime.node_to_node_def
attrs_to_node_def = _runtime.attrs_to_node_def
graph_to_graph_def = _runtime.graph_to_graph_def
import_graph_def = _runtime.import_graph_def
RecordWriter = _runtime.RecordWriter
RecordReader = _runtime.RecordReader
open_checkpoint = _runtime.open_checkpoint


def _name_main_thread() -> None:
    """Say on which thread handlers of signals run: a step there looks for Ctrl-C."""
    _runtime.set_main_thread(threading.main_thread().ident)


_name_main_thread()
os.register_at_fork(after_in_child=_name_main_thread)
_runtime.set_error_classes(errors.classes_by_code(), errors.UnknownError)
