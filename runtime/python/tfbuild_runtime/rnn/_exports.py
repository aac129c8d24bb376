"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.rnn"

_CELLS = {
    "cells": (
        "BasicLSTMCell", "BasicRNNCell", "GRUCell", "LSTMCell", "LSTMStateTuple", "MultiRNNCell",
        "RNNCell",
    ),
    "wrappers": ("DeviceWrapper", "DropoutWrapper", "ResidualWrapper"),
}  # fmt: skip
_MORE_CELLS = {
    "wrappers": ("EmbeddingWrapper", "InputProjectionWrapper", "OutputProjectionWrapper"),
}
_LOOPS = {
    "dynamic": ("bidirectional_dynamic_rnn", "dynamic_rnn"),
    "raw": ("raw_rnn",),
    "static": ("static_bidirectional_rnn", "static_rnn", "static_state_saving_rnn"),
}


def _below(prefix: str, modules: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {f"{prefix}.{name}": f"{_PLACE}.{module}:{name}"
            for module, names in modules.items() for name in names}  # fmt: skip


_OLD_CELLS = {**_CELLS, "wrappers": _CELLS["wrappers"] + _MORE_CELLS["wrappers"]}

EXPORTS = {
    **_below("nn", _LOOPS),
    **_below("nn.rnn_cell", _CELLS),
    **_below("contrib.rnn", _OLD_CELLS),
    **_below("contrib.rnn.core_rnn_cell", _OLD_CELLS),
    **_below("contrib.rnn", {"static": _LOOPS["static"]}),
    **_below("contrib.rnn", {"more_cells": ("LayerNormBasicLSTMCell", "LSTMBlockCell", "NASCell")}),
    **_below("contrib.rnn", {"fused_cells": ("LSTMBlockFusedCell",)}),
    "contrib.rnn.stack_bidirectional_dynamic_rnn":
        f"{_PLACE}.static:stack_bidirectional_dynamic_rnn",
}  # fmt: skip
