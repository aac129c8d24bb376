"""Public names of this package: which function of which module each of them is."""

_MODULES = {
    "basic_hooks": (
        "CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook",
        "GlobalStepWaiterHook", "LoggingTensorHook", "NanLossDuringTrainingError", "NanTensorHook",
        "SecondOrStepTimer", "StopAtStepHook",
    ),
    "batching": (
        "batch", "batch_join", "maybe_batch", "maybe_batch_join", "maybe_shuffle_batch",
        "maybe_shuffle_batch_join", "shuffle_batch", "shuffle_batch_join",
    ),
    "cluster": ("ClusterSpec", "Server", "replica_device_setter"),
    "sync_replicas": ("SyncReplicasOptimizer",),
    "coordinator": ("Coordinator", "LooperThread"),
    "input_producers": (
        "input_producer", "limit_epochs", "match_filenames_once", "range_input_producer",
        "slice_input_producer", "string_input_producer",
    ),
    "queue_runner": ("QueueRunner", "add_queue_runner", "start_queue_runners"),
    "decay": (
        "cosine_decay", "cosine_decay_restarts", "exponential_decay", "inverse_time_decay",
        "linear_cosine_decay", "natural_exp_decay", "piecewise_constant",
        "piecewise_constant_decay", "polynomial_decay",
    ),
    "global_step": (
        "create_global_step", "get_global_step", "get_or_create_global_step", "global_step",
    ),
    "graph_io": ("write_graph",),
    "monitored_session": (
        "ChiefSessionCreator", "MonitoredSession", "MonitoredTrainingSession", "Scaffold",
        "SingularMonitoredSession", "WorkerSessionCreator",
    ),
    "more_optimizers": (
        "AdadeltaOptimizer", "AdagradDAOptimizer", "FtrlOptimizer", "ProximalAdagradOptimizer",
        "ProximalGradientDescentOptimizer",
    ),
    "moving_averages": ("ExponentialMovingAverage",),
    "optimizer": ("Optimizer",),
    "optimizers": (
        "AdagradOptimizer", "AdamOptimizer", "GradientDescentOptimizer", "MomentumOptimizer",
        "RMSPropOptimizer",
    ),
    "checkpoint_reader": (
        "NewCheckpointReader", "init_from_checkpoint", "list_variables", "load_checkpoint",
        "load_variable",
    ),
    "checkpoint_state": (
        "checkpoint_exists", "generate_checkpoint_state_proto", "get_checkpoint_mtimes",
        "get_checkpoint_state", "latest_checkpoint", "remove_checkpoint", "update_checkpoint_state",
    ),
    "meta_graph": ("export_meta_graph", "import_meta_graph"),
    "saver": ("Saver",),
    "summary_hooks": ("ProfilerHook", "StepCounterHook", "SummarySaverHook"),
    "supervisor": ("Supervisor",),
    "session_run_hook": (
        "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues",
    ),
}  # fmt: skip

EXPORTS = {
    f"train.{name}": f"tfbuild_runtime.train.{module}:{name}"
    for module, names in _MODULES.items()
    for name in names
}
EXPORTS.update(
    {f"train.queue_runner.{name}": EXPORTS[f"train.{name}"] for name in _MODULES["queue_runner"]}
)
EXPORTS["io.write_graph"] = EXPORTS["train.write_graph"]
EXPORTS["io.match_filenames_once"] = EXPORTS["train.match_filenames_once"]
EXPORTS.update(
    {name: f"tfbuild_runtime.train.accumulators:{name}"
     for name in ("ConditionalAccumulator", "ConditionalAccumulatorBase",
                  "SparseConditionalAccumulator")}
)  # fmt: skip
