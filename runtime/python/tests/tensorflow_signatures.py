"""The parameters of TensorFlow's public functions, for test_signatures.py to compare.

    python tensorflow_signatures.py tfbuild_runtime.compat.v1 > here.json
    TF_USE_LEGACY_KERAS=1 python tensorflow_signatures.py tensorflow.compat.v1 here.json \
        > tensorflow_signatures.json

The file holds one list for each signature: the parameters, then the names that have it, as far as
they are here; a method that several classes inherit is there once. A
parameter is `name`, `name=default` or, where it is given by keyword only, `*name`. A default that
is no plain value is written as `...`, one of types as its name. Methods are `Class#method`.
"""

import importlib
import inspect
import json
import sys
import types
from pathlib import Path

SELVES = ("self", "cls", "instance")  # a decorator of Keras calls it so
PLAIN = (bool, int, float, str, type(None))
SKIPPED = ("raw_ops", "compat")  # by keyword only, and the same names once more
PACKAGES = ("tensorflow", "tf_keras", "tfbuild_runtime")
MESSAGES = "google."  # generated classes of protocol buffers have no signatures of their own


def default_of(value):
    """Return how a default is written."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, (tuple, list)) and all(isinstance(v, (*PLAIN, tuple)) for v in value):
        return repr(tuple(value))
    return value.name if hasattr(value, "as_numpy_dtype") else "..."


def signature_of(function):
    """Return the parameters as text, without those of any name; None where there are none."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    written = []
    for one in found.parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or one.name in SELVES:
            continue
        mark = "*" if one.kind is one.KEYWORD_ONLY else ""
        end = "" if one.default is one.empty else f"={default_of(one.default)}"
        written.append(f"{mark}{one.name}{end}")
    return "; ".join(written)


def members_of(kind):
    """Return the public methods of a class, by their names."""
    found = {}
    for name in dir(kind):
        if not name.startswith("_"):
            member = inspect.getattr_static(kind, name)
            member = getattr(member, "__func__", member)
            if inspect.isfunction(member):
                found[name] = member
    return found


def of_graphs(kind):
    """Return the class whose objects a class of Keras makes where programs make graphs."""
    if str(kind.__module__).split(".")[0] != "tf_keras":
        return kind
    try:
        return type(kind.__new__(kind))
    except (TypeError, AttributeError):  # one that needs arguments has one kind of objects
        return kind


def names_of(module, prefix="", seen=None):
    """Yield the name and object of each public function, class and method."""
    seen = set() if seen is None else seen
    seen.add(id(module))
    for name in dir(module):
        if name.startswith("_") or (not prefix and name in SKIPPED):
            continue
        one = getattr(module, name, None)
        if isinstance(one, types.ModuleType):
            if id(one) not in seen and one.__name__.split(".")[0] in PACKAGES:
                yield from names_of(one, f"{prefix}{name}.", seen)
        elif inspect.isclass(one) and not str(one.__module__).startswith(MESSAGES):
            one = of_graphs(one)
            yield prefix + name, one
            for method, function in members_of(one).items():
                yield f"{prefix}{name}#{method}", function
        elif callable(one):
            yield prefix + name, one


def rows_of(module, known=None):
    """Return the rows of the file, of the known names only where those are given."""
    groups, methods = {}, set()
    for full, one in names_of(module):
        text = signature_of(one)
        if text is None or (known is not None and full not in known) or id(one) in methods:
            continue
        if "#" in full and known is not None:
            methods.add(id(one))
        groups.setdefault(text, []).append(full)
    return sorted([text, *sorted(names)] for text, names in groups.items())


if __name__ == "__main__":
    known = None
    if len(sys.argv) > 2:
        rows = json.loads(Path(sys.argv[2]).read_text("utf-8"))
        known = {name for _, *names in rows for name in names}
    tf = importlib.import_module(sys.argv[1])
    tf.disable_v2_behavior()
    rows = rows_of(tf, known)
    print("[\n" + ",\n".join(f" {json.dumps(row)}" for row in rows) + "\n]")
