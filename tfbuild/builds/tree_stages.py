"""The stages that a wheel and a library of a TensorFlow tree share, in their order."""

from tfbuild.builds.run import Run
from tfbuild.builds.stages.build_tree import build_tree
from tfbuild.builds.stages.configure_tree import configure_tree
from tfbuild.builds.stages.patch_tree import patch_tree
from tfbuild.builds.stages.readback import read_back
from tfbuild.builds.stages.report import write_plan
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.tree_copy import note_patched, stage_tree
from tfbuild.builds.tree_plan import is_tree
from tfbuild.core.interfaces import Environment
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.records import Plan
from tfbuild.reporting.summary import counted_text


def run_tree_stages(plan: Plan, env: Environment, timeline: Timeline) -> BuildOutput:
    """What Bazel makes of a tree, patched and configured before; raises what the stages raise."""
    for warning in plan.tree.warnings:
        env.tools.reporter.warn(warning)
    timeline.run("patch", lambda: _patch(plan, env))
    configured = timeline.run("configure", lambda: configure_tree(plan, env, plan.source))
    timeline.run("readback", lambda: read_back(plan, configured, env))
    return timeline.run("build", lambda: build_tree(plan, env), counted)


def source_of(plan: Plan, run: Run) -> Plan:
    """The plan with what is built as its source: of a tree a private copy, told in plan.json."""
    if not is_tree(plan):
        return plan
    copied = run.stage("source", lambda: stage_tree(plan, run.tools), _where)
    write_plan(copied, run.tools.folders.run)
    return copied


def counted(output: BuildOutput) -> str:
    """What a build took, in a few words."""
    return counted_text(
        output.actions, output.actions_elsewhere, output.cache_hits, output.remote_hits
    )


def _patch(plan: Plan, env: Environment) -> None:
    patch_tree(plan, env)
    note_patched(plan)


def _where(copied: Plan) -> str:
    return f"a private copy in {copied.source}"
