"""A TensorFlow tree's C++ library in small: what Bazel makes of it, and programs that call it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.builds.stages.test_build_tree import prepared
from tests.builds.stages.test_configure_tree import host_for, plan_of
from tests.builds.test_configuration import request_of, tools_of
from tests.fakes import FakeEnvironment
from tests.shared_libraries import compile_c, needs
from tfbuild.bazel.server import passing_server
from tfbuild.builds import tree_stages
from tfbuild.builds.decide import Decision, decide
from tfbuild.core.interfaces import HostEnvironment, Tools, Watch
from tfbuild.core.lock_file import LockFile
from tfbuild.core.outputs import Configured
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command, Completed, Pin, Request
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel
from tfbuild.recipes.catalogue import find_recipe
from tfbuild.recipes.recipe import Recipe
from tfbuild.recipes.records import ProductReport
from tfbuild.run import library_build
from tfbuild.run.execute import execute
from tfbuild.run.library_build import LibraryBuild
from tfbuild.wheels.libraries import is_library_name

HEADERS = {
    "tensorflow/include/tensorflow/c/c_api.h": (
        '#ifdef __cplusplus\nextern "C"\n#endif\nconst char* TF_Version(void);\n'
    ),
    "tensorflow/include/tensorflow/core/public/session.h": (
        "namespace tensorflow { class Session; }\n"
    ),
}
FILES = (
    "tensorflow/libtensorflow_cc.so.2",
    "tensorflow/libtensorflow_cc.so",
    "tensorflow/libtensorflow_framework.so.2",
    "tensorflow/libtensorflow_framework.so",
    *HEADERS,
)
ARCHIVE = "libtensorflow_cc-2.6.5-cpu-linux-x86_64.tar.gz"
_FLAGS = ("-fstack-protector-strong", "-Wl,-z,relro,-z,now", "-Wl,-rpath,$ORIGIN/../_solib_k8")
_TREE = {  # of a tree whose Bazel makes a small library
    "tensorflow/c_api.h": HEADERS["tensorflow/include/tensorflow/c/c_api.h"],
    "tensorflow/session.h": HEADERS["tensorflow/include/tensorflow/core/public/session.h"],
    "tensorflow/BUILD": """\
genrule(
    name = "tensorflow_cc",
    srcs = ["c_api.c"],
    outs = ["lib%s.so%s" % (name, number) for name in ["tensorflow_cc", "tensorflow_framework"]
            for number in ["", ".2"]],
    cmd = "CC=$$(command -v gcc || ls /usr/bin/gcc-[0-9]* | head -n 1); " +
          "for name in cc framework; do file=$(@D)/libtensorflow_$$name.so; " +
          "$$CC -shared -fPIC -O2 -fstack-protector-strong -Wl,-z,relro,-z,now " +
          "-Wl,-soname,libtensorflow_$$name.so.2 -o $$file.2 $<; cp $$file.2 $$file; done",
)
genrule(
    name = "install_headers",
    srcs = ["c_api.h", "session.h"],
    outs = ["include/tensorflow/c/c_api.h", "include/tensorflow/core/public/session.h"],
    cmd = "cp $(location c_api.h) $(location include/tensorflow/c/c_api.h); " +
          "cp $(location session.h) $(location include/tensorflow/core/public/session.h)",
)
""",
}
_PROGRAM = """
#include <stdio.h>
#include <tensorflow/c/c_api.h>
int main(void) { printf("TensorFlow %s: 2 + 3 = 5\\n", TF_Version()); return 0; }
"""


def _source(release: str) -> str:
    """All that the small library does."""
    return f'const char* TF_Version(void) {{ return "{release}"; }}\n'


def small_recipe() -> Recipe:
    """The recipe of the library, with programs that call what the small one has."""
    recipe = find_recipe("tensorflow-cc")
    return replace(recipe, probes=tuple(replace(p, program=_PROGRAM) for p in recipe.probes))


def a_library_file(folder: Path, name: str, *flags: str) -> Path:
    """A library that programs find by its name with one number, as those of TensorFlow."""
    soname = f"{Path(name).name.partition('.so')[0]}.so.2"
    made = folder / "made"
    made.mkdir(exist_ok=True)
    given = flags or _FLAGS
    return compile_c(made, _source("2.6.5"), *given, f"-Wl,-soname,{soname}", name=soname)


@dataclass
class Library:
    """Builds libraries of a tree whose Bazel makes the files that are named."""

    folder: Path
    source: Path
    tables: Tables
    env: FakeEnvironment
    recipe: Recipe
    release: str = "2.6.5"
    flags: tuple[str, ...] = ()  # that libraries are linked with; empty: the usual ones

    @property
    def tools(self) -> Tools:
        return tools_of(self.folder, host_for(self.release))

    @property
    def output(self) -> Path:
        return self.folder / "dist"

    def request(self, **changes: object) -> Request:
        usual = request_of(self.folder, self.source, product="cc", **changes)
        return replace(usual, source_version=self.release)

    def build(self, *files: str, lock: LockFile | None = None, **changes: object) -> ProductReport:
        shutil.rmtree(self.folder / "bin", ignore_errors=True)
        prepared(self.env, self.folder, *(files or FILES))
        made = self.env.runner.answers["bazel"]

        def with_content(command: Command, watch: Watch | None) -> Completed:
            done: Completed = made(command, watch)
            if "info" not in command.argv:
                self._fill(files or FILES)
            return done

        self.env.runner.answers["bazel"] = with_content
        build = LibraryBuild(self.request(**changes), self.tables, self.tools, self.recipe, lock)
        return execute(build, self.tools)

    def build_with(self, bazel: FoundBazel, monkeypatch: pytest.MonkeyPatch) -> ProductReport:
        """Build what a tree with a small library says, by a real Bazel."""
        self._write_tree()

        @contextmanager
        def opened(plan: Plan, tools: Tools) -> Iterator[HostEnvironment]:
            chain = replace(
                self.env.toolchain,
                source=plan.source,
                bazel=bazel.path,
                bazel_version=plan.bazel.preferred,
                work=tools.folders.work,
                cache=tools.folders.cache,
            )
            with passing_server(chain, is_kept=False):
                yield HostEnvironment(toolchain=chain, tools=tools)

        with monkeypatch.context() as changed:
            changed.setattr(library_build, "open_place", opened)
            build = LibraryBuild(self.request(), self.tables, self.tools, self.recipe)
            return execute(build, self.tools)

    def build_in_container(self, monkeypatch: pytest.MonkeyPatch) -> ProductReport:
        """Build it in a container of Debian 12, by the Bazel that Debian has."""
        self._write_tree()

        def by_this_bazel(*given: Any) -> Decision:
            found = decide(*given)
            bazel = replace(found.plan.bazel, accepted=">=4,<5", preferred="4.2.3")
            return replace(found, plan=replace(found.plan, bazel=bazel))

        system = Pin(axis="os", spec="debian:bookworm")
        request = self.request(env="docker", pins=(system,))
        cache = Path(os.environ.get("CHAIN_CACHE") or self.tools.folders.cache)
        tools = replace(self.tools, folders=replace(self.tools.folders, cache=cache))
        with monkeypatch.context() as changed:
            changed.setattr(library_build, "decide", by_this_bazel)
            return execute(LibraryBuild(request, self.tables, tools, self.recipe), tools)

    def _write_tree(self) -> None:
        for name, text in {**_TREE, "tensorflow/c_api.c": _source(self.release)}.items():
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            (self.source / name).write_text(text)

    def _fill(self, files: tuple[str, ...]) -> None:
        for name in files:
            target = self.folder / "bin" / name
            if name in HEADERS:
                target.write_text(HEADERS[name])
            elif is_library_name(name):
                shutil.copyfile(a_library_file(self.folder, name, *self.flags), target)


def a_library(
    tables: Tables, folder: Path, env: FakeEnvironment, release: str = "2.6.5"
) -> Library:
    """A library of a tree in a folder."""
    needs("cc", "c++", "strip", "pkg-config")
    source = plan_of(tables, folder, release).source
    return Library(folder, source, tables, env, small_recipe(), release)


def open_library(
    tables: Tables, folder: Path, env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> Library:
    """A library of a tree in a folder, built with Bazel's answers, and tried for real."""
    library = a_library(tables, folder, env)
    source = library.source
    configured = Configured(rc_file=source / "rc", settings=(), digest="")

    @contextmanager
    def opened(*_: object) -> Iterator[Any]:
        yield env

    monkeypatch.setattr(library_build, "open_place", opened)
    monkeypatch.setattr(tree_stages, "configure_tree", lambda *_: configured)
    monkeypatch.setattr(tree_stages, "read_back", lambda *_: ())
    return library
