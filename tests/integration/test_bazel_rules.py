"""flow.bzl with a real Bazel: libraries, tests and shared libraries, without any network."""

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tfbuild.fetch.bazel import FoundBazel

RUNTIME = Path(__file__).parents[2] / "runtime"
BUILD = """
load("//bazel:flow.bzl", "flow_library", "flow_shared", "flow_tests")
flow_library(name = "shapes", exclude = ["other.cc"])
flow_tests(name = "shapes_test", deps = [":shapes"])
flow_shared(name = "libshapes.so", linkopts = ["-Wl,-z,defs"], deps = [":shapes"])
"""
SOURCES = {
    "WORKSPACE": "",
    "shapes/BUILD": BUILD,
    "shapes/area.h": "#pragma once\nint Area(int side);\n",
    "shapes/area.cc": '#include "shapes/area.h"\nint Area(int side) { return side * side; }\n',
    "shapes/register.cc": "extern int loaded;\nint loaded = 7;\n",
    "shapes/other.cc": "#error left out\n",
    "shapes/area_test.cc": '#include "shapes/area.h"\nint Check() { return Area(3) - 9; }\n',
    "testing/BUILD": 'load("//bazel:flow.bzl", "flow_library")\nflow_library(name = "main")\n',
    "testing/main.cc": "int Check();\nint main() { return Check(); }\n",
}


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A small source tree, and how Bazel is called in it."""

    folder: Path
    call: tuple[str, ...]

    def bazel(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.call, *words], cwd=self.folder, capture_output=True, text=True, check=False
        )

    def hash_of(self, name: str) -> str:
        place = self.bazel("info", "bazel-bin").stdout.strip()
        return hashlib.sha256(Path(place, name).read_bytes()).hexdigest()


def make_tree(folder: Path, out: Path, program: str) -> Tree:
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in ("bazel", ".bazelrc", ".bazelignore"):
        source = RUNTIME / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    lines = [
        f"build --override_repository={path.name}={path}"
        for path in sorted((folder / "bazel" / "standins").iterdir())
    ]
    (folder / ".configure.bazelrc").write_text("\n".join(lines) + "\n")
    return Tree(folder=folder, call=(program, f"--output_user_root={out}"))


@pytest.fixture
def tree(tmp_path: Path, a_bazel: FoundBazel) -> Iterator[Tree]:
    made = make_tree(tmp_path / "one", tmp_path / "out", a_bazel.path)
    yield made
    made.bazel("shutdown")


@pytest.mark.bazel
@pytest.mark.slow
def test_the_rules_build_and_test_without_a_network(tree: Tree) -> None:
    apart = ("unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "-")
    offline = Tree(folder=tree.folder, call=(*apart, *tree.call))
    done = offline.bazel("test", "--config=strict", "//...")
    assert done.returncode == 0, done.stderr
    assert "1 test passes" in done.stdout + done.stderr
    offline.bazel("shutdown")


@pytest.mark.bazel
@pytest.mark.slow
def test_the_same_sources_give_the_same_bytes_anywhere(
    tree: Tree, tmp_path: Path, a_bazel: FoundBazel
) -> None:
    other = make_tree(tmp_path / "deep" / "two", tmp_path / "other", a_bazel.path)
    hashes = []
    for made in (tree, other):
        done = made.bazel("build", "//shapes:libshapes.so")
        assert done.returncode == 0, done.stderr
        hashes.append(made.hash_of("shapes/libshapes.so"))
        made.bazel("shutdown")
    assert hashes[0] == hashes[1]


@pytest.mark.bazel
@pytest.mark.slow
def test_neighbours_are_compiled_together_and_messages_name_the_file_itself(tree: Tree) -> None:
    shapes = tree.folder / "shapes"
    done = tree.bazel("build", "--subcommands", "//shapes")
    assert done.returncode == 0, done.stderr
    assert "shapes/area+register.cc" in done.stderr
    (shapes / "register.cc").write_text("extern int loaded;\nint loaded = seven;\n")
    done = tree.bazel("build", "//shapes")
    assert done.returncode == 1
    assert "shapes/register.cc:2:" in done.stderr
    (shapes / "solid").mkdir()
    (shapes / "register.cc").rename(shapes / "solid" / "register.cc")  # no neighbour any more
    done = tree.bazel("build", "//shapes")
    assert done.returncode == 1
    assert "shapes/solid/register.cc:2:" in done.stderr


@pytest.mark.bazel
@pytest.mark.slow
def test_a_failing_test_fails_and_everything_is_linked_in(tree: Tree) -> None:
    assert tree.bazel("build", "//shapes:libshapes.so").returncode == 0
    place = tree.bazel("info", "bazel-bin").stdout.strip()
    symbols = subprocess.run(
        ["nm", "-D", f"{place}/shapes/libshapes.so"], capture_output=True, text=True, check=True
    ).stdout
    assert " loaded" in symbols, "what registers itself is kept"
    (tree.folder / "shapes" / "area_test.cc").write_text("int Check() { return 1; }\n")
    assert tree.bazel("test", "//...").returncode == 3
