"""What a pipeline of a recipe builds, and the axes of its matrix: the recipe's options."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from tfbuild.ci.pipeline import Axes, Subject, is_plain, split_word, variable
from tfbuild.containers.systems import read_system
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest, NoSolution, TfbuildError
from tfbuild.core.layout import ARTIFACTS, BAZELS, RESOLUTIONS, SOURCES, Place
from tfbuild.core.paths import named_path, real_path
from tfbuild.core.records import Pairs
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.rows import AxisRow
from tfbuild.recipes.choices import choose, find_release, need_names
from tfbuild.recipes.recipe import Recipe

_PREFIX = "OPTION_"
_VERSION, _OS = "version", "os"
_SUMS = '(cd dist && for file in *.tar.gz; do sha256sum "$file" > "$file.sha256"; done)'


def recipe_word(word: str, recipe: Recipe, folder: Path) -> str:
    """The word by which a runner finds a recipe: its name, or its path in the repository.

    Raises BadRequest for a file that lies outside of folder, the repository.
    """
    if word == recipe.name:
        return word
    path, top = real_path(named_path(word).absolute()), real_path(folder)
    if not path.is_relative_to(top):
        raise BadRequest(
            f"the recipe {word} lies outside of this folder",
            code="recipe-outside-repository",
            why="a runner has the files of the repository alone",
            hint="run this in the repository's top folder, and keep the recipe in it",
        )
    return f"./{path.relative_to(top).as_posix()}"


def product_axes(
    words: Sequence[str], recipe: Recipe, systems: Iterable[AxisRow], *, has_engine: bool
) -> Axes:
    """The axes of `version=1.5.7,1.5.6 threads=on,off os=debian:12,ubuntu:22.04`.

    Without a version it is the newest release: a pipeline must build tomorrow what it builds today.
    Raises BadRequest where a word is no axis, or has a value that the recipe or we know none of.
    """
    newest = _newest(recipe)
    rows, found = tuple(systems), dict[str, tuple[str, ...]]()
    for word in words:
        name, values = split_word(word)
        if not values:
            raise BadRequest(
                f"'{word}' is not OPTION=VALUE,VALUE",
                code="not-axis-values",
                hint=f"write for example version={newest}",
            )
        _check_name(name, recipe, has_engine=has_engine)
        if name == _OS:  # as it is in the facts: other spellings of it are no names of files
            values = tuple(read_system(value, rows).name for value in values)
        for value in values:
            _check_value(name, value, recipe)
        if name in found or len(set(values)) < len(values):
            raise BadRequest(
                f"'{word}' says something twice",
                code="matrix-value-twice",
                hint="say each value once",
            )
        found[name] = values
    if _VERSION not in found:
        found = {_VERSION: (newest,), **found}
    return tuple(found.items())


def require_choices(cells: Sequence[Pairs], recipe: Recipe) -> None:
    """Raise BadRequest that names each cell whose values do not go together."""
    refused: dict[str, TfbuildError] = {}
    for cell in cells:
        try:
            choose(_options(cell), recipe)
        except (BadRequest, NoSolution) as error:
            refused[" ".join(f"{name}={value}" for name, value in cell)] = error
    if refused:
        raise BadRequest(
            f"{len(refused)} of {counted(len(cells), 'cell')} cannot be built",
            code="cells-not-buildable",
            why="\n".join(f"{cell}: {error.message}" for cell, error in refused.items()),
            hint="name fewer values, or write a pipeline for each set that goes together",
        )


def needs_of_cells(cells: Sequence[Pairs], recipe: Recipe) -> tuple[str, ...]:
    """What all cells together need of a machine, by rows of matrices/needs.yaml.

    A container has it by itself, so that a machine with an engine needs none of it.
    """
    on_machine = (cell for cell in cells if _OS not in dict(cell))
    names = (need_names(recipe, choose(_options(cell), recipe), "host") for cell in on_machine)
    return tuple(dict.fromkeys(name for each in names for name in each))


def product_subject(word: str, recipe: Recipe, axes: Axes, packages: Sequence[str]) -> Subject:
    """What a pipeline of a recipe builds; word is what `recipe_word` has found.

    Archives of two systems have one name, so those of the first are published. Nothing is where the
    recipe does not say under which licence. BadRequest where two axes would be one variable.
    """
    variables = {name: variable(_PREFIX, name) for name, _ in axes}
    held = list(variables.values())
    if twice := next((one for one in held if held.count(one) > 1), ""):
        raise BadRequest(
            f"two options of {recipe.name} would be one variable, {twice}",
            code="option-variable-twice",
            hint="name one of them, and leave the other one at its default",
        )
    asked = [f'"{name}=${held}"' for name, held in variables.items()]
    if _OS in variables:
        asked += ["--env", "docker"]
    words = " ".join((shlex.quote(word), *asked))
    return Subject(
        name=recipe.name,
        noun="archive",
        files=("*.tar.gz", "*.tar.gz.sha256"),
        plan=f"tfbuild plan {words}",
        build=f"tfbuild build {words}",
        prefix=_PREFIX,
        destination="release" if is_licensed(recipe) else "none",
        distinct=frozenset(variables) - {_OS},
        kept=_kept(recipe),
        late="write the pipeline again, with more --minutes",
        sums=_SUMS,
        packages=tuple(packages),
        notes=tuple(_notes(recipe, axes)),
    )


def is_licensed(recipe: Recipe) -> bool:
    """Whether a recipe says by an SPDX expression under which licence its product stands."""
    try:
        canonicalize_license_expression(recipe.license)
    except InvalidLicenseExpression:
        return False
    return True


# --- inside ------------------------------------------------------------------------------------


def _check_name(name: str, recipe: Recipe, *, has_engine: bool) -> None:
    """BadRequest for what is no axis of a pipeline of this recipe."""
    known = [*(option.name for option in recipe.options), _VERSION, _OS]
    if name not in known:
        raise BadRequest(
            f"the recipe {recipe.name} has no option '{name}'",
            code="recipe-option-unknown",
            hint=did_you_mean(name, known),
        )
    if name == _OS and not has_engine:
        raise BadRequest(
            f"{_OS}= asks for a container, and GitLab's jobs run in one already",
            code="gitlab-os-axis",
            why="no engine can be counted on in it",
            hint="name an image of that system with --image",
        )


def _check_value(name: str, value: str, recipe: Recipe) -> None:
    """BadRequest for a value that there is none of, or that no matrix can hold."""
    said = f"{name} is '{value}', and the recipe {recipe.name} has no such one"
    releases = [release.version for release in recipe.source.releases]
    if name == _VERSION and value not in releases:
        raise BadRequest(said, code="recipe-release-unknown", hint=did_you_mean(value, releases))
    known = {option.name: [one.value for one in option.choices] for option in recipe.options}
    if name in known and value not in known[name]:
        raise BadRequest(said, code="recipe-choice-unknown", hint=did_you_mean(value, known[name]))
    if not is_plain(value):
        raise BadRequest(
            f"{name} is '{value}', which no pipeline can name",
            code="pipeline-value-unfit",
            why="it becomes a part of the names of jobs and files",
            hint="in the recipe, write it of letters, digits and . _ + -",
        )


def _options(cell: Pairs) -> Pairs:
    return tuple(pair for pair in cell if pair[0] not in {_VERSION, _OS})


def _newest(recipe: Recipe) -> str:
    if not recipe.source.releases:
        raise BadRequest(
            f"the recipe {recipe.name} names no release",
            code="pipeline-recipe-unreleased",
            why="a runner has no other source to build",
            hint="write one into it, below source: releases",
        )
    return find_release("", recipe).version


def _kept(recipe: Recipe) -> tuple[Place, ...]:
    """What was downloaded: sources, and tools that the system lacks."""
    return (SOURCES, ARTIFACTS, RESOLUTIONS, *((BAZELS,) if recipe.build.system == "bazel" else ()))


def _notes(recipe: Recipe, axes: Axes) -> Iterator[str]:
    if not is_licensed(recipe):
        yield "Nothing is published: the recipe's license is no SPDX expression."
        return
    systems = dict(axes).get(_OS, ())
    if systems[1:]:
        yield f"Published is what {systems[0]} has built: names of archives hold no system."
