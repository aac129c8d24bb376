"""What `build RECIPE`, `plan RECIPE` and `recipes` do."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tfbuild.builds.delivery import require_output
from tfbuild.commands.context import open_tools, read_settings, write_file
from tfbuild.commands.kinds import require_typed
from tfbuild.core.build_kinds import Kind, kind_of_recipe, obeys
from tfbuild.core.deadline import read_deadline
from tfbuild.core.environments import NO_SERVICES, EnvironmentKind
from tfbuild.core.errors import BadRequest
from tfbuild.core.lock_file import read_lock_file
from tfbuild.core.paths import named_path
from tfbuild.core.records import Pairs
from tfbuild.core.serialization import to_plain
from tfbuild.core.settings import Settings, part_words
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.installed import open_tables
from tfbuild.facts.targets import target_of
from tfbuild.recipes.catalogue import all_recipes, find_recipe
from tfbuild.recipes.reader import NAMES, is_name
from tfbuild.recipes.recipe import BuildSystem, Recipe
from tfbuild.recipes.records import ProductRequest
from tfbuild.reporting.console import ConsoleReporter, print_file, print_json, print_text

if TYPE_CHECKING:
    from tfbuild.core.reporter import Reporter

_TYPED = ("flag", "command line")
# What is built by code of its own: more than a file can say decides how.
OWN = (
    ("runtime", "the bundled runtime's wheel: it is what `tfbuild build` builds by itself"),
    ("tensorflow", "TensorFlow's wheel out of --source TREE"),
    ("tensorflow-cc", "TensorFlow's C++ library out of --source TREE"),
    ("workspace", "targets of the Bazel workspace --workspace DIR"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a command line asks of a recipe."""

    words: tuple[str, ...]  # the recipe, then NAME=VALUE
    flags: Mapping[str, str]
    models: Sequence[str] = ()  # files to try what is built with
    more: Collection[str] = ()  # options that were typed and are no settings


def build_recipe(asked: Asked, *, as_json: bool, verbosity: int) -> None:
    """Build what the recipe says, and print where the archive is, or the report as JSON."""
    from tfbuild.run.decide import decide_product, require_target
    from tfbuild.run.execute import execute
    from tfbuild.run.report import report_document
    from tfbuild.run.text import report_text

    with ConsoleReporter(verbosity) as reporter:
        recipe, request = read_product_request(asked, reporter)
        require_output(request.output)
        with open_tools(reporter, keep=True) as tools:
            plan = decide_product(request, recipe, open_tables(), tools)
            require_target(plan, tools.host)
            report = execute(plan, tools)
            folder = tools.folders.run
    if as_json:
        print_json(report_document(report))
    else:
        print_text(report_text(report, folder))


def show_recipe_plan(asked: Asked, *, style: str) -> None:
    """Print the plan as text, JSON or a script."""
    from tfbuild.commands.build import require_style
    from tfbuild.run.decide import decide_product
    from tfbuild.run.report import plan_document
    from tfbuild.run.text import plan_script, plan_text

    require_style(style)
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        recipe, request = read_product_request(asked, reporter)
        plan = decide_product(request, recipe, open_tables(), tools)
        here = target_of(tools.host).version
    if style == "json":
        print_json(plan_document(plan))
    elif style == "script":
        print_file(plan_script(plan, asked.words[0]))
    else:
        print_text(plan_text(plan, here))


def list_recipes(*, as_json: bool) -> None:
    """Print what can be built, by name."""
    from tfbuild.recipes.text import list_text

    rows = (*OWN, *((recipe.name, recipe.summary) for recipe in all_recipes()))
    if as_json:
        listed = [{"name": name, "summary": summary} for name, summary in rows]
        print_json({"schema": "tfbuild.recipes/1", "recipes": listed})
    else:
        print_text(list_text(rows))


def list_needs(*, as_json: bool) -> None:
    """Print every need that a recipe may name: how it shows, and which packages have it."""
    from tfbuild.places.needs import known_needs, needs_text

    needs = known_needs(open_tables())
    if as_json:
        print_json({"schema": "tfbuild.needs/1", "needs": to_plain(needs)})
    else:
        print_text(needs_text(needs))


def show_recipe(word: str, *, as_json: bool) -> None:
    """Print what a recipe says; BadRequest where there is none of that name."""
    from tfbuild.recipes.text import recipe_text

    if said := dict(OWN).get(word):
        raise BadRequest(
            f"{word} is built by code of its own", why=said, hint="see `tfbuild build --help`"
        )
    recipe = find_recipe(word)
    if as_json:
        print_json({"schema": "tfbuild.recipe-shown/1", **to_plain(recipe)})
    else:
        print_text(recipe_text(recipe))


def new_recipe(name: str, system: str, output: str) -> None:
    """Write a recipe to be filled in; BadRequest for a name or build system that cannot be."""
    from tfbuild.recipes.skeleton import new_recipe as text_of

    if not is_name(name):
        raise BadRequest(f"'{name}' is no name of a recipe", hint=NAMES)
    known = next((one for one in get_args(BuildSystem) if one == system), None)
    if known is None:
        raise BadRequest(
            f"the build system is '{system}'", hint=did_you_mean(system, get_args(BuildSystem))
        )
    path = named_path(output or f"{name}.yaml").absolute()
    if path.exists():
        raise BadRequest(f"{path} is there already", hint="name another file with --output")
    print_text(f"{write_file(str(path), text_of(name, known))}\n")


def show_keys(*, as_schema: bool) -> None:
    """Print every key of a recipe file, or the JSON Schema for editors."""
    from tfbuild.recipes.fields import all_keys, json_schema
    from tfbuild.recipes.text import keys_text

    if as_schema:
        print_json(json_schema())
    else:
        print_text(keys_text(all_keys()))


def read_product_request(asked: Asked, reporter: "Reporter") -> tuple[Recipe, ProductRequest]:
    """The recipe that is asked for, and what is asked of it; BadRequest where it cannot be."""
    from tfbuild.builds.services import read_services
    from tfbuild.builds.stages.request import limits_of

    recipe = find_recipe(asked.words[0])
    kind = kind_of_recipe(recipe.tree, recipe.build.system)
    axes, options, version = part_options(asked.words[1:], recipe)
    require_typed(kind, axes, asked.flags, asked.more)
    settings = read_settings(axes, asked.flags, reporter)
    services = read_services(settings) if obeys(kind, "remote-cache") else NO_SERVICES
    jobs, cpus, memory_mb = limits_of(settings)
    request = ProductRequest(
        recipe=asked.words[0],
        version=version,
        options=options,
        target=settings.text("platform"),
        source=_typed(settings, "source"),
        output=named_path(settings.text("output") or "dist").absolute(),
        models=tuple(named_path(model).absolute() for model in asked.models),
        env=_env(settings, kind, recipe),
        system=_typed(settings, "os"),
        jobs=jobs,
        cpus=cpus,
        memory_mb=memory_mb,
        services=services,
        lock=read_lock_file(named_path(lock)) if (lock := _typed(settings, "lock")) else None,
        deadline=read_deadline(settings.text("deadline"), dt.datetime.now().astimezone()),
    )
    return recipe, request


def part_options(words: Sequence[str], recipe: Recipe) -> tuple[tuple[str, ...], Pairs, str]:
    """The words of axes, the recipe's options, and the version, out of NAME=VALUE words.

    Raises BadRequest for a word that is none of them, or stands there twice.
    """
    known = {option.name for option in recipe.options}
    others, options, version = [], {}, ""
    for word in words:
        name, equals, value = word.partition("=")
        if name != "version" and name not in known:
            others.append(word)
            continue
        if not equals or not value or name in options or (name == "version" and version):
            raise BadRequest(f"'{word}' is not one {name}=VALUE", hint="write each of them once")
        if name == "version":
            version = value
        else:
            options[name] = value
    axes, strange = part_words(tuple(others))
    if strange:
        name = strange[0].partition("=")[0]
        raise BadRequest(
            f"the recipe {recipe.name} has no option '{name}'",
            hint=did_you_mean(name, [*known, "version", "os", "platform"]),
        )
    return axes, tuple(options.items()), version


def _env(settings: Settings, kind: Kind, recipe: Recipe) -> EnvironmentKind | Literal[""]:
    """Where it is to be built; empty where the recipe may take a container by itself."""
    from tfbuild.builds.stages.request import read_env

    if recipe.systems and not settings.text("env"):
        return ""
    # Variables and files may name a container for builds of other kinds.
    return read_env(settings) if obeys(kind, "env") else "host"


def _typed(settings: Settings, name: str) -> str:
    """A wish of the command line: what files and variables say may be meant for a wheel."""
    setting = settings.get(name)
    return setting.value if setting and setting.origin in _TYPED else ""
