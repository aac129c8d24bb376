"""What `build` and `plan` do, for whatever can be built."""

from tfbuild.builds.delivery import require_output
from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.buildable.read import read_buildable
from tfbuild.commands.choices import PLAN_FORMATS
from tfbuild.commands.context import open_tools
from tfbuild.core.errors import BadRequest
from tfbuild.core.plans import Plan
from tfbuild.core.versions import did_you_mean
from tfbuild.reporting.console import ConsoleReporter, print_file, print_json, print_text


def build(asked: Asked, *, as_json: bool, verbosity: int) -> int:
    """Build, prove and deliver; print where it is and what to type next, or the report as JSON.

    Returns the exit code: that of a matrix says what became of its cells. Raises the TfbuildError
    of the stage that failed.
    """
    from tfbuild.run.execute import execute

    if asked.matrix:
        from tfbuild.commands.build_matrix import build_matrix

        return build_matrix(asked, as_json=as_json, verbosity=verbosity)
    with ConsoleReporter(verbosity) as reporter:
        buildable = read_buildable(asked, reporter)
        if buildable.output:
            require_output(buildable.output)
        with open_tools(reporter, keep=True) as tools:
            report = execute(buildable.build(tools), tools)
            run = tools.folders.run
    if as_json:
        print_json(buildable.report_document(report))
    else:
        print_text(buildable.report_text(report, run))
    return 0


def show_plan(asked: Asked, *, style: str, verbosity: int = 0) -> int:
    """Print the plan as text, JSON or a script; the exit code, as `build` has it.

    The text has with -v what speaks for each version.
    """
    if asked.matrix:
        from tfbuild.commands.build_matrix import show_cells

        return show_cells(asked, style=style)
    if style not in PLAN_FORMATS:
        raise BadRequest(
            f"--format is '{style}'", code="format-unknown", hint=did_you_mean(style, PLAN_FORMATS)
        )
    from tfbuild.reporting.text import reasons_text

    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        buildable = read_buildable(asked, reporter)
        plan = buildable.plan(tools)
        text = buildable.plan_text(plan, tools) if style == "text" else ""
    if style == "json":
        print_json(buildable.plan_document(plan))
    elif style == "script":
        print_file(buildable.plan_script(plan))
    else:
        print_text(text)
        versions = plan if isinstance(plan, Plan) else getattr(plan, "tree_plan", None)
        if verbosity and versions:
            print_text(f"\n{reasons_text(versions)}")
    return 0
