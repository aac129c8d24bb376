"""tf.contrib.tensorboard.plugins.projector: says which embeddings TensorBoard shows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfbuild_runtime.protos import messages

_FILE = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Write a ProjectorConfig into the folder of a writer, or into a folder that is given.

    Raises ValueError for no writer, and for a config whose embeddings have neither the name of a
    tensor nor a file of vectors.
    """
    folder = summary_writer
    if hasattr(summary_writer, "get_logdir"):
        folder = summary_writer.get_logdir()
    if not folder:
        raise ValueError("Summary writer must have a logdir")
    from google.protobuf import text_format

    checked = messages.ProjectorConfig.FromString(config.SerializeToString())
    for embedding in checked.embeddings:
        if not (embedding.tensor_name or embedding.tensor_path):
            raise ValueError("an embedding has a tensor_name or a tensor_path")
    place = Path(os.fsdecode(folder), _FILE)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text_format.MessageToString(checked), encoding="utf-8")


__all__ = ["visualize_embeddings"]
