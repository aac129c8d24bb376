"""A small tree of C++ that a real Bazel builds, through the stage that builds wheels."""

import os
import shutil
import signal
from copy import copy
from dataclasses import replace
from pathlib import Path

from tests.fakes import FakeEnvironment, a_request
from tests.planning import planned
from tfbuild.bazel.server import end_server
from tfbuild.builds.stages.build import run_build
from tfbuild.builds.stages.configure import configure
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.core.interfaces import HostEnvironment
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.paths import data_folder, file_digest
from tfbuild.core.process import ProcessRunner, find_program
from tfbuild.facts.tables import Tables
from tfbuild.fetch.bazel import FoundBazel
from tfbuild.fetch.cache import living_server

_BUILD = """
[cc_library(name = "part" + str(n), srcs = ["part" + str(n) + ".cc"], alwayslink = 1)
 for n in range({parts})]
cc_binary(name = "libtree.so", linkshared = 1, deps = ["part" + str(n) for n in range({parts})])
[genrule(name = "slow" + str(n), outs = ["slow" + str(n) + ".txt"],
         cmd = "{pause}echo " + str(n) + " >> {log}; echo " + str(n) + " > $@")
 for n in range({slow})]
filegroup(name = "everything", srcs = ["libtree.so"] + ["slow" + str(n) for n in range({slow})])
"""
_CONFIGURE = """
import pathlib, sys
options = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:])
rules = pathlib.Path({standins!r})
names = ("rules_cc", "rules_java", "rules_proto", "bazel_skylib", "remote_coverage_tools")
lines = [f"build --override_repository={{name}}={{rules / name}}" for name in names]
lines.append("build --repo_env=CC={compiler}")
pathlib.Path(options["output"]).write_text("\\n".join(lines) + "\\n")
"""


class CppTree:
    """A tree of a few files, and an environment in which a real Bazel builds it.

    The slow actions write their names to `log`, which lies outside of what Bazel knows.
    """

    def __init__(
        self,
        folder: Path,
        bazel: FoundBazel,
        *,
        parts: int = 4,
        slow: int = 0,
        seconds: float = 0.0,
        compiler: str = "g++",
    ) -> None:
        self.source, self.log = folder / "source", folder / "log.txt"
        self.source.mkdir(parents=True, exist_ok=True)
        pause = f"sleep {seconds}; " if seconds else ""
        build = _BUILD.format(parts=parts, slow=slow, pause=pause, log=self.log)
        (self.source / "BUILD").write_text(build)
        (self.source / "WORKSPACE").write_text('workspace(name = "tree")\n')
        (self.source / "version.txt").write_text("0.1.0\n")
        for n in range(parts):
            text = f"int part{n}() {{ return {n}; }}\n"
            (self.source / f"part{n}.cc").write_text(text)
        self.compiler = find_program(compiler)
        standins = str(data_folder("runtime") / "bazel" / "standins")
        script = _CONFIGURE.format(standins=standins, compiler=self.compiler)
        (self.source / "configure.py").write_text(script)
        self.fake = FakeEnvironment(folder)
        self.env = HostEnvironment(
            toolchain=replace(
                self.fake.toolchain, source=self.source, bazel=bazel.path,
                bazel_version=bazel.version, compiler=self.compiler,
            ),
            tools=replace(self.fake.tools, runner=ProcessRunner(log=folder / "bazel.log")),
        )  # fmt: skip
        tables = Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))
        made = planned(a_request(folder), tables, self.fake.tools.host)
        first, second = made.commands
        words = tuple(w for w in second.argv if w not in made.bazel.targets)
        self.plan = replace(
            made,
            source=self.source,
            commands=(first, replace(second, argv=(*words, "//:everything"))),
            bazel=replace(made.bazel, targets=("//:everything",), outputs=("libtree.so",)),
            configure_answers=(),
            estimate=replace(made.estimate, disk_mb=1),
        )

    def build(self, services: Services = NO_SERVICES) -> BuildOutput:
        """Build it, whatever is remembered of it."""
        self.forget_products()
        plan = replace(self.plan, services=services)
        return run_build(plan, configure(plan, self.env), self.env)

    def beside(self, work: Path) -> "CppTree":
        """The same tree and cache as another build has them, that works in a folder of its own."""
        other = copy(self)
        other.env = replace(self.env, toolchain=replace(self.env.toolchain, work=work))
        return other

    def forget_products(self) -> None:
        """Let the next build ask Bazel."""
        shutil.rmtree(self.env.toolchain.work / "products", ignore_errors=True)

    def forget_outputs(self) -> None:
        """Leave of all that was built only what the disk cache holds."""
        self.close()
        for base in (self.env.toolchain.cache / "bazel").glob("[!.]*"):
            if base.name != "install":  # Bazel itself, unpacked
                if pid := living_server(base):  # one that asked a farm waits a while for more
                    os.kill(pid, signal.SIGKILL)
                remove_tree(base)

    def forget_disk(self) -> None:
        """Empty the disk cache."""
        shutil.rmtree(self.env.toolchain.cache / "bazel-disk", ignore_errors=True)

    def forget_all(self) -> None:
        """Leave nothing of all that was built here."""
        self.forget_outputs()
        self.forget_disk()

    def digest(self) -> str:
        """Of the library that was built last."""
        (path,) = (self.env.toolchain.work / "products").glob("*/libtree.so")
        return file_digest(path)

    def warnings(self) -> list[str]:
        """What has been warned of so far."""
        return [words[1] for words in self.fake.reporter.said if words[0] == "warn"]

    def close(self) -> None:
        """Leave no server."""
        end_server(self.env.toolchain)
