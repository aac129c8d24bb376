"""What a model gives whoever serves it, and how it takes what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.io import parsing
from tfbuild_runtime.ops import creation_ops
from tfbuild_runtime.saved_model import signature_constants, signatures

_ONE_RECEIVER = "input"  # the name of what is fed where there is no other
_ONE_OUTPUT = "output"


class ExportOutput:
    """What a model gives, as one signature of a SavedModel."""

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return the SignatureDef for these inputs; raises ValueError where they do not fit."""
        raise NotImplementedError("an output has a signature")


def _only_examples(receivers: Mapping[str, Any]) -> Any:
    """Return the one tensor of strings among what is fed, or raise ValueError."""
    tensors = list(receivers.values())
    if len(tensors) != 1:
        raise ValueError(f"Classification and regression take a single string tensor of Examples, "
                         f"not {sorted(receivers)}")  # fmt: skip
    if tensors[0].dtype.base_dtype != dtypes.string:
        raise ValueError(f"Classification and regression take Examples as strings, not "
                         f"{tensors[0].dtype!r}")  # fmt: skip
    return tensors[0]


class ClassificationOutput(ExportOutput):
    """Classes as strings, scores as floats, or both; raises ValueError for neither."""

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        if scores is not None and not scores.dtype.is_floating:
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and classes.dtype.base_dtype != dtypes.string:
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self.scores, self.classes = scores, classes

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return the SignatureDef; raises ValueError unless one tensor of Examples is fed."""
        examples = _only_examples(receiver_tensors)
        return signatures.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """A float for each example; raises ValueError for other types."""

    def __init__(self, value: Any) -> None:
        if not value.dtype.is_floating:
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value = value

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return the SignatureDef; raises ValueError unless one tensor of Examples is fed."""
        return signatures.regression_signature_def(_only_examples(receiver_tensors), self.value)


class PredictOutput(ExportOutput):
    """Any tensors by name; one without a name is 'output'."""

    def __init__(self, outputs: Any) -> None:
        self.outputs = dict(outputs) if isinstance(outputs, Mapping) else {_ONE_OUTPUT: outputs}

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return the SignatureDef."""
        return signatures.predict_signature_def(receiver_tensors, self.outputs)


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: dict[str, Any]
    receiver_tensors_alternatives: Any


class ServingInputReceiver(_Receiver):
    """The features that a model gets, and the placeholders from which they are made."""

    __slots__ = ()

    def __new__(  # noqa: D102, PYI034 (typing.Self is newer)
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> ServingInputReceiver:
        if features is None or receiver_tensors is None:
            raise ValueError("features and receiver_tensors must be given")
        named = receiver_tensors
        if not isinstance(named, Mapping):
            named = {_ONE_RECEIVER: named}
        return super().__new__(cls, features, dict(named), receiver_tensors_alternatives)


TensorServingInputReceiver = ServingInputReceiver


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Return a function that gives features parsed of serialised Examples, which are fed."""

    def receive() -> ServingInputReceiver:
        examples = creation_ops.placeholder(dtypes.string, [default_batch_size],
                                            name="input_example_tensor")  # fmt: skip
        features = parsing.parse_example(examples, feature_spec)
        return ServingInputReceiver(features, {"examples": examples})

    return receive


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Return a function that gives features that are fed as they are, like those given."""

    def receive() -> ServingInputReceiver:
        made = {}
        for name, like in features.items():
            shape = like.get_shape().as_list()
            made[name] = creation_ops.placeholder(
                like.dtype.base_dtype, [default_batch_size, *shape[1:]], name=name
            )
        return ServingInputReceiver(made, dict(made))

    return receive


def default_outputs(predictions: Any) -> dict[str, ExportOutput]:
    """Return what a model without export_outputs gives: all of its predictions."""
    return {signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(predictions)}


def signatures_of(export_outputs: Mapping[str, Any], receiver: ServingInputReceiver) -> Any:
    """Return the signatures that fit what is fed, by name, and why others do not.

    One output alone is the default one as well, whatever its name is.
    """
    default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = dict(export_outputs)
    if len(outputs) == 1:
        outputs.setdefault(default, next(iter(outputs.values())))
    asked = {name: (output, receiver.receiver_tensors) for name, output in outputs.items()}
    for alternative, tensors in (receiver.receiver_tensors_alternatives or {}).items():
        named = tensors if isinstance(tensors, Mapping) else {_ONE_RECEIVER: tensors}
        asked.update({f"{alternative}:{name}": (o, named) for name, o in outputs.items()})
    found = {name: _signature_or_why(output, fed) for name, (output, fed) in asked.items()}
    refused = {name: one for name, one in found.items() if isinstance(one, str)}
    fitting = {name: one for name, one in found.items() if name not in refused}
    return fitting, refused


def _signature_or_why(output: ExportOutput, fed: Mapping[str, Any]) -> Any:
    """Return the SignatureDef, or in words why there is none."""
    try:
        return output.as_signature_def(fed)
    except ValueError as error:
        return str(error)
