"""tf.contrib.tpu on a machine without TPUs: what programs use with use_tpu=False."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.estimator.estimator import Estimator
from tfbuild_runtime.estimator.spec import EstimatorSpec, ModeKeys, RunConfig
from tfbuild_runtime.train.optimizer import Optimizer


class InputPipelineConfig:
    """How input is shared among hosts: there is one."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4


class TPUConfig:
    """Settings for TPUs, which are kept and not used."""

    def __init__(self, iterations_per_loop: int = 2, num_shards: int | None = None,
                 per_host_input_for_training: Any = True, **others: Any) -> None:  # fmt: skip
        self.iterations_per_loop = iterations_per_loop
        self.num_shards = num_shards
        self.per_host_input_for_training = per_host_input_for_training
        for name, value in others.items():
            setattr(self, name, value)


class TPURunConfig(RunConfig):
    """The settings of an estimator, with those for TPUs."""

    def __init__(self, tpu_config: TPUConfig | None = None, evaluation_master: str | None = None,
                 master: str | None = None, cluster: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.tpu_config = tpu_config or TPUConfig()
        self.evaluation_master = evaluation_master
        self.master = master
        self.cluster = cluster


class TPUEstimatorSpec:
    """As EstimatorSpec, with metrics as a function and its tensors."""

    def __init__(self, mode: str, predictions: Any = None, loss: Any = None, train_op: Any = None,
                 eval_metrics: Any = None, export_outputs: Any = None, scaffold_fn: Any = None,
                 host_call: Any = None, training_hooks: Any = None, evaluation_hooks: Any = None,
                 prediction_hooks: Any = None) -> None:  # fmt: skip
        del host_call
        self.mode = mode
        self.predictions = predictions
        self.loss = loss
        self.train_op = train_op
        self.eval_metrics = eval_metrics
        self.export_outputs = export_outputs
        self.scaffold_fn = scaffold_fn
        self.hooks = (training_hooks, evaluation_hooks, prediction_hooks)

    def as_estimator_spec(self) -> EstimatorSpec:
        """Return the EstimatorSpec for a machine without TPUs."""
        metrics = None
        if self.mode == ModeKeys.EVAL and self.eval_metrics is not None:
            function, tensors = self.eval_metrics
            is_named = isinstance(tensors, dict)
            metrics = function(**tensors) if is_named else function(*tensors)
        return EstimatorSpec(
            self.mode, self.predictions, self.loss, self.train_op, metrics, self.export_outputs,
            training_hooks=self.hooks[0], evaluation_hooks=self.hooks[1],
            prediction_hooks=self.hooks[2],
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
        )  # fmt: skip


class TPUEstimator(Estimator):
    """An Estimator whose params have the batch size; raises NotImplementedError for use_tpu."""

    def __init__(
        self, model_fn: Callable[..., Any], model_dir: str | None = None, config: Any = None,
        params: Any = None, use_tpu: bool = True, train_batch_size: int | None = None,
        eval_batch_size: int | None = None, predict_batch_size: int | None = None, **_: Any,
    ) -> None:  # fmt: skip
        if use_tpu:
            raise NotImplementedError("there is no TPU here: give TPUEstimator use_tpu=False")
        super().__init__(model_fn, model_dir, config, dict(params or {}))
        self._batch_sizes = {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size,
                             ModeKeys.PREDICT: predict_batch_size}  # fmt: skip

    def _build(self, input_fn: Callable[..., Any], mode: str) -> Any:
        self._params = {**self._params, "batch_size": self._batch_sizes[mode]}
        return super()._build(input_fn, mode)


class CrossShardOptimizer(Optimizer):
    """The optimizer itself: there is one shard."""

    def __new__(cls, opt: Any, *_: Any, **__: Any) -> Any:
        """Return the optimizer that it is given."""
        return opt
