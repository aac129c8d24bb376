"""Folders in the place of rule sets that Bazel and most workspaces fetch by name.

Before Bazel 7 they are those of the bundled runtime, which forward to the rules inside Bazel; for
a Bazel 7 of a distribution, the rule sets that come with it.
"""

from collections.abc import Callable
from pathlib import Path

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.paths import data_folder
from tfbuild.core.workspaces import Override

IsFolder = Callable[[Path], bool]  # where the Bazel is

# What a Bazel 7 loads by name, and where a distribution keeps it beside its Bazel.
_OF_7 = {
    "rules_cc": "rules/cc",
    "rules_java": "rules/java",
    "rules_java_builtin": "rules/java",
    "rules_license": "rules/license",
    "rules_proto": "rules/proto",
    "rules_python": "rules/python",
    "bazel_features": "tools/features",
    "bazel_skylib": "tools/skylib",
    "platforms": "tools/platforms",
}
_COVERAGE = "remote_coverage_tools"  # no distribution has it, and no build needs what is in it


def own_stand_ins() -> Path:
    """The folder of those of the bundled runtime."""
    return data_folder("runtime") / "bazel" / "standins"


def stand_in_names() -> tuple[str, ...]:
    """The repositories that there are stand-ins for, whatever the Bazel."""
    return tuple(sorted(path.name for path in own_stand_ins().iterdir() if path.is_dir()))


def stand_ins_for(
    version: str, bazel: str, is_folder: IsFolder = Path.is_dir
) -> tuple[Override, ...]:
    """The stand-ins for a Bazel; EnvironmentFailed for one that there are none for."""
    own = {path.name: path for path in sorted(own_stand_ins().iterdir()) if path.is_dir()}
    major = int(version.partition(".")[0])
    if major < 7:
        return _overrides(own)
    rules = _rules_beside(Path(bazel), is_folder)
    if major > 7 or rules is None:
        raise EnvironmentFailed(
            f"there are no stand-ins for the rule sets of Bazel {version}",
            code="stand-ins-missing",
            why="its rules are no longer inside of it, and no distribution's rule sets lie beside "
            f"{bazel}",
            hint="leave --stand-ins out and name what you have with --override-repository, or take "
            "a Bazel of your distribution",
        )
    found = {name: rules / below for name, below in _OF_7.items() if is_folder(rules / below)}
    return _overrides(found | {_COVERAGE: own[_COVERAGE]})


def stand_in_flags(version: str, bazel: str, is_folder: IsFolder = Path.is_dir) -> tuple[str, ...]:
    """The options that put the stand-ins in place; raises what stand_ins_for does."""
    overrides = stand_ins_for(version, bazel, is_folder)
    is_new = int(version.partition(".")[0]) >= 7
    # Modules would ask a registry for each of them before any override counts.
    mode = ("--noenable_bzlmod", "--enable_workspace") if is_new else ()
    return (*mode, *(f"--override_repository={o.name}={o.path}" for o in overrides))


def _overrides(found: dict[str, Path]) -> tuple[Override, ...]:
    return tuple(Override(name=name, path=path) for name, path in sorted(found.items()))


def _rules_beside(bazel: Path, is_folder: IsFolder) -> Path | None:
    """Where the rule sets of a distribution's Bazel are: below /usr, or in its unpacked tree."""
    for top in (bazel.parent.parent, bazel.parent.parent / "usr"):
        folder = top / "share" / "bazel"
        if is_folder(folder / "rules"):
            return folder
    return None
