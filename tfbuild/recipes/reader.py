"""Reads a recipe file: YAML to a Recipe, every key checked, mistakes named by their place."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import unquote, urlsplit

from tfbuild.core.axes import axes
from tfbuild.core.errors import BadRecipe
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.records import Pairs
from tfbuild.core.safe_files import read_bytes
from tfbuild.core.versions import did_you_mean
from tfbuild.core.yaml_file import parse_yaml
from tfbuild.facts.installed import open_tables
from tfbuild.recipes.faults import Faults
from tfbuild.recipes.recipe import Option, Product, Recipe, Source
from tfbuild.wheels.cpu_level import LEVELS

NOT_WRITTEN = ("path", "sha256")  # fields of a Recipe that are no keys of its file
NAMES = "write small letters, digits and hyphens, such as zlib-ng"
VERSIONS = "write letters, digits, dots, plus and minus signs, such as 1.5.7"
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+~_-]{0,59}")  # a part of the archive's name
_NAME = re.compile(r"[a-z][a-z0-9+._-]{0,40}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_KNOWN_PLACEHOLDERS = ("version", "source", "build", "files")
_LARGEST = 200_000  # bytes of a recipe
_LONGEST_PATTERNS = 4_000  # letters, each of which can stand for any


def read_recipe(path: Path) -> Recipe:
    """The recipe of a file.

    Raises BadRecipe that names all that is wrong, each with its line: keys and needs that are
    unknown, with the nearest that is known, and what must stand where something else does.
    """
    try:
        raw = read_bytes(path, _LARGEST)
        text = raw.decode()
        data = parse_yaml(text)
    except (OSError, ValueError) as error:
        raise BadRecipe(
            f"cannot read the recipe {path}",
            why=getattr(error, "strerror", None) or str(error),
            hint="name a recipe of `tfbuild recipes list`, or a YAML file"
            if isinstance(error, OSError)
            else "correct it there; `tfbuild recipes new` writes one that can be read",
        ) from error
    faults = Faults(path)
    read: Recipe = _Reader(faults).record(Recipe, data, ())
    recipe = replace(read, path=path, sha256=hashlib.sha256(raw).hexdigest())
    known = Faults(path, list(faults.found))
    for place, what, hint in _problems(recipe):
        if not known.concerns(place):  # what could not be read is blank, and no further fault
            faults.add(place, what, hint=hint)
        if faults.is_more:
            break
    faults.require_none(text)
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


def is_too_long(patterns: Iterable[str]) -> bool:
    """Whether patterns of files are more than can be read as one expression."""
    return sum(map(len, patterns)) > _LONGEST_PATTERNS


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
            if key not in hints:
                name = self.text(key, place)
                self.faults.add((*place, name), "there is no such key", meant=(name, hints))
        values = {}
        for item in fields(kind):
            name = item.name
            if name in hints and name in data:
                values[name] = self.value(hints[name], data[name], (*place, name))
            elif name in hints and _is_required(item):
                self.faults.add(
                    (*place, name),
                    "it is missing",
                    hint="`tfbuild recipes fields` explains every key",
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
                hint = "leave the inner one out"
                self.faults.add((*at, first), f"'{first}' stands there twice", hint=hint)
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
            self.faults.add(place, f"it is '{data}'", meant=(str(data), words))
        return str(data) if data in words else words[0]

    def wrong(self, place: _Place, data: object, wanted: str) -> None:
        shown = repr(data)
        why = f"it holds {shown[:80]}{'...' if shown[80:] else ''}"
        self.faults.add(place, f"it must be {wanted}", why=why)

    def check_needs(self, names: tuple[str, ...], place: _Place) -> None:
        known = _known_needs()
        for number, name in enumerate(names, 1):
            if name and name not in known:
                what = f"'{name}' is not among the needs of matrices/needs.yaml"
                self.faults.add((*place, f"[{number}]"), what, meant=(name, known))


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


# --- what the types do not say -----------------------------------------------------------------

_Problem = tuple[_Place, str, str]  # where, what, hint


def _problems(recipe: Recipe) -> Iterator[_Problem]:
    if not is_name(recipe.name):
        yield ("name",), f"it is '{recipe.name}'", NAMES
    if recipe.name != recipe.path.stem:
        yield (
            ("name",),
            f"it is '{recipe.name}', and the file is {recipe.path.name}",
            (f"name the file {recipe.name}.yaml"),
        )
    if recipe.audit.cpu_level not in LEVELS:
        hint = did_you_mean(recipe.audit.cpu_level, LEVELS)
        yield ("audit", "cpu_level"), f"it is '{recipe.audit.cpu_level}'", hint
    for place, patterns in (
        (("audit", "dispatched"), recipe.audit.dispatched),
        (("product", "leave_out"), recipe.product.leave_out),
    ):
        if is_too_long(patterns):
            yield place, f"it has more than {_LONGEST_PATTERNS} letters", "name folders instead"
    yield from _problems_of_source(recipe.source)
    yield from _problems_of_options(recipe.options)
    yield from _problems_of_variables(recipe.build.environment)
    yield from _problems_of_build(recipe)
    yield from _problems_of_probes(recipe)


def _problems_of_source(source: Source) -> Iterator[_Problem]:
    for release in source.releases:
        where = ("source", "releases", release.version)
        if not is_version(release.version):
            yield where, "that is no version", VERSIONS
        if not _SHA256.fullmatch(release.sha256):
            yield where, "its sha256 is not 64 hexadecimal digits", "see `sha256sum ARCHIVE`"
        url = release.url or source.url
        if not _is_address(url):
            yield where, f"its url is '{url}'", "write where it is, as https://..."
    yield from _problems_of_version(source)


def _is_address(url: str) -> bool:
    """Whether it can be the address of an archive on a server."""
    try:
        parts = urlsplit(url)
        name = unquote(parts.path).rpartition("/")[2]
        return parts.scheme == "https" and bool(parts.hostname) and name.isprintable()
    except ValueError:  # brackets that no address of a host has
        return False


def _problems_of_version(source: Source) -> Iterator[_Problem]:
    """What is wrong with how a tree tells its version."""
    if bool(source.version_pattern) != bool(source.version_file):
        yield ("source",), "version_file and version_pattern go together", "write both, or none"
    if not source.version_pattern:
        return
    if not source.recognize:
        yield ("source", "recognize"), "it is empty", "name files that every tree of it has"
    try:
        groups = linear_pattern(source.version_pattern).groups
    except ValueError as error:
        yield ("source", "version_pattern"), str(error), "write a regular expression of RE2"
    else:
        if not groups:
            yield ("source", "version_pattern"), "it has no group", "put the version into ( )"


def _problems_of_options(options: tuple[Option, ...]) -> Iterator[_Problem]:
    known = {f"{o.name}={c.value}" for o in options for c in o.choices}
    for option in options:
        where = ("options", option.name)
        if not is_name(option.name):
            yield where, "that is no name", NAMES
        if option.name in (*axes(), "version"):
            yield where, f"{option.name}= means something on every command line", "rename it"
        values = [choice.value for choice in option.choices]
        if option.default not in values:
            yield (
                (*where, "default"),
                f"its default '{option.default}' is none of its choices",
                did_you_mean(option.default, values),
            )
        for choice in option.choices:
            if not is_version(choice.value):
                yield (*where, "choices", choice.value), "that is no value", VERSIONS
            for word in choice.conflicts:
                if word not in known:
                    yield (
                        (*where, "choices", choice.value, "conflicts"),
                        f"there is no '{word}'",
                        did_you_mean(word, known),
                    )


def _problems_of_variables(variables: Pairs) -> Iterator[_Problem]:
    for name, _ in variables:
        if not _VARIABLE.fullmatch(name):
            where = ("build", "environment", name)
            yield where, f"'{name}' is no name of a variable", "write letters, digits and _"


def _problems_of_build(recipe: Recipe) -> Iterator[_Problem]:
    build, product = recipe.build, recipe.product
    if build.system == "bazel" and not (build.targets and product.files):
        yield (
            ("build",),
            "Bazel installs nothing",
            ("write build: targets, and product: files with what is taken out of bazel-bin"),
        )
    arguments = [*build.arguments, *(a for o in recipe.options for c in o.choices
                                     for a in c.arguments)]  # fmt: skip
    for word in arguments:
        for name in _PLACEHOLDER.findall(word):
            if name not in _KNOWN_PLACEHOLDERS:
                yield (
                    ("build", "arguments"),
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
            yield ("build and product",), f"'{name}' leads out of its folder", "write it without .."


def _problems_of_probes(recipe: Recipe) -> Iterator[_Problem]:
    product = recipe.product
    if product == Product():
        yield ("product",), "it promises nothing", "name its libraries, programs or headers"
    if not recipe.probes and (product.libraries or product.programs or not product.headers):
        yield (
            ("probes",),
            "there is none; nothing is delivered before something of it ran",
            ("write one with run: [bin/NAME, ARGUMENT], or program: with source code"),
        )
    for probe in recipe.probes:
        if bool(probe.run) == bool(probe.program):
            yield (
                ("probes", probe.name),
                "it needs one of run and program",
                ("write run: [bin/NAME, ARGUMENT], or program: with source code"),
            )
        if probe.cmake and len(probe.cmake.split()) != 2:
            yield (
                ("probes", probe.name, "cmake"),
                f"it is '{probe.cmake}'",
                ("write a package and its target: zstd zstd::libzstd_shared"),
            )
