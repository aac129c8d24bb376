"""What `tfbuild resolve` does: ask the resolver, print its answer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from tfbuild.builds.stages.request import spoken_pins
from tfbuild.commands.choices import RESOLVE_FORMATS
from tfbuild.commands.context import open_cases, read_pasted, read_settings, write_file
from tfbuild.core.axes import axes, label
from tfbuild.core.errors import BadRequest, NoSolution
from tfbuild.core.lock_file import lock_text
from tfbuild.core.paths import cache_folder
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Host
from tfbuild.core.settings import Settings, axis_name, is_yes, part_words
from tfbuild.core.versions import did_you_mean, nearest_three
from tfbuild.facts.installed import open_tables
from tfbuild.facts.ranges import NONE, span
from tfbuild.facts.rules import load_facts
from tfbuild.facts.source_names import names_of_sources, short_source
from tfbuild.reporting.console import (
    ConsoleReporter,
    print_file,
    print_folded,
    print_json,
    print_text,
    screen_width,
)
from tfbuild.resolver.documents import (
    explained_document,
    images_for,
    lock_of_resolution,
    reason_lines,
    resolution_document,
    trouble_lines,
    version_rows,
)
from tfbuild.resolver.explain import Explained, explain
from tfbuild.resolver.machine import HERE, Machine, here_pins, read_machine
from tfbuild.resolver.patience import Patience
from tfbuild.resolver.question import Question
from tfbuild.resolver.ranking import read_preferences
from tfbuild.resolver.resolution import Resolution, ResolutionWarning
from tfbuild.resolver.resolver import resolve as answer
from tfbuild.resolver.screen import Around, screen_lines, trees_here

_TO_READ = ("table", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveOptions:
    """The options of `tfbuild resolve`."""

    here: bool = False
    machine: str = ""
    explain: str = ""
    style: str = "table"
    lock: str = ""
    published: bool = False
    report: str = ""
    verbosity: int = 0


def resolve(words: tuple[str, ...], flags: Mapping[str, str], asked: ResolveOptions) -> int:
    """Print versions with reasons, or the conflict; the exit code.

    3 where there is no answer, 2 where there is one and a word of the question means nothing.
    """
    _check_options(asked)
    words, strange = part_words(words)
    with ConsoleReporter() as reporter, ThreadPoolExecutor(1) as pool:
        if asked.report:
            words, asked = _with_report(words, asked, reporter)
        settings = read_settings(words, flags, reporter)
        loading = pool.submit(load_facts, open_tables())  # while the machine's programs answer
        host = _host(asked, settings)
        facts = loading.result()
        machine = read_machine(host, facts, _name(asked))
        question = make_question(settings, asked, machine)
        if asked.explain:
            return _explain(question, asked, reporter)
        resolution = answer(question, facts, open_cases(), Patience(say=_speaker(reporter)))
    strange_ones = tuple(_strange(word) for word in strange)
    resolution = replace(resolution, warnings=(*strange_ones, *resolution.warnings))
    if asked.lock:
        _write_lock(resolution, asked.lock, reporter)
    _print(resolution, asked, words, reporter, _around(resolution, machine, asked))
    if not resolution.is_possible:
        return NoSolution.exit_code
    is_read = all(warning.kind != "meaningless" for warning in resolution.warnings)
    return 0 if is_read else BadRequest.exit_code


def _speaker(reporter: ConsoleReporter) -> Callable[[str], None]:
    """Says that the search goes on, in a stage that begins with the first word of it."""
    stages = iter(("resolve",))

    def say(text: str) -> None:
        for name in stages:
            reporter.stage(name)
        reporter.progress(text)

    return say


def _with_report(
    words: tuple[str, ...], asked: ResolveOptions, reporter: ConsoleReporter
) -> tuple[tuple[str, ...], ResolveOptions]:
    """The words with those of the report, before which they count, and what it is about."""
    from tfbuild.facts.reports import read_report

    report = read_report(read_pasted(asked.report))
    if not report.words:
        raise BadRequest(
            f"no line of {asked.report} names a version",
            code="report-without-version",
            hint="write it as words: tensorflow=2.15",
        )
    given = {axis_name(word.partition("=")[0]) for word in words}
    read = tuple(word for word in report.words if word.partition("=")[0] not in given)
    published = asked.published or report.is_published
    subject = "a published wheel" if published else "a build"
    reporter.note(f"read from the report, which is about {subject}: {'; '.join(read)}")
    return (*read, *words), replace(asked, published=published)


def _strange(word: str) -> ResolutionWarning:
    """What is said of a word that names no axis: the rest is answered all the same."""
    name, equals, _ = word.partition("=")
    near = ", ".join(nearest_three(name, axes()))
    message = f"'{word}' is left out: it names no axis; nearest are {near}"
    if not equals and axis_name(name) in axes():
        message = f"'{word}' is left out: write a version behind it, such as {name}=VERSION or any"
    return ResolutionWarning(kind="meaningless", axes=(), message=message, facts=())


def _check_options(asked: ResolveOptions) -> None:
    """BadRequest for a format that there is not, and for options that go against each other."""
    if asked.style not in RESOLVE_FORMATS:
        raise BadRequest(
            f"--format is '{asked.style}'",
            code="format-unknown",
            hint=did_you_mean(asked.style, RESOLVE_FORMATS),
        )
    if asked.explain and asked.lock:
        raise BadRequest(
            "--explain and --lock do not go together",
            code="options-contradict",
            why="--explain shows what speaks for each version, and chooses none to lock",
            hint="leave one of them out",
        )
    if asked.explain and asked.style not in {"table", "json"}:
        raise BadRequest(
            f"--explain cannot be shown as {asked.style}",
            code="explain-format-wrong",
            why="that is a list of chosen versions, and --explain chooses none",
            hint="leave --format out, or write --format json",
        )


def _write_lock(resolution: Resolution, name: str, reporter: ConsoleReporter) -> None:
    """Write the lock of an answer; either way a line says what became of the file."""
    if not resolution.is_possible:
        reporter.warn(
            f"there is no answer, so nothing was written to {name}", code="lock-not-written"
        )
        return
    path = write_file(name, lock_text(lock_of_resolution(resolution)))
    reporter.note(f"written: {path}")


def _print(
    resolution: Resolution,
    asked: ResolveOptions,
    words: Sequence[str],
    reporter: ConsoleReporter,
    around: Around,
) -> None:
    style, is_whole = asked.style, asked.verbosity > 0
    has_cuda = resolution.value("cuda") not in {"", NONE} and (is_whole or style == "json")
    images = images_for(resolution, open_tables().images()) if has_cuda else ()
    if style == "json":
        print_json(resolution_document(resolution, images))
    elif not is_whole and (style == "table" or not resolution.is_possible):
        names = names_of_sources(open_tables())
        print_text("\n".join(screen_lines(resolution, names, words, screen_width(), around)))
    elif style == "table" or not resolution.is_possible:
        if resolution.choices:
            columns = ("axis", "version", "evidence", "also possible")
            reporter.table("", columns, version_rows(resolution))
            print_folded(reason_lines(resolution))
        if images:
            print_folded([f"images with all of this: {', '.join(images)}"])
        print_folded([f"status: {resolution.status}", *trouble_lines(resolution)])
    else:
        print_file(_as_file(resolution, style))


def _around(resolution: Resolution, machine: Machine, asked: ResolveOptions) -> Around:
    """What was chosen and this machine does not have, and which trees lie in this folder."""
    lacks = (
        f"{label(axis)} {value}"
        for axis in ("python", "gcc", "clang")
        if (value := resolution.value(axis)) not in {"", NONE}
        and not (asked.published or asked.machine or machine.where(axis, value))
    )
    return Around(lacks=tuple(lacks), trees=trees_here())


def _as_file(resolution: Resolution, style: str) -> str:
    from tfbuild.resolver.export import conda_environment, requirements

    if style == "conda":
        return conda_environment(resolution)
    return requirements(resolution, open_tables().wheels())


def make_question(settings: Settings, asked: ResolveOptions, machine: Machine) -> Question:
    """The question that the settings mean, for a machine."""
    pins = list(spoken_pins(settings))
    if asked.here or asked.machine:
        pins += here_pins(machine, pins)
    # A lock and files for other tools are for a build; so is what was tested.
    is_of_build = is_yes(settings.get("strict")) or asked.lock or asked.style not in _TO_READ
    return Question(
        unsaid="runtime" if is_of_build else "",
        pins=tuple(pins),
        machine=machine,
        prefer=read_preferences(settings.text("prefer")),
        strict=is_yes(settings.get("strict")),
        published=asked.published,
    )


def _host(asked: ResolveOptions, settings: Settings) -> Host:
    """This machine, or the one of a `tfbuild doctor --json`; BadRequest where the file is none."""
    if asked.machine:
        from tfbuild.builds.saved_files import read_host

        return read_host(Path(asked.machine))
    from tfbuild.doctor.survey import EVERYTHING, look_at_host

    unasked = {"engines"}  # no fact is about them
    if not asked.here and settings.text("gpu") != "native":
        unasked.add("gpus")
    return look_at_host(ProcessRunner(), cache_folder(), EVERYTHING - unasked)


def _name(asked: ResolveOptions) -> str:
    return f"the machine of {Path(asked.machine).name}" if asked.machine else HERE


def _explain(question: Question, asked: ResolveOptions, reporter: ConsoleReporter) -> int:
    axis = axis_name(asked.explain)
    rows = explain(axis, question, load_facts(open_tables()))
    if asked.style == "json":
        print_json(explained_document(axis, rows))
    else:
        names = names_of_sources(open_tables())
        table = [
            (
                span([row.value for row in same]),
                verdict,
                reason,
                ", ".join(short_source(source, names) or source for source in same[0].sources[:2]),
            )
            for (verdict, reason), same in _neighbours(rows)
        ]
        reporter.table("", (axis, "verdict", "because", "source"), table)
    return 0


def _neighbours(
    rows: Sequence[Explained],
) -> Iterator[tuple[tuple[str, str], list[Explained]]]:
    """Values that lie side by side and have one verdict for one reason, as one."""
    for key, same in groupby(rows, key=lambda row: (row.verdict, row.reason)):
        yield key, list(same)
