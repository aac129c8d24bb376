"""Clusters of one process: what programs for many say of them, as far as it holds for one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import device, errors, session
from tfbuild_runtime.platform import tf_logging

_PORTS = itertools.count(1)
_PS_OPS = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
           "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable",
           "MutableDenseHashTableV2", "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp",
           "BoostedTreesQuantileStreamResourceHandleOp")  # fmt: skip


class ClusterSpec:
    """Which tasks a cluster has: for each job a list of addresses, or addresses by number.

    Raises TypeError for what is no such dictionary.
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, Mapping):
            raise TypeError("`cluster` must be a dictionary mapping one or more job names to lists "
                            "of network addresses, or a `ClusterDef` protocol buffer")  # fmt: skip
        self._tasks = {str(job): _tasks(job, tasks) for job, tasks in cluster.items()}

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    __hash__ = None  # type: ignore[assignment]

    def as_dict(self) -> dict[str, Any]:
        """Return the addresses of each job; by number where numbers are left out."""
        return {job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
                for job, tasks in self._tasks.items()}  # fmt: skip

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._tasks)

    def num_tasks(self, job_name: str) -> int:
        """Return how many tasks a job has; raises ValueError when there is no such job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the numbers of a job's tasks; raises ValueError when there is no such job."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return where a task is; raises ValueError when there is no such one."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Return the addresses of a job's tasks, with None for numbers that are left out."""
        tasks = self._job(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._tasks:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._tasks[name]


def _tasks(job: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, Mapping):
        return {int(number): str(tasks[number]) for number in sorted(tasks)}
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(str(task) for task in tasks))
    if isinstance(tasks, int):
        return {0: str(tasks)}
    raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to "
                    "strings.")  # fmt: skip


class Server:
    """The only task of a cluster: this process. No port is opened.

    Raises UnimplementedError for a cluster with other tasks, which would be processes of their own.
    """

    def __init__(self, server_or_cluster_def: Any, job_name: str | None = None,
                 task_index: int | None = None, protocol: str | None = None, config: Any = None,
                 start: bool = True) -> None:  # fmt: skip
        del config, start
        self._cluster = ClusterSpec(server_or_cluster_def)
        jobs = self._cluster.jobs
        if job_name is None and len(jobs) > 1:
            raise ValueError("Must specify an explicit `job_name` as there are several jobs")
        job = job_name or jobs[0]
        address = self._cluster.task_address(job, task_index or 0)
        others = sum(self._cluster.num_tasks(name) for name in jobs) - 1
        if others > 0:
            raise errors.UnimplementedError(
                None, None,
                f"the cluster has {others} tasks beside /job:{job}/task:{task_index or 0}: "
                "a session runs in one process here, so a server is the only task of its cluster",
            )  # fmt: skip
        self._target = f"{protocol or 'grpc'}://{address}"
        session.LOCAL_TARGETS.add(self._target)

    @property
    def target(self) -> str:
        """What a session takes as its target."""
        return self._target

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Return the server of a new cluster with this process alone."""
        return Server({"local": [f"localhost:{next(_PORTS)}"]}, config=config, start=start)

    def start(self) -> None:
        """Do nothing: a process has started."""

    def join(self) -> None:
        """Return at once: no other process will ask for anything."""
        tf_logging.warning("Server.join returns at once: no other process asks this one.")


class _ReplicaDevices:
    """A device function: variables by turns on the tasks for parameters, the rest elsewhere."""

    def __init__(self, ps_tasks: int, ps_device: str, worker_device: str, merge_devices: bool,
                 ps_ops: Any, strategy: Any) -> None:  # fmt: skip
        self._count, self._ps, self._worker = ps_tasks, ps_device, worker_device
        self._merges, self._ops = merge_devices, tuple(ps_ops)
        self._next = itertools.cycle(range(ps_tasks))
        self._strategy = strategy or (lambda _: next(self._next))

    def __call__(self, op: Any) -> str:
        if not self._merges and op.device:
            return str(op.device)
        own = device.DeviceSpec.from_string(op.device or "")
        spec = device.DeviceSpec.from_string(self._worker)
        if self._count and self._ps and op.type in self._ops:
            spec = device.DeviceSpec.from_string(self._ps)
            if spec.job and own.job in (None, spec.job) and spec.task is None:
                spec.task = str(self._strategy(op))
        return spec.updated_by(own).to_string()


def replica_device_setter(ps_tasks: int = 0, ps_device: str = "/job:ps",
                          worker_device: str = "/job:worker", merge_devices: bool = True,
                          cluster: Any = None, ps_ops: Any = None,
                          ps_strategy: Any = None) -> Any:  # fmt: skip
    """Return a device function for a cluster with ps_tasks for parameters; None where it has none.

    Raises TypeError for a cluster that is none and a strategy that cannot be called.
    """
    if cluster is not None:
        spec = ClusterSpec(cluster)
        job = device.DeviceSpec.from_string(ps_device).job
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if ps_tasks == 0:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    return _ReplicaDevices(ps_tasks, ps_device, worker_device, merge_devices,
                           _PS_OPS if ps_ops is None else ps_ops, ps_strategy)  # fmt: skip
