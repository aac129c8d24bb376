"""What is wrong with a recipe though every key has its type."""

import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote, urlsplit

from tfbuild.core.axes import axes
from tfbuild.core.errors import BadRecipe
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.records import Pairs
from tfbuild.core.versions import did_you_mean
from tfbuild.recipes.forms import (
    LONGEST_PATTERNS,
    NAMES,
    VERSIONS,
    is_name,
    is_too_long,
    is_version,
    leads_out,
)
from tfbuild.recipes.recipe import Choice, Option, Product, Recipe, Source
from tfbuild.wheels.cpu_level import LEVELS

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_GLIBC = re.compile(r"\d+\.\d+")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FOLDERS = ("source", "build", "files")
_MORE = ("stage", "work", "brace")  # filled in as well, and of use to few
Problem = tuple[tuple[str, ...], BadRecipe]  # where, what


def problems_of(recipe: Recipe) -> Iterator[Problem]:
    """All that is wrong with a recipe whose keys and types are right, each with a remedy."""
    if not is_name(recipe.name):
        yield ("name",), BadRecipe(f"it is '{recipe.name}'", code="recipe-name-unfit", hint=NAMES)
    if recipe.name != recipe.path.stem:
        yield (
            ("name",),
            BadRecipe(
                f"it is '{recipe.name}', and the file is {recipe.path.name}",
                code="recipe-name-not-file",
                hint=f"name the file {recipe.name}.yaml",
            ),
        )
    if recipe.audit.cpu_level not in LEVELS:
        yield (
            ("audit", "cpu_level"),
            BadRecipe(
                f"it is '{recipe.audit.cpu_level}'",
                code="recipe-cpu-level-unknown",
                hint=did_you_mean(recipe.audit.cpu_level, LEVELS),
            ),
        )
    for place, patterns in (
        (("audit", "dispatched"), recipe.audit.dispatched),
        (("product", "leave_out"), recipe.product.leave_out),
    ):
        if is_too_long(patterns):
            yield (
                place,
                BadRecipe(
                    f"it has more than {LONGEST_PATTERNS} letters",
                    code="recipe-patterns-too-long",
                    hint="name folders instead",
                ),
            )
    yield from _problems_of_source(recipe.source)
    yield from _problems_of_options(recipe.options)
    if recipe.audit.glibc and not _GLIBC.fullmatch(recipe.audit.glibc):
        yield (
            ("audit", "glibc"),
            BadRecipe(
                f"it is '{recipe.audit.glibc}'",
                code="recipe-glibc-unfit",
                hint="write a version, such as 2.31",
            ),
        )
    yield from _problems_of_variables(recipe.build.environment)
    yield from _problems_of_placeholders(recipe)
    yield from _problems_of_build(recipe)
    yield from _problems_of_probes(recipe)


def _problems_of_source(source: Source) -> Iterator[Problem]:
    for release in source.releases:
        where = ("source", "releases", release.version)
        if not is_version(release.version):
            yield (
                where,
                BadRecipe("that is no version", code="recipe-version-unfit", hint=VERSIONS),
            )
        if not _SHA256.fullmatch(release.sha256):
            yield (
                where,
                BadRecipe(
                    "its sha256 is not 64 hexadecimal digits",
                    code="recipe-sha256-unfit",
                    hint="see `sha256sum ARCHIVE`",
                ),
            )
        url = release.url or source.url
        if not _is_address(url):
            yield (
                where,
                BadRecipe(
                    f"its url is '{url}'",
                    code="recipe-url-unfit",
                    hint="write where it is, as https://...",
                ),
            )
    yield from _problems_of_version(source)


def _is_address(url: str) -> bool:
    """Whether it can be the address of an archive on a server."""
    try:
        parts = urlsplit(url)
        name = unquote(parts.path).rpartition("/")[2]
        return parts.scheme == "https" and bool(parts.hostname) and name.isprintable()
    except ValueError:  # brackets that no address of a host has
        return False


def _problems_of_version(source: Source) -> Iterator[Problem]:
    """What is wrong with how a tree states its version."""
    if bool(source.version_pattern) != bool(source.version_file):
        yield (
            ("source",),
            BadRecipe(
                "version_file and version_pattern go together",
                code="recipe-version-incomplete",
                hint="write both, or none",
            ),
        )
    if not source.version_pattern:
        return
    if not source.recognize:
        yield (
            ("source", "recognize"),
            BadRecipe(
                "it is empty",
                code="recipe-recognize-empty",
                hint="name files that every tree of it has",
            ),
        )
    try:
        groups = linear_pattern(source.version_pattern).groups
    except ValueError as error:
        yield (
            ("source", "version_pattern"),
            BadRecipe(
                str(error),
                code="recipe-pattern-broken",
                hint="write a regular expression of RE2",
            ),
        )
    else:
        if not groups:
            yield (
                ("source", "version_pattern"),
                BadRecipe(
                    "it has no group",
                    code="recipe-pattern-without-group",
                    hint="put the version into ( )",
                ),
            )


def _problems_of_options(options: tuple[Option, ...]) -> Iterator[Problem]:
    known = {f"{o.name}={c.value}" for o in options for c in o.choices}
    for option in options:
        where = ("options", option.name)
        if not is_name(option.name):
            yield (
                where,
                BadRecipe("that is no name", code="recipe-option-name-unfit", hint=NAMES),
            )
        if option.name in (*axes(), "version"):
            yield (
                where,
                BadRecipe(
                    f"{option.name}= means something on every command line",
                    code="recipe-option-name-taken",
                    hint="rename it",
                ),
            )
        values = [choice.value for choice in option.choices]
        if option.default not in values:
            yield (
                (*where, "default"),
                BadRecipe(
                    f"its default '{option.default}' is none of its choices",
                    code="recipe-default-unknown",
                    hint=did_you_mean(option.default, values),
                ),
            )
        for choice in option.choices:
            if not is_version(choice.value):
                yield (
                    (*where, "choices", choice.value),
                    BadRecipe("that is no value", code="recipe-choice-unfit", hint=VERSIONS),
                )
            yield from _problems_of_conflicts(where, choice, known)


def _problems_of_conflicts(
    where: tuple[str, ...], choice: Choice, known: Collection[str]
) -> Iterator[Problem]:
    for word in choice.conflicts:
        if word not in known:
            yield (
                (*where, "choices", choice.value, "conflicts"),
                BadRecipe(
                    f"there is no '{word}'",
                    code="recipe-conflict-unknown",
                    hint=did_you_mean(word, known),
                ),
            )


def _problems_of_variables(variables: Pairs) -> Iterator[Problem]:
    for name, _ in variables:
        if not _VARIABLE.fullmatch(name):
            yield (
                ("build", "environment", name),
                BadRecipe(
                    f"'{name}' is no name of a variable",
                    code="recipe-variable-unfit",
                    hint="write letters, digits and _",
                ),
            )


def _problems_of_placeholders(recipe: Recipe) -> Iterator[Problem]:
    """What stands in braces and is not filled in."""
    build = recipe.build
    chosen = [word for option in recipe.options for c in option.choices for word in c.arguments]
    for place, words, known in (
        ("arguments", (*build.arguments, *chosen), ("version", *_FOLDERS)),
        ("targets", build.targets, _FOLDERS),
        ("environment", tuple(text for _, text in build.environment), _FOLDERS),
    ):
        for word in words:
            for name in _PLACEHOLDER.findall(word):
                if name not in (*known, *_MORE):
                    filled = ", ".join(f"{{{one}}}" for one in known)
                    yield (
                        ("build", place),
                        BadRecipe(
                            f"'{word}' holds {{{name}}}",
                            code="recipe-placeholder-unknown",
                            hint=f"what is filled in: {filled}; {name} is not known",
                        ),
                    )


def _problems_of_build(recipe: Recipe) -> Iterator[Problem]:
    build, product = recipe.build, recipe.product
    if build.system == "bazel" and not recipe.tree and not (build.targets and product.files):
        yield (
            ("build",),
            BadRecipe(
                "Bazel installs nothing",
                code="recipe-bazel-takes-nothing",
                hint="write build: targets, and product: files with what is taken out of bazel-bin",
            ),
        )
    inner = (
        build.folder, *build.patches, *product.libraries, *product.programs, *product.headers,
        *product.licenses, *recipe.source.recognize, recipe.source.version_file,
        *(name for pair in product.files for name in pair), *(name for name, _ in build.files),
    )  # fmt: skip
    for name in inner:
        if leads_out(name):
            yield (
                ("build and product",),
                BadRecipe(
                    f"'{name}' leads out of its folder",
                    code="recipe-path-leads-out",
                    hint="write it without ..",
                ),
            )


def _problems_of_probes(recipe: Recipe) -> Iterator[Problem]:
    product = recipe.product
    if product == Product():
        yield (
            ("product",),
            BadRecipe(
                "it promises nothing",
                code="recipe-promises-nothing",
                hint="name its libraries, programs or headers",
            ),
        )
    if not recipe.probes and (product.libraries or product.programs or not product.headers):
        yield (
            ("probes",),
            BadRecipe(
                "there is none; nothing is delivered before something of it ran",
                code="recipe-without-probe",
                hint="write one with run: [bin/NAME, ARGUMENT], or program: with source code",
            ),
        )
    for probe in recipe.probes:
        if bool(probe.run) == bool(probe.program):
            yield (
                ("probes", probe.name),
                BadRecipe(
                    "it needs one of run and program",
                    code="recipe-probe-unclear",
                    hint="write run: [bin/NAME, ARGUMENT], or program: with source code",
                ),
            )
        if probe.cmake and len(probe.cmake.split()) != 2:
            yield (
                ("probes", probe.name, "cmake"),
                BadRecipe(
                    f"it is '{probe.cmake}'",
                    code="recipe-cmake-target-unfit",
                    hint="write a package and its target: zstd zstd::libzstd_shared",
                ),
            )
