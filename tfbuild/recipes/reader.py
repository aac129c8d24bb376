"""Reads a recipe file: YAML to a Recipe, every key checked, mistakes named by their place."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tfbuild.core.axes import AXES
from tfbuild.core.errors import BadRecipe
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.safe_files import read_bytes
from tfbuild.core.versions import did_you_mean
from tfbuild.core.yaml_file import parse_yaml
from tfbuild.recipes.recipe import Option, Product, Recipe, Source

NOT_WRITTEN = ("path", "sha256")  # fields of a Recipe that are no keys of its file
NAMES = "write small letters, digits and hyphens, such as zlib-ng"
VERSIONS = "write letters, digits, dots, plus and minus signs, such as 1.5.7"
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+~_-]{0,59}")  # a part of the archive's name
_NAME = re.compile(r"[a-z][a-z0-9+._-]{0,40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_KNOWN_PLACEHOLDERS = ("version", "source", "build", "files")
_LARGEST = 200_000  # bytes of a recipe


def read_recipe(path: Path) -> Recipe:
    """The recipe of a file.

    Raises BadRecipe that names the key and the nearest one where it is unknown, and what must stand
    there where it holds something else.
    """
    try:
        raw = read_bytes(path, _LARGEST)
        data = parse_yaml(raw.decode())
    except (OSError, ValueError) as error:
        raise BadRecipe(
            f"cannot read the recipe {path}",
            why=getattr(error, "strerror", None) or str(error),
            hint="name a recipe of `tfbuild recipes list`, or a YAML file"
            if isinstance(error, OSError)
            else "correct it there; `tfbuild recipes new` writes one that can be read",
        ) from error
    recipe: Recipe = _record(Recipe, data, path.name)
    recipe = replace(recipe, path=path, sha256=hashlib.sha256(raw).hexdigest())
    problem = next(_problems(recipe), None)
    if problem:
        where, what, hint = problem
        raise BadRecipe(f"{path.name}: {where}: {what}", hint=hint)
    return recipe


def is_version(text: str) -> bool:
    """Whether it can be the version of a product, which is a part of its archive's name."""
    return _VERSION.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a recipe can be called so."""
    return _NAME.fullmatch(text) is not None


def leads_out(name: str) -> bool:
    """Whether the name of a file can be one outside of its folder."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts


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


def _value(hint: Any, data: object, where: str) -> Any:  # noqa: ANN401  (follows the type)
    if is_dataclass(hint):
        return _record(hint, data, where)
    if hint in {str, int}:
        return _text(data, where) if hint is str else _whole(data, where)
    if get_origin(hint) is Literal:
        return _one_of(get_args(hint), data, where)
    inner: Any = get_args(hint)[0]
    if is_dataclass(inner):
        return tuple(_records(inner, data, where))
    return _texts(data, where) if inner is str else _pairs(data, where)


def _record(kind: Any, data: object, where: str) -> Any:  # noqa: ANN401
    if not isinstance(data, dict):
        raise _wrong(where, data, "a mapping of keys")
    hints = hints_of(kind)
    for key in data:
        if key not in hints:
            raise BadRecipe(f"{where}: there is no key '{key}'", hint=did_you_mean(str(key), hints))
    for item in fields(kind):
        if item.name in hints and item.name not in data and _is_required(item):
            raise BadRecipe(f"{where}: the key '{item.name}' is missing", hint="`tfbuild recipes "
                            "fields` explains every key")  # fmt: skip
    return kind(**{key: _value(hints[key], item, f"{where}: {key}") for key, item in data.items()})


def _is_required(item: Any) -> bool:  # noqa: ANN401  (a field of a dataclass)
    return item.default is MISSING and item.default_factory is MISSING


def _records(kind: Any, data: object, where: str) -> Iterator[Any]:  # noqa: ANN401
    """The records of a list; or of a mapping, whose keys are the first field of each.

    A plain value in a mapping is the second field: a release's version and its digest.
    """
    if isinstance(data, list):
        for number, item in enumerate(data, 1):
            yield _record(kind, item, f"{where}[{number}]")
        return
    if not isinstance(data, dict):
        raise _wrong(where, data, "a list or a mapping")
    first, second = (item.name for item in fields(kind)[:2])
    for key, item in data.items():
        name = _text(key, where)
        values = item if isinstance(item, dict) else {} if item is None else {second: item}
        if first in values:
            raise BadRecipe(
                f"{where}: {name}: '{first}' stands there twice", hint="leave the inner one out"
            )
        yield _record(kind, {first: key, **values}, f"{where}: {name}")


def _whole(data: object, where: str) -> int:
    if isinstance(data, int) and not isinstance(data, bool):
        return data
    raise _wrong(where, data, "a whole number")


def _texts(data: object, where: str) -> tuple[str, ...]:
    if not isinstance(data, list):
        raise _wrong(where, data, "a list")
    return tuple(_text(item, f"{where}[{n}]") for n, item in enumerate(data, 1))


def _pairs(data: object, where: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(data, dict):
        raise _wrong(where, data, "a mapping")
    return tuple((_text(k, where), _text(v, f"{where}: {k}")) for k, v in data.items())


def _text(data: object, where: str) -> str:
    """A text; on and off, which YAML takes for truth values, as they were written."""
    if isinstance(data, bool):
        return "on" if data else "off"
    if isinstance(data, (str, int)):
        text = str(data)
        if "\0" in text:
            raise _wrong(where, data, "text")
        return text
    raise _wrong(where, data, "text")


def _one_of(words: tuple[str, ...], data: object, where: str) -> str:
    if data in words:
        return str(data)
    raise BadRecipe(f"{where} is '{data}'", hint=did_you_mean(str(data), words))


def _wrong(where: str, data: object, wanted: str) -> BadRecipe:
    shown = repr(data)
    return BadRecipe(
        f"{where} must be {wanted}", why=f"it holds {shown[:80]}{'...' if shown[80:] else ''}"
    )


# --- what the types do not say -----------------------------------------------------------------

_Problem = tuple[str, str, str]  # where, what, hint


def _problems(recipe: Recipe) -> Iterator[_Problem]:
    if not is_name(recipe.name):
        yield "name", f"'{recipe.name}'", NAMES
    if recipe.name != recipe.path.stem:
        yield (
            "name",
            f"it is '{recipe.name}', and the file is {recipe.path.name}",
            (f"name the file {recipe.name}.yaml"),
        )
    yield from _problems_of_source(recipe.source)
    yield from _problems_of_options(recipe.options)
    yield from _problems_of_build(recipe)
    yield from _problems_of_probes(recipe)


def _problems_of_source(source: Source) -> Iterator[_Problem]:
    for release in source.releases:
        where = f"source: releases: {release.version}"
        if not is_version(release.version):
            yield where, "that is no version", VERSIONS
        if not _SHA256.fullmatch(release.sha256):
            yield where, "its sha256 is not 64 hexadecimal digits", "see `sha256sum ARCHIVE`"
        url = release.url or source.url
        if not url.startswith("https://"):
            yield where, f"its url is '{url}'", "write where it is, as https://..."
    yield from _problems_of_version(source)


def _problems_of_version(source: Source) -> Iterator[_Problem]:
    """What is wrong with how a tree tells its version."""
    if bool(source.version_pattern) != bool(source.version_file):
        yield "source", "version_file and version_pattern go together", "write both, or none"
    if not source.version_pattern:
        return
    if not source.recognize:
        yield "source", "recognize is empty", "name files that every tree of it has"
    try:
        groups = linear_pattern(source.version_pattern).groups
    except ValueError as error:
        yield "source: version_pattern", str(error), "write a regular expression of RE2"
    else:
        if not groups:
            yield "source: version_pattern", "it has no group", "put the version into ( )"


def _problems_of_options(options: tuple[Option, ...]) -> Iterator[_Problem]:
    known = {f"{o.name}={c.value}" for o in options for c in o.choices}
    for option in options:
        where = f"options: {option.name}"
        if not is_name(option.name):
            yield where, "that is no name", NAMES
        if option.name in (*AXES, "version"):
            yield where, f"{option.name}= means something on every command line", "rename it"
        values = [choice.value for choice in option.choices]
        if option.default not in values:
            yield (
                where,
                f"its default '{option.default}' is none of its choices",
                did_you_mean(option.default, values),
            )
        for choice in option.choices:
            if not is_version(choice.value):
                yield f"{where}: {choice.value}", "that is no value", VERSIONS
            for word in choice.conflicts:
                if word not in known:
                    yield (
                        f"{where}: {choice.value}: conflicts",
                        f"there is no '{word}'",
                        did_you_mean(word, known),
                    )


def _problems_of_build(recipe: Recipe) -> Iterator[_Problem]:
    build, product = recipe.build, recipe.product
    if build.system == "bazel" and not (build.targets and product.files):
        yield (
            "build",
            "Bazel installs nothing",
            ("write build: targets, and product: files with what is taken out of bazel-bin"),
        )
    arguments = [*build.arguments, *(a for o in recipe.options for c in o.choices
                                     for a in c.arguments)]  # fmt: skip
    for word in arguments:
        for name in _PLACEHOLDER.findall(word):
            if name not in _KNOWN_PLACEHOLDERS:
                yield (
                    "build: arguments",
                    f"'{word}' holds {{{name}}}",
                    (
                        f"{{version}}, {{source}}, {{build}} and {{files}} are filled in; "
                        f"{name} is not known"
                    ),
                )
    inner = (
        build.folder, *build.patches, *product.libraries, *product.programs, *product.headers,
        *product.licenses, *recipe.source.recognize, recipe.source.version_file,
        *(name for pair in product.files for name in pair), *(name for name, _ in build.files),
    )  # fmt: skip
    for name in inner:
        if leads_out(name):
            yield "build and product", f"'{name}' leads out of its folder", "write it without .."


def _problems_of_probes(recipe: Recipe) -> Iterator[_Problem]:
    product = recipe.product
    if product == Product():
        yield "product", "it promises nothing", "name its libraries, programs or headers"
    if not recipe.probes and (product.libraries or product.programs or not product.headers):
        yield (
            "probes",
            "there is none; nothing is delivered before something of it ran",
            ("write one with run: [bin/NAME, ARGUMENT], or program: with source code"),
        )
    for probe in recipe.probes:
        if bool(probe.run) == bool(probe.program):
            yield (
                f"probes: {probe.name}",
                "it needs one of run and program",
                ("write run: [bin/NAME, ARGUMENT], or program: with source code"),
            )
        if probe.cmake and len(probe.cmake.split()) != 2:
            yield (
                f"probes: {probe.name}: cmake",
                f"it is '{probe.cmake}'",
                ("write a package and its target: zstd zstd::libzstd_shared"),
            )
