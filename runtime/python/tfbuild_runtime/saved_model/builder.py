"""Writes SavedModels."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import control_ops
from tfbuild_runtime.protos import messages
from tfbuild_runtime.saved_model import (
    constants,
    signature_constants,
    signatures,
    tag_constants,
)
from tfbuild_runtime.train import checkpoint_state, meta_graph
from tfbuild_runtime.train.saver import Saver


class SavedModelBuilder:
    """Collects graphs, the first of them with its variables, and writes them into a new folder."""

    def __init__(self, export_dir: Any) -> None:
        self._folder = Path(os.fsdecode(export_dir))
        if self._folder.exists() and (not self._folder.is_dir() or any(self._folder.iterdir())):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose "
                "a different export directory, or delete all the contents of the specified "
                f"directory: {self._folder}"
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        schema = constants.SAVED_MODEL_SCHEMA_VERSION
        self._saved_model = messages.SavedModel(saved_model_schema_version=schema)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self, sess: Any, tags: Any, signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None, legacy_init_op: Any = None, clear_devices: bool = False,
        main_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
        init_op: Any = None, train_op: Any = None, assets_list: Any = None, **_: Any,
    ) -> None:  # fmt: skip
        """Add the session's graph, and write the values of its variables and its assets.

        Raises AssertionError where that has been done before.
        """
        if self._has_saved_variables:
            raise AssertionError("Graph state including variables and assets has already been "
                                 "saved. Please invoke `add_meta_graph()` instead.")  # fmt: skip
        with sess.graph.as_default():
            assets = _assets(assets_collection if assets_list is None else assets_list)
            self._copy_assets(assets)
            saver = saver or _default_saver()
            folder = self._folder / constants.VARIABLES_DIRECTORY
            folder.mkdir(exist_ok=True)
            if saver is not None:
                path = str(folder / constants.VARIABLES_FILENAME)
                saver.save(sess, path, write_meta_graph=False, write_state=False)
            begin = init_op or main_op or legacy_init_op
            export = {"clear_devices": clear_devices, "strip_default_attrs": strip_default_attrs}
            self._add(tags, signature_def_map, assets, begin, train_op, export, saver)
        self._has_saved_variables = True

    def add_meta_graph(
        self, tags: Any, signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None, legacy_init_op: Any = None, clear_devices: bool = False,
        main_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
        init_op: Any = None, train_op: Any = None, assets_list: Any = None, **_: Any,
    ) -> None:  # fmt: skip
        """Add the default graph, whose variables are among those that were written.

        Raises AssertionError where none were.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        assets = _assets(assets_collection if assets_list is None else assets_list)
        self._copy_assets(assets)
        begin = init_op or main_op or legacy_init_op
        chosen = saver or _default_saver()
        export = {"clear_devices": clear_devices, "strip_default_attrs": strip_default_attrs}
        self._add(tags, signature_def_map, assets, begin, train_op, export, chosen)

    def _add(
        self, tags: Any, signature_def_map: Mapping[str, Any] | None, assets: dict[str, Any],
        begin: Any, train_op: Any, export: dict[str, bool], saver: Any,
    ) -> None:  # fmt: skip
        named = dict(signature_def_map or {})
        for name, signature in named.items():
            _check_signature(name, signature)
        info = messages.MetaGraphDef.MetaInfoDef(tags=list(tags))
        made = meta_graph.export_meta_graph(
            meta_info_def=info, saver_def=None if saver is None else saver.as_saver_def(), **export
        )
        for op, collection, key in (
            (begin, constants.MAIN_OP_KEY, constants.INIT_OP_SIGNATURE_KEY),
            (train_op, constants.TRAIN_OP_KEY, constants.TRAIN_OP_KEY),
        ):
            if op is not None:
                made.collection_def[collection].node_list.value[:] = [op.name]
                named[key] = signatures.op_signature_def(op, key)
        for name, signature in named.items():
            made.signature_def[name].ParseFromString(signature.SerializeToString())
        for filename, tensor in assets.items():
            asset = made.asset_file_def.add(filename=filename)
            asset.tensor_info.name = tensor.name
        self._saved_model.meta_graphs.add().CopyFrom(made)

    def _copy_assets(self, assets: dict[str, Any]) -> None:
        folder = self._folder / constants.ASSETS_DIRECTORY
        for filename, tensor in assets.items():
            folder.mkdir(exist_ok=True)
            shutil.copyfile(_path_of(tensor), folder / filename)

    def save(self, as_text: bool = False, **_: Any) -> bytes:
        """Write the graphs; return the path of their file."""
        if as_text:
            path = self._folder / constants.SAVED_MODEL_FILENAME_PBTXT
            data = messages.to_text(self._saved_model).encode()
        else:
            path = self._folder / constants.SAVED_MODEL_FILENAME_PB
            data = self._saved_model.SerializeToString()
        checkpoint_state.write_aside(path, data)
        return os.fsencode(path)


def _default_saver() -> Saver | None:
    """Return a saver of all variables; None where there are none."""
    saver = Saver(sharded=True, allow_empty=True)
    return saver if saver.as_saver_def().filename_tensor_name else None


def _check_signature(name: str, signature: Any) -> None:
    for info in [*signature.inputs.values(), *signature.outputs.values()]:
        if info.WhichOneof("encoding") is None or not (info.name or info.HasField("coo_sparse")):
            raise AssertionError(f"All TensorInfo protos used in the SignatureDefs must have the "
                                 f"name field set; one of {name!r} has none.")  # fmt: skip


def _path_of(tensor: Any) -> str:
    value = framework.constant_value(tensor)
    if value is None or not value.shape == ():
        raise ValueError(f"the asset {tensor.name!r} must be a constant with the path of a file")
    return os.fsdecode(value.item())


def _assets(tensors: Any) -> dict[str, Any]:
    """Return the tensors that name files, by the names that those have in the folder."""
    assets: dict[str, Any] = {}
    paths: dict[str, str] = {}
    for tensor in tensors or ():
        path = _path_of(tensor)
        base, suffix = Path(path).name, 0
        name = base
        while paths.get(name, path) != path:
            suffix += 1
            name = f"{base}_{suffix}"
        paths[name] = path
        assets[name] = tensor
    return assets


def simple_save(
    session: Any, export_dir: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:  # fmt: skip
    """Write the session's graph for serving, with one signature of these inputs and outputs."""
    key = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    builder = SavedModelBuilder(export_dir)
    with session.graph.as_default():
        named = {key: signatures.predict_signature_def(inputs, outputs)}
        builder.add_meta_graph_and_variables(
            session, [tag_constants.SERVING], named,
            assets_collection=framework.get_collection(GraphKeys.ASSET_FILEPATHS),
            main_op=legacy_init_op, clear_devices=True,
        )  # fmt: skip
    builder.save()


def main_op() -> Any:
    """Return an operation that initialises local variables and tables."""
    from tfbuild_runtime.framework import variables

    inits = [variables.local_variables_initializer()]
    tables = framework.get_collection(GraphKeys.TABLE_INITIALIZERS)
    return control_ops.group(*inits, *tables)


def main_op_with_restore(restore_op_name: str) -> Any:
    """Return main_op(), which runs after the operation of that name."""
    restore = framework.get_default_graph().get_operation_by_name(restore_op_name)
    with framework.control_dependencies([restore]):
        return main_op()
