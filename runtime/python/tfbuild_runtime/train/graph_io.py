"""Writing a graph to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfbuild_runtime.protos import messages
from tfbuild_runtime.train.checkpoint_state import write_aside


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph, or a GraphDef, to a file, and return its path; the folder is made."""
    graph_def = graph_or_graph_def
    if hasattr(graph_def, "as_graph_def"):
        graph_def = graph_def.as_graph_def()
    folder = Path(os.fspath(logdir))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if as_text:
        data = messages.to_text(graph_def).encode()
    else:  # the same bytes for the same graph
        data = graph_def.SerializeToString(deterministic=True)
    write_aside(path, data)
    return os.path.join(os.fspath(logdir), name)  # noqa: PTH118
