"""A small workspace of C++ with a real Bazel: built offline, edited, broken, debugged, entered."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.schema_maker import check
from tfbuild.fetch.bazel import FoundBazel

pytestmark = [pytest.mark.bazel, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
SOURCES = {
    "WORKSPACE": 'workspace(name = "small")\n',
    "lib/BUILD": """
load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")
load("@bazel_skylib//lib:selects.bzl", "selects")
config_setting(name = "on_mac", constraint_values = ["@platforms//os:macos"])
config_setting(name = "on_linux", constraint_values = ["@platforms//os:linux"])
config_setting(name = "on_x86", constraint_values = ["@platforms//cpu:x86_64"])
config_setting(name = "on_arm", constraint_values = ["@platforms//cpu:arm64"])
selects.config_setting_group(name = "either", match_any = [":on_mac", ":on_linux", ":on_arm"])
selects.config_setting_group(name = "any_cpu", match_any = [":on_x86", ":on_arm"])
selects.config_setting_group(name = "all", match_all = [":on_linux", ":any_cpu", ":either"])
selects.config_setting_group(name = "none", match_all = [":on_linux", ":on_mac"])
cc_library(
    name = "area",
    srcs = ["area.cc"],
    hdrs = ["area.h"],
    defines = select({":all": ["GROUP=1"], "//conditions:default": ["GROUP=0"]}) +
              select({":none": ["NONE=1"], "//conditions:default": ["NONE=0"]}) +
              selects.with_or({
                  (":on_mac", ":on_linux"): ["OR=1"],
                  "//conditions:default": ["OR=0"],
              }),
)
cc_binary(name = "show", srcs = ["show.cc"], deps = [":area"])
""",
    "lib/area.h": "#pragma once\nint Area(int side);\n",
    "lib/area.cc": '#include "lib/area.h"\nint Area(int side) { return side * side; }\n',
    "lib/show.cc": '#include <cstdio>\n#include "lib/area.h"\n'
    'int main() { std::printf("%d %d %d %d\\n", Area(3), GROUP, NONE, OR); }\n',
    "other/BUILD": 'genrule(name = "copy", srcs = ["a"], outs = ["b"], cmd = "cp $< $@")\n',
    "other/a": "a\n",
}


class Small:
    """The workspace, a folder to call tfbuild in, and what came of the last call."""

    def __init__(self, folder: Path, bazel: str) -> None:
        self.tree, self.folder = folder / "small", folder
        for name, text in SOURCES.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        programs = f"{Path(bazel).parent}:{os.environ['PATH']}"
        # One that was fetched for the tests says no version: it is found in the cache it lies in.
        kept = Path(bazel).parents[3]
        cache = kept if (kept / "bazels").is_dir() else folder / "cache"
        places = {
            "TFBUILD_CACHE_DIR": cache, "TFBUILD_WORK_DIR": folder / "work",
            "XDG_STATE_HOME": folder / "state",
        }  # fmt: skip
        self.environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "PATH": programs,
            **{name: str(path) for name, path in places.items()},
        }  # fmt: skip

    def tfbuild(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tfbuild", *words], env=self.environment, cwd=self.folder,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def build(self, *words: str) -> subprocess.CompletedProcess[str]:
        options = (f"--workspace={self.tree}", "--target=//...", "--stand-ins", "--offline")
        return self.tfbuild("build", *options, *words)

    def record(self) -> dict[str, Any]:
        last = max((self.folder / "work" / "runs").iterdir())
        found: dict[str, Any] = json.loads((last / "report.json").read_text())
        check("workspace", found)
        return found


@pytest.fixture
def small(tmp_path: Path, a_bazel: FoundBazel) -> Small:
    return Small(tmp_path, a_bazel.path)


def test_a_workspace_is_built_explained_broken_and_debugged(small: Small) -> None:
    done = small.build("--collect", "--output=out")
    assert done.returncode == 0, done.stderr
    shown = subprocess.run([small.folder / "out/lib/show"], capture_output=True, check=True)
    assert shown.stdout == b"9 1 0 1\n"
    assert {"lib/show", "lib/libarea.a", "other/b"} <= {f["name"] for f in small.record()["files"]}
    _check_reasons(small)
    _check_debug(small)


def _check_reasons(small: Small) -> None:
    """A second build does nothing; an edit costs what depends on it, a flag all that it is for."""
    assert small.build().returncode == 0
    record = small.record()
    assert record["actions"] == 0
    assert record["rebuild"]["changes"] == []
    (small.tree / "lib/area.h").write_text("#pragma once\n\nint Area(int side);\n")
    done = small.build()
    assert "1 source: lib/area.h" in done.stderr
    rebuild = small.record()["rebuild"]
    names = {cost["name"] for cost in rebuild["targets"]}
    assert names == {"//lib:area", "//lib:show"}
    assert [reason["name"] for reason in rebuild["reasons"]] == ["One of the files has changed"]
    assert rebuild["seconds"] > 0
    small.build("--bazel-flag=--copt=-O1")
    (change,) = small.record()["rebuild"]["changes"]
    assert (change["kind"], change["name"]) == ("option", "--copt")
    reasons = {reason["name"] for reason in small.record()["rebuild"]["reasons"]}
    assert "action command has changed" in reasons


def _check_debug(small: Small) -> None:
    (small.tree / "lib/area.cc").write_text("int Area(int side) { return sid; }\n")
    done = small.build()
    assert done.returncode == 6
    assert "error[action-failed]" in done.stderr
    assert "tfbuild debug" in done.stderr
    again = small.tfbuild("debug")
    assert again.returncode == 6
    assert "sid" in again.stdout
    line = small.tfbuild("debug", "--print").stdout
    by_hand = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert by_hand.returncode == 1
    assert "sid" in by_hand.stderr
    (small.tree / "lib/area.cc").write_text("int Area(int side) { return side; }\n")
    well = small.tfbuild("debug")
    assert well.returncode == 0, well.stderr
    assert "ends well alone" in well.stdout
    said = _typed(small, "echo at $PWD; exit 7")
    assert "at " in said
    assert "/execroot/small" in said
    assert small.build().returncode == 0
    assert small.record()["rebuild"]["has_failed"]


def _typed(small: Small, line: str) -> str:
    """What a shell of `tfbuild debug --shell` says to a line; its code is that of the command."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tfbuild", "debug", "--shell"], env=small.environment,
        cwd=small.folder, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        said = b""
        while b"debug //lib:area" not in said:  # a shell prompts on its stderr
            said += os.read(ours, 4096)
        os.write(ours, f"{line}\n".encode())
        until = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < until:
            try:
                said += os.read(ours, 4096)
            except OSError:
                break
        assert process.wait(30) == 7
    os.close(ours)
    return said.decode()


def test_what_is_wanted_is_named_before_anything_is_built(small: Small) -> None:
    options = (f"--workspace={small.tree}", "--target=//lib:area", "--offline")
    done = small.tfbuild("build", *options)
    assert done.returncode == 10, done.stderr
    wanted = {w["name"] for w in small.record()["wanted"] if w["is_asked_for"]}
    assert wanted & {"rules_cc", "bazel_skylib"}
    assert "error[workspace-archives-missing]" in done.stderr
    assert "--stand-ins" in done.stderr
