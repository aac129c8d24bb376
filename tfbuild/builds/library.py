"""The C++ library of a TensorFlow source tree: built as a wheel is, and delivered as a folder."""

import shutil
from contextlib import ExitStack
from pathlib import Path

from tfbuild.builds.decide import decide
from tfbuild.builds.open_place import open_place
from tfbuild.builds.stages.build_tree import build_tree
from tfbuild.builds.stages.configure_tree import configure_tree
from tfbuild.builds.stages.patch_tree import patch_tree
from tfbuild.builds.stages.readback import read_back
from tfbuild.builds.timeline import Timeline
from tfbuild.core.interfaces import Tools
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.parts import part_folder
from tfbuild.core.records import Plan, Request
from tfbuild.core.run_folder import alone
from tfbuild.facts.tables import Tables


def build_cc_library(request: Request, tables: Tables, tools: Tools) -> Path:
    """The folder with libtensorflow_cc, libtensorflow_framework and the headers.

    Raises the TfbuildError of the stage that failed; the output folder is touched last.
    """
    timeline = Timeline(reporter=tools.reporter)
    with alone(tools.folders.work), ExitStack() as stack:
        plan = timeline.run("decide", lambda: decide(request, tables, tools).plan)
        env = timeline.run("environment", lambda: stack.enter_context(open_place(plan, tools)))
        timeline.run("patch", lambda: patch_tree(plan, env))
        configured = timeline.run("configure", lambda: configure_tree(plan, env, plan.source))
        timeline.run("readback", lambda: read_back(plan, configured, env))
        output = timeline.run("build", lambda: build_tree(plan, env))
        return _deliver(plan, output)


def _deliver(plan: Plan, output: BuildOutput) -> Path:
    """Put the files into the output folder, all of them or none."""
    target = plan.output / f"libtensorflow_cc-{plan.tree.release}-{plan.device}"
    plan.output.mkdir(parents=True, exist_ok=True)
    with part_folder(plan.output) as aside:
        for name, path in output.files:
            place = aside / _place(name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)
        shutil.rmtree(target, ignore_errors=True)
        aside.rename(target)
    return target


def _place(name: str) -> Path:
    """Where a file of bazel-bin belongs: include/ as it is, libraries in lib/."""
    path = Path(name)
    is_header = path.parts[:2] == ("tensorflow", "include")
    return Path(*path.parts[1:]) if is_header else Path("lib", path.name)
