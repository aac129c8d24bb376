"""The fields of TensorFlow's messages, for test_message_fields.py to compare.

    python tensorflow_messages.py tfbuild_runtime > here.json
    python tensorflow_messages.py tensorflow here.json > tensorflow_messages.json

The file holds those messages and enumerations that are here and in TensorFlow. A field is its
number, its label, its type, its default, and the choice that it belongs to; `presence` marks one
that is no message and that HasField can be asked about.
"""

import importlib
import json
import pkgutil
import sys
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool

_PROTO = descriptor_pb2.FieldDescriptorProto


def row_of(field, proto):
    """Return the facts of a field as text."""
    words = [str(proto.number), _PROTO.Label.Name(proto.label)[6:].lower(),
             _PROTO.Type.Name(proto.type)[5:].lower(), proto.type_name.lstrip(".")]  # fmt: skip
    choice = field.containing_oneof
    if proto.label != _PROTO.LABEL_REPEATED and proto.type != _PROTO.TYPE_MESSAGE:
        words += [f"= {field.default_value!r}", "presence" if field.has_presence else ""]
    elif proto.label == _PROTO.LABEL_REPEATED and proto.options.HasField("packed"):
        words.append("" if proto.options.packed else "one by one")
    words.append("" if choice is None else f"| {choice.name}")
    return " ".join(filter(None, words))


def facts_of(message):
    """Return the fields of a message by name."""
    whole = descriptor_pb2.DescriptorProto()
    message.CopyToProto(whole)
    found = {proto.name: row_of(message.fields_by_name[proto.name], proto) for proto in whole.field}
    if whole.options.map_entry:
        found["map entry"] = ""
    return found


def add(found, enums, messages):
    """Add to found the facts of enumerations and messages, and of those inside of them."""
    for enum in enums:
        found[enum.full_name] = {value.name: value.number for value in enum.values}
    for message in messages:
        found[message.full_name] = facts_of(message)
        add(found, message.enum_types, message.nested_types)


def ours():
    """Return the facts of all messages of the runtime, by their full names."""
    from tfbuild_runtime.protos import messages

    found = {}
    file = messages.GraphDef.DESCRIPTOR.file
    for one in (file, *(used for used in file.dependencies if "google" not in used.name)):
        add(found, one.enum_types_by_name.values(), one.message_types_by_name.values())
    return found


def theirs(names):
    """Return the facts of TensorFlow's messages of those names, as far as it has them."""
    for package in ("tensorflow.core", "tensorflow.python.training"):
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if module.name.endswith("_pb2"):
                importlib.import_module(module.name)
    found, pool = {}, descriptor_pool.Default()
    for name in names:
        for find, kind in ((pool.FindEnumTypeByName, 0), (pool.FindMessageTypeByName, 1)):
            try:
                descriptor = find(name)
            except KeyError:
                continue
            add(found, *([], [descriptor]) if kind else ([descriptor], []))
    return found


def lines(found):
    """Return JSON with a line for each message."""
    rows = [f"{json.dumps(name)}: {json.dumps(facts, sort_keys=True)}"
            for name, facts in sorted(found.items())]  # fmt: skip
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    if sys.argv[1] == "tensorflow":
        facts = theirs(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
    else:
        facts = ours()
    sys.stdout.write(lines(facts))
