"""TensorFlow 1's public names: import tfbuild_runtime.compat.v1 as tf."""

from typing import Any

from tfbuild_runtime.compat import _exports as _compat
from tfbuild_runtime.compat import lazy as _lazy
from tfbuild_runtime.contrib import _exports as _contrib
from tfbuild_runtime.data import _exports as _data
from tfbuild_runtime.datasets import _exports as _datasets
from tfbuild_runtime.distributions import _exports as _distributions
from tfbuild_runtime.estimator import _exports as _estimator
from tfbuild_runtime.framework import _exports as _framework
from tfbuild_runtime.framework import operation as _operation
from tfbuild_runtime.framework import operators as _operators  # noqa: F401 (x + y on tensors)
from tfbuild_runtime.framework import session as _session  # noqa: F401 (what every program uses)
from tfbuild_runtime.framework.versions import VERSION
from tfbuild_runtime.gradients import _exports as _gradients
from tfbuild_runtime.io import _exports as _io
from tfbuild_runtime.keras import _exports as _keras
from tfbuild_runtime.layers import _exports as _layers
from tfbuild_runtime.linalg import _exports as _linalg
from tfbuild_runtime.metrics import _exports as _metrics
from tfbuild_runtime.ops import _composed_exports as _composed
from tfbuild_runtime.ops import _exports as _ops
from tfbuild_runtime.platform import _exports as _platform
from tfbuild_runtime.protos import _exports as _protos
from tfbuild_runtime.ragged import _exports as _ragged
from tfbuild_runtime.rnn import _exports as _rnn
from tfbuild_runtime.saved_model import _exports as _saved_model
from tfbuild_runtime.summary import _exports as _summary
from tfbuild_runtime.train import _exports as _train

__version__ = VERSION


def _first_slice(tensor: Any, key: Any) -> Any:
    """Return tensor[key]; the module that it imports puts itself in the place of this function."""
    _lazy.load("tfbuild_runtime.ops.slicing_ops")
    return tensor[key]


_operation.Tensor._override_operator("__getitem__", _first_slice)
_PARTS = (
    _framework, _platform, _ops, _composed, _gradients, _linalg, _layers, _rnn, _metrics, _train,
    _summary, _io, _protos, _saved_model, _data, _contrib, _datasets, _distributions, _estimator,
    _keras, _compat, _ragged,
)  # fmt: skip
_TREE = _lazy.make_tree({name: place for part in _PARTS for name, place in part.EXPORTS.items()})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = _lazy.look_up(__name__, _TREE, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_TREE, "VERSION", "__version__"])
