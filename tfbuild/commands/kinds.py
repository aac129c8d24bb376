"""Which kind of build is asked for, and whether it has all that was typed."""

from collections.abc import Collection, Mapping

from tfbuild.core.build_kinds import Kind, require_obeyed
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import named_path
from tfbuild.core.settings import Settings, is_yes
from tfbuild.sources.recognition import recognise

_TYPED = {"flag", "command line"}


def kind_to_build(settings: Settings, flags: Mapping[str, str], more: Collection[str] = ()) -> Kind:
    """What is to be built; more are the options that were typed and are no settings.

    A tree named with --source in the command comes before a workspace of the project file. Raises
    BadRequest for what was typed and that kind does not obey. What variables and files say may be
    meant for other kinds.
    """
    kind = _kind(settings, flags)
    require_typed(kind, settings, more)
    _require_meaning(kind, settings)
    return kind


def require_typed(kind: Kind, settings: Settings, more: Collection[str] = ()) -> None:
    """BadRequest for what was typed and a kind does not obey."""
    require_obeyed(kind, (*_typed(settings), *more))


def _require_meaning(kind: Kind, settings: Settings) -> None:
    """BadRequest for an option that was typed and that another one leaves nothing to do."""
    typed = set(_typed(settings))
    if kind == "workspace" and "output" in typed and not settings.get("collect"):
        raise BadRequest(
            "--output means nothing without --collect",
            code="output-without-collect",
            why="what a workspace builds stays in its bazel-bin",
            hint="add --collect, or leave it out",
        )
    if "install-system-packages" in typed and settings.text("env") == "docker":
        raise BadRequest(
            "--install-system-packages is meant for this machine",
            code="system-packages-in-container",
            why="--env docker builds in an image",
            hint="leave it out: the image has what the plan needs",
        )
    if {"against", "skip-perf"} <= typed:
        raise BadRequest(
            "--against and --skip-perf contradict each other",
            code="options-contradict",
            why="what a wheel is measured against means nothing where nothing is measured",
            hint="leave one of them out",
        )


def _typed(settings: Settings) -> list[str]:
    return [setting.name for setting in settings.values if setting.origin in _TYPED]


def _kind(settings: Settings, flags: Mapping[str, str]) -> Kind:
    workspace = settings.get("workspace")
    if workspace and (workspace.origin in _TYPED or "source" not in flags):
        return "workspace"
    if is_yes(settings.get("cc")):
        return "cc"
    source = settings.text("source")
    is_tree = source and recognise(named_path(source).absolute()) == "tensorflow"
    return "tree" if is_tree else "runtime"
