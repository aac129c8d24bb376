"""Writes what an estimator has learned, as a SavedModel."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tfbuild_runtime.estimator import outputs
from tfbuild_runtime.estimator.spec import ModeKeys
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.session import Session
from tfbuild_runtime.platform import tf_logging
from tfbuild_runtime.saved_model import tag_constants
from tfbuild_runtime.saved_model.builder import SavedModelBuilder, main_op
from tfbuild_runtime.train import global_step
from tfbuild_runtime.train.saver import Saver

_EXTRA = "assets.extra"
_TRIES = 10  # for a folder whose name, the time in seconds, nobody else has


def export(
    call_model: Callable[..., Any], export_dir_base: Any, receiver_fn: Callable[[], Any],
    checkpoint: str, assets_extra: Mapping[str, str] | None, as_text: bool,
    strip_default_attrs: bool,
) -> bytes:  # fmt: skip
    """Write a model into a new folder below the base, which is named by the time; return its path.

    call_model(features, labels, mode) gives the EstimatorSpec. The folder appears when it is whole.
    """
    folder = _new_folder(Path(os.fsdecode(export_dir_base)))
    aside = folder.with_name(f"temp-{folder.name}")
    with framework.Graph().as_default() as graph:
        global_step.create_global_step()
        receiver = receiver_fn()
        spec = call_model(receiver.features, None, ModeKeys.PREDICT)
        given = spec.export_outputs or outputs.default_outputs(spec.predictions)
        fitting, refused = outputs.signatures_of(given, receiver)
        for name, why in refused.items():
            tf_logging.info("Signature %s is left out: %s", name, why)
        saver = getattr(spec.scaffold, "saver", None) or Saver(sharded=True)
        with Session(graph=graph) as session:
            saver.restore(session, checkpoint)
            builder = SavedModelBuilder(aside)
            builder.add_meta_graph_and_variables(
                session, [tag_constants.SERVING], fitting,
                assets_collection=graph.get_collection(GraphKeys.ASSET_FILEPATHS),
                main_op=main_op(), saver=saver, strip_default_attrs=strip_default_attrs,
            )  # fmt: skip
            builder.save(as_text)
    for target, source in (assets_extra or {}).items():
        place = aside / _EXTRA / target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)
    aside.replace(folder)
    tf_logging.info("SavedModel written to: %s", folder)
    return os.fsencode(folder)


def _new_folder(base: Path) -> Path:
    """Return a folder that is not there yet; raises RuntimeError where others take each name."""
    stamp = int(time.time())
    for number in range(_TRIES):
        folder = base / str(stamp + number)
        if not folder.exists() and not folder.with_name(f"temp-{folder.name}").exists():
            return folder
    raise RuntimeError(f"Failed to obtain a unique export directory name after {_TRIES} attempts.")


__all__ = ["export"]
