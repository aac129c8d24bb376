"""The file `checkpoint` of a folder: which checkpoints there are and which is the latest."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from tfbuild_runtime.protos import messages

STATE_FILE = "checkpoint"
_TABLE_ENDS = (0xDB4775248B80FB57).to_bytes(8, "little")  # an index, or a file of version 1
PARTS = "_temp/part"  # behind the prefix: where the files of a sharded save begin
_SHARDS = re.compile(r"-[\d?]+-of-\d+$")  # of one file of several of version 1, or of all


def generate_checkpoint_state_proto(
    save_dir: Any, model_checkpoint_path: Any, all_model_checkpoint_paths: Any = None,
    all_model_checkpoint_timestamps: Any = None, last_preserved_timestamp: float | None = None,
) -> Any:  # fmt: skip
    """Return the CheckpointState with these paths, relative to save_dir where that is relative."""
    folder = os.fspath(save_dir)
    latest = os.fspath(model_checkpoint_path)
    paths = [os.fspath(path) for path in all_model_checkpoint_paths or []]
    if latest not in paths:
        paths.append(latest)
    if not Path(folder).is_absolute():
        # Relative to the folder, so that it can be moved.
        paths = [_relative(path, folder) for path in paths]
        latest = _relative(latest, folder)
    return messages.CheckpointState(
        model_checkpoint_path=latest, all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps or [],
        last_preserved_timestamp=last_preserved_timestamp,
    )  # fmt: skip


def _relative(path: str, folder: str) -> str:
    return path if Path(path).is_absolute() else os.path.relpath(path, folder)


def update_checkpoint_state(
    save_dir: Any, model_checkpoint_path: Any, all_model_checkpoint_paths: Any = None,
    latest_filename: str | None = None, all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> None:  # fmt: skip
    """Write the state file of a folder, in one step."""
    write_state(
        save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename,
        timestamps=all_model_checkpoint_timestamps, preserved=last_preserved_timestamp,
    )  # fmt: skip


def write_state(
    save_dir: Any, latest: str, paths: Iterable[str] | None, latest_filename: str | None,
    *, relative: bool = False, timestamps: Any = None, preserved: float | None = None,
) -> None:  # fmt: skip
    """Write the state file; with relative, paths in the folder are written without it."""
    from google.protobuf import text_format

    kept = list(paths or [])
    if relative:
        latest, *kept = (os.path.relpath(p, save_dir) for p in (latest, *kept))
    state = generate_checkpoint_state_proto(save_dir, latest, kept, timestamps, preserved)
    path = Path(os.fspath(save_dir)) / (latest_filename or STATE_FILE)
    if path.name in {Path(latest).name, *(Path(p).name for p in kept)}:
        raise RuntimeError(f"Save path '{latest}' conflicts with path used for checkpoint state.")
    write_aside(path, text_format.MessageToString(state).encode())


def write_aside(path: Path, data: bytes) -> None:
    """Write a file beside path and move it there, so that path is whole at every moment.

    What killed processes have left beside path, of it or of names that differ from it in their
    numbers alone, such as those of steps, is removed.
    """
    _remove_abandoned(path)
    file, aside = _new_locked(path)
    with file:
        try:
            file.write(data)
            file.flush()
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise


def _new_locked(path: Path) -> tuple[BinaryIO, Path]:
    """Return a new file beside path, and where it is.

    It is locked until it is closed, so that others see that it is written. Its name cannot be
    guessed: what another user has put there, such as a link, is not written to.
    """
    while True:
        aside = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(8)}.part")
        file = aside.open("xb")
        with contextlib.suppress(OSError):  # without locks nobody removes what is there
            fcntl.flock(file, fcntl.LOCK_EX)
        if _is_at(file, aside):
            return file, aside
        file.close()  # another has taken it for abandoned, before it was locked


def _is_at(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except FileNotFoundError:
        return False


def _open_itself(name: str, flags: int) -> int:
    """Open a file that lies there: no link is followed, and no pipe waited for."""
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _remove_abandoned(path: Path) -> None:
    alike = r"\d+".join(re.escape(text) for text in re.split(r"\d+", path.name))
    kind = re.compile(rf"\.{alike}\.\d+(-[0-9a-f]+)?\.part")
    parts: list[Path] = []
    with contextlib.suppress(OSError):  # a folder that cannot be listed may be written to
        parts = [Path(entry) for entry in os.scandir(path.parent) if kind.fullmatch(entry.name)]
    for part in parts:
        # The lock of a living process, also of another machine, is an OSError.
        with contextlib.suppress(OSError), open(part, "r+b", opener=_open_itself) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(file, part):
                part.unlink()


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Return the CheckpointState of a folder, with paths that can be opened; None without one.

    A file that is damaged counts as none.
    """
    from google.protobuf import text_format

    folder = os.fsdecode(checkpoint_dir)
    state = messages.CheckpointState()
    try:
        text = (Path(folder) / (latest_filename or STATE_FILE)).read_text(encoding="utf-8")
        text_format.Merge(text, state)
    except (OSError, UnicodeDecodeError, text_format.ParseError):
        return None
    if not state.model_checkpoint_path:
        return None
    state.model_checkpoint_path = _below(folder, state.model_checkpoint_path)
    for index, path in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[index] = _below(folder, path)
    return state


def _below(folder: str, path: str) -> str:
    return os.path.join(folder, path)  # noqa: PTH118 (a str joined as a str, as it was written)


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Return the prefix of the latest checkpoint of a folder; None when there is nothing."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return str(state.model_checkpoint_path)


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of that prefix, of version 2 or 1."""
    prefix = os.fsdecode(checkpoint_prefix)
    with contextlib.suppress(OSError):  # such as a name that is too long
        return Path(prefix + ".index").is_file() or is_version_1(prefix)
    return False


def is_version_1(prefix: str) -> bool:
    """Whether a checkpoint is one file, or several that prefix is a pattern of, as in version 1."""
    return any(path.is_file() for path in _files_of_version_1(prefix))


def written_in(folder: Any, prefixes: Iterable[str]) -> list[str]:
    """Return those of the prefixes whose checkpoints lie in the folder itself.

    The state file of a stranger's folder may name any files of the caller.
    """
    here = os.path.realpath(os.fsdecode(folder))
    return [path for path in prefixes if os.path.realpath(Path(path).parent) == here]


def _is_table(path: Path) -> bool:
    """Whether a file ends as an index or a checkpoint of version 1 does."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        file.seek(-len(_TABLE_ENDS), os.SEEK_END)
        return file.read() == _TABLE_ENDS
    return False


def meta_graph_name(prefix: str, suffix: str = "meta") -> str:
    """Return the name of the file of the graph of a checkpoint."""
    return f"{_SHARDS.sub('', prefix)}.{suffix}"


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """Return when the checkpoints were written, of those that are there, in seconds."""
    times = []
    for prefix in checkpoint_prefixes:
        for path in (Path(f"{prefix}.index"), *_files_of_version_1(os.fsdecode(prefix))):
            with contextlib.suppress(OSError):
                times.append(path.stat().st_mtime)
                break
    return times


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Remove the files of a checkpoint, the index first: what is half removed is none.

    A file that is no checkpoint by what it holds stays, whatever its name is.
    """
    del checkpoint_format_version  # both are looked for
    prefix = os.fsdecode(checkpoint_prefix)
    place = Path(prefix)
    whole = [p for p in (Path(f"{prefix}.index"), *_files_of_version_1(prefix)) if _is_table(p)]
    data = sorted(place.parent.glob(glob.escape(place.name) + ".data-[0-9]*-of-[0-9]*"))
    graph = Path(meta_graph_name(prefix, meta_graph_suffix))
    for path in (*whole, *data, *([graph] if whole or data else [])):
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            path.unlink()


def remove_parts(prefix: str) -> None:
    """Remove what a sharded save has left that ended before its parts became a checkpoint."""
    folder = Path(f"{prefix}{PARTS}").parent
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{Path(PARTS).name}-*"):
            path.unlink()
        folder.rmdir()


def _files_of_version_1(prefix: str) -> list[Path]:
    """Return the file of that name, or those that its pattern of shards names."""
    shards = _SHARDS.search(prefix)
    if shards is None or "?" not in shards.group():
        return [Path(prefix)]
    begin = glob.escape(prefix[: shards.start()])
    return [Path(name) for name in sorted(glob.glob(begin + shards.group()))]  # noqa: PTH207
