"""The trace of a step as a file that Chrome (chrome://tracing) and Perfetto draw.

Each device is two processes: one for what it computes, with a lane for each kernel that runs beside
others, and one for its tensors. Arrows lead from the kernel that makes a tensor to those that read
it, and each allocator has a curve of the bytes that tensors hold.
"""

from __future__ import annotations

import bisect
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_NANOS = 1000.0  # in a microsecond, the unit of the file
_SHOWN = ("schedule", "gpu", "all")


class AllocationMaximum(NamedTuple):
    """The moment at which the tensors of an allocator were largest."""

    timestamp: int  # microseconds since the epoch
    num_bytes: int
    tensors: set[str]


class StepStatsAnalysis(NamedTuple):
    """The events to draw, and the largest use of each allocator, by its name."""

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class ChromeTrace:
    """Events in the Trace Event Format, times in microseconds."""

    def __init__(self) -> None:
        self._processes: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []

    def add_process(self, name: str) -> int:
        """Return the number of a new process of that name."""
        pid = len(self._processes)
        event = {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}
        self._processes.append(event)
        return pid

    def add(
        self, phase: str, category: str, name: str, place: tuple[int, int], nanos: int, **more: Any
    ) -> None:
        """Add an event; `place` is its process and lane."""
        pid, tid = place
        event = {"ph": phase, "cat": category, "name": name, "pid": pid, "tid": tid}
        self._events.append({**event, "ts": _micros(nanos), **more})

    def format_to_string(self, pretty: bool = False) -> str:
        """Return the file as text."""
        trace = {"traceEvents": self._processes + self._events}
        if pretty:
            return json.dumps(trace, indent=4, separators=(",", ": "))
        return json.dumps(trace, separators=(",", ":"))


def _micros(nanos: int) -> float:
    return nanos / _NANOS if nanos % 1000 else nanos // 1000


@dataclass
class _Run:
    """A run of a kernel, or a copy, with its place in the picture."""

    stats: Any
    start: int  # nanoseconds, here and below
    end: int
    name: str
    op: str
    inputs: list[str]
    on_gpu: bool = False  # reported by the GPU, beside the run that started it
    pid: int = 0
    tensors_pid: int = 0
    lane: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Its process and lane."""
        return self.pid, self.lane


@dataclass
class _Tensor:
    """An output of a run, from its making to its last reader's end."""

    name: str
    number: int
    maker: _Run
    description: Any
    end: int
    readers: list[_Run] = field(default_factory=list)


def _is_gpu_activity(device: str) -> bool:
    return "/stream:" in device or "/memcpy" in device


def _parse_label(label: str) -> tuple[str, list[str]]:
    """Return op and inputs of "name = op(input, input)"."""
    _, equals, call = label.partition(" = ")
    op, parenthesis, inputs = call.rpartition(")")[0].partition("(")
    if not equals or not parenthesis:
        return "unknown", []
    return op, inputs.split(", ") if inputs else []


def _times(stats: Any) -> tuple[int, int]:
    """Return start and end in nanoseconds; traces of old have only microseconds."""
    if stats.all_start_nanos:
        return stats.all_start_nanos, stats.all_start_nanos + stats.all_end_rel_nanos
    return (
        stats.all_start_micros * 1000,
        (stats.all_start_micros + stats.all_end_rel_micros) * 1000,
    )


def _run_of(stats: Any, on_gpu: bool) -> _Run:
    start, end = _times(stats)
    if on_gpu:
        name, _, op = stats.node_name.partition(":")
        return _Run(stats, start, end, name, op or "unknown", [], on_gpu=True)
    op, inputs = _parse_label(stats.timeline_label)
    return _Run(stats, start, end, stats.node_name, op, inputs)


class Timeline:
    """Draws the step_stats of a RunMetadata; `graph` is accepted and not needed."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._graph = graph

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """Return the events, and the largest use of each allocator where memory is shown.

        With op_time "gpu" a kernel is drawn while the GPU works on it, with "all" from its start
        on the host to its end on the GPU. Raises ValueError for another op_time.
        """
        if op_time not in _SHOWN:
            raise ValueError(f"op_time is one of {', '.join(_SHOWN)}, not {op_time!r}")
        picture = _Picture(self._step_stats, op_time)
        if show_memory:
            picture.draw_tensors()
        picture.draw_runs()
        if show_dataflow:
            picture.draw_dataflow()
        maximums = picture.draw_memory() if show_memory else {}
        return StepStatsAnalysis(picture.trace, maximums)

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """Return the file as text; see analyze_step_stats."""
        analysis = self.analyze_step_stats(show_dataflow, show_memory, op_time)
        return analysis.chrome_trace.format_to_string(pretty=True)


class _Picture:
    """One drawing: runs in lanes, tensors with their readers."""

    def __init__(self, step_stats: Any, op_time: str) -> None:
        self.trace = ChromeTrace()
        self._memory_place = (self.trace.add_process("Allocators"), 0)
        self._runs: list[_Run] = []
        for device in step_stats.dev_stats:
            on_gpu = _is_gpu_activity(device.device)
            runs = [_run_of(stats, on_gpu) for stats in device.node_stats]
            pid = self.trace.add_process(f"{device.device} Compute")
            tensors_pid = self.trace.add_process(f"{device.device} Tensors")
            for run in runs:
                run.pid, run.tensors_pid = pid, tensors_pid
            self._runs += runs
        if op_time != "schedule":
            self._stretch(op_time)
        self._assign_lanes()
        self._tensors = self._find_tensors()

    def _stretch(self, op_time: str) -> None:
        """Give runs on the host the times of their kernels on the GPU."""
        there = defaultdict(list)
        for run in self._runs:
            if run.on_gpu and not run.op.startswith("MEMCPY"):
                there[run.name].append(run)
        for run in self._runs:
            kernels = there.get(run.name, [])
            if run.on_gpu or not kernels:
                continue
            run.end = max([run.end, *(kernel.end for kernel in kernels)])
            if op_time == "gpu":
                run.start = min(kernel.start for kernel in kernels)

    def _assign_lanes(self) -> None:
        """Put what runs at the same time on the same device into different lanes."""
        ends: dict[int, list[int]] = defaultdict(list)
        for run in sorted(self._runs, key=lambda run: run.start):
            lanes = ends[run.pid]
            free = (lane for lane, end in enumerate(lanes) if end <= run.start)
            run.lane = next(free, len(lanes))
            lanes[run.lane :] = [run.end, *lanes[run.lane + 1 :]]

    def _find_tensors(self) -> list[_Tensor]:
        tensors: list[_Tensor] = []
        by_name: dict[str, list[_Tensor]] = defaultdict(list)
        starts: dict[str, list[int]] = defaultdict(list)
        computing = sorted((run for run in self._runs if not run.on_gpu), key=lambda r: r.start)
        for run in computing:
            for output in run.stats.output:
                name = f"{run.name}:{output.slot}" if output.slot else run.name
                tensor = _Tensor(name, len(tensors), run, output.tensor_description, run.end)
                tensors.append(tensor)
                by_name[name].append(tensor)
                starts[name].append(run.start)
        for run in computing:
            for read in _read_by(run):
                # "x/_1" is what a Recv of TensorFlow's brought of x.
                name = read if read in by_name else read[: max(read.rfind("/_"), 0)]
                if name not in by_name:  # fed, a constant, or merged into another
                    continue
                # Of a loop's many, the latest before this run.
                at = bisect.bisect_left(starts[name], run.start)
                if at == 0:
                    continue
                tensor = by_name[name][at - 1]
                tensor.readers.append(run)
                tensor.end = max(tensor.end, run.end)
        return tensors

    def draw_tensors(self) -> None:
        """Add the making of each tensor, and what it is."""
        for tensor in self._tensors:
            run = tensor.maker
            place = (run.tensors_pid, run.lane)
            self.trace.add("N", "Tensor", tensor.name, place, run.start, id=tensor.number)
            text = str(tensor.description).replace('"', "")
            shown = {"snapshot": {"tensor_description": text}}
            self.trace.add("O", "Tensor", tensor.name, place, run.end, id=tensor.number, args=shown)

    def draw_runs(self) -> None:
        """Add a bar for each run."""
        for run in self._runs:
            args = {"name": run.name, "op": run.op}
            args.update({f"input{number}": name for number, name in enumerate(run.inputs)})
            duration = _micros(run.end) - _micros(run.start)
            self.trace.add("X", "Op", run.op, run.place, run.start, dur=duration, args=args)

    def draw_dataflow(self) -> None:
        """Add an arrow to each reader of a tensor in another lane."""
        number = 0
        for tensor in self._tensors:
            maker = tensor.maker
            for reader in tensor.readers:
                if reader.place == maker.place:
                    continue  # they are side by side
                # Within the bars: Perfetto draws no arrow that begins behind one.
                begin = max(maker.start, min(maker.end, reader.start) - 1)
                self.trace.add("s", "DataFlow", tensor.name, maker.place, begin, id=number)
                self.trace.add("t", "DataFlow", tensor.name, reader.place, reader.start, id=number)
                number += 1

    def draw_memory(self) -> dict[str, AllocationMaximum]:
        """Add the end of each tensor and a curve for each allocator; return the maximums."""
        for tensor in self._tensors:
            place = (tensor.maker.tensors_pid, 0)
            self.trace.add("D", "Tensor", tensor.name, place, tensor.end, id=tensor.number)
        by_allocator: dict[str, list[_Tensor]] = defaultdict(list)
        for tensor in self._tensors:
            allocation = tensor.description.allocation_description
            by_allocator[allocation.allocator_name].append(tensor)
        return {
            allocator: self._draw_curve(allocator, list(_blocks(tensors)))
            for allocator, tensors in by_allocator.items()
        }

    def _draw_curve(self, allocator: str, blocks: list[_Block]) -> AllocationMaximum:
        changes = [(block.start, 1, block) for block in blocks]
        changes += [(block.end, 0, block) for block in blocks]
        held: set[str] = set()
        total = 0
        maximum = AllocationMaximum(0, 0, set())
        for nanos, taken, block in sorted(changes, key=lambda change: change[:2]):
            if taken:
                total += block.num_bytes
                held |= block.names
            else:
                total -= block.num_bytes
                held -= block.names
            if total > maximum.num_bytes:
                maximum = AllocationMaximum(nanos // 1000, total, set(held))
            counter = {allocator: total}
            self.trace.add("C", "Memory", allocator, self._memory_place, nanos, args=counter)
        return maximum


@dataclass
class _Block:
    """Memory that one tensor holds, or several one after the other."""

    start: int
    end: int
    num_bytes: int
    names: set[str]


def _blocks(tensors: Iterable[_Tensor]) -> Iterator[_Block]:
    """Yield the memory behind tensors: an output may lie in the memory of an input."""
    by_address: dict[int, _Block] = {}
    for tensor in sorted(tensors, key=lambda tensor: tensor.maker.start):
        allocation = tensor.description.allocation_description
        num_bytes = allocation.requested_bytes
        known = by_address.get(allocation.ptr) if allocation.ptr else None
        if known is not None and tensor.maker.start <= known.end:
            known.end = max(known.end, tensor.end)
            known.num_bytes = max(known.num_bytes, num_bytes)
            known.names.add(tensor.name)
            continue
        if known is not None:
            yield known
        block = _Block(tensor.maker.start, tensor.end, num_bytes, {tensor.name})
        if allocation.ptr:
            by_address[allocation.ptr] = block
        else:
            yield block
    yield from by_address.values()


def _read_by(run: _Run) -> list[str]:
    """Return the tensors that a run reads; a Recv that of its Send."""
    if run.op in ("_Recv", "_HostRecv") and run.name.endswith("/_recv"):
        return [run.name[: -len("/_recv")]]
    return run.inputs
