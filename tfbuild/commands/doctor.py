"""What `tfbuild doctor` does: looks, draws the lines by group, and gives the exit code."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tfbuild.builds.decide import measured_jobs
from tfbuild.builds.stages.request import requested_pins
from tfbuild.commands.context import open_tools, read_settings
from tfbuild.commands.doctor_recipe import judge_recipe, recipe_of, verdict_line, without_own
from tfbuild.core.counts import counted
from tfbuild.core.durations import clock
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import data_folder
from tfbuild.doctor.abilities import request_lines, verdict_lines
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
from tfbuild.places.survey import GROUP as NEEDS
from tfbuild.reporting.console import (
    ConsoleReporter,
    print_folded,
    print_json,
    print_text,
    screen_width,
)
from tfbuild.resolver.machine import Machine, read_machine
from tfbuild.resolver.question import Question
from tfbuild.resolver.screen import Around, next_lines, trees_here

_ALWAYS = (GROUP, NEEDS)  # what was asked, line by line
_AMISS = frozenset({"failure", "warning"})
_STATES = ("failure", "warning", "skipped", "pass")


def doctor(only: tuple[str, ...], words: tuple[str, ...], *, as_json: bool, verbosity: int) -> int:
    """Print every check of this machine; the exit code, 4 where a build cannot work.

    words are a request (AXIS=SPEC): the machine is judged by the versions that it means, and the
    verdict and the shortest way come first; or a recipe and its options: by what that needs.
    BadRequest names the nearest check to a mistyped one.
    """
    choose(only)  # a mistyped name is an error before anything is looked at
    asked = words
    words, is_recipe = without_own(words)
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter) as tools:
        if is_recipe:
            seen = _recipe(words, only, tools)
        else:
            seen = _versions(words, only, tools, reporter, recipe_of(asked))
    if as_json:
        print_json(document(seen.checks, tools, seen.needs))
    else:
        if not only:
            print_folded(seen.verdict)
        show_checks(reporter, seen.checks, whole=verbosity > 0 or bool(only))
        if not only and seen.next:
            print_text("\n".join((*_first(seen.checks), *seen.next)))
    return EnvironmentFailed.exit_code if is_failed(seen.checks) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What was found, what it was judged by, and the verdict in a sentence or two."""

    checks: tuple[Check, ...]
    needs: BuildNeeds
    verdict: Sequence[str]
    next: Sequence[str] = ()  # the command to type when all is there


def _versions(
    words: tuple[str, ...],
    only: tuple[str, ...],
    tools: Tools,
    reporter: ConsoleReporter,
    recipe: str,
) -> _Seen:
    """This machine, judged by a request for versions; by the bundled runtime without one."""
    needs = _measured(bundled_needs(open_tables(), tools.host), tools)
    machine = read_machine(tools.host, load_facts(open_tables()))
    if not words:
        checks = examine(tools, needs, only, machine.packages)
        return _Seen(checks=checks, needs=needs, verdict=verdict_lines(checks))
    found = _assess(words, machine, needs, reporter, tools)
    needs = found.needs
    checks = _once(found.checks, examine(tools, needs, only, machine.packages))
    title = f"the C++ library of {needs.title}" if recipe else needs.title
    verdict = request_lines(title, found.way, checks, of_gpu=needs.device == "cuda")
    build = [recipe] if recipe else []
    build += ["--env", "docker"] if found.way == "container" else []
    around = Around(trees=trees_here())
    command = next_lines(found.answer, words, screen_width(), around, build)
    return _Seen(checks=checks, needs=needs, verdict=verdict, next=command)


def _first(checks: Sequence[Check]) -> list[str]:
    """What is to be done before the next command: the remedies of what keeps it from working."""
    failed = (check for check in checks if check.state == "failure" and check.group != GROUP)
    return [f"first: {fix}" for fix in dict.fromkeys(check.fix for check in failed if check.fix)]


def _once(request: Sequence[Check], others: Sequence[Check]) -> tuple[Check, ...]:
    """All checks; a tool that the others miss as well is in their line alone, with its remedy."""
    missed = {check.name for check in others if check.state in _AMISS}
    kept = (one for one in request if one.name not in missed or one.state not in _AMISS)
    return (*kept, *others)


def _recipe(words: tuple[str, ...], only: tuple[str, ...], tools: Tools) -> _Seen:
    """This machine, judged by a recipe."""
    judged = judge_recipe(words, tools)
    checks = (*judged.checks, *examine(tools, judged.needs, only or judged.groups))
    verdict = [verdict_line(judged.needs.title, checks)]
    command = [f"next: {shlex.join(('tfbuild', 'plan', *words))}"]
    return _Seen(checks=checks, needs=judged.needs, verdict=verdict, next=command)


def _measured(needs: BuildNeeds, tools: Tools) -> BuildNeeds:
    """The needs of the bundled runtime with the jobs that its earlier builds leave room for."""
    targets = open_tables().recipe(needs.device).targets
    count = measured_jobs(data_folder("runtime"), targets, tools.host, tools.folders.cache)
    if count is None:
        return needs
    return replace(needs, jobs=count.jobs, jobs_because=count.because, memory_mb=count.memory_mb)


def _assess(
    words: tuple[str, ...],
    machine: Machine,
    usual: BuildNeeds,
    reporter: ConsoleReporter,
    tools: Tools,
) -> Feasibility:
    """The verdict on a request for this machine."""
    tables = open_tables()
    facts = load_facts(tables)
    pins = requested_pins(read_settings(words, {}, reporter))
    question = Question(pins=pins, machine=machine)

    def costs(needs: BuildNeeds, recipe: str) -> BuildNeeds:
        found = with_costs(needs, tables.recipe(recipe), tables.memory(), tools.host)
        # A TensorFlow is built of a tree, and none is named here: nothing was measured of it.
        return found if recipe.startswith("tensorflow") else _measured(found, tools)

    return assess(question, facts, tables.images(), usual, costs)


def show_checks(reporter: ConsoleReporter, checks: tuple[Check, ...], *, whole: bool) -> None:
    """Draw the checks, one table per group, and count them; only what is not in order, or all."""
    shown = [check for check in checks if whole or check.state in _AMISS or check.group in _ALWAYS]
    for group, lines in groupby(shown, key=lambda check: check.group):
        rows = [(c.state, c.name, c.detail + (f"\n→ {c.fix}" if c.fix else "")) for c in lines]
        reporter.table(group, ("", "", ""), rows)
    counts = [(state, sum(check.state == state for check in checks)) for state in _STATES]
    more = "" if len(shown) == len(checks) else "; -v shows them all"
    print_text(", ".join(_tallied(count, state) for state, count in counts if count) + more)


def _tallied(count: int, state: str) -> str:
    return counted(count, state) if state in _AMISS else f"{count} {state}"


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
            clock(row["seconds"]) if row["seconds"] else "",
        )
        for row in found["checks"]
    ]
    ConsoleReporter().table("", ("check", "looks at", "takes"), rows)
