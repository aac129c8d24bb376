"""tf.contrib.training.HParams: settings of a model, each an attribute of one type."""

from __future__ import annotations

import json
from typing import Any


class HParams:
    """Settings by name; a setting keeps the type of its first value."""

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        del hparam_def
        self._settings: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a setting; raises ValueError for a name that is taken or an empty list."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._settings[name] = (type(value[0]) if is_list else type(value), is_list)
        setattr(self, name, list(value) if is_list else value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Change a setting; raises KeyError for an unknown one, ValueError for a wrong type."""
        kind, is_list = self._settings[name]
        if isinstance(value, (list, tuple)) != is_list:
            raise ValueError(f"{name} is {'a list' if is_list else 'one value'}, not {value!r}")
        changed = (
            [_cast(kind, item, name) for item in value] if is_list else _cast(kind, value, name)
        )
        setattr(self, name, changed)

    def del_hparam(self, name: str) -> None:
        """Remove a setting that is there."""
        if name in self._settings:
            delattr(self, name)
            del self._settings[name]

    def parse(self, values: str) -> HParams:
        """Change settings by a text such as "steps=10,rates=[0.1,0.2]"; return this object."""
        for name, text in _assignments(values):
            if name not in self._settings:
                raise ValueError(f"Unknown hyperparameter: {name} in {values!r}")
            kind, is_list = self._settings[name]
            words = [word.strip() for word in text.strip("[]").split(",")] if is_list else [text]
            read = [_from_text(kind, word, name) for word in words]
            setattr(self, name, read if is_list else read[0])
        return self

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Change settings; return this object."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Change settings by a JSON object; return this object."""
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Return the settings by name."""
        return {name: getattr(self, name) for name in self._settings}

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Return the settings as a JSON object."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a setting, or default."""
        return getattr(self, key) if key in self._settings else default

    def __contains__(self, key: str) -> bool:
        return key in self._settings

    def __repr__(self) -> str:
        return f"HParams({sorted(self.values().items())})"


def _cast(kind: type, value: Any, name: str) -> Any:
    if value is None or kind is type(None) or isinstance(value, kind):
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")


def _from_text(kind: type, text: str, name: str) -> Any:
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return kind(text)
    except (KeyError, ValueError):
        raise ValueError(
            f"Could not parse hparam '{name}' of type {kind.__name__}: {text!r}"
        ) from None


def _assignments(values: str) -> list[tuple[str, str]]:
    found, depth, word = [], 0, ""
    for character in f"{values},":
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            name, equals, text = word.partition("=")
            if word.strip() and not equals:
                raise ValueError(f"Malformed hyperparameter value: {word!r}")
            if word.strip():
                found.append((name.strip(), text.strip()))
            word = ""
        else:
            word += character
    return found
