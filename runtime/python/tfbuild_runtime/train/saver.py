"""Saving and restoring variables, in NumPy's .npz files.

A file holds one array per variable under the variable's name (`dense/kernel`), and under
`__types__` their types as JSON, as NumPy has no name for bfloat16. TensorFlow's own checkpoint
format is not read or written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tfbuild_runtime.framework import dtypes, errors, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import creation_ops

_TYPES = "__types__"
_SUFFIX = ".npz"
_STATE = "checkpoint"


class Saver:
    """Saves variables to files and sets them from files."""

    def __init__(self, var_list: Any = None, max_to_keep: int | None = 5,
                 name: str | None = None, **_: Any) -> None:  # fmt: skip
        self._variables = _by_name(var_list)
        self._max_to_keep = max_to_keep or 0
        self._kept: list[str] = []
        # The operations are made here, so that a finalized graph can be saved and restored.
        with framework.name_scope(name or "save"):
            self._loads = {key: _loader(variable) for key, variable in self._variables.items()}
        framework.add_to_collection(GraphKeys.SAVERS, self)

    @property
    def last_checkpoints(self) -> list[str]:
        """The files that were saved and kept, oldest first, without their suffix."""
        return list(self._kept)

    def save(
        self, sess: Any, save_path: str | os.PathLike[str], global_step: Any = None,
        latest_filename: str | None = None, **_: Any,
    ) -> str:  # fmt: skip
        """Write the variables to save_path.npz, or save_path-STEP.npz; return it without .npz.

        Raises ValueError when the folder does not exist, and an OpError for variables that are not
        initialised.
        """
        target = _with_step(sess, os.fspath(save_path), global_step)
        folder = Path(target).parent
        if not folder.is_dir():
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        names = list(self._variables)
        values = sess.run([self._variables[name] for name in names])
        _write(Path(target + _SUFFIX), dict(zip(names, values)))
        self._keep(target)
        _write_state(folder / (latest_filename or _STATE), target, self._kept)
        return target

    def restore(self, sess: Any, save_path: str | os.PathLike[str]) -> None:
        """Set the variables to what a file holds.

        Raises NotFoundError when the file, or a variable in it, is missing, InvalidArgumentError
        when a shape or type differs, DataLossError when the file is damaged, ResourceExhaustedError
        when an array in it does not fit into memory.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = _file_of(os.fspath(save_path))
        found = _read(path, self._loads)
        feeds = {}
        for name, (fed, _) in self._loads.items():
            feeds[fed] = _fitting(found, name, fed, path)
        sess.run([op for _, op in self._loads.values()], feeds)

    def _keep(self, target: str) -> None:
        if target in self._kept:
            self._kept.remove(target)
        self._kept.append(target)
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            Path(self._kept.pop(0) + _SUFFIX).unlink(missing_ok=True)


def _by_name(var_list: Any) -> dict[str, Any]:
    if isinstance(var_list, Mapping):
        return dict(var_list)
    chosen = variables.global_variables() if var_list is None else list(var_list)
    if not chosen:
        raise ValueError("No variables to save")
    named = {variable.op.name: variable for variable in chosen}
    if len(named) != len(set(chosen)):
        raise ValueError("two of the variables have the same name; give them in a dict")
    return named


def _loader(variable: Any) -> tuple[Any, Any]:
    dtype = variable.dtype.base_dtype
    if dtype == dtypes.string:
        raise TypeError(f"{variable.op.name!r} holds strings, which are not saved")
    value = creation_ops.placeholder(dtype, variable.shape, name=f"{variable.op.name}/value")
    return value, _set(variable, value)


def _set(variable: Any, value: Any) -> Any:
    name = f"{variable.op.name}/restore"
    return variable.assign(value, name=name, read_value=False)


def _with_step(sess: Any, path: str, global_step: Any) -> str:
    if global_step is None:
        return path.removesuffix(_SUFFIX)
    if not isinstance(global_step, int):
        is_graph = hasattr(global_step, "graph")
        global_step = int(sess.run(global_step)) if is_graph else int(global_step)
    return f"{path.removesuffix(_SUFFIX)}-{global_step}"


def _file_of(path: str) -> Path:
    return Path(path if path.endswith(_SUFFIX) else path + _SUFFIX)


def _write(path: Path, values: Mapping[str, Any]) -> None:
    import numpy as np

    types = {name: dtypes.as_dtype(value.dtype).name for name, value in values.items()}
    arrays = {name: value.view(np.uint16) if types[name] == "bfloat16" else value
              for name, value in values.items()}  # fmt: skip
    arrays[_TYPES] = np.array(json.dumps(types))
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with aside.open("wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _read(path: Path, names: Collection[str]) -> dict[str, Any]:
    """Return the named arrays, as far as the file has them."""
    import numpy as np

    entry = "(archive)"
    try:
        # NumPy leaves a file open that it cannot read.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            entry = _TYPES
            types = json.loads(str(file[_TYPES]))
            found = {}
            for entry, kind in types.items():
                if entry in names:
                    found[entry] = _typed(file[entry], dtypes.as_dtype(kind))
            return found
    except FileNotFoundError:
        index = path.with_name(path.name.removesuffix(_SUFFIX) + ".index")
        hint = ": TensorFlow's own checkpoints cannot be read" if index.exists() else ""
        raise errors.NotFoundError(None, None, f"there is no {path}{hint}") from None
    except MemoryError as error:
        message = f"{path}: no memory for the entry {entry!r}: {error}"
        raise errors.ResourceExhaustedError(None, None, message) from None
    except Exception as error:  # noqa: BLE001 (damaged bytes make zipfile and NumPy raise anything)
        message = (
            f"{path} is damaged or was not written by tf.train.Saver: "
            f"entry {entry!r}: {type(error).__name__}: {error}"
        )
        raise errors.DataLossError(None, None, message) from None


def _typed(value: Any, dtype: Any) -> Any:
    if dtype == dtypes.bfloat16:
        return value.view(dtype.as_numpy_dtype)
    if dtypes.as_dtype(value.dtype) != dtype:
        raise ValueError(f"it holds {value.dtype}, not {dtype.name}")
    return value


def _fitting(found: Mapping[str, Any], name: str, fed: Any, path: Path) -> Any:
    if name not in found:
        raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint {path}")
    value = found[name]
    wanted = fed.dtype.base_dtype
    if not fed.get_shape().is_compatible_with(value.shape):
        raise errors.InvalidArgumentError(
            None, None, f"{name} has shape {value.shape} in {path}, not {fed.get_shape()}"
        )
    if dtypes.as_dtype(value.dtype) != wanted:
        raise errors.InvalidArgumentError(
            None, None, f"{name} holds {value.dtype} in {path}, not {wanted.name}"
        )
    return value


# ---- which file is the latest -------------------------------------------------------------------


def _write_state(path: Path, latest: str, kept: list[str]) -> None:
    lines = [f"model_checkpoint_path: {json.dumps(_relative(latest, path))}"]
    lines += [f"all_model_checkpoint_paths: {json.dumps(_relative(k, path))}" for k in kept]
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    aside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    aside.replace(path)


def _relative(target: str, state: Path) -> str:
    same_folder = Path(target).parent == state.parent
    return Path(target).name if same_folder else str(Path(target).resolve())


def latest_checkpoint(checkpoint_dir: str | os.PathLike[str],
                      latest_filename: str | None = None) -> str | None:  # fmt: skip
    """Return what Saver.save returned last for that folder; None when there is nothing."""
    folder = Path(checkpoint_dir)
    try:
        text = (folder / (latest_filename or _STATE)).read_text(encoding="utf-8")
        found = re.search(r'^model_checkpoint_path: (".*")$', text, re.MULTILINE)
        if found is None:
            return None
        # A str joined as a str, as save gave it.
        target = os.path.join(folder, json.loads(found.group(1)))  # noqa: PTH118
        return target if checkpoint_exists(target) else None
    except (OSError, ValueError):  # not there, or damaged: TensorFlow finds nothing there either
        return None


def checkpoint_exists(checkpoint_prefix: str | os.PathLike[str]) -> bool:
    """Whether Saver.save has written that file."""
    return _file_of(os.fspath(checkpoint_prefix)).exists()
