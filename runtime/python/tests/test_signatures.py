"""What TensorFlow's public functions take is taken here, by the same names at the same places.

tensorflow_signatures.json holds the parameters that TensorFlow 2.21's compat.v1 has. Here there may
be more of them behind those, such as the names that TensorFlow 1 had.
"""

import ast
import json
from functools import reduce
from pathlib import Path

import pytest
import tensorflow_signatures
import tfbuild_runtime.compat.v1 as tf
from tensorflow_signatures import signature_of

ROWS = json.loads(Path(__file__).with_name("tensorflow_signatures.json").read_text("utf-8"))
THEIRS = {name: text for text, *names in ROWS for name in names}


# What TensorFlow 2 alone knows, wherever it stands.
OF_TENSORFLOW_2 = {
    "layout": "DTensor's",
    "use_own_namescope_for_non_slot_vars": "a name of variables",
    "skip_gradients_aggregation": "of several processes",
    "gradient_aggregator": "of several processes",
    "experimental_image_format": "files of models over 2 GB",
    "experimental_image_writer_options": "files of models over 2 GB",
}
# Where another signature stands: which parameters (all of them, if none is named), and why.
OTHERS = {
    **dict.fromkeys(("DType", "dtypes.DType"), ("", "programs take tf.float32 and its like")),
    "ConditionalAccumulatorBase": ("", "a class that programs do not make objects of"),
    "Graph#create_op": ("", "programs make operations by functions"),
    "RaggedTensor": ("", "programs call its factories, such as from_row_splits"),
    "RaggedTensorSpec": ("flat_values_spec", "values are tensors"),
    "VariableScope": ("", "programs enter tf.variable_scope"),
    "VariableScope#get_variable": ("", "the store of variables is the graph's; see get_variable"),
    "app.flags.Flag": ("", "programs call DEFINE_string and its like"),
    "data.Iterator": ("", "datasets make them"),
    "distributions.Distribution": ("", "its subclasses define other methods"),
    "enable_eager_execution": ("", "it raises NotImplementedError"),
    "keras.optimizers.Optimizer": ("", "programs' own optimizers derive from tf.train.Optimizer"),
    "nn.static_state_saving_rnn": ("", "it raises NotImplementedError"),
    "numpy_function": ("func inp Tout", "without them TensorFlow 2 decorates a function"),
    "test.TestCase#assertDictEqual": ("a b", "unittest's own"),
    "test.TestCase#fail": ("user_msg", "unittest's own"),
}
# Where None stands for TensorFlow's default.
BY_NONE = ("data_format", "dilations")


def excepted(name):
    """Return the parameters of a function that may be others here."""
    names, _ = OTHERS.get(name, (".", ""))
    every = {one for both in parameters(THEIRS[name]) for one, _ in both} if not names else ()
    return {*OF_TENSORFLOW_2, *names.split(), *every}


def found(name):
    """Return the function, class or method of that name."""
    path, _, method = name.partition("#")
    one = reduce(getattr, path.split("."), tf)
    return getattr(one, method) if method else one


def parameters(text):
    """Return (name, default or None) of what may be given by position, and by keyword only."""
    both = [[], []]
    for one in text.split("; ") if text else ():
        name, equals, default = one.lstrip("*").partition("=")
        both[one.startswith("*")].append((name, default if equals else None))
    return both


def same(ours, theirs):
    """Whether two defaults say the same: one number stands for as many as there are directions."""
    if ours == theirs:
        return True
    try:
        both = [ast.literal_eval(one) for one in (ours, theirs)]
    except ValueError:
        return False
    wide = both[1] if isinstance(both[1], tuple) else (both[1],)
    return isinstance(both[0], (int, float)) and all(one == both[0] for one in wide)


def differences(ours, theirs):
    """Return a sentence for each parameter of theirs that is not the same in ours."""
    (placed, keyed), (wanted, wanted_keyed) = parameters(ours), parameters(theirs)
    taken = dict(placed + keyed)
    places = [name for name, _ in placed]
    said = []
    for number, (name, default) in enumerate(wanted):
        if name not in taken:
            said.append(f"{name} is missing")
        elif name in OF_TENSORFLOW_2:
            continue
        elif places[number : number + 1] != [name]:
            said.append(f"{name} is not at place {number}")
        elif default is None and taken[name] is not None:
            continue  # what TensorFlow requires may be left out for an older name
        elif name == "name" or (name in BY_NONE and taken[name] == "None"):
            continue  # a name of a scope changes no number
        elif "..." not in (default, taken[name]) and not same(taken[name], default):
            said.append(f"{name} is {taken[name]} instead of {default}")
    said += [f"{name} is missing" for name, _ in wanted_keyed if name not in taken]
    return said


def test_functions_take_what_tensorflows_take():
    assert len(THEIRS) > 1000
    others = {}
    for name, text in THEIRS.items():
        said = differences(signature_of(found(name)) or "", text)
        said = [one for one in said if one.split()[0] not in excepted(name)]
        if said:
            others[name] = said
    assert others == {}


def test_what_is_excepted_is_another():
    for name, (names, why) in OTHERS.items():
        said = differences(signature_of(found(name)) or "", THEIRS[name])
        assert why
        assert {one.split()[0] for one in said} >= set(names.split() or said[0].split()[:1]), name


@pytest.mark.tensorflow
def test_the_record_is_what_tensorflow_says(tensorflow):
    script = Path(tensorflow_signatures.__file__).read_text(encoding="utf-8")
    again = json.loads(tensorflow(script, "tensorflow.compat.v1"))
    assert THEIRS.items() <= {name: text for text, *names in again for name in names}.items()
