"""The table [tool.tfbuild] of the nearest pyproject.toml, as far as it may be trusted."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import real_path
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.safe_files import read_bytes, read_toml
from tfbuild.core.trust import distrust, distrust_way, is_in_project

# What lets a file decide what is run here, as whom, and which files are replaced or removed.
_RUNS_CODE = (
    "source", "install-system-packages", "image", "against", "lock", "build-file", "workspace",
    "target", "bazel-config", "bazel-flag", "override-repository",
    "remote-cache", "remote-executor", "remote-property", "disk-cache-limit",
)  # fmt: skip
# What counts from a file only where the user agreed: who is talked to and which machines and images
# run there, what root installs, which wheels and images of others run, and what is removed from the
# cache that all projects share.
NEEDS_CONSENT = (
    "remote-cache", "remote-executor", "remote-property", "install-system-packages", "against",
    "image", "disk-cache-limit", "bazel-flag",
)  # fmt: skip
# Of a build of another's workspace; lists among them are shell words in one text.
WORKSPACE_LISTS = ("target", "bazel-config", "bazel-flag", "override-repository")
# Places that are read or written, and lie beside the file that names them.
_BESIDE = ("output", "lock", "build-file")
# What counts from no file, and where it is said instead.
NEVER = {
    "trust-project": "no file speaks for itself; --trust-project stands in the command",
    # It would send any variable of the user to a server that the same file names.
    "remote-header": "name it in the command or in TFBUILD_REMOTE_HEADER",
}
_RUN_OF_SOURCE = ("", "configure.py", "WORKSPACE", "version.txt", ".bazelrc")
_RUN_OF_WORKSPACE = ("", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", ".bazelrc")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectTable:
    """The keys of a table with their values as text, the file, and what was ignored and why."""

    path: Path = Path()
    values: tuple[tuple[str, str], ...] = ()
    warnings: tuple[CodedWarning, ...] = ()


def read_project_table(folder: Path, *, is_agreed: bool = False) -> ProjectTable:
    """The table of folder or of the nearest one above it; what is not trusted becomes a warning.

    Raises BadRequest where a trusted file is broken, or a value in it is no text, number, true or
    false, nor a list of texts.
    """
    warnings: list[CodedWarning] = []
    for place in (folder, *folder.parents):
        path = place / "pyproject.toml"
        if not _is_there(path):
            continue
        if reason := distrust_way(folder, path):
            if _speaks_of_us(path):
                text = f"{path} is ignored: {reason}; to use it, make it yours alone (chown, chmod)"
                warnings.append(CodedWarning(code="project-file-ignored", text=text))
            continue
        if table := _table(path):
            values, more = _trusted_values(table, folder, path, is_agreed=is_agreed)
            return ProjectTable(path=path, values=values, warnings=(*warnings, *more))
    return ProjectTable(warnings=tuple(warnings))


# --- inside ------------------------------------------------------------------------------------


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder above that cannot be entered
        return False


def _speaks_of_us(path: Path) -> bool:
    """Whether a file that is not trusted has anything to ignore; it is searched, and not parsed."""
    try:
        return b"tfbuild" in read_bytes(path)
    except (OSError, ValueError):
        return False


def _table(path: Path) -> dict[str, Any]:
    try:
        tool = read_toml(path).get("tool", {})
    except (OSError, ValueError) as error:
        raise BadRequest(
            f"cannot read {path}",
            code="project-file-unreadable",
            why=str(error),
            hint="fix the file, or run elsewhere",
        ) from error
    table = tool.get("tfbuild", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise BadRequest(
            f"{path}: tool.tfbuild must be a table",
            code="project-table-wrong",
            hint="write [tool.tfbuild]",
        )
    return table


def _trusted_values(
    table: dict[str, Any], folder: Path, path: Path, *, is_agreed: bool
) -> tuple[tuple[tuple[str, str], ...], tuple[CodedWarning, ...]]:
    """The keys that count, as text, and why others do not: judged is the text, which is used."""
    is_project = is_in_project(folder, path.parent)
    values, warnings = [], []
    for key, given in table.items():
        name = key.strip().lower()
        value = _text(name, given, path)
        reason = NEVER.get(name, "")
        if name in _RUNS_CODE and not is_project:
            reason = f"{folder} is not of that project; name it in the command"
        elif name in NEEDS_CONSENT and not is_agreed:
            reason = "name it in the command, or trust the file: --trust-project"
        elif name in _BESIDE:
            reason = _leads_out(path.parent, value)
        elif name == "source":
            reason = _distrust_tree(path.parent / value, _RUN_OF_SOURCE)
        elif name == "workspace":
            reason = _distrust_tree(path.parent / value, _RUN_OF_WORKSPACE)
        if reason:
            text = f"{key} in {path} is ignored: {reason}"
            warnings.append(CodedWarning(code="project-key-ignored", text=text))
        else:
            values.append((key, value))
    return tuple(values), tuple(warnings)


def _text(name: str, value: object, path: Path) -> str:
    """A value as a command line would have it."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        text = shlex.join(value) if name in WORKSPACE_LISTS else ",".join(value)
    elif isinstance(value, (str, int)):
        text = str(value)
    else:
        raise BadRequest(
            f"{path}, [tool.tfbuild]: {name} is {value!r}",
            code="project-value-type",
            hint=f'put it in quotes: {name} = "{value}"',
        )
    if "\0" in text:
        raise BadRequest(
            f"{name} in {path} holds a null character",
            code="project-null-character",
            hint="remove it from [tool.tfbuild]",
        )
    return text


def _leads_out(project: Path, named: str) -> str:
    """Why a place that a file names is neither read nor written; empty where it lies beside it."""
    if real_path(project / named).is_relative_to(real_path(project)):
        return ""
    return f"{named} leads out of {project}; name it in the command"


def _distrust_tree(tree: Path, names: tuple[str, ...]) -> str:
    """Why what a source tree runs here is not trusted; empty also where there is none."""
    reasons = (distrust(tree / name) for name in names if (tree / name).exists())
    return next((reason for reason in reasons if reason), "")
