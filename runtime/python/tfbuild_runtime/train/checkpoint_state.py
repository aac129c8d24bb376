"""Which checkpoints a folder has: what tf.train.get_checkpoint_state reads."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from tfbuild_runtime.train.saver import _STATE, checkpoint_exists, latest_checkpoint

_LINE = re.compile(r'^(model_checkpoint_path|all_model_checkpoint_paths): (".*")$', re.MULTILINE)


class CheckpointState:
    """The latest checkpoint of a folder, and all that are kept, oldest first."""

    def __init__(self, model_checkpoint_path: str = "",
                 all_model_checkpoint_paths: Any = ()) -> None:  # fmt: skip
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = list(all_model_checkpoint_paths)

    def __str__(self) -> str:
        lines = [f"model_checkpoint_path: {json.dumps(self.model_checkpoint_path)}"]
        lines += [f"all_model_checkpoint_paths: {json.dumps(path)}"
                  for path in self.all_model_checkpoint_paths]  # fmt: skip
        return "\n".join(lines) + "\n"


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Return the CheckpointState of a folder; None when it has none."""
    folder = os.fspath(checkpoint_dir)
    try:
        text = (Path(folder) / (latest_filename or _STATE)).read_text(encoding="utf-8")
        found = [(key, json.loads(path)) for key, path in _LINE.findall(text)]
    except (OSError, ValueError):
        return None
    # Joined as str, as the program gave the folder.
    paths = [(key, os.path.join(folder, path)) for key, path in found]  # noqa: PTH118
    latest = [path for key, path in paths if key == "model_checkpoint_path"]
    if not latest:
        return None
    return CheckpointState(latest[-1], [p for k, p in paths if k == "all_model_checkpoint_paths"])


__all__ = ["CheckpointState", "checkpoint_exists", "get_checkpoint_state", "latest_checkpoint"]
