"""The stages of every TensorFlow tree, and the first ones of a wheel."""

from tfbuild.builds.decide import decide
from tfbuild.builds.run import Run
from tfbuild.builds.stages.build_tree import build_tree
from tfbuild.builds.stages.configure_tree import configure_tree
from tfbuild.builds.stages.patch_tree import patch_tree
from tfbuild.builds.stages.readback import read_back
from tfbuild.builds.stages.report import write_plan
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.tree_copy import note_patched, stage_tree
from tfbuild.builds.tree_plan import is_tree
from tfbuild.core.disk_space import explaining_need
from tfbuild.core.interfaces import Environment
from tfbuild.core.outputs import BuildOutput
from tfbuild.core.plans import Plan
from tfbuild.core.records import Request
from tfbuild.facts.tables import Tables
from tfbuild.reporting.summary import counted_text


def run_tree_stages(plan: Plan, env: Environment, timeline: Timeline) -> BuildOutput:
    """What Bazel makes of a tree, patched and configured before; raises what the stages raise."""
    for warning in plan.tree.warnings:
        env.tools.reporter.warn(warning.text, code=warning.code)
    timeline.run("patch", lambda: _patch(plan, env))
    configured = timeline.run("configure", lambda: configure_tree(plan, env, plan.source))
    timeline.run("readback", lambda: read_back(plan, configured, env))
    return timeline.run("build", lambda: build_tree(plan, env), actions_of)


def decided(request: Request, tables: Tables, run: Run) -> Plan:
    """The plan, written into the folder of the run; raises what decide raises.

    From then on the error of a full disk says what the plan needs.
    """
    tools = run.tools
    plan = run.stage("decide", lambda: decide(request, tables, tools).plan, _choices)
    run.stack.enter_context(
        explaining_need(plan.estimate.disk_mb, tools.folders.cache, tools.folders.work)
    )
    write_plan(plan, tools.folders.run)
    return plan


def source_of(plan: Plan, run: Run) -> Plan:
    """The plan with what is built as its source: of a tree a private copy, named in plan.json."""
    if not is_tree(plan):
        return plan
    copied = copied_tree(plan, run)
    write_plan(copied, run.tools.folders.run)
    return copied


def copied_tree(plan: Plan, run: Run) -> Plan:
    """The plan with a private copy of its tree as the source; raises what stage_tree raises."""
    if plan.environment.kind == "docker":
        from tfbuild.containers.left import end_left  # slow to load, and seldom needed

        end_left()
    return run.stage("source", lambda: stage_tree(plan, run.tools), _where)


def actions_of(output: BuildOutput) -> str:
    """What a build took, in a few words."""
    return counted_text(
        output.actions, output.actions_elsewhere, output.cache_hits, output.remote_hits
    )


def _patch(plan: Plan, env: Environment) -> None:
    patch_tree(plan, env)
    note_patched(plan)


def _where(copied: Plan) -> str:
    return f"a private copy in {copied.source}"


def _choices(plan: Plan) -> str:
    return ", ".join(f"{c.axis} {c.value}" for c in plan.versions.choices if c.axis != "gpu")
