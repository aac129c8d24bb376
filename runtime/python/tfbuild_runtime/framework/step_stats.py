"""What a step leaves behind: TensorFlow's RunMetadata and StepStats messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tfbuild_runtime.framework.graph_def import GraphDef
from tfbuild_runtime.framework.messages import Field, Message


class _Dim(Message):
    _fields: ClassVar[Mapping[str, Field]] = {
        "size": Field(1, "int"),
        "name": Field(2, "string"),
    }


class TensorShapeProto(Message):
    """A shape."""

    Dim = _Dim
    _fields: ClassVar[Mapping[str, Field]] = {
        "dim": Field(2, _Dim, repeated=True),
        "unknown_rank": Field(3, "bool"),
    }


class AllocationDescription(Message):
    """The memory of a tensor."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "requested_bytes": Field(1, "int"),
        "allocated_bytes": Field(2, "int"),
        "allocator_name": Field(3, "string"),
        "allocation_id": Field(4, "int"),
        "has_single_reference": Field(5, "bool"),
        "ptr": Field(6, "uint"),
    }


class TensorDescription(Message):
    """What a tensor is, but for its values."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "dtype": Field(1, "dtype"),
        "shape": Field(2, TensorShapeProto),
        "allocation_description": Field(4, AllocationDescription),
    }


class NodeOutput(Message):
    """An output of a kernel."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "slot": Field(1, "int"),
        "tensor_description": Field(3, TensorDescription),
    }


class AllocationRecord(Message):
    """One request for memory."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "alloc_micros": Field(1, "int"),
        "alloc_bytes": Field(2, "int"),
    }


class AllocatorMemoryUsed(Message):
    """What a kernel took of one allocator."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "allocator_name": Field(1, "string"),
        "total_bytes": Field(2, "int"),
        "peak_bytes": Field(3, "int"),
        "live_bytes": Field(4, "int"),
        "allocation_records": Field(6, AllocationRecord, repeated=True),
        "allocator_bytes_in_use": Field(5, "int"),
    }


class MemoryStats(Message):
    """What a kernel took beside its outputs."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "temp_memory_size": Field(1, "int"),
        "persistent_memory_size": Field(3, "int"),
        "persistent_tensor_alloc_ids": Field(5, "int", repeated=True),
        "device_temp_memory_size": Field(2, "int"),
        "device_persistent_memory_size": Field(4, "int"),
        "device_persistent_tensor_alloc_ids": Field(6, "int", repeated=True),
    }


class NodeExecStats(Message):
    """One run of a kernel. Times are since the epoch, those with `rel` since all_start."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "node_name": Field(1, "string"),
        "all_start_micros": Field(2, "int"),
        "op_start_rel_micros": Field(3, "int"),
        "op_end_rel_micros": Field(4, "int"),
        "all_end_rel_micros": Field(5, "int"),
        "memory": Field(6, AllocatorMemoryUsed, repeated=True),
        "output": Field(7, NodeOutput, repeated=True),
        "timeline_label": Field(8, "string"),
        "scheduled_micros": Field(9, "int"),
        "thread_id": Field(10, "uint"),
        "referenced_tensor": Field(11, AllocationDescription, repeated=True),
        "memory_stats": Field(12, MemoryStats),
        "all_start_nanos": Field(13, "int"),
        "op_start_rel_nanos": Field(14, "int"),
        "op_end_rel_nanos": Field(15, "int"),
        "all_end_rel_nanos": Field(16, "int"),
        "scheduled_nanos": Field(17, "int"),
    }


class DeviceStepStats(Message):
    """What ran on one device."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "device": Field(1, "string"),
        "node_stats": Field(2, NodeExecStats, repeated=True),
        "thread_names": Field(3, "string", key="uint"),
    }


class StepStats(Message):
    """What ran in one step."""

    _fields: ClassVar[Mapping[str, Field]] = {
        "dev_stats": Field(1, DeviceStepStats, repeated=True),
    }


class RunMetadata(Message):
    """What a step leaves behind; with a trace_level, when each kernel ran and what it took.

    Beside TensorFlow's fields, and not among the bytes: `passes`, what each pass made of the plan;
    `peak_bytes`, the most bytes that tensors of the step had at once, by the allocator's name; and
    `untraced_runs`, how many runs of kernels came after the trace was full.
    """

    _fields: ClassVar[Mapping[str, Field]] = {
        "step_stats": Field(1, StepStats),
        "cost_graph": Field(2, "bytes"),
        "partition_graphs": Field(3, GraphDef, repeated=True),
        "function_graphs": Field(4, "bytes", repeated=True),
        "session_metadata": Field(5, "bytes"),
    }
    _OWN: ClassVar[Mapping[str, type]] = {"passes": list, "peak_bytes": dict, "untraced_runs": int}

    def Clear(self) -> None:
        """Forget what was set."""
        super().Clear()
        for name, kind in self._OWN.items():
            object.__setattr__(self, name, kind())

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._OWN:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)
