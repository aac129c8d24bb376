"""A step whose RunMetadata is filled: runs of kernels, what passes made of the plan, partitions."""

from __future__ import annotations

import warnings
from typing import Any

from tfbuild_runtime.framework import feeds as feed_values

_PASS_REPORT = ("name", "nodes_before", "nodes_after", "seconds", "changes", "text", "graphviz")


def run(session: Any, fetches: Any, feed_dict: Any, options: Any, metadata: Any) -> Any:
    """Return the values of fetches, as Session.run, and fill the metadata as the options ask.

    Warns where the step had more runs of kernels than a trace has room for.
    """
    if feed_dict:
        feed_dict = feed_values.by_tensor(feed_dict)
    feeds, wanted = session._wanted(fetches, feed_dict)
    metadata.Clear()
    signature = session._signature(feeds, wanted)
    if options.trace_level:
        for row in session._open_native().explain(**signature):
            metadata.passes.add(**dict(zip(_PASS_REPORT, row)))
    if options.output_partition_graphs:
        for data in session._open_native().partition_graphs(**signature):
            metadata.partition_graphs.add().ParseFromString(data)
    places = wanted.places if wanted.places is not None else list(range(len(wanted.tensors)))
    step = session._native_step(
        feeds, wanted, places, int(options.timeout_in_ms), options.trace_level
    )
    answer = step(*feed_dict.values()) if feed_dict else step()
    if options.trace_level:
        answer, stats, peak_bytes, metadata.untraced_runs = answer
        metadata.step_stats.ParseFromString(stats)
        metadata.peak_bytes.update(peak_bytes)
    if metadata.untraced_runs:
        warnings.warn(
            f"The trace is full: {metadata.untraced_runs} later runs of kernels are not in it.",
            RuntimeWarning,
            stacklevel=4,
        )
    return answer if wanted.places is not None else wanted.rebuild(answer)
