"""Reads SavedModels."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfbuild_runtime.framework import defaults
from tfbuild_runtime.protos import messages
from tfbuild_runtime.saved_model import constants
from tfbuild_runtime.train import checkpoint_state, meta_graph


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Whether the folder has the file of a SavedModel."""
    folder = Path(os.fsdecode(export_dir))
    names = (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT)
    return any((folder / name).is_file() for name in names)


contains_saved_model = maybe_saved_model_directory


def parse_saved_model(export_dir: Any) -> Any:
    """Return the SavedModel message of a folder; raises OSError for none or a damaged one."""
    from google.protobuf import message, text_format

    folder = Path(os.fsdecode(export_dir))
    binary = folder / constants.SAVED_MODEL_FILENAME_PB
    text = folder / constants.SAVED_MODEL_FILENAME_PBTXT
    made = messages.SavedModel()
    try:
        if binary.is_file():
            made.ParseFromString(binary.read_bytes())
        elif text.is_file():
            messages.merge_text(text.read_text(encoding="utf-8"), made)
        else:
            raise OSError(f"SavedModel file does not exist at: {folder}{os.sep}"
                          f"{{{text.name}|{binary.name}}}")  # fmt: skip
    except (
        message.DecodeError,
        text_format.ParseError,
        UnicodeDecodeError,
        RecursionError,
    ) as error:
        path = binary if binary.is_file() else text
        raise OSError(f"Cannot parse file {path}: {error}.") from None
    return made


def _choose(saved_model: Any, tags: Any, export_dir: Any) -> Any:
    wanted = {tags} if isinstance(tags, str) else set(tags)
    available = []
    for candidate in saved_model.meta_graphs:
        found = set(candidate.meta_info_def.tags)
        if found == wanted:
            return candidate
        available.append(found)
    raise RuntimeError(
        f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in SavedModel, "
        f"with available tags '{available}', at {os.fsdecode(export_dir)}."
    )


def load(
    sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any
) -> Any:
    """Add the graph of those tags to the session's, restore it; return its MetaGraphDef.

    Raises OSError for a folder that holds no SavedModel, RuntimeError for unknown tags, ValueError
    for a graph that cannot be built, and an OpError for variables that cannot be restored.
    """
    chosen = _choose(parse_saved_model(export_dir), tags, export_dir)
    folder = Path(os.fsdecode(export_dir))
    with sess.graph.as_default():
        saver = meta_graph.import_meta_graph(chosen, import_scope=import_scope, **saver_kwargs)
        path = folder / constants.VARIABLES_DIRECTORY / constants.VARIABLES_FILENAME
        if saver is not None and checkpoint_state.checkpoint_exists(str(path)):
            saver.restore(sess, str(path))
        elif saver is not None and chosen.HasField("saver_def"):
            raise OSError(f"the variables of the SavedModel are not there: {path}")
        scope = f"{import_scope.rstrip('/')}/" if import_scope else ""
        _run_init_op(sess, chosen, scope, _asset_feeds(chosen, folder, scope))
    return chosen


def _asset_feeds(chosen: Any, folder: Path, scope: str) -> dict[Any, str]:
    """Return the paths that the files have here, by the tensors that name them."""
    graph = defaults.get_default_graph()
    feeds = {}
    for asset in (*chosen.asset_file_def, *_collected_assets(chosen)):
        name = Path(asset.filename)
        if name.is_absolute() or ".." in name.parts:
            raise ValueError(f"the asset {asset.filename!r} lies outside of the SavedModel")
        tensor = graph.get_tensor_by_name(scope + asset.tensor_info.name)
        feeds[tensor] = str(folder / constants.ASSETS_DIRECTORY / name)
    return feeds


def _collected_assets(chosen: Any) -> list[Any]:
    """Return the assets in the collection where TensorFlow's builder of SavedModels puts them."""
    from google.protobuf import message

    if constants.ASSETS_KEY not in chosen.collection_def:
        return []
    packed = chosen.collection_def[constants.ASSETS_KEY].any_list.value
    try:
        return [messages.AssetFileDef.FromString(one.value) for one in packed]
    except message.DecodeError as error:
        raise OSError(f"the assets of the SavedModel are damaged: {error}") from None


def _run_init_op(sess: Any, chosen: Any, scope: str, feeds: dict[Any, str]) -> None:
    graph = defaults.get_default_graph()
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in chosen.collection_def:
            names = list(chosen.collection_def[key].node_list.value)
            break
    else:
        signature = chosen.signature_def.get(constants.INIT_OP_SIGNATURE_KEY)
        outputs = {} if signature is None else signature.outputs
        names = [info.name for info in outputs.values()]
    if len(names) > 1:
        raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {names}.")
    for name in names:
        sess.run(graph.as_graph_element(scope + name), feeds)
