"""Projects that nobody here wrote, by their recipes: from the source to an archive that is proven.

Their source code comes from Debian's source packages, as the machine's own apt has them.
"""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.schema_maker import check
from tfbuild.core.errors import BuildFailed, DeadlineReached
from tfbuild.core.process import find_program

pytestmark = [
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.skipif(not find_program("apt-get"), reason="there is no apt"),
]
ROOT = Path(__file__).parents[2]


class Site:
    """A folder to call tfbuild in; what it keeps lies in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
        del self.environment["TFBUILD_WORK_DIR"]  # each folder has one of its own

    def call(self, *words: str, code: int = 0) -> str:
        """What a call has printed; it must end with that code."""
        ended = subprocess.run(
            [sys.executable, "-m", "tfbuild", *words], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout + (ended.stderr if code else "")

    def build(self, *words: str) -> dict[str, Any]:
        """The report of a build that passed."""
        report: dict[str, Any] = json.loads(self.call("build", *words, "--json"))
        check("product", report)
        states = {line["state"] for line in report["audit"]["findings"]}
        assert "failed" not in states | {check["state"] for check in report["smoke"]["checks"]}
        return report


def names_in(archive: str) -> set[str]:
    with tarfile.open(archive) as opened:
        return {name.partition("/")[2] for name in opened.getnames()}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_configure_and_make_on_this_machine(site: Site) -> None:
    """libpng: built and proven; then nothing is left to do."""
    report = site.build("libpng", "--source=debian")
    assert {"lib/libpng16.so.16", "include/png.h", "lib/pkgconfig/libpng16.pc"} <= names_in(
        report["archive"]
    )
    assert "zlib1g" in {need["package"] for need in report["needs"]}
    again = site.build("libpng", "--source=debian")
    assert again["sha256"] == report["sha256"]
    assert {s["name"]: s["state"] for s in again["stages"]}["smoke"] == "reused"


@pytest.mark.long
def test_another_folder_gives_the_same_bytes(site: Site) -> None:
    other = Site(site.folder / "a" / "longer" / "folder")
    other.folder.mkdir(parents=True)
    first, second = (one.build("libpng", "--source=debian")["sha256"] for one in (site, other))
    assert first == second


@pytest.mark.long
def test_a_build_that_is_stopped_goes_on(site: Site) -> None:
    site.call(
        "build", "libpng", "--source=debian", "--deadline=12s", code=DeadlineReached.exit_code
    )
    assert site.build("libpng", "--source=debian")["sha256"]


@pytest.mark.long
def test_a_broken_tree_is_explained(site: Site) -> None:
    """The cause with its place; nothing is delivered, and the tree is as it was."""
    report = site.build("libpng", "--source=debian")
    tree = site.folder / "tree"
    staged = next((site.folder / "state").glob("tfbuild/projects/*/native/*/source"))
    tree.mkdir()
    subprocess.run(["cp", "-a", f"{staged}/.", str(tree)], check=True)
    (tree / "png.c").write_text('#include "pngpriv.h"\nint broken = ;\n')
    before = sorted(path.name for path in tree.iterdir())
    said = site.call(
        "build", "libpng", f"--source={tree}", f"version={report['plan']['version']}",
        "--output=other", code=BuildFailed.exit_code,
    )  # fmt: skip
    assert "png.c:2" in said
    assert sorted(path.name for path in tree.iterdir()) == before
    assert not list((site.folder / "other").glob("*"))


@pytest.mark.docker
@pytest.mark.long
def test_configure_and_make_in_a_container(site: Site) -> None:
    report = site.build("libpng", "--source=debian", "--env=docker", "os=debian:bookworm")
    assert report["plan"]["system"]["name"] == "debian 12"
    assert {"libc6", "zlib1g"} <= {need["package"] for need in report["needs"]}


@pytest.mark.long
@pytest.mark.parametrize("name", ["zstd", "dav1d"])
def test_cmake_and_meson_on_this_machine(site: Site, name: str) -> None:
    assert site.build(name, "--source=debian")["read_back"]


@pytest.mark.docker
@pytest.mark.long
@pytest.mark.parametrize("name", ["zstd", "dav1d"])
def test_cmake_and_meson_in_a_container(site: Site, name: str) -> None:
    report = site.build(name, "--source=debian", "--env=docker", "os=debian:bookworm")
    assert report["environment"]["packages"]


ABSEIL = """\
name: abseil-{system}
summary: Abseil's strings, of its {system} files
license: Apache-2.0
source: {{debian: abseil, recognize: [absl/strings/match.h]}}
build: {build}
product: {product}
audit: {{dispatched: ['lib/libabsl_random_internal_randen_hwaes_impl.so*']}}
probes:
  match:
    language: c++
    program: |
      #include <absl/strings/match.h>
      #include <cstdio>
      int main() {{
        return absl::StrContains("abseil", "bs") ? std::puts("it matches") < 0 : 1;
      }}
    {probe}
    prints: it matches
"""
OF_CMAKE = ABSEIL.format(
    system="cmake",
    build="{system: cmake, arguments: [-DCMAKE_CXX_STANDARD=17, -DABSL_ENABLE_INSTALL=ON]}",
    product="{libraries: [lib/libabsl_strings.so], headers: [include/absl/strings/match.h], "
    "pkg_config: [absl_strings], cmake: [absl], licenses: [LICENSE]}",
    probe="cmake: absl absl::strings",
)
OF_BAZEL = ABSEIL.format(
    system="bazel",
    build="{system: bazel, arguments: [--cxxopt=-std=c++17], targets: ['//absl/strings:strings', "
    "'//absl/base:raw_logging_internal', '//absl/base:throw_delegate', '//absl/numeric:int128']}",
    product="{libraries: [lib/libstrings.a], headers: [include/absl/strings/match.h], "
    "licenses: [LICENSE], files: {lib/libstrings.a: absl/strings/libstrings.a, "
    "include/absl: 'absl/**/*.h'}}",
    probe="input: ''",
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "text"), [("cmake", OF_CMAKE), ("bazel", OF_BAZEL)], ids=["cmake", "bazel"]
)
def test_one_project_by_two_build_systems(site: Site, name: str, text: str) -> None:
    path = site.folder / f"abseil-{name}.yaml"
    path.write_text(text)
    assert len(text.splitlines()) <= 60
    report = site.build(f"./{path.name}", "--source=debian")
    assert report["plan"]["steps"][0]["system"] == name
