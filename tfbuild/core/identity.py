"""The id of a plan: a hash of what its records say of themselves.

A field counts unless it is marked with BESIDE_ID: places of this machine, sentences for people, how
many jobs. A record that is known by something else than its fields has a method `key_parts`.
"""

import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

BESIDE_ID = {"in_id": False}  # metadata of a field

# Options of Bazel that end in a place of this machine, behind what is found there.
_WITH_PLACE = ("--override_repository=", "--override_module=")
_DISTDIR = "--distdir="  # holds archives by their digests: where does not matter


def plan_id(plan: object) -> str:
    """Sixteen hexadecimal digits; TypeError where a path of this machine would be in them."""
    text = json.dumps(key_parts(plan), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def key_parts(value: object) -> Any:  # noqa: ANN401  (any JSON value)
    """What makes a record what it is, as mappings, lists and plain values."""
    if hasattr(value, "key_parts"):
        return key_parts(value.key_parts())
    if is_dataclass(value) and not isinstance(value, type):
        counted = (f.name for f in fields(value) if f.metadata.get("in_id", True))
        return {name: key_parts(getattr(value, name)) for name in counted}
    if isinstance(value, (tuple, list)):
        return [key_parts(item) for item in value]
    if isinstance(value, dict):
        return {name: key_parts(item) for name, item in value.items()}
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"{value!r} of type {type(value).__name__} has no place in an id")


def options_without_places(options: tuple[str, ...]) -> tuple[str, ...]:
    """Bazel's options as they would stand on another machine."""
    kept = (o for o in options if not o.startswith(_DISTDIR))
    return tuple(o.rpartition("=")[0] if o.startswith(_WITH_PLACE) else o for o in kept)
