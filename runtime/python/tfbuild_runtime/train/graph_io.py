"""Writing a graph to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfbuild_runtime.train.checkpoint_state import write_aside


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph, or a GraphDef, to a file, and return its path; the folder is made.

    As text is what str() of a GraphDef is.
    """
    graph_def = graph_or_graph_def
    if hasattr(graph_def, "as_graph_def"):
        graph_def = graph_def.as_graph_def()
    folder = Path(os.fspath(logdir))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    data = str(graph_def).encode() if as_text else graph_def.SerializeToString()
    write_aside(path, data)
    return os.path.join(os.fspath(logdir), name)  # noqa: PTH118
