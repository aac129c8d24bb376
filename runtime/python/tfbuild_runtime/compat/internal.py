"""TensorFlow's own modules, such as tensorflow.python.ops.array_ops, by the names that they had.

Programs import them although they are nobody's interface. Each gives what the named modules of the
runtime have, and else what tf and the named namespaces of it have.
"""

from __future__ import annotations

import importlib
import re
import types
from typing import Any

from tfbuild_runtime.compat.module_names import ALIKE, RENAMED
from tfbuild_runtime.ragged._dispatched import DISPATCHED
from tfbuild_runtime.ragged.dispatch import taking_ragged

_ROOT = "tfbuild_runtime.compat.v1"
_NOTHING = object()  # what is not there; None is a value, as of array_ops.newaxis

# Module of TensorFlow -> modules of the runtime, and namespaces of tf (with a dot before them).
_MODULES = {
    "python.client.device_lib": "framework.device_list",
    "python.client.session": "framework.session",
    "python.data.ops.dataset_ops": "data.dataset data.iterator .data",
    "python.data.ops.iterator_ops": "data.iterator .data",
    "python.framework.constant_op": "framework.constant",
    "python.framework.device": "framework.device",
    "python.framework.indexed_slices": "framework.indexed_slices",
    "python.framework.dtypes": "framework.dtypes",
    "python.framework.errors": "framework.errors",
    "python.framework.errors_impl": "framework.errors",
    "python.framework.graph_io": "train.graph_io",
    "python.framework.graph_util": ".graph_util",
    "python.framework.graph_util_impl": ".graph_util",
    "python.framework.importer": "framework.importer",
    "python.framework.ops": "framework.ops framework.graph framework.graph_keys gradients.registry",
    "python.framework.random_seed": "ops.random_ops",
    "python.framework.tensor_shape": "framework.tensor_shape",
    "python.framework.tensor_util": "framework.constant protos.tensor_messages",
    "python.framework.test_util": "platform.test",
    "python.framework.versions": "framework.versions",
    "python.layers.base": "layers.base",
    "python.layers.convolutional": "layers.convolutional",
    "python.layers.core": "layers.core",
    "python.layers.layers": ".layers",
    "python.layers.normalization": "layers.normalization",
    "python.layers.pooling": "layers.pooling",
    "python.layers.utils": "ops.smart",
    "python.lib.io.file_io": "platform.file_io",
    "python.ops.array_ops": "ops.array_ops ops.creation_ops ops.slicing_ops",
    "python.ops.check_ops": "ops.check_ops",
    "python.ops.clip_ops": "ops.clip_ops",
    "python.ops.confusion_matrix": "ops.counting_ops",
    "python.ops.control_flow_ops": "ops.control_flow_ops ops.control_ops ops.host_ops",
    "python.ops.ctc_ops": "ops.ctc_ops",
    "python.ops.data_flow_ops": "io.barriers io.staging io.record_input",
    "python.ops.distributions.util": "distributions.util",
    "python.ops.distributions.special_math": "distributions.special_math",
    "python.ops.embedding_ops": ".nn",
    "python.ops.functional_ops": "ops.functional_ops",
    "python.ops.gradients": "gradients.engine",
    "python.ops.gradients_impl": "gradients.engine",
    "python.ops.image_ops": ".image",
    "python.ops.init_ops": "ops.init_ops",
    "python.ops.linalg.linalg_impl": "ops.matrix_exponential_ops ops.linalg_ops .linalg",
    "python.ops.linalg.linear_operator_util": "linalg.util",
    "python.ops.linalg_ops": "ops.linalg_ops .linalg",
    "python.ops.logging_ops": "ops.host_ops .summary",
    "python.ops.losses.losses": ".losses",
    "python.ops.lookup_ops": "ops.lookup_ops",
    "python.ops.math_ops": "ops.math_ops ops.reduce_ops ops.linalg_ops ops.old_names .math",
    "python.ops.metrics": ".metrics",
    "python.ops.nn": ".nn",
    "python.ops.nn_impl": ".nn",
    "python.ops.nn_ops": ".nn",
    "python.ops.partitioned_variables": "ops.partitioned_variables ops.sliced_variables",
    "python.ops.random_ops": "ops.random_ops",
    "python.ops.list_ops": "ops.list_ops",
    "python.ops.resource_variable_ops": "framework.resource_variables",
    "python.ops.rnn": "rnn.dynamic rnn.static rnn.raw",
    "python.ops.rnn_cell": "rnn.cells rnn.wrappers",
    "python.ops.rnn_cell_impl": "rnn.cells rnn.wrappers",
    "python.ops.script_ops": "ops.host_ops",
    **{
        f"python.ops.signal.{kind}_ops": ".signal"
        for kind in ("dct", "fft", "mel", "mfcc", "reconstruction", "shape", "spectral", "window")
    },
    "python.ops.sparse_ops": "ops.sparse_ops ops.sparse_element_ops",
    "python.ops.state_ops": "ops.state_ops framework.variables",
    "python.ops.standard_ops": "",
    "python.ops.stateless_random_ops": "ops.stateless_ops",
    "python.ops.template": "ops.template",
    "python.ops.weights_broadcast_ops": "ops.weights_broadcast_ops",
    "python.ops.tensor_array_ops": "ops.tensor_array_ops",
    "python.ops.variable_scope": "ops.variable_scope",
    "python.ops.variables": "framework.variables ops.partitioned_variables",
    "python.platform.app": "platform.app",
    "python.platform.flags": "platform.flags",
    "python.platform.gfile": "platform.gfile",
    "python.platform.googletest": "platform.test",
    "python.platform.test": "platform.test .test",
    "python.platform.tf_logging": "platform.tf_logging",
    "python.pywrap_tensorflow": ".train",
    "python.tools.inspect_checkpoint": "train.inspect_checkpoint",
    "python.training.basic_session_run_hooks": (
        "train.basic_hooks train.summary_hooks train.session_run_hook"
    ),
    "python.training.checkpoint_management": ".train",
    "python.training.monitored_session": "train.monitored_session",
    "python.training.moving_averages": "train.moving_averages",
    "python.training.optimizer": "train.optimizer",
    "python.training.saver": ".train",
    "python.training.session_run_hook": "train.session_run_hook",
    "python.training.training": ".train",
    "python.training.training_util": "train.global_step",
    "python.util.compat": "platform.text",
    "python.util.nest": "ops.public_nest",
    "python.util.tf_export": "platform.decorators",
    "python.util.tf_inspect": "platform.decorators",
    **ALIKE,
}

# The packages that have a module for each .proto file, all of which give all messages here.
_MESSAGES = {f"core.{name}" for name in ("example", "framework", "protobuf", "util")}
_OF_MESSAGES = re.compile(r"core\.(example|framework|protobuf|util)\.\w+_pb2")


class InternalModule(types.ModuleType):
    """One of TensorFlow's own modules: names that are looked for in several places."""

    def __init__(self, name: str, places: str) -> None:
        super().__init__(f"tensorflow.{name}", f"What tensorflow.{name} had.")
        self._name = name
        self._places = places.split()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self._name}.{name}"
        if full in _MODULES:  # a package that was a module as well
            return InternalModule(full, _MODULES[full])
        if full in RENAMED:
            module, _, renamed = RENAMED[full].partition(":")
            return _in_place(module, renamed)
        # The modules of ops had the generated functions, too.
        last = ["ops.generated_ops"] if self.__name__.startswith("tensorflow.python.ops.") else []
        for place in (*self._places, ".", *last):
            value = _in_place(place, name)
            if value is not _NOTHING:
                setattr(self, name, value)
                return value
        raise AttributeError(f"{self.__name__} has no {name!r} here: it is a module of "
                             "TensorFlow's own, of which the runtime has what tf has")  # fmt: skip


def _in_place(place: str, name: str) -> Any:
    if place.startswith("."):
        owner: Any = importlib.import_module(_ROOT)
        for part in filter(None, place.split(".")):
            owner = getattr(owner, part, None)
    else:
        owner = importlib.import_module(f"tfbuild_runtime.{place}")
        if f"{owner.__name__}:{name}" in DISPATCHED:
            return taking_ragged(getattr(owner, name), DISPATCHED[f"{owner.__name__}:{name}"])
    return getattr(owner, name, _NOTHING)


class _Package(types.ModuleType):
    """A package of TensorFlow's own modules."""

    def __init__(self, name: str) -> None:
        super().__init__(f"tensorflow.{name}", f"The modules below tensorflow.{name}.")
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self._name}.{name}"
        if full in _MODULES:
            value: Any = InternalModule(full, _MODULES[full])
        elif re.fullmatch(r"python\.ops\.gen_\w+_ops", full):
            value = InternalModule(full, "ops.generated_ops")
        elif _OF_MESSAGES.fullmatch(full):
            value = InternalModule(full, "protos.messages")
        elif full in _MESSAGES or any(module.startswith(f"{full}.") for module in _MODULES):
            value = _Package(full)
        else:
            value = self._elsewhere(full, name)
        setattr(self, name, value)
        return value

    def _elsewhere(self, full: str, name: str) -> Any:
        """Return a module of ours that stands where TensorFlow's did, or what tf has."""
        try:
            return importlib.import_module(f"tfbuild_runtime.{full}")
        except ModuleNotFoundError:
            found = getattr(importlib.import_module(_ROOT), name, None)
        if found is None:
            raise AttributeError(f"tensorflow.{full} is not there: it is a module of TensorFlow's "
                                 "own")  # fmt: skip
        return found


core = _Package("core")
python = _Package("python")
