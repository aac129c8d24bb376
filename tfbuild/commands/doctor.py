"""What `tfbuild doctor` does: looks, draws the lines by group, and gives the exit code."""

from itertools import groupby

from tfbuild.builds.stages.request import wished_pins
from tfbuild.commands.context import open_tools, read_settings
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.records import Host
from tfbuild.doctor.abilities import verdict_lines
from tfbuild.doctor.checks.model import BuildNeeds, Check
from tfbuild.doctor.examination import (
    bundled_needs,
    catalogue,
    choose,
    document,
    examine,
    is_failed,
    with_costs,
)
from tfbuild.doctor.feasibility import GROUP, Feasibility, assess
from tfbuild.facts.installed import open_tables
from tfbuild.facts.rules import load_facts
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.resolver.machine import Machine, read_machine
from tfbuild.resolver.question import Question

_AMISS = frozenset({"failure", "warning"})
_STATES = ("failure", "warning", "skipped", "pass")


def doctor(only: tuple[str, ...], words: tuple[str, ...], *, as_json: bool, verbosity: int) -> int:
    """Print every check of this machine; the exit code, 4 where a build cannot work.

    words are a request (AXIS=SPEC): the machine is judged by the versions that it means, and the
    verdict and the shortest way come first. BadRequest names the nearest check to a mistyped one.
    """
    choose(only)  # a mistyped name is told before anything is looked at
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter) as tools:
        needs = bundled_needs(open_tables(), tools.host)
        machine = read_machine(tools.host, load_facts(open_tables()))
        verdict: tuple[Check, ...] = ()
        if words:
            feasibility = _assess(words, machine, needs, reporter, tools.host)
            verdict, needs = feasibility.checks, feasibility.needs
        checks = (*verdict, *examine(tools, needs, only, machine.packages))
    if as_json:
        print_json(document(checks, tools, needs))
    else:
        if not only:
            print_text("\n".join(verdict_lines(checks)))
        show_checks(reporter, checks, whole=verbosity > 0 or bool(only))
    return EnvironmentFailed.exit_code if is_failed(checks) else 0


def _assess(
    words: tuple[str, ...],
    machine: Machine,
    usual: BuildNeeds,
    reporter: ConsoleReporter,
    host: Host,
) -> Feasibility:
    """The verdict on a request for this machine."""
    tables = open_tables()
    facts = load_facts(tables)
    pins = wished_pins(read_settings(words, {}, reporter))
    question = Question(pins=pins, machine=machine)

    def costs(needs: BuildNeeds, recipe: str) -> BuildNeeds:
        return with_costs(needs, tables.recipe(recipe), tables.memory(), host)

    return assess(question, facts, tables.images(), usual, costs)


def show_checks(reporter: ConsoleReporter, checks: tuple[Check, ...], *, whole: bool) -> None:
    """Draw the checks, one table per group, and count them; only what is not in order, or all."""
    told = [check for check in checks if whole or check.state in _AMISS or check.group == GROUP]
    for group, lines in groupby(told, key=lambda check: check.group):
        rows = [(c.state, c.name, c.detail + (f"\n→ {c.fix}" if c.fix else "")) for c in lines]
        reporter.table(group, ("", "", ""), rows)
    counts = [(state, sum(check.state == state for check in checks)) for state in _STATES]
    more = "" if len(told) == len(checks) else "; -v shows them all"
    print_text(", ".join(_counted(count, state) for state, count in counts if count) + more)


def _counted(count: int, state: str) -> str:
    is_noun = state in _AMISS
    return f"{count} {state}s" if is_noun and count > 1 else f"{count} {state}"


def list_checks(*, as_json: bool) -> None:
    """Print what can be checked, what each looks at and how long it takes."""
    found = catalogue()
    if as_json:
        print_json(found)
        return
    rows = [
        (
            f"{row['group']}.{row['name']}",
            row["looks_at"],
            f"{row['seconds']:.1f} s" if row["seconds"] else "",
        )
        for row in found["checks"]
    ]
    ConsoleReporter().table("", ("check", "looks at", "takes"), rows)
