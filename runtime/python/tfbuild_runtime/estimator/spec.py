"""What a model function is given and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class ModeKeys:
    """What a model is made for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class LearnModeKeys:
    """The older names of tf.contrib.learn."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: Any
    training_chief_hooks: tuple[Any, ...]
    training_hooks: tuple[Any, ...]
    scaffold: Any
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class EstimatorSpec(_Fields):
    """The tensors and operations of a model; raises ValueError where its mode needs others."""

    __slots__ = ()

    def __new__(  # noqa: D102, PYI034 (typing.Self is newer)
        cls, mode: str, predictions: Any = None, loss: Any = None, train_op: Any = None,
        eval_metric_ops: Any = None, export_outputs: Any = None, training_chief_hooks: Any = None,
        training_hooks: Any = None, scaffold: Any = None, evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> EstimatorSpec:  # fmt: skip
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL) and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        return super().__new__(
            cls, mode, {} if predictions is None else predictions, loss, train_op,
            dict(eval_metric_ops or {}), export_outputs, tuple(training_chief_hooks or ()),
            tuple(training_hooks or ()), scaffold, tuple(evaluation_hooks or ()),
            tuple(prediction_hooks or ()),
        )  # fmt: skip


# Further arguments, and whether a training would be another one by them.
_OTHERS = {
    "checkpoint_save_graph_def": False, "device_fn": True, "eval_distribute": True,
    "experimental_distribute": True, "experimental_max_worker_delay_secs": False,
    "protocol": False, "session_creation_timeout_secs": False, "train_distribute": True,
}  # fmt: skip


class RunConfig:
    """Where and how often an estimator saves, and how its sessions run."""

    # There is one process, which does everything.
    cluster_spec: Mapping[str, Any] = MappingProxyType({})
    evaluation_master = master = ""
    global_id_in_cluster = task_id = num_ps_replicas = 0
    is_chief, num_worker_replicas, task_type = True, 1, "worker"
    train_distribute = eval_distribute = device_fn = protocol = service = None

    def __init__(self, model_dir: str | None = None, tf_random_seed: int | None = None,
                 save_summary_steps: int = 100, save_checkpoints_steps: Any = None,
                 save_checkpoints_secs: Any = None, session_config: Any = None,
                 keep_checkpoint_max: int = 5, keep_checkpoint_every_n_hours: float = 10000,
                 log_step_count_steps: int = 100, **others: Any) -> None:  # fmt: skip
        if save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError("save_checkpoints_steps and save_checkpoints_secs cannot both be set")
        if save_checkpoints_steps is None and save_checkpoints_secs is None:
            save_checkpoints_secs = 600
        self.model_dir = model_dir
        self.tf_random_seed = tf_random_seed
        self.save_summary_steps = save_summary_steps
        self.save_checkpoints_steps = save_checkpoints_steps
        self.save_checkpoints_secs = save_checkpoints_secs
        self.session_config = session_config
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.log_step_count_steps = log_step_count_steps
        for name, value in others.items():
            if name not in _OTHERS:
                raise TypeError(f"RunConfig got an unexpected keyword argument {name!r}")
            if value and _OTHERS[name]:
                raise NotImplementedError(f"RunConfig({name}=...) is not there: there is one "
                                          "process, which does everything")  # fmt: skip
            setattr(self, name, value)

    def replace(self, **kwargs: Any) -> RunConfig:
        """Return the settings with some changed."""
        changed = {**vars(self), **kwargs}
        if "save_checkpoints_steps" in kwargs:
            changed["save_checkpoints_secs"] = None
        return type(self)(**changed)
