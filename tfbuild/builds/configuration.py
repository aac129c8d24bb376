"""Only configures a TensorFlow source tree: for `tfbuild configure`, and as the trial of a plan."""

import shutil
from dataclasses import replace
from pathlib import Path

from tfbuild.builds.decide import decide
from tfbuild.builds.stages.configure_tree import configure_tree
from tfbuild.builds.tool_choice import find_compiler, find_python
from tfbuild.builds.tree_plan import is_tree
from tfbuild.core.errors import BadRequest, EnvironmentFailed
from tfbuild.core.interfaces import HostEnvironment, Tools
from tfbuild.core.layout import TRIAL
from tfbuild.core.outputs import Configured
from tfbuild.core.plans import Plan
from tfbuild.core.records import Request, Toolchain
from tfbuild.core.reports import Trial
from tfbuild.core.run_folder import alone, make_work
from tfbuild.core.safe_files import read_text
from tfbuild.facts.tables import Tables


def configure_source(request: Request, tables: Tables, tools: Tools) -> Configured:
    """Write the configuration into the source tree of a request, and nothing else.

    Raises BadRequest where it is no TensorFlow tree or not for this machine, EnvironmentFailed
    where the planned Python or compiler is missing, and what configure_tree raises.
    """
    if request.env != "host":
        raise BadRequest(
            "configure writes for this machine, and env is docker",
            code="configure-in-container",
            hint="leave --env out, or build with --env docker: it configures inside",
        )
    plan = decide(request, tables, tools).plan
    if not is_tree(plan):
        raise BadRequest(
            "there is nothing to configure: the bundled runtime is configured by each build",
            code="configure-without-tree",
            hint="name a TensorFlow source tree with --source",
        )
    for warning in plan.tree.warnings:
        tools.reporter.warn(warning.text, code=warning.code)
    with alone(tools.folders.work):
        return configure_tree(plan, _environment(plan, tools), plan.source)


def try_configuration(plan: Plan, tools: Tools, doubt: str = "") -> Trial:
    """Run the tree's configure.py into a folder of its own, as the build will run it in the tree.

    The tree is left alone. Raises what configure_tree raises; where this machine is not the one
    that builds, or lacks what is asked for, or a doubt is reported, nothing is tried.
    """
    if not is_tree(plan):
        return Trial()
    if doubt:
        return Trial(skipped=doubt)
    if plan.environment.kind != "host":
        return Trial(skipped="the container that builds it is not there yet")
    folder = TRIAL.path(tools.folders.work)
    try:
        env = _environment(plan, tools)
        folder.mkdir(parents=True, exist_ok=True)
        configured = configure_tree(_without_changes(plan), env, folder)
        return Trial(lines=tuple(read_text(configured.rc_file).splitlines()))
    except EnvironmentFailed as error:
        return Trial(skipped=error.message)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _without_changes(plan: Plan) -> Plan:
    """The plan for a tree that no patch has changed yet: lines are what configure.py writes."""
    return replace(plan, tree=replace(plan.tree, rc_changes=())) if plan.tree.patches else plan


def _environment(plan: Plan, tools: Tools) -> HostEnvironment:
    """This machine as far as configure.py needs it: Python and compiler, and no Bazel."""
    python = find_python(plan, tools.host.pythons)
    compiler = find_compiler(plan, tools.host.compilers)
    needs_compiler = "{c_compiler}" in dict(plan.configure_answers).values()
    if python is None or (compiler is None and needs_compiler):
        lacks = [f"Python {plan.versions.value('python')} with its headers"] if not python else []
        lacks += [f"g++ {plan.versions.value('gcc')}"] if needs_compiler and not compiler else []
        raise EnvironmentFailed(
            f"this machine has no {' and no '.join(lacks)}",
            code="build-tools-missing",
            hint="ask for versions that are here (`tfbuild doctor` lists them), or install them",
        )
    make_work(tools.folders.work)
    chain = Toolchain(
        bazel="",
        bazel_version=plan.bazel.preferred,
        bazel_origin="not started",
        python=python.path,
        python_version=python.version,
        python_headers=python.headers,
        compiler=compiler.path if compiler else "",
        compiler_version=compiler.version if compiler else "",
        source=plan.source,
        cache=tools.folders.cache,
        work=Path(tools.folders.work),
    )
    return HostEnvironment(toolchain=chain, tools=tools)
