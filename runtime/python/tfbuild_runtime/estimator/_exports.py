"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.estimator"

EXPORTS = {
    "estimator.Estimator": f"{_PLACE}.estimator:Estimator",
    "estimator.EstimatorSpec": f"{_PLACE}.spec:EstimatorSpec",
    "estimator.ModeKeys": f"{_PLACE}.spec:ModeKeys",
    "estimator.RunConfig": f"{_PLACE}.spec:RunConfig",
    "estimator.inputs.numpy_input_fn": f"{_PLACE}.inputs:numpy_input_fn",
    "contrib.learn.ModeKeys": f"{_PLACE}.spec:LearnModeKeys",
    "contrib.learn.RunConfig": f"{_PLACE}.spec:RunConfig",
    "contrib.tpu.CrossShardOptimizer": f"{_PLACE}.tpu:CrossShardOptimizer",
    "contrib.tpu.InputPipelineConfig": f"{_PLACE}.tpu:InputPipelineConfig",
    "contrib.tpu.RunConfig": f"{_PLACE}.tpu:TPURunConfig",
    "contrib.tpu.TPUConfig": f"{_PLACE}.tpu:TPUConfig",
    "contrib.tpu.TPUEstimator": f"{_PLACE}.tpu:TPUEstimator",
    "contrib.tpu.TPUEstimatorSpec": f"{_PLACE}.tpu:TPUEstimatorSpec",
}
