"""SyncReplicasOptimizer: one update for the gradients of several replicas.

As TensorFlow's: gradients go into accumulators, a queue runner applies what enough replicas have
brought, and each of them then goes on when it gets a token, which is the next global step.
"""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.io.queues import FIFOQueue
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.ops.control_ops import group
from tfbuild_runtime.train.accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from tfbuild_runtime.train.optimizer import Optimizer
from tfbuild_runtime.train.queue_runner import QueueRunner
from tfbuild_runtime.train.session_run_hook import SessionRunHook


class SyncReplicasOptimizer(Optimizer):
    """An optimizer around another one, for replicas_to_aggregate gradients of each variable."""

    def __init__(self, opt: Optimizer, replicas_to_aggregate: int,
                 total_num_replicas: int | None = None, variable_averages: Any = None,
                 variables_to_average: Any = None, use_locking: bool = False,
                 name: str = "sync_replicas") -> None:  # fmt: skip
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        super().__init__(use_locking, name)
        self._opt = opt
        self._wanted, self._replicas = replicas_to_aggregate, total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._averages, self._averaged = variable_averages, variables_to_average
        self._runner: QueueRunner | None = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Return (gradient, variable) pairs, as the inner optimizer does."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None,
                        name: str | None = None) -> Any:  # fmt: skip
        """Return an operation that brings one replica's gradients and waits for the update.

        Raises ValueError without gradients and without a global step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._step = global_step
        self._local_step = variables.Variable(
            initial_value=0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype.base_dtype, name="sync_rep_local_step",
        )  # fmt: skip
        self._accumulators: list[Any] = []
        with framework.name_scope(None, self._name):
            brought, taken = [], []
            for gradient, variable in pairs:
                if gradient is None:
                    taken.append(None)
                    continue
                bring, take = self._accumulate(gradient, variable)
                brought.append(bring)
                taken.append(take)
            update = self._opt.apply_gradients(zip(taken, [v for _, v in pairs]), global_step)
            result = self._synchronise(brought, update)
            # How sessions begin.
            self.local_step_init_op = variables.assign(self._local_step, global_step).op
            self.chief_init_op = group(
                self.local_step_init_op,
                *[one.set_global_step(global_step) for one in self._accumulators],
            )
            self.ready_for_local_init_op = variables.report_uninitialized_variables(
                variables.global_variables()
            )
        return result

    def _accumulate(self, gradient: Any, variable: Any) -> tuple[Any, Any]:
        """Return the operation that brings a gradient, and what they become."""
        attrs = {"shape": variable.get_shape(), "shared_name": f"{variable.name}/grad_accum"}
        kind = gradient.dtype.base_dtype
        local = self._local_step
        if isinstance(gradient, IndexedSlices):
            rows = SparseConditionalAccumulator(kind, shape=(), shared_name=attrs["shared_name"])
            self._accumulators.append(rows)
            return (rows.apply_indexed_slices_grad(gradient, local_step=local),
                    rows.take_indexed_slices_grad(self._wanted))  # fmt: skip
        dense = ConditionalAccumulator(kind, **attrs)
        self._accumulators.append(dense)
        return dense.apply_grad(gradient, local_step=local), dense.take_grad(self._wanted)

    def _synchronise(self, brought: list[Any], update: Any) -> Any:
        """Return what brings the gradients and waits for a token, which the update gives out."""
        kind = self._step.dtype.base_dtype
        self._tokens = FIFOQueue(-1, [kind], shapes=[()], name="sync_token_q",
                                 shared_name="sync_token_q")  # fmt: skip
        with framework.control_dependencies(brought):
            result = variables.assign(self._local_step, self._tokens.dequeue()).op
        with framework.control_dependencies([update]):
            give = self._give_tokens(self._tokens_per_step)
        if self._averages is not None:
            with framework.control_dependencies([give]):
                give = self._averages.apply(self._averaged)
        unused = FIFOQueue(1, [dtypes.int32], shapes=[()], name="dummy_queue",
                           shared_name="dummy_queue")  # fmt: skip
        self._runner = QueueRunner(unused, [give])
        return result

    def _give_tokens(self, count: int) -> Any:
        return self._tokens.enqueue_many([creation_ops.fill([count], self._step.read_value())])

    def get_chief_queue_runner(self) -> QueueRunner:
        """Return the runner that applies updates; raises ValueError before apply_gradients."""
        return self._applied()

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Return an operation that lets replicas begin, each by a token.

        Raises ValueError before apply_gradients, and for fewer tokens than replicas are missing.
        """
        self._applied()
        needed = self._wanted - self._replicas
        count = self._wanted if num_tokens == -1 else num_tokens
        if count < needed:
            raise ValueError(f"Too few tokens to finish the first step: {count} (given) vs "
                             f"{needed} (needed)")  # fmt: skip
        with framework.name_scope(None, self._name):
            return self._give_tokens(count) if count > 0 else group(name="no_init_tokens")

    def _applied(self) -> QueueRunner:
        if self._runner is None:
            raise ValueError("Should be called after apply_gradients().")
        return self._runner

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the inner optimizer keeps for a variable."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        """Return the names of what the inner optimizer keeps."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """Return the variables of the inner optimizer."""
        return self._opt.variables()

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """Return the hook that begins a session: the chief's also applies the updates."""
        return _SyncReplicasHook(self, is_chief, num_tokens)


class _SyncReplicasHook(SessionRunHook):
    """Sets the steps that a session begins with, gives out tokens, starts the queue runner."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer, self._is_chief, self._count = optimizer, is_chief, num_tokens

    def begin(self) -> None:
        """Make what a session runs first; raises ValueError before apply_gradients."""
        self._runner = self._optimizer.get_chief_queue_runner()
        self._first = [self._optimizer.local_step_init_op]
        if self._is_chief:
            self._first = [self._optimizer.chief_init_op,
                           self._optimizer.get_init_tokens_op(self._count)]  # fmt: skip

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Run it."""
        for operation in self._first:
            session.run(operation)
        if self._is_chief:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
