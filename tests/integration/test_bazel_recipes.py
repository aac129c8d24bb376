"""A recipe of Bazel, on this machine and in a container with the system's own Bazel."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.schema_maker import check
from tests.shared_libraries import needs
from tfbuild.core.errors import BuildFailed, DeadlineReached
from tfbuild.core.layout import CACHE_INSIDE

pytestmark = [pytest.mark.docker, pytest.mark.bazel, pytest.mark.slow]

_RECIPE = """\
name: hail
summary: Says hello
license: MIT
source: {recognize: [hail.h, VERSION], version_file: VERSION, version_pattern: 'version ([0-9.]+)'}
build: {system: bazel, targets: ['//:hail', '//:more']}
product:
  libraries: [lib/libhail.a]
  files: {lib/libhail.a: libhail.a, include/hail.h: hail.h}
  headers: [include/hail.h]
  licenses: [LICENSE]
probes:
  links:
    language: c++
    program: |
      #include <hail.h>
      #include <cstdio>
      int main() { return std::puts(hail()) < 0; }
    input: ''
    prints: HAIL
"""
_FILES = {
    "WORKSPACE": "",
    "VERSION": "version 1.0\n",
    "LICENSE": "Do as you like.\n",
    "BUILD": 'cc_library(name = "hail", srcs = ["hail.cc"], hdrs = ["hail.h"])\n'
    'genrule(name = "more", outs = ["more.txt"], cmd = "echo > $@")\n',
    "hail.h": "#pragma once\nconst char *hail();\n",
    "hail.cc": '#include "hail.h"\nconst char *hail() { return "HAIL"; }\n',
}
_ROOT = Path(__file__).parents[2]
_INTERRUPTED = 130


class Site:
    """A folder with a recipe and its source code, where tfbuild is called."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.tree = folder, folder / "tree"
        self.environment = {
            **os.environ, "PYTHONPATH": str(_ROOT), "TFBUILD_CACHE_DIR": str(cache),
            "XDG_STATE_HOME": str(folder / "state"),
        }  # fmt: skip
        del self.environment["TFBUILD_WORK_DIR"]
        self.tree.mkdir()
        (folder / "hail.yaml").write_text(_RECIPE)
        for name, text in _FILES.items():
            (self.tree / name).write_text(text)

    def begin(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tfbuild", *words], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def call(self, *words: str, code: int = 0) -> str:
        """What a call has printed; it must end with that code."""
        process = self.begin(*words)
        said, errors = process.communicate()
        assert process.returncode == code, said + errors
        return said + (errors if code else "")

    def build(self, *words: str) -> dict[str, Any]:
        """The report of a build that passed."""
        said = self.call("build", "./hail.yaml", "--source=tree", *words, "--json")
        report: dict[str, Any] = json.loads(said)
        check("product", report)
        return report

    def logs(self) -> str:
        found = self.folder.glob("state/tfbuild/projects/*/runs/*/log.txt")
        return "".join(path.read_text(errors="replace") for path in found)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests: image and Bazel are the same, and it knows them."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def site(tmp_path: Path, cache: Path) -> Site:
    needs("mmdebstrap")
    return Site(tmp_path, cache)


def containers(folder: Path) -> list[str]:
    """The containers that have something of a folder."""
    ask = ("docker", "ps", "--all", "--quiet", "--no-trunc")
    found = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split()
    seen = subprocess.run(
        ("docker", "inspect", *found), capture_output=True, text=True, check=False
    ).stdout
    return [one["Id"] for one in json.loads(seen or "[]") if str(folder) in json.dumps(one)]


def test_a_container_gives_the_same_archive_and_goes_on_with_what_it_has(site: Site) -> None:
    inside = site.build("--env=docker", "os=debian:bookworm", "--output=inside")
    assert dict(inside["tools"])["bazel"].startswith("4.2.3")
    assert inside["environment"]["system"] == "debian"
    assert inside["sha256"] == site.build("--output=here")["sha256"]
    again = site.build("--env=docker", "os=debian:bookworm", "--output=again")
    assert again["sha256"] == inside["sha256"]
    assert re.search(r"[1-9]\d* (remote|disk) cache hit|1 process: 1 internal", site.logs())


def test_what_failed_is_explained_and_run_again_alone_in_its_container(site: Site) -> None:
    (site.tree / "hail.cc").write_text("int x = ;\n")
    words = ("build", "./hail.yaml", "--source=tree", "--env=docker", "os=debian:bookworm")
    said = site.call(*words, code=BuildFailed.exit_code)
    assert "hail.cc:1" in said
    assert not list(site.folder.glob("dist/*"))
    said = site.call("debug", code=BuildFailed.exit_code)
    assert "in its container" in said
    assert "hail.cc:1" in said
    assert containers(site.folder) == []


@pytest.mark.parametrize("way", ["deadline", "interrupt"])
def test_what_is_stopped_leaves_no_container_and_the_next_call_goes_on(
    site: Site, way: str
) -> None:
    build = site.tree / "BUILD"
    right = build.read_text()
    slowly = f"touch {CACHE_INSIDE}/begun; sleep 1000; echo >"
    build.write_text(right.replace("echo >", slowly).replace("outs =", "local = 1, outs ="))
    words = ("build", "./hail.yaml", "--source=tree", "--env=docker", "os=debian:bookworm")
    if way == "deadline":
        said = site.call(*words, "--deadline=40s", code=DeadlineReached.exit_code)
        assert "error[" in said
    else:
        process = site.begin(*words)
        while not list(site.folder.glob("state/tfbuild/projects/*/native/*/bazel/begun")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == _INTERRUPTED
    assert containers(site.folder) == []
    build.write_text(right)
    assert site.build("--env=docker", "os=debian:bookworm")["sha256"]
