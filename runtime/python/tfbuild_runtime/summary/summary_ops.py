"""Operations that put values into summaries."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.protos import messages


def _clean(name: Any) -> Any:
    """Return name as a scope may be called."""
    return name if name is None else re.sub(r"[^-/\w.]", "_", name).lstrip("/")


@contextlib.contextmanager
def _scope(name: str, family: str | None) -> Iterator[tuple[str, str]]:
    """Give the tag and the scope of a summary; tags of a family stand together."""
    name, family = _clean(name), _clean(family)
    with framework.name_scope(name if family is None else f"{family}/{name}") as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def _collect(summary: Any, collections: Any) -> Any:
    chosen = [GraphKeys.SUMMARIES] if collections is None else list(collections)
    framework.get_default_graph().add_to_collections(chosen, summary)
    return summary


def _typed(value: Any, name: str) -> Any:
    """Return an array as a tensor of its own type, not of the one that its op has by default."""
    return framework.convert_to_tensor(value, name=name) if hasattr(value, "dtype") else value


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """Return a string tensor: a summary with one number."""
    with _scope(name, family) as (tag, scope):
        return _collect(emit("ScalarSummary", [tag, tensor], scope), collections)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """Return a string tensor: a summary of how the elements are distributed."""
    with _scope(name, family) as (tag, scope):
        summary = emit("HistogramSummary", [tag, _typed(values, "values")], scope)
        return _collect(summary, collections)


def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None,
    family: str | None = None,
) -> Any:  # fmt: skip
    """Return a string tensor: a summary with the first images of a batch."""
    with _scope(name, family) as (tag, scope):
        inputs = [tag, _typed(tensor, "tensor")]
        summary = emit("ImageSummary", inputs, scope, max_images=max_outputs)
        return _collect(summary, collections)


def audio(
    name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None,
    family: str | None = None,
) -> Any:  # fmt: skip
    """Return a string tensor: a summary with the first sounds of a batch."""
    with _scope(name, family) as (tag, scope):
        rate = framework.convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        summary = emit("AudioSummaryV2", [tag, tensor, rate], scope, max_outputs=max_outputs)
        return _collect(summary, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """Return a string tensor: a summary with texts; raises ValueError for other types."""
    if tensor.dtype != dtypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    plugin = messages.SummaryMetadata.PluginData(plugin_name="text")
    metadata = messages.SummaryMetadata(plugin_data=plugin)
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


def tensor_summary(
    name: str, tensor: Any, summary_description: str | None = None, collections: Any = None,
    summary_metadata: Any = None, family: str | None = None, display_name: str | None = None,
) -> Any:  # fmt: skip
    """Return a string tensor: a summary with the whole tensor and how it is to be shown."""
    metadata = messages.SummaryMetadata()
    if summary_metadata is not None:
        metadata.MergeFromString(summary_metadata.SerializeToString())
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description
    with _scope(name, family) as (tag, scope):
        inputs = [tag, tensor, metadata.SerializeToString()]
        return _collect(emit("TensorSummaryV2", inputs, scope), collections)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Return a string tensor: a summary with the values of all; two with one tag are an error."""
    name = _clean(name)
    with framework.name_scope(name or "Merge"):
        summary = emit("MergeSummary", [list(inputs)], name or "MergeSummary")
    return _collect(summary, collections or [])


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None,
              name: str | None = None) -> Any:  # fmt: skip
    """Return the summary of all that is in the collection; None where there is nothing."""
    inputs = framework.get_collection(key, scope)
    return merge(inputs, name=name) if inputs else None


def get_summary_description(node_def: Any) -> Any:
    """Return the description that a node of type TensorSummary carries."""
    from google.protobuf import json_format

    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = messages.SummaryDescription()
    return json_format.Parse(node_def.attr["description"].s.decode(), description)


# ---- as they were called before TensorFlow 1.0 --------------------------------------------------


def _old(op_type: str, inputs: list[Any], collections: Any, name: str | None, **attrs: Any) -> Any:
    with framework.name_scope(name or op_type) as scope:
        return _collect(emit(op_type, inputs, scope, **attrs), collections)


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: str | None = None) -> Any:
    """Return a summary with one number for each tag."""
    return _old("ScalarSummary", [tags, values], collections, name)


def histogram_summary(
    tag: Any, values: Any, collections: Any = None, name: str | None = None
) -> Any:
    """Return a summary of how the elements are distributed."""
    return _old("HistogramSummary", [tag, _typed(values, "values")], collections, name)


def image_summary(
    tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: str | None = None
) -> Any:
    """Return a summary with the first images of a batch."""
    inputs = [tag, _typed(tensor, "tensor")]
    return _old("ImageSummary", inputs, collections, name, max_images=max_images)


def audio_summary(
    tag: Any, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return a summary with the first sounds of a batch."""
    rate = framework.convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
    inputs = [tag, tensor, rate]
    return _old("AudioSummaryV2", inputs, collections, name, max_outputs=max_outputs)


def merge_summary(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Return a summary with the values of all."""
    return merge(inputs, collections, name)


def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Any:
    """Return the summary of all that is in the collection; None where there is nothing."""
    return merge_all(key)
