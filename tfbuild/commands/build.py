"""What `build` and `plan` do: the whole chain, or what it would be."""

from collections.abc import Mapping

from tfbuild.builds.delivery import require_output
from tfbuild.commands.context import open_tools, read_request, read_settings, request_of
from tfbuild.core.errors import BadRequest
from tfbuild.core.serialization import to_plain
from tfbuild.core.settings import TRUST, Settings, is_yes
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter, print_file, print_json, print_text

STYLES = ("text", "json", "script")


def build(
    words: tuple[str, ...], flags: Mapping[str, str], *, as_json: bool, verbosity: int
) -> None:
    """Run the whole chain and print where the wheel is, or the report as JSON."""
    from tfbuild.builds.library import build_cc_library, library_document
    from tfbuild.builds.pipeline import build as run
    from tfbuild.builds.stages.report import report_document
    from tfbuild.reporting.text import report_text

    with ConsoleReporter(verbosity) as reporter:
        request = read_request(words, flags, reporter)
        require_output(request.output)
        with open_tools(reporter, keep=True) as tools:
            if request.product == "cc":
                made = build_cc_library(request, open_tables(), tools)
                if as_json:
                    print_json(library_document(made))
                else:
                    print_text(f"{made.folder}\n")
                return
            delivered = run(request, open_tables(), tools)
    if as_json:
        print_json({**report_document(delivered.report), "delivered": str(delivered.wheel)})
    else:
        print_text(report_text(delivered.report, str(delivered.wheel)))


def show_plan(words: tuple[str, ...], flags: Mapping[str, str], *, style: str) -> None:
    """Print the plan as text, JSON or a script."""
    from tfbuild.builds.configuration import try_configuration
    from tfbuild.builds.decide import decide
    from tfbuild.reporting.text import plan_script, plan_text, trial_text

    require_style(style)
    with ConsoleReporter() as reporter, open_tools(reporter) as tools:
        settings = read_settings(words, flags, reporter)
        plan = decide(request_of(settings, reporter), open_tables(), tools).plan
        tried = ""
        if style == "text":
            tried = trial_text(try_configuration(plan, tools, doubt_of_tree(settings)))
    if style == "json":
        print_json({"schema": "tfbuild.plan/1", **to_plain(plan)})
    elif style == "script":
        print_file(plan_script(plan))
    else:
        print_text(plan_text(plan) + tried)


def doubt_of_tree(settings: Settings) -> str:
    """Why nothing of a source tree is run for a plan; empty where the user himself named it."""
    if "source" not in settings.of_project() or is_yes(settings.get(TRUST)):
        return ""
    return (
        f"{settings.project} names the tree, and not you; to try it, "
        "add --source with the folder, or --trust-project"
    )


def require_style(style: str) -> None:
    """BadRequest for a format of plans that there is none of."""
    if style not in STYLES:
        raise BadRequest(f"--format is '{style}'", hint=did_you_mean(style, STYLES))
