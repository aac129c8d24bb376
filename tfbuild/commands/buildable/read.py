"""Finds what kind of thing a command line asks to build, and reads what is asked of it."""

from dataclasses import replace

from tfbuild.builds.stages.request import TREE_HINT
from tfbuild.commands.buildable.base import Asked, Buildable
from tfbuild.commands.buildable.wheel import BuildableWheel, doubt_of_tree
from tfbuild.commands.context import read_settings, request_of
from tfbuild.commands.kinds import kind_to_build
from tfbuild.core.errors import BadRequest
from tfbuild.core.reporter import Reporter
from tfbuild.recipes.catalogue import names_recipe

_TREES = {"tensorflow": "wheel", "tensorflow-cc": "C++ library"}


def read_buildable(asked: Asked, reporter: Reporter) -> Buildable:
    """The request that was made, of whatever kind; what looks odd goes to the reporter.

    Raises BadRequest for what cannot be, and for what was typed and its kind does not obey.
    """
    if _names_file(asked):
        from tfbuild.commands.buildable.product import read_product

        return read_product(asked, reporter)
    asked = _by_options(asked)
    settings = read_settings(asked.words, asked.flags, reporter)
    kind = kind_to_build(settings, asked.flags, asked.more)
    if kind == "workspace":
        from tfbuild.commands.buildable.workspace import read_workspace

        return read_workspace(settings)
    if kind == "cc":
        from tfbuild.commands.buildable.library import read_library

        return read_library(settings, reporter)
    return BuildableWheel(request=request_of(settings, reporter), doubt=doubt_of_tree(settings))


# --- inside ------------------------------------------------------------------------------------


def _names_file(asked: Asked) -> bool:
    """Whether the first word names a recipe of a YAML file."""
    own = {"runtime", "workspace", *_TREES}
    return bool(asked.words) and names_recipe(asked.words[0]) and asked.words[0] not in own


def _by_options(asked: Asked) -> Asked:
    """What is asked, without a recipe's name that options stand for as well.

    BadRequest where it lacks what it is built from.
    """
    if not asked.words or not names_recipe(asked.words[0]):
        return asked
    name, others = asked.words[0], replace(asked, words=asked.words[1:])
    if name == "workspace" and "workspace" not in asked.flags:
        raise BadRequest(
            "which workspace?", code="workspace-not-named", hint="name its folder with --workspace"
        )
    if name in _TREES and "source" not in asked.flags:
        raise BadRequest(
            f"TensorFlow's {_TREES[name]} is built of a source tree",
            code="source-tree-not-named",
            hint=TREE_HINT,
        )
    return (
        replace(others, flags={**asked.flags, "cc": "true"}) if name == "tensorflow-cc" else others
    )
