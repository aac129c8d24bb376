"""A TensorFlow source tree as its own files describe it: release, Bazel, configs, Python, CUDA."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from packaging.version import Version

from tfbuild.core.errors import BadRequest
from tfbuild.core.linear_patterns import linear_pattern
from tfbuild.core.python_text import parse_python
from tfbuild.core.reporter import CodedWarning
from tfbuild.core.safe_files import read_inside
from tfbuild.core.versions import LONGEST_VERSION, known_version
from tfbuild.sources.configure_script import ConfigureScript, read_script
from tfbuild.sources.rc_file import RcFile, read_rc

T = TypeVar("T")
CONFIGURED = ".tf_configure.bazelrc"  # what configure.py writes
_USER_RC = ".bazelrc.user"
_SETUP = "tensorflow/tools/pip_package/setup.py"
_VERSION_FILES = (  # file, what the release stands behind
    ("tensorflow/tf_version.bzl", r"^TF_VERSION *= *[\"']([^\"']+)"),
    ("tensorflow/tensorflow.bzl", r"^VERSION *= *[\"']([^\"']+)"),
    (_SETUP, r"^_VERSION *= *[\"']([^\"']+)"),
    ("RELEASE.md", r"^# Release ([0-9][0-9a-z.]+)"),
)
_NEEDED = ("configure.py", ".bazelrc", "tools", "tensorflow/tools/pip_package")
_WORKSPACES = ("WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel")
_SYSTEM_LIBS = "systemlibs/syslibs_configure.bzl"
_CUDA_LISTS = "cuda/hermetic/cuda_redist_versions.bzl"
_PYTHON_RULES = "python_repo.bzl"
_FOLDERS = (  # where releases keep such files
    "third_party", "third_party/xla/third_party", "third_party/py",
    "third_party/xla/third_party/py", "third_party/gpus", "third_party/xla/third_party/gpus",
    "tensorflow/tools/toolchains/python",
)  # fmt: skip
_LARGEST = 4_000_000  # bytes of any file that is read


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorFlowTree:
    """What a tree says of itself; nothing here is taken from a table."""

    folder: Path
    release: str  # as packages write it: 2.6.5, 2.17.0rc1
    said_by: str  # the file that says the release
    configure: ConfigureScript
    rc: RcFile  # .bazelrc and what it imports, but not what configure.py or the user wrote
    bazel: str = ""  # of .bazelversion; empty where there is none
    system_libs: tuple[str, ...] = ()  # what TF_SYSTEM_LIBS may name
    python_variables: tuple[str, ...] = ()  # by which its rules know which Python to bring, if any
    pythons: tuple[str, ...] = ()  # which ones; empty where the tree does not list them
    requirements: tuple[str, ...] = ()  # what its wheel needs, as setup.py lists it
    cuda_releases: tuple[str, ...] = ()  # that it can fetch; empty where CUDA is the machine's
    cudnn_releases: tuple[str, ...] = ()
    package_build: str = ""  # BUILD of tensorflow/tools/pip_package
    package_script: str = ""  # build_pip_package.sh, or .py of newer releases
    has_v2_package: bool = False  # 2.16: a second wheel target
    library_build: str = ""  # tensorflow/BUILD
    warnings: tuple[CodedWarning, ...] = ()

    @property
    def version(self) -> Version:
        """The release as a version that can be compared."""
        return Version(self.release)

    @property
    def fetches_python(self) -> bool:
        """Whether the wheel is for a Python that its rules bring."""
        return bool(self.python_variables)

    @property
    def fetches_cuda(self) -> bool:
        """Whether its rules bring CUDA themselves, in whatever version they are given."""
        return "HERMETIC_CUDA_VERSION" in self.configure.reads


def read_tree(folder: Path) -> TensorFlowTree:
    """The tree in a folder. BadRequest names the file that is missing or broken."""
    _require_whole(folder)
    release, said_by, warnings = _release(folder)
    setup = _text(folder, _SETUP) or _text(folder, f"{_SETUP}.tpl")
    redist = _first(folder, _CUDA_LISTS)
    package = folder / "tensorflow/tools/pip_package"
    return TensorFlowTree(
        folder=folder,
        release=release,
        said_by=said_by,
        configure=_parsed(
            folder, "configure.py", lambda p: read_script(read_inside(folder, p, _LARGEST))
        ),
        rc=_parsed(folder, ".bazelrc", lambda p: read_rc(p, folder, skip=(CONFIGURED, _USER_RC))),
        bazel=_bazel_version(folder),
        system_libs=_listed(_first(folder, _SYSTEM_LIBS), "VALID_LIBS"),
        python_variables=_python_variables(folder),
        pythons=_pythons(folder),
        requirements=_requirements(setup),
        cuda_releases=_releases(redist, "CUDA"),
        cudnn_releases=_releases(redist, "CUDNN"),
        package_build=_text(folder, "tensorflow/tools/pip_package/BUILD"),
        package_script=_text(folder, "tensorflow/tools/pip_package/build_pip_package.sh")
        or _text(folder, "tensorflow/tools/pip_package/build_pip_package.py"),
        has_v2_package=(package / "v2/BUILD").is_file(),
        library_build=_text(folder, "tensorflow/BUILD"),
        warnings=warnings,
    )


# --- which release -------------------------------------------------------------------------------


def _require_whole(folder: Path) -> None:
    missing = [name for name in _NEEDED if not (folder / name).exists()]
    if not any((folder / name).exists() for name in _WORKSPACES):
        missing.append(_WORKSPACES[0])
    if not missing:
        return
    dots = [name for name in missing if name.startswith(".")]
    raise BadRequest(
        f"{folder} is a TensorFlow source tree, but not a whole one",
        code="source-tree-incomplete",
        why=f"it lacks {', '.join(missing)}",
        hint="`cp *` leaves files out whose names begin with a dot; copy the folder itself"
        if dots and len(dots) == len(missing)
        else "unpack the release again, or check it out again",
    )


def _release(folder: Path) -> tuple[str, str, tuple[CodedWarning, ...]]:
    """The release, the file that says it, and what looks odd."""
    found = []
    for name, pattern in _VERSION_FILES:
        said = re.search(pattern, _text(folder, name), re.MULTILINE)
        if said and (version := _version(said[1])):
            found.append((name, version))
    if not found:
        raise BadRequest(
            f"{folder} does not say which TensorFlow it is",
            code="source-version-missing",
            why=f"none of {', '.join(name for name, _ in _VERSION_FILES)} holds a version",
            hint="unpack the release again, or check it out again",
        )
    name, version = found[0]
    others = [(n, v) for n, v in found[1:] if v != version and n != "RELEASE.md"]
    texts = (f"{name} says {version}, but {n} says {v}" for n, v in others)
    warnings = tuple(CodedWarning(code="tree-release-unclear", text=text) for text in texts)
    return version, name, warnings


def _version(text: str) -> str:
    version = known_version(text)
    return "" if version is None else str(version)


def _in_order(texts: Iterable[str]) -> tuple[str, ...]:
    """Those of the texts that are versions, oldest first."""
    known = {text: version for text in texts if (version := known_version(text)) is not None}
    return tuple(sorted(known, key=known.__getitem__))


# --- other files of the tree ---------------------------------------------------------------------


def _bazel_version(folder: Path) -> str:
    """The first line of .bazelversion that is no comment; empty where there is none, or where no
    release is called that."""
    lines = _text(folder, ".bazelversion").splitlines()
    word = next(filter(None, (line.partition("#")[0].strip() for line in lines)), "")
    return word if len(word) <= LONGEST_VERSION else ""


def _python_variables(folder: Path) -> tuple[str, ...]:
    texts = [_text(folder, f"{place}/{_PYTHON_RULES}") for place in _FOLDERS]
    names = ("TF_PYTHON_VERSION", "HERMETIC_PYTHON_VERSION")
    return tuple(name for name in names if any(name in text for text in texts))


def _pythons(folder: Path) -> tuple[str, ...]:
    """The Pythons whose packages are locked, or that the rules list; none before 2.14."""
    rules = _first(folder, _PYTHON_RULES)
    if not rules:
        return ()
    locks = folder.glob("requirements_lock_3_*.txt")
    locked = _in_order("3." + path.stem.rpartition("_")[2] for path in locks)
    return locked or _in_order(_listed(rules, "VERSIONS"))


def _requirements(setup: str) -> tuple[str, ...]:
    """The texts of REQUIRED_PACKAGES that are requirements as they stand."""
    try:
        module = parse_python(setup)
    except ValueError:
        return ()  # a template of newer releases need not be Python
    lists = [
        node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == "REQUIRED_PACKAGES"
    ]
    items = lists[0].elts if lists else []
    values = (item.value for item in items if isinstance(item, ast.Constant))
    return tuple(value for value in values if isinstance(value, str))


def _listed(text: str, name: str) -> tuple[str, ...]:
    """The texts of a list in a .bzl file."""
    found = linear_pattern(rf"(?ms)^{name} *= *\[(.*?)\]").search(text)
    return tuple(re.findall(r"\"([^\"]+)\"", found[1])) if found else ()


def _releases(text: str, name: str) -> tuple[str, ...]:
    """The versions that a list of archives to fetch knows, oldest first."""
    found = linear_pattern(
        rf"(?ms)^(?:{name}_REDIST_JSON_DICT|_?{name}_REDIST\w*) *= *\{{(.*?)^\}}"
    ).search(text)
    listed = found[1] if found else ""
    versions = linear_pattern(r"(?m)^\s*\"([0-9]+(?:\.[0-9]+)+)\" *:").findall(listed)
    return _in_order(versions)


def _first(folder: Path, name: str) -> str:
    """The text of the first such file where releases keep it; empty where there is none."""
    return next((t for place in _FOLDERS if (t := _text(folder, f"{place}/{name}"))), "")


def _text(folder: Path, name: str) -> str:
    """The text of a file of the tree; empty where there is none."""
    if not (folder / name).exists():
        return ""
    return _parsed(folder, name, lambda path: read_inside(folder, path, _LARGEST))


def _parsed(folder: Path, name: str, read: Callable[[Path], T]) -> T:
    """What a file of the tree holds; BadRequest where it cannot be read."""
    try:
        return read(folder / name)
    except (OSError, ValueError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise BadRequest(
            f"{folder / name} of the source tree cannot be read",
            code="source-file-unreadable",
            why=why,
            hint="unpack the release again, or check it out again",
        ) from error
