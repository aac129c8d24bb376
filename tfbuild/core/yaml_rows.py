"""YAML files of rows as typed records; errors name file, entry and field."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar, get_type_hints

from tfbuild.core import safe_files
from tfbuild.core.errors import BadRecipe
from tfbuild.core.kept_matrices import kept_matrices
from tfbuild.core.records import Pairs
from tfbuild.core.versions import did_you_mean

Row = TypeVar("Row")
EVIDENCE = ("proven", "documented", "metadata", "measured", "derived")  # best first
_MATRIX_KEYS = ("about", "sources", "rows", "absent")


def read_facts_file(path: Path) -> Any:  # noqa: ANN401  (whatever the file holds)
    """The content of a YAML file; BadRecipe says in which line it is broken."""
    try:
        return safe_files.read_yaml(path)
    except (OSError, safe_files.NotRead) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise BadRecipe(f"cannot read {path}", code="file-unreadable", why=why) from error
    except ValueError as error:
        raise BadRecipe(
            f"{path.name} is not valid YAML", code="not-yaml", why=str(error)
        ) from error


def read_facts_record(kind: type[Row], path: Path) -> Row:
    """The one record that a YAML file holds; BadRecipe points at the first wrong field."""
    return record_of(kind, read_facts_file(path), path.name)


def record_of(kind: type[Row], entry: object, where: str) -> Row:
    """One record out of one mapping; BadRecipe points at the first wrong field.

    What a field's metadata call its `form` is an expression that its text, or each of its list, is.
    """
    return kind(**_values(kind, entry, where))


def read_sources(path: Path, kept: Path | None = None) -> Mapping[str, str]:
    """The documents of a matrix by the keys that its rows use; BadRecipe where it is broken."""
    return _sources(_matrix(path, kept), f"matrices/{path.name}")


@cache
def read_rows(
    path: Path, kind: type[Row], *, key: str = "rows", kept: Path | None = None
) -> tuple[Row, ...]:
    """The rows of a matrix; BadRecipe points at the first wrong entry.

    Sources stand in a row as keys; in the record they are the words that the keys mean.
    """
    content, name = _matrix(path, kept), f"matrices/{path.name}"
    entries = content.get(key, [])
    if not isinstance(entries, list):
        raise BadRecipe(
            f"{name}: {key} must be a list",
            code="matrix-key-not-list",
            hint="start each entry with '- '",
        )
    sources = _sources(content, name)
    found = []
    for number, entry in enumerate(entries, 1):
        where = f"{name}, entry {number}{_title(entry)}"
        values = _values(kind, entry, where)
        if "source" in values:
            values["source"] = _words(values["source"], sources, where)
        found.append(kind(**values))
    return tuple(found)


# --- inside ------------------------------------------------------------------------------------


@cache
def _matrix(path: Path, kept: Path | None) -> dict[str, Any]:
    """The mapping that a matrix is: about, sources, rows, absent."""
    known = kept_matrices(path.parent, kept) if kept else {}
    content = known[path.name] if path.name in known else read_facts_file(path)
    name = f"matrices/{path.name}"
    if not isinstance(content, dict) or "rows" not in content:
        raise BadRecipe(
            f"{name} must hold a mapping with rows",
            code="matrix-rows-missing",
            hint="write about:, sources: and rows:",
        )
    for key in content:
        if key not in _MATRIX_KEYS:
            raise BadRecipe(
                f"{name}: unknown key '{key}'",
                code="matrix-key-unknown",
                hint=did_you_mean(key, _MATRIX_KEYS),
            )
    return content


def _sources(content: Mapping[str, Any], name: str) -> Mapping[str, str]:
    """The sources of a matrix by their keys."""
    try:
        return dict(_pairs(content.get("sources", {})))
    except TypeError as error:
        raise BadRecipe(
            f"{name}: sources {error}",
            code="matrix-sources-wrong",
            hint="write 'key: the document'",
        ) from error


def _words(keys: Iterable[str], sources: Mapping[str, str], where: str) -> tuple[str, ...]:
    """What the source keys of a row mean."""
    for key in keys:
        if key not in sources:
            said = f"{where}, field source: '{key}' is not among the file's sources"
            raise BadRecipe(said, code="row-source-unknown", hint=did_you_mean(key, sources))
    return tuple(sources[key] for key in keys)


def _title(entry: object) -> str:
    keys = ("version", "name", "id", "axis", "distribution", "tensorflow", "cuda", "need")
    known = entry if isinstance(entry, dict) else {}
    return next((f" ({known[key]})" for key in keys if key in known), "")


def _values(kind: type[Row], entry: object, where: str) -> dict[str, Any]:
    """The fields of one record out of one mapping, each of them checked."""
    if not isinstance(entry, dict):
        raise BadRecipe(
            f"{where}: must be a mapping of fields",
            code="entry-not-mapping",
            hint="write 'field: value' lines",
        )
    readers, forms, required = _shape(kind)  # type: ignore[arg-type]
    for key in entry:
        if key not in readers:
            raise BadRecipe(
                f"{where}: unknown field '{key}'",
                code="entry-field-unknown",
                hint=did_you_mean(str(key), readers),
            )
    for name in required:
        if name not in entry:
            raise BadRecipe(
                f"{where}: field '{name}' is missing",
                code="entry-field-missing",
                hint=f"add '{name}: ...'",
            )
    values: dict[str, Any] = {}
    for name, raw in entry.items():
        try:
            values[name] = readers[name](raw)
            _check_form(values[name], forms[name])
        except (TypeError, ValueError) as error:
            why = f"it holds {raw!r}"
            raise BadRecipe(
                f"{where}, field {name}: {error}", code="entry-field-wrong", why=why
            ) from error
    if "checked" in readers:
        _check_date(values["checked"], where)
        _check_evidence(values, where)
    return values


@cache
def _shape(
    kind: type,
) -> tuple[Mapping[str, Callable[[object], object]], Mapping[str, str], tuple[str, ...]]:
    """How each field of a record is read, of which form it is, and which ones must be there."""
    names = {
        name: str(hint) if isinstance(hint, GenericAlias) else getattr(hint, "__name__", "")
        for name, hint in get_type_hints(kind).items()
    }
    readers = {name: _READERS[kind_of] for name, kind_of in names.items()}
    forms = {field.name: field.metadata.get("form", "") for field in fields(kind)}
    return readers, forms, tuple(f.name for f in fields(kind) if f.default is MISSING)


def _text(raw: object) -> str:
    if isinstance(raw, (str, int)) and not isinstance(raw, bool):
        return str(raw)
    raise TypeError("must be text")


def _flag(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    raise TypeError("must be true or false")


def _whole(raw: object) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    raise TypeError("must be a whole number")


def _number(raw: object) -> float:
    if isinstance(raw, (str, int)):
        return float(raw)
    raise TypeError("must be a number")


def _texts(raw: object) -> tuple[str, ...]:
    if isinstance(raw, list):
        return tuple(_text(item) for item in raw)
    raise TypeError("must be a list")


def _pairs(raw: object) -> Pairs:
    if isinstance(raw, Mapping):
        return tuple((_text(key), _text(value)) for key, value in raw.items())
    raise TypeError("must be a mapping")


_READERS: dict[str, Callable[[object], object]] = {
    "str": _text,
    "bool": _flag,
    "int": _whole,
    "float": _number,
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
}


def _check_form(value: Any, form: str) -> None:  # noqa: ANN401  (a text or a list of them)
    """ValueError for a text that is not of that form."""
    for word in (value if isinstance(value, tuple) else (value,)) if form else ():
        if not re.fullmatch(form, word, re.ASCII):
            raise ValueError(f"'{word}' is not {form.replace('|', ' or ')}")


def _check_evidence(values: Mapping[str, Any], where: str) -> None:
    """A fact without a source or with an unknown kind of evidence is none."""
    if not values["source"]:
        raise BadRecipe(
            f"{where}: field 'source' is empty",
            code="row-source-empty",
            hint="name a key of the sources",
        )
    if values["evidence"] not in EVIDENCE:
        said = f"{where}, field evidence: '{values['evidence']}' is unknown"
        raise BadRecipe(
            said, code="row-evidence-unknown", hint=did_you_mean(values["evidence"], EVIDENCE)
        )


def _check_date(text: str, where: str) -> None:
    if not _is_date(text):
        said = f"{where}, field checked: '{text}' is not a date"
        raise BadRecipe(said, code="row-date-wrong", hint="write it as 2026-11-20")


@cache
def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
