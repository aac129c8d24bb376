"""The switches between TensorFlow 1 and 2 that programs set: here everything is TensorFlow 1."""

from tfbuild_runtime.framework import tensor_shape


def executing_eagerly() -> bool:
    """Return False: operations are added to a graph and run by a session."""
    return False


def disable_eager_execution() -> None:
    """Do nothing: there is no eager execution."""


def enable_eager_execution(*_: object, **__: object) -> None:
    """Raise NotImplementedError: there is no eager execution."""
    raise NotImplementedError(
        "tfbuild_runtime runs graphs only; build a graph and run it with tf.Session"
    )


def disable_v2_behavior() -> None:
    """Return to TensorFlow 1's shapes and variables; all else is TensorFlow 1 already."""
    disable_resource_variables()
    tensor_shape.disable_v2_tensorshape()


def enable_v2_behavior() -> None:
    """Raise NotImplementedError: there is no TensorFlow 2."""
    enable_eager_execution()


def disable_tensor_equality() -> None:
    """Do nothing: tensors compare by identity."""


def enable_tensor_equality() -> None:
    """Raise NotImplementedError: a tensor of a graph has no value that `==` could compare."""
    enable_eager_execution()


def control_flow_v2_enabled() -> bool:
    """Return False: branches and loops become Switch, Merge and their like."""
    return False


def disable_control_flow_v2() -> None:
    """Do nothing: it is as TensorFlow 1 has it already."""


def enable_control_flow_v2() -> None:
    """Do nothing: branches and loops as functions would give the same values."""


_resource_variables = False


def resource_variables_enabled() -> bool:
    """Whether variables that say nothing else are behind handles; at first they are references."""
    return _resource_variables


def disable_resource_variables() -> None:
    """Make references of variables that say nothing else."""
    global _resource_variables
    _resource_variables = False


def enable_resource_variables() -> None:
    """Put variables that say nothing else behind handles."""
    global _resource_variables
    _resource_variables = True
