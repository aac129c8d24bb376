"""Saving and restoring variables, in TensorFlow's checkpoints."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from tfbuild_runtime.framework import errors
from tfbuild_runtime.protos import messages
from tfbuild_runtime.train import checkpoint_reader, checkpoint_state, saver_ops
from tfbuild_runtime.train.global_step import global_step as value_of_step

_HOUR = 3600


class Saver:
    """Saves variables into checkpoints and sets them from checkpoints."""

    def __init__(self, var_list: Any = None, reshape: bool = False, sharded: bool = False,
                 max_to_keep: int | None = 5, keep_checkpoint_every_n_hours: float = 10000.0,
                 name: str | None = None, restore_sequentially: bool = False,
                 saver_def: Any = None, builder: Any = None, defer_build: bool = False,
                 allow_empty: bool = False, write_version: int = 2, pad_step_number: bool = False,
                 save_relative_paths: bool = False,
                 filename: str | None = None) -> None:  # fmt: skip
        del restore_sequentially, builder  # there is one way to restore
        if defer_build and var_list is not None:
            raise ValueError("If `var_list` is provided then build cannot be deferred.")
        self._var_list = var_list
        self._how: Any = {"reshape": reshape, "sharded": sharded, "version": int(write_version)}
        self._name = name
        self._allow_empty = allow_empty
        self._pad = pad_step_number
        self._relative = save_relative_paths
        self._filename = filename or "model"
        self._is_empty = False
        self._kept: list[tuple[str, float]] = []
        self._settings = {
            "max_to_keep": max_to_keep or 0, "sharded": sharded,
            "keep_checkpoint_every_n_hours": keep_checkpoint_every_n_hours,
        }  # fmt: skip
        self.saver_def: Any = saver_def
        self._next_preserved = time.time()
        if saver_def is not None:
            self._take_def(saver_def)
        elif not defer_build:
            self.build()

    def build(self) -> None:
        """Add the operations; raises ValueError when there is nothing to save."""
        if self.saver_def is not None:
            return
        saved = saver_ops.find_saved(self._var_list)
        self._is_empty = not saved
        if self._is_empty and not self._allow_empty:
            raise ValueError("No variables to save")
        made = messages.SaverDef()
        if saved:
            made = saver_ops.build(saved, self._name, filename=self._filename, **self._how)
        for field, value in self._settings.items():
            setattr(made, field, value)
        self._take_def(made)

    def _take_def(self, saver_def: Any) -> None:
        self.saver_def = messages.SaverDef.FromString(saver_def.SerializeToString())
        self._next_preserved += self.saver_def.keep_checkpoint_every_n_hours * _HOUR

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that were saved and kept, oldest first."""
        return [path for path, _ in self._kept]

    def set_last_checkpoints(self, last_checkpoints: Any) -> None:
        """Take a list of checkpoints as those that were saved, oldest first."""
        self._kept = [(os.fspath(path), float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Any) -> None:
        """Take a list of checkpoints and the times at which they were saved, oldest first."""
        self._kept = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Take those checkpoints that are there as saved when their files were written."""
        found = [path for path in checkpoint_paths if checkpoint_state.checkpoint_exists(path)]
        self._kept = list(zip(found, checkpoint_state.get_checkpoint_mtimes(found)))

    def as_saver_def(self) -> Any:
        """Return the SaverDef."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the SaverDef; None where a scope is asked for that it is not of."""
        scope = f"{export_scope}/" if export_scope else ""
        if not self.saver_def.filename_tensor_name.startswith(scope):
            return None
        made = messages.SaverDef.FromString(self.saver_def.SerializeToString())
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            setattr(made, field, getattr(made, field)[len(scope) :])
        return made

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Return a Saver of operations that the graph has."""
        return Saver(saver_def=saver_def, name=import_scope)

    # ---- saving -----------------------------------------------------------------------------

    def save(
        self, sess: Any, save_path: Any, global_step: Any = None,
        latest_filename: str | None = None, meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True, write_state: bool = True,
        strip_default_attrs: bool = False, save_debug_info: bool = False,
    ) -> str | None:  # fmt: skip
        """Write a checkpoint; return its prefix, which is save_path or save_path-STEP.

        A checkpoint of version 1 in several files has the pattern of their names instead. A
        checkpoint that has that prefix stays until the new one is whole. The folder is made where
        its own parent is there, else that is a ValueError; an OpError is raised for variables that
        are not initialised or a disk that is full.
        """
        del save_debug_info
        state_name = latest_filename or checkpoint_state.STATE_FILE
        if Path(state_name).name != state_name:
            raise ValueError("'latest_filename' must not contain path components")
        prefix = self._prefix_of(sess, os.fspath(save_path), global_step)
        folder = Path(prefix).parent
        if Path(prefix).name == state_name:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{state_name}' and '{prefix}'"
            )
        if folder.parent.is_dir():
            folder.mkdir(exist_ok=True)
        if not folder.is_dir():
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        if not self._is_empty:
            names = self.saver_def
            try:
                saved = sess.run(names.save_tensor_name, {names.filename_tensor_name: prefix})
            except errors.OpError:
                checkpoint_state.remove_parts(prefix)
                raise
            prefix = os.fsdecode(saved)
        if write_meta_graph:
            with sess.graph.as_default():
                name = checkpoint_state.meta_graph_name(prefix, meta_graph_suffix)
                self.export_meta_graph(name, strip_default_attrs=strip_default_attrs)
        if self._is_empty:
            return None
        if write_state:
            old = self._keep(prefix)
            checkpoint_state.write_state(
                os.path.dirname(prefix), prefix, self.last_checkpoints, state_name,  # noqa: PTH120
                relative=self._relative,
            )  # fmt: skip
            self._remove(old, meta_graph_suffix)
        return prefix

    def _prefix_of(self, sess: Any, path: str, global_step: Any) -> str:
        if global_step is None:
            return path
        if not isinstance(global_step, int):
            is_graph = hasattr(global_step, "graph")
            global_step = value_of_step(sess, global_step) if is_graph else int(global_step)
        return f"{path}-{global_step:08d}" if self._pad else f"{path}-{global_step}"

    def _keep(self, prefix: str) -> list[tuple[str, float]]:
        """Note a new checkpoint; return those that are too many. Where all stay none is noted."""
        most = self.saver_def.max_to_keep
        if not most:
            return []
        self._kept = [kept for kept in self._kept if kept[0] != prefix]
        self._kept.append((prefix, time.time()))
        surplus = max(len(self._kept) - most, 0)
        old, self._kept = self._kept[:surplus], self._kept[surplus:]
        return old

    def _remove(self, old: list[tuple[str, float]], meta_graph_suffix: str) -> None:
        for prefix, saved in old:
            if saved > self._next_preserved:
                self._next_preserved += self.saver_def.keep_checkpoint_every_n_hours * _HOUR
                continue
            with contextlib.suppress(OSError):  # the new one is there, whatever happens to old ones
                checkpoint_state.remove_checkpoint(prefix, meta_graph_suffix=meta_graph_suffix)

    def export_meta_graph(
        self, filename: Any = None, collection_list: Any = None, as_text: bool = False,
        export_scope: str | None = None, clear_devices: bool = False,
        clear_extraneous_savers: bool = False, strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:  # fmt: skip
        """Return the MetaGraphDef of the graph with this saver; write it where a name is given."""
        del save_debug_info
        from tfbuild_runtime.train import meta_graph

        return meta_graph.export_meta_graph(
            filename=filename, saver_def=self.saver_def, collection_list=collection_list,
            as_text=as_text, export_scope=export_scope, clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )  # fmt: skip

    # ---- restoring --------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: Any) -> None:
        """Set the variables to what a checkpoint holds.

        Raises ValueError when there is no checkpoint, NotFoundError when a variable is missing in
        it, InvalidArgumentError when a shape or type differs, DataLossError when it is damaged.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = os.fsdecode(save_path)
        if not checkpoint_state.checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        names = self.saver_def
        try:
            sess.run(names.restore_op_name, {names.filename_tensor_name: prefix})
        except errors.NotFoundError as error:
            what = "a Variable name or other graph key that is missing from the checkpoint."
            checkpoint_reader.raise_for_restore(error, what)
        except errors.InvalidArgumentError as error:
            what = "a mismatch between the current graph and the graph from the checkpoint."
            checkpoint_reader.raise_for_restore(error, what)


def restore_newest(saver: Any, session: Any, folder: Any) -> bool:
    """Restore the newest checkpoint of a folder; return False where its state names none.

    The saver takes over those that the state names in that folder: they count among those that
    it keeps.
    """
    state = checkpoint_state.get_checkpoint_state(folder)
    if state is None:
        return False
    saver.restore(session, state.model_checkpoint_path)
    there = checkpoint_state.written_in(folder, state.all_model_checkpoint_paths)
    saver.recover_last_checkpoints(there)
    return True
