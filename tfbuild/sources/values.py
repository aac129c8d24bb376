"""Whether values are such that a tree's configure.py takes them: it replaces others in silence."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tfbuild.core.child_environment import search_path
from tfbuild.core.errors import BadRequest, ConfigureFailed
from tfbuild.core.paths import real_path
from tfbuild.core.records import Pairs
from tfbuild.core.safe_files import read_text
from tfbuild.core.versions import contains, did_you_mean
from tfbuild.facts.build_rows import VariableRow
from tfbuild.facts.targets import usual_target
from tfbuild.sources.answers import FALSE, TRUE, is_true
from tfbuild.sources.tensorflow_tree import TensorFlowTree

_CACHES = {"ccache", "sccache", "distcc", "icecc"}
PLACES = {"program", "compiler", "folder", "folders"}  # kinds of values that are paths
_LEAST_CAPABILITY = 30  # configure.py refuses less
_OTHERWISE = "configure.py would take another one without a word, or ask"


def check_values(
    tree: TensorFlowTree, rows: Iterable[VariableRow], variables: Mapping[str, str]
) -> None:
    """Raise BadRequest for the first value that this tree would refuse, replace or misread.

    Values that hold placeholders are left to check_paths.
    """
    if is_true(variables.get("TF_NEED_ROCM", "")) and is_true(variables.get("TF_NEED_CUDA", "")):
        raise BadRequest(
            "TF_NEED_ROCM and TF_NEED_CUDA are both on",
            code="cuda-and-rocm",
            why="one wheel is for one kind of GPU; configure.py would stop half way",
            hint="leave TF_NEED_ROCM out, or build for the CPU with cuda=none",
        )
    for row in rows:
        if (value := variables.get(row.name)) is None or "{" in value:
            continue
        if not value.isprintable() or '"' in value:
            raise BadRequest(
                f"{row.name} is {value!r}",
                code="variable-letter-refused",
                why=row.says,
                hint="it may hold no quote and no line break",
            )
        if row.kind in {"yes-no", "flag"}:
            _check_flag(row, value)
        elif row.kind == "version" and value:
            _check_version(row, value, tree)
        elif row.kind == "capabilities":
            check_capabilities(value, tree, row.name)
        elif row.kind == "names":
            _check_names(row, value, tree)


def check_capabilities(text: str, tree: TensorFlowTree, name: str) -> None:
    """Raise BadRequest for a list of GPUs that this release writes in another way."""
    forms = "8.6, sm_86 or compute_86" if tree.configure.takes_sm else "8.6"
    for word in "".join(text.split()).split(","):
        found = re.fullmatch(r"([0-9]+)\.([0-9])", word)
        if not found and tree.configure.takes_sm:
            found = re.fullmatch(r"(?:sm|compute)_([0-9]+)([0-9])", word)
        if not found:
            raise BadRequest(
                f"{name}: '{word}' is no compute capability for TensorFlow {tree.release}",
                code="capability-invalid",
                why="configure.py would take another list in its place, without a word",
                hint=f"write {forms}, with commas between",
            )
        if int(found[1] + found[2]) < _LEAST_CAPABILITY:
            raise BadRequest(
                f"{name}: '{word}' is below 3.0",
                code="capability-too-low",
                why="no release compiles for it",
                hint="leave it out",
            )


def capabilities(architectures: Iterable[str], tree: TensorFlowTree) -> str:
    """Architectures as this release writes them: sm_86,compute_90, or 8.6,9.0 before 2.3.

    Raises BadRequest for one that has no such name, such as sm_90a.
    """
    found: list[str] = []
    for name in architectures:
        number = re.fullmatch(r"(sm|compute)_([0-9]+)([0-9])", name)
        if not number:
            raise BadRequest(
                f"TensorFlow {tree.release} cannot compile for {name}",
                code="capability-unsupported",
                why="its configure.py knows plain capabilities alone",
                hint="name the GPU without the letter, as in sm_90",
            )
        word = name if tree.configure.takes_sm else f"{number[2]}.{number[3]}"
        found += [word] if word not in found else []
    return ",".join(found)


def check_paths(tree: TensorFlowTree, places: Pairs, variables: Mapping[str, str]) -> None:
    """Raise ConfigureFailed for a path that is not what it must be on this machine.

    For what only an open environment knows: every placeholder is filled in.
    """
    for name, kind in places:
        value = variables.get(name, "")
        if not value:
            continue
        if kind in {"program", "compiler"}:
            _check_program(name, kind, value)
        elif kind == "folder" and not Path(value).is_dir():
            raise _no_folder(name, value)
        elif kind == "folders":
            _check_cuda(name, value, tree, variables)


def real_compiler(path: str, search: str | None = None) -> str:
    """The compiler that a path leads to; behind a link of ccache, the one that ccache would call.

    An empty string where ccache would find none.
    """
    if real_path(Path(path)).name not in _CACHES:
        return path
    folders = search_path(search)
    candidates = (Path(folder) / Path(path).name for folder in folders.split(os.pathsep))
    found = (c for c in candidates if c.is_file() and real_path(c).name not in _CACHES)
    return str(next(found, ""))


# --- inside --------------------------------------------------------------------------------------


def _check_flag(row: VariableRow, value: str) -> None:
    word = value.strip().lower()
    known = {"0", "1"} if row.kind == "flag" else {*TRUE, *FALSE}
    if word not in known:
        raise BadRequest(
            f"{row.name} is {value!r}",
            code="variable-not-switch",
            why=row.says,
            hint="write 0 or 1",
        )


def _check_version(row: VariableRow, value: str, tree: TensorFlowTree) -> None:
    known = {
        "HERMETIC_CUDA_VERSION": tree.cuda_releases,
        "HERMETIC_CUDNN_VERSION": tree.cudnn_releases,
    }.get(row.name)
    if known:
        if value not in known:
            raise BadRequest(
                f"{row.name} is '{value}', which this tree cannot fetch",
                code="cuda-release-not-listed",
                why=f"its lists have {', '.join(known)}",
                hint=did_you_mean(value, known),
            )
    elif not re.fullmatch(r"[0-9]+(\.[0-9]+){0,2}", value):
        raise BadRequest(
            f"{row.name} is {value!r}",
            code="variable-not-version",
            why=row.says,
            hint="write a version, such as 11.2",
        )
    elif row.name == "TF_CUDA_VERSION" and value.count(".") > 1:
        raise BadRequest(
            f"{row.name} is {value!r}",
            code="cuda-version-too-exact",
            why=row.says,
            hint="write two numbers, such as 11.2: with a third none is found",
        )


def _check_names(row: VariableRow, value: str, tree: TensorFlowTree) -> None:
    if "," in value and re.search(r"\S\s+[^\s,]", value.replace(", ", ",")):
        raise BadRequest(
            f"{row.name} is {value!r}",
            code="variable-not-list",
            why=row.says,
            hint="write names with commas between",
        )
    for name in value.replace(",", " ").split():
        if tree.system_libs and name not in tree.system_libs:
            raise BadRequest(
                f"{row.name}: TensorFlow {tree.release} knows no system library '{name}'",
                code="system-library-unknown",
                why=f"its list is in {tree.folder / 'third_party/systemlibs'}",
                hint=did_you_mean(name, tree.system_libs),
            )


def _check_program(name: str, kind: str, value: str) -> None:
    path = Path(value)
    if not path.is_file() or not os.access(path, os.X_OK):
        raise ConfigureFailed(
            f"{name}: {value} cannot be used",
            code="variable-program-unusable",
            why=f"it is no program that can be run; {_OTHERWISE}",
            hint="name what is there",
        )
    if kind == "compiler" and real_path(path).name in _CACHES:
        raise ConfigureFailed(
            f"{name}: {value} is a link to {real_path(path).name}",
            code="compiler-is-cache-link",
            why="configure.py resolves links, so that the compiler would be lost",
            hint=f"name the compiler itself: {real_compiler(value) or path.name}",
        )


def _check_cuda(name: str, value: str, tree: TensorFlowTree, variables: Mapping[str, str]) -> None:
    """Whether CUDA and cuDNN of the asked versions are where the tree looks for them."""
    folders = [Path(word) for word in value.split(",")]
    if missing := next((f for f in folders if not f.is_dir()), None):
        raise _no_folder(name, str(missing))
    lacks = []
    for variable, header, title in (
        ("TF_CUDA_VERSION", "cuda.h", "CUDA"),
        ("TF_CUDNN_VERSION", "cudnn_version.h cudnn.h", "cuDNN"),
    ):
        asked = variables.get(variable, "")
        found = [v for f in folders for h in header.split() if (v := _header_version(f, h))]
        if not found:
            lacks.append(f"{title} {asked} ({header.split()[0]})".replace("  ", " "))
        elif asked and not any(contains(f"=={asked}.*", v) or v == asked for v in found):
            lacks.append(f"{title} {asked} (there is {', '.join(dict.fromkeys(found))})")
    # Read by the rules from 2.15 on.
    if tree.version.release >= (2, 15) and not any(_header(f, "nvml.h") for f in folders):
        lacks.append("nvml.h")
    if lacks:
        raise ConfigureFailed(
            f"{value} lacks {', '.join(lacks)}",
            code="cuda-folders-incomplete",
            why=f"TensorFlow {tree.release} looks for them there",
            hint="name the folders of CUDA and cuDNN in TF_CUDA_PATHS, with commas between",
        )


def _header(folder: Path, name: str) -> Path | None:
    """Where a header is in one of the places that find_cuda_config.py looks at."""
    # find_cuda_config.py looks for this one on every machine.
    places = ("", "include", "include/cuda", f"include/{usual_target('linux').multiarch}")
    return next((p for place in places if (p := folder / place / name).is_file()), None)


def _header_version(folder: Path, name: str) -> str:
    """The version that cuda.h or cudnn_version.h defines; empty where neither says one."""
    path = _header(folder, name)
    if path is None:
        return ""
    try:
        text = read_text(path)
    except (OSError, ValueError):
        return ""
    if cuda := re.search(r"^#define CUDA_VERSION\s+([0-9]{1,9})\b", text, re.MULTILINE):
        number = int(cuda[1])
        return f"{number // 1000}.{number % 1000 // 10}"
    parts = [
        re.search(rf"^#define CUDNN_{part}\s+([0-9]+)", text, re.MULTILINE)
        for part in ("MAJOR", "MINOR", "PATCHLEVEL")
    ]
    return ".".join(part[1] for part in parts if part) if all(parts) else ""


def _no_folder(name: str, value: str) -> ConfigureFailed:
    return ConfigureFailed(
        f"{name}: {value} cannot be used",
        code="variable-folder-missing",
        why=f"no such folder; {_OTHERWISE}",
        hint="name what is there",
    )
