"""Writers of event files, and what reads them back."""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Iterator
from typing import Any, ClassVar

from tfbuild_runtime.framework.defaults import get_default_graph
from tfbuild_runtime.io import tf_record
from tfbuild_runtime.protos import messages
from tfbuild_runtime.summary.event_file import EventFile


class FileWriter:
    """Writes summaries, graphs and logs of sessions into a new event file of a folder."""

    def __init__(self, logdir: Any, graph: Any = None, max_queue: int = 10, flush_secs: float = 120,
                 graph_def: Any = None, filename_suffix: str | None = None,
                 session: Any = None) -> None:  # fmt: skip
        del session  # events are written by this process, whichever session they are of
        self._logdir = os.fsdecode(logdir)
        os.makedirs(self._logdir, exist_ok=True)  # noqa: PTH103
        self._file = EventFile(self._logdir, max_queue, flush_secs, filename_suffix or "")
        self._closed = False
        self._shown: set[str] = set()
        # When nobody needs it any longer, and when the interpreter ends.
        self._end = weakref.finalize(self, self._file.close)
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def get_logdir(self) -> str:
        """Return the folder."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Write an Event."""
        if self._warn_if_closed():
            return
        self._file.add(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a Summary, or one that was serialised."""
        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        own = messages.Summary.FromString(bytes(data))
        for value in own.value:
            # How values of a tag are shown is written once in a file.
            if not value.HasField("metadata"):
                continue
            if value.tag in self._shown:
                value.ClearField("metadata")
            self._shown.add(value.tag)
        self._add(messages.Event(summary=own), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write a SessionLog."""
        event = messages.Event()
        event.session_log.ParseFromString(session_log.SerializeToString())
        self._add(event, global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph, or the GraphDef of one; raises TypeError for what is neither."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        chosen = graph if graph_def is None else graph_def
        if hasattr(chosen, "as_graph_def"):
            chosen = chosen.as_graph_def(add_shapes=True)
        if not hasattr(chosen, "SerializeToString"):
            raise TypeError("The passed graph must be an instance of `Graph` or of `GraphDef`")
        self._add(messages.Event(graph_def=chosen.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a MetaGraphDef; raises TypeError for anything else."""
        if not messages.is_message(meta_graph_def, "MetaGraphDef"):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        event = messages.Event(meta_graph_def=meta_graph_def.SerializeToString())
        self._add(event, global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write what a step has reported of itself, by a tag that no other of this writer has.

        What passes made of the plan is left out: it is long, and TensorBoard does not show it.
        """
        if tag in self._shown:
            raise ValueError(f"The provided tag was already used for this event type: {tag}")
        self._shown.add(tag)
        shown = run_metadata
        if messages.is_message(run_metadata, "RunMetadata"):
            shown = messages.RunMetadata.FromString(run_metadata.SerializeToString())
            shown.ClearField("passes")
        event = messages.Event()
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = shown.SerializeToString()
        self._add(event, global_step)

    def flush(self) -> None:
        """Wait until all that was added is in the file; raises an OpError where it cannot be."""
        if not self._warn_if_closed():
            self._file.flush()

    def close(self) -> None:
        """Write all that was added and close the file."""
        if not self._closed:
            self._closed = True
            self._file.close()

    def reopen(self) -> None:
        """Let a closed writer take events again, for a file of their own."""
        self._closed = False

    def _add(self, event: Any, global_step: Any) -> None:
        event.wall_time = time.time()
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def _warn_if_closed(self) -> bool:
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.", stacklevel=3,
            )  # fmt: skip
        return self._closed

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


SummaryWriter = FileWriter


class FileWriterCache:
    """One writer for each folder."""

    _writers: ClassVar[dict[str, FileWriter]] = {}

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """Return the writer of that folder; one that is made here begins with the default graph."""
        folder = os.fsdecode(logdir)
        if folder not in FileWriterCache._writers:
            FileWriterCache._writers[folder] = FileWriter(folder, get_default_graph())
        return FileWriterCache._writers[folder]

    @staticmethod
    def clear() -> None:
        """Close all writers and forget them."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


def summary_iterator(path: Any) -> Iterator[Any]:
    """Yield the Events of a file; raises DataLossError where it is damaged."""
    for record in tf_record.tf_record_iterator(path):
        yield messages.Event.FromString(record)
