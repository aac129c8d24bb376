"""What kinds of build there are, and which options each obeys: one table, and its refusals."""

from collections.abc import Iterable, Mapping
from typing import Literal

from tfbuild.core.axes import axes, beside
from tfbuild.core.errors import BadRequest

Kind = Literal[
    "runtime", "tree", "cc", "workspace", "recipe", "bazel-recipe", "tflite", "configuration",
    "script",
]  # fmt: skip
TITLES: Mapping[Kind, str] = {
    "runtime": "the bundled runtime",
    "tree": "the wheel of a TensorFlow tree",
    "cc": "--cc",
    "workspace": "--workspace",
    "recipe": "a recipe",
    "bazel-recipe": "a recipe of Bazel",
    "tflite": "tflite",
    "configuration": "configure",
    "script": "configure --for",
}
# What is built by code of its own, by the names of recipes: more than a file can say decides how.
OWN_RECIPES = (
    ("runtime", "the bundled runtime's wheel: what `tfbuild build` alone builds"),
    ("tensorflow", "TensorFlow's wheel, from --source DIR"),
    ("tensorflow-cc", "TensorFlow's C++ library, from --source DIR"),
    ("workspace", "targets of the Bazel workspace --workspace DIR"),
)
_WHEELS: tuple[Kind, ...] = ("runtime", "tree")
_DECIDED: tuple[Kind, ...] = (*_WHEELS, "cc")  # whose versions are chosen by the facts
# A recipe, by its build system, and those with code of their own.
_RECIPES: tuple[Kind, ...] = ("recipe", "bazel-recipe", "tflite")
_OF_CODE: Mapping[str, Kind] = {"tflite": "tflite", "tensorflow-cc": "cc"}
_CONTAINED: tuple[Kind, ...] = (*_DECIDED, *_RECIPES)  # what a container may build
_BUILT: tuple[Kind, ...] = (*_DECIDED, "workspace", *_RECIPES)
_DRIVEN: tuple[Kind, ...] = (*_DECIDED, "workspace", "bazel-recipe")  # by Bazel
# The option, and the kinds that obey it. Trees are not measured, as --skip-perf asks for.
OBEYED_BY: Mapping[str, tuple[Kind, ...]] = {
    "trust-project": (*_BUILT, "configuration"),
    "source": (*_DECIDED, *_RECIPES, "configuration", "script"),
    "output": _BUILT,
    "jobs": _BUILT,
    "against": ("runtime",),
    "install-system-packages": _DECIDED,
    "skip-perf": _DECIDED,
    "prefer": (*_DECIDED, "configuration"),
    "strict": (*_DECIDED, "configuration"),
    "lock": (*_DECIDED, *_RECIPES, "configuration"),
    "env": (*_CONTAINED, "configuration"),
    "image": _DECIDED,
    "cpus": _CONTAINED,
    "memory": _CONTAINED,
    "pids": _CONTAINED,
    "build-file": ("tree", "cc", "configuration"),
    "cc": ("cc",),
    "workspace": ("workspace",),
    "target": ("workspace",),
    "bazel-config": ("workspace",),
    "bazel-flag": ("workspace",),
    "override-repository": ("workspace",),
    "stand-ins": ("workspace",),
    "offline": ("workspace",),
    "collect": ("workspace",),
    "disk-cache-limit": _DRIVEN,
    "remote-cache": _DRIVEN,
    "remote-executor": _DRIVEN,
    "remote-header": _DRIVEN,
    "remote-property": _DRIVEN,
    "remote-required": _DRIVEN,
    "verify-cache": _DRIVEN,
    "keep-server": _DRIVEN,
    "deadline": _BUILT,
    "matrix": _BUILT,
    "model": ("tflite",),
    "for": ("script",),
    "json": (*_BUILT, "configuration"),
}
TYPED_ALONE = ("matrix", "model", "for", "json")  # what no variable and no file can say
_AXES_OF: Mapping[Kind, tuple[str, ...]] = {
    "workspace": ("bazel",),
    **dict.fromkeys(_RECIPES, ("os", "platform")),
    "script": (),
}
_WAYS = {  # to what works: by the option, else by the only kind that obeys it
    "cc": "name the tree of the library: `tfbuild build --source TREE --cc`",
    "model": "name the library that runs it: `tfbuild build tflite --source TREE`",
    "workspace": "name one with --workspace",
    "script": "add --for PLATFORM to `configure --source TREE`",
}


def kind_of_recipe(code: str, build_system: str) -> Kind:
    """The kind of a recipe: by the code of ours that it names, else by its build system."""
    usual: Kind = "bazel-recipe" if build_system == "bazel" else "recipe"
    return _OF_CODE.get(code, usual)


def obeys(kind: Kind, name: str) -> bool:
    """Whether an option, or the spec of an axis, means anything to a kind of build."""
    if name in axes():
        return name in _AXES_OF.get(kind, axes())
    return kind in OBEYED_BY[name]


def obeyed_axes(kind: Kind) -> tuple[str, ...]:
    """The axes that a kind of build chooses among, in their order; others count where named."""
    return tuple(name for name in _AXES_OF.get(kind, axes()) if name not in beside())


def obeyed_options(kind: Kind) -> tuple[str, ...]:
    """The options that a kind of build obeys, without the hyphens, in the table's order."""
    return tuple(name for name, kinds in OBEYED_BY.items() if kind in kinds)


def require_obeyed(kind: Kind, names: Iterable[str]) -> None:
    """BadRequest for the first of the options and axes that a kind of build does not obey."""
    for name in names:
        if obeys(kind, name):
            continue
        if name in axes():
            taken = ", ".join(_AXES_OF[kind]) or "no axis"
            raise BadRequest(
                f"{name} means nothing to {TITLES[kind]}",
                code="axis-not-of-kind",
                why=f"of what is asked as AXIS=SPEC it takes {taken}",
                hint="leave it out",
            )
        kinds = OBEYED_BY[name]
        others = [TITLES[other] for other in kinds if other != name]
        of = f"is an option of {' and '.join(others)}, and not of" if others else "means nothing to"
        way = _WAYS.get(name) or (_WAYS.get(kinds[0]) if len(kinds) == 1 else None)
        raise BadRequest(
            f"--{name} {of} {TITLES[kind]}",
            code="option-not-of-kind",
            hint=f"{way}, or leave it out" if way else "leave it out",
        )
