"""Reads a recipe file: YAML to a Recipe, every key checked, mistakes named by their place."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tfbuild.core.errors import BadRecipe
from tfbuild.core.safe_files import read_bytes
from tfbuild.core.versions import did_you_mean
from tfbuild.core.yaml_file import parse_yaml
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.faults import Faults
from tfbuild.recipes.problems import problems_of
from tfbuild.recipes.recipe import Recipe

NOT_WRITTEN = ("path", "sha256")  # fields of a Recipe that are no keys of its file
_LARGEST = 200_000  # bytes of a recipe


def read_recipe(path: Path) -> Recipe:
    """The recipe of a file.

    Raises BadRecipe that names all that is wrong, each with its line: keys and needs that are
    unknown, with the nearest that is known, and what must stand where something else does.
    """
    try:
        raw = read_bytes(path, _LARGEST)
        text = raw.decode()
        data = parse_yaml(text)
    except OSError as error:
        raise BadRecipe(
            f"cannot read the recipe {path}",
            code="recipe-unreadable",
            why=error.strerror or str(error),
            hint="name a recipe of `tfbuild recipes list`, or a YAML file",
        ) from error
    except ValueError as error:
        raise BadRecipe(
            f"cannot read the recipe {path}",
            code="recipe-not-yaml",
            why=str(error),
            hint="correct it there; `tfbuild recipes new` writes one that can be read",
        ) from error
    faults = Faults(path)
    read: Recipe = _Reader(faults).record(Recipe, data, ())
    recipe = replace(read, path=path, sha256=hashlib.sha256(raw).hexdigest())
    known = Faults(path, list(faults.found))
    for place, what in problems_of(recipe):
        if not known.concerns(place):  # what could not be read is blank, and no further fault
            faults.add(place, what)
        if faults.is_more:
            break
    faults.require_none(text)
    return recipe


def keyed_by(kind: type) -> str:
    """The field that the keys of a mapping are, where one stands for a list of such records.

    It is the first one: the name of an option, the version of a release.
    """
    return fields(kind)[0].name


def hints_of(kind: type) -> Mapping[str, Any]:
    """The types of the fields that are keys of a file, in their order."""
    hints = get_type_hints(kind)
    return {f.name: hints[f.name] for f in fields(kind) if f.name not in NOT_WRITTEN or
            kind is not Recipe}  # fmt: skip


# --- values ------------------------------------------------------------------------------------

_Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes records of data; where that does not fit, a fault is noted, and the value is blank."""

    faults: Faults

    def value(self, hint: Any, data: object, place: _Place) -> Any:  # noqa: ANN401  (the type's)
        if is_dataclass(hint):
            return self.record(hint, data, place)
        if hint in {str, int}:
            return self.text(data, place) if hint is str else self.whole(data, place)
        if get_origin(hint) is Literal:
            return self.one_of(get_args(hint), data, place)
        inner: Any = get_args(hint)[0]
        if is_dataclass(inner):
            return tuple(self.records(inner, data, place))
        if inner is not str:
            return self.pairs(data, place)
        found = self.texts(data, place)
        if place[-1] == "needs":
            self.check_needs(found, place)
        return found

    def record(self, kind: Any, data: object, place: _Place) -> Any:  # noqa: ANN401
        hints = hints_of(kind)
        if not isinstance(data, dict):
            self.wrong(place, data, "a mapping of keys")
            return _blank(kind)
        for key in data:
            if key not in hints and not self.faults.is_more:
                name = self.text(key, place)
                self.faults.add(
                    (*place, name),
                    BadRecipe(
                        "there is no such key",
                        code="recipe-key-unknown",
                        hint=did_you_mean(name, hints),
                    ),
                )
        values = {}
        for item in fields(kind):
            name = item.name
            if name in hints and name in data:
                values[name] = self.value(hints[name], data[name], (*place, name))
            elif name in hints and _is_required(item):
                self.faults.add(
                    (*place, name),
                    BadRecipe(
                        "it is missing",
                        code="recipe-key-missing",
                        hint="`tfbuild recipes fields` explains every key",
                    ),
                )
                values[name] = _blank(hints[name])
        return kind(**values)

    def records(self, kind: Any, data: object, place: _Place) -> Iterator[Any]:  # noqa: ANN401
        """The records of a list; or of a mapping, whose keys are the first field of each.

        A plain value in a mapping is the second field: a release's version and its digest.
        """
        if isinstance(data, list):
            for number, item in enumerate(data, 1):
                yield self.record(kind, item, (*place, f"[{number}]"))
            return
        if not isinstance(data, dict):
            self.wrong(place, data, "a list or a mapping")
            return
        first, second = (item.name for item in fields(kind)[:2])
        for key, item in data.items():
            at = (*place, self.text(key, place))
            values = item if isinstance(item, dict) else {} if item is None else {second: item}
            if first in values:
                self.faults.add(
                    (*at, first),
                    BadRecipe(
                        f"'{first}' stands there twice",
                        code="recipe-key-twice",
                        hint="leave the inner one out",
                    ),
                )
            yield self.record(kind, {**values, first: key}, at)

    def whole(self, data: object, place: _Place) -> int:
        if isinstance(data, int) and not isinstance(data, bool):
            return data
        self.wrong(place, data, "a whole number")
        return 0

    def texts(self, data: object, place: _Place) -> tuple[str, ...]:
        if not isinstance(data, list):
            self.wrong(place, data, "a list")
            return ()
        return tuple(self.text(item, (*place, f"[{n}]")) for n, item in enumerate(data, 1))

    def pairs(self, data: object, place: _Place) -> tuple[tuple[str, str], ...]:
        if not isinstance(data, dict):
            self.wrong(place, data, "a mapping")
            return ()
        names = [(self.text(key, place), value) for key, value in data.items()]
        return tuple((name, self.text(value, (*place, name))) for name, value in names)

    def text(self, data: object, place: _Place) -> str:
        """A text; on and off, which YAML takes for truth values, as they were written."""
        if isinstance(data, bool):
            return "on" if data else "off"
        if isinstance(data, (str, int)) and "\0" not in (text := str(data)):
            return text
        self.wrong(place, data, "text")
        return ""

    def one_of(self, words: tuple[str, ...], data: object, place: _Place) -> str:
        if data not in words:
            self.faults.add(
                place,
                BadRecipe(
                    f"it is '{data}'",
                    code="recipe-word-unknown",
                    hint=did_you_mean(str(data), words),
                ),
            )
        return str(data) if data in words else words[0]

    def wrong(self, place: _Place, data: object, wanted: str) -> None:
        shown = repr(data)
        why = f"it holds {shown[:80]}{'...' if shown[80:] else ''}"
        what = BadRecipe(f"it must be {wanted}", code="recipe-value-unfit", why=why)
        self.faults.add(place, what)

    def check_needs(self, names: tuple[str, ...], place: _Place) -> None:
        known = _known_needs()
        for number, name in enumerate(names, 1):
            if name and name not in known and not self.faults.is_more:
                what = BadRecipe(
                    f"'{name}' is not among the needs of matrices/needs.yaml",
                    code="recipe-need-unknown",
                    hint=did_you_mean(name, known),
                )
                self.faults.add((*place, f"[{number}]"), what)


def _known_needs() -> tuple[str, ...]:
    return tuple(row.need for row in open_tables().needs())


def _is_required(item: Any) -> bool:  # noqa: ANN401  (a field of a dataclass)
    return item.default is MISSING and item.default_factory is MISSING


def _blank(hint: Any) -> Any:  # noqa: ANN401
    """What stands for a value that could not be read, so that the others can be looked at."""
    if is_dataclass(hint):
        kind: Any = hint
        hints = hints_of(kind)
        required = (item.name for item in fields(kind) if _is_required(item))
        return kind(**{name: _blank(hints[name]) for name in required})
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    return hint() if hint in {str, int} else ()
