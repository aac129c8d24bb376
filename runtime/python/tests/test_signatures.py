"""What TensorFlow's public functions take is taken here, by the same names at the same places.

tensorflow_signatures.json holds the parameters that TensorFlow 2.21's compat.v1 has. Here there may
be more of them behind those, such as the names that TensorFlow 1 had.
"""

import ast
import json
from functools import reduce
from pathlib import Path

import tfbuild_runtime.compat.v1 as tf
from tensorflow_signatures import signature_of

ROWS = json.loads(Path(__file__).with_name("tensorflow_signatures.json").read_text("utf-8"))
THEIRS = {name: text for text, *names in ROWS for name in names}


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
        elif places[number : number + 1] != [name]:
            said.append(f"{name} is not at place {number}")
        elif default is None and taken[name] is not None:
            continue  # what TensorFlow requires may be left out for an older name
        elif "..." not in (default, taken[name]) and not same(taken[name], default):
            said.append(f"{name} is {taken[name]} instead of {default}")
    said += [f"{name} is missing" for name, _ in wanted_keyed if name not in taken]
    return said


if __name__ == "__main__":
    count = 0
    for name, text in THEIRS.items():
        try:
            ours = signature_of(found(name))
        except Exception:
            print("GONE", name)
            continue
        if ours is None:
            print("NONE", name)
            continue
        said = differences(ours, text)
        if said:
            count += 1
            print(name, "|", "; ".join(said))
    print(count)
