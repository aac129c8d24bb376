"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.gradients"

EXPORTS = {
    "AggregationMethod": f"{_PLACE}.engine:AggregationMethod",
    "NoGradient": f"{_PLACE}.registry:NoGradient",
    "NotDifferentiable": f"{_PLACE}.registry:NotDifferentiable",
    "RegisterGradient": f"{_PLACE}.registry:RegisterGradient",
    "UnconnectedGradients": f"{_PLACE}.engine:UnconnectedGradients",
    "custom_gradient": f"{_PLACE}.custom:custom_gradient",
    "gradients": f"{_PLACE}.engine:gradients",
    "hessians": f"{_PLACE}.custom:hessians",
    "test.compute_gradient": f"{_PLACE}.check:compute_gradient",
    "test.compute_gradient_error": f"{_PLACE}.check:compute_gradient_error",
}
