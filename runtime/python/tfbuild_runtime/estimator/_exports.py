"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.estimator"

_MODULES = {
    "dnn": (
        "DNNClassifier", "DNNEstimator", "DNNLinearCombinedClassifier",
        "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "DNNRegressor",
    ),
    "linear": (
        "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "LinearClassifier",
        "LinearEstimator", "LinearRegressor",
    ),
    "parsing": ("classifier_parse_example_spec", "regressor_parse_example_spec"),
    "training": (
        "BestExporter", "EvalSpec", "Exporter", "FinalExporter", "LatestExporter", "TrainSpec",
        "train_and_evaluate",
    ),
    "warm_start": ("WarmStartSettings",),
}  # fmt: skip
_EXPORT = (
    "ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput",
    "ServingInputReceiver", "TensorServingInputReceiver",
    "build_parsing_serving_input_receiver_fn", "build_raw_serving_input_receiver_fn",
)  # fmt: skip
_HOOKS = {
    "basic_hooks": (
        "CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook",
        "GlobalStepWaiterHook", "LoggingTensorHook", "NanLossDuringTrainingError", "NanTensorHook",
        "SecondOrStepTimer", "StopAtStepHook",
    ),
    "session_run_hook": ("SessionRunArgs", "SessionRunContext", "SessionRunHook",
                         "SessionRunValues"),
    "summary_hooks": ("ProfilerHook", "StepCounterHook", "SummarySaverHook"),
}  # fmt: skip

EXPORTS = {
    **{f"estimator.{name}": f"{_PLACE}.{module}:{name}"
       for module, names in _MODULES.items() for name in names},
    **{f"estimator.export.{name}": f"{_PLACE}.outputs:{name}" for name in _EXPORT},
    **{f"estimator.{name}": f"tfbuild_runtime.train.{module}:{name}"
       for module, names in _HOOKS.items() for name in names},
    "contrib.estimator.binary_classification_head": f"{_PLACE}.class_heads:BinaryHead",
    "contrib.estimator.multi_class_head": f"{_PLACE}.class_heads:MultiClassHead",
    "contrib.estimator.regression_head": f"{_PLACE}.heads:RegressionHead",
    "estimator.Estimator": f"{_PLACE}.estimator:Estimator",
    "estimator.EstimatorSpec": f"{_PLACE}.spec:EstimatorSpec",
    "estimator.ModeKeys": f"{_PLACE}.spec:ModeKeys",
    "estimator.RunConfig": f"{_PLACE}.spec:RunConfig",
    "estimator.inputs.numpy_input_fn": f"{_PLACE}.inputs:numpy_input_fn",
    "estimator.inputs.pandas_input_fn": f"{_PLACE}.inputs:pandas_input_fn",
    "contrib.learn.ModeKeys": f"{_PLACE}.spec:LearnModeKeys",
    "contrib.learn.RunConfig": f"{_PLACE}.spec:RunConfig",
    "contrib.tpu.CrossShardOptimizer": f"{_PLACE}.tpu:CrossShardOptimizer",
    "contrib.tpu.InputPipelineConfig": f"{_PLACE}.tpu:InputPipelineConfig",
    "contrib.tpu.RunConfig": f"{_PLACE}.tpu:TPURunConfig",
    "contrib.tpu.TPUConfig": f"{_PLACE}.tpu:TPUConfig",
    "contrib.tpu.TPUEstimator": f"{_PLACE}.tpu:TPUEstimator",
    "contrib.tpu.TPUEstimatorSpec": f"{_PLACE}.tpu:TPUEstimatorSpec",
}  # fmt: skip
