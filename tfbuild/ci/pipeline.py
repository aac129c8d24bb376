"""What the pipelines of every CI system share: the cells of a matrix, and what each runs."""

import re
import shlex
from dataclasses import dataclass
from typing import Literal

from tfbuild.builds.build_matrix import cross
from tfbuild.ci.origin import check_install
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest, DeadlineReached
from tfbuild.core.layout import PROJECTS, RUNS, Place
from tfbuild.core.masking import mask
from tfbuild.core.records import Pairs

# tfbuild itself runs on this Python where the wheel is for an older one, or for any.
OWN_PYTHON = "3.13"
OLDEST_OWN_PYTHON = (3, 11)
LOGS = f"~/.local/state/tfbuild/{PROJECTS.name}/*/{RUNS.name}/"  # what each run has said
SMOKE_MINUTES = 30
PUBLISH_MINUTES = 15
Axes = tuple[tuple[str, tuple[str, ...]], ...]
Destination = Literal["index", "release", "none"]  # the package index; a release of the repository
_LEAST_MINUTES = 15
_MOST_CELLS = 48
_EXPRESSIONS = ("${{", "$[[")  # GitHub's, GitLab's
# What looks like a login and is none: by whose name one gets in with a key, and a commit.
_PUBLIC = re.compile(r"(?<=ssh://)[\w.-]+@|@[0-9a-f]{40,64}(?!\w)")
_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a pipeline builds, and by which commands; how jobs are written is the system's own."""

    name: str  # of the workflow
    noun: str  # of one file: wheel
    files: tuple[str, ...]  # what is published, by patterns
    plan: str  # the command, to which --json is added
    build: str  # the command, to which a deadline is added
    prefix: str  # of the variables that hold the values of a cell
    destination: Destination
    distinct: frozenset[str]  # the axes whose values stand in the names of the files
    kept: tuple[Place, ...]  # of the cache, from run to run
    late: str  # what to do where the time was not enough
    sums: str = ""  # the command that writes digests beside what was built
    checks: tuple[str, ...] = ()  # they prove it on a machine that did not build it
    packages: tuple[str, ...] = ()  # of Debian and Ubuntu: what a build needs of its machine
    python: str = ""  # the axis whose Python the machine needs, beside tfbuild's own
    notes: tuple[str, ...] = ()  # for who reads the file

    def variable(self, axis: str) -> str:
        """The variable that holds a cell's value of an axis."""
        return variable(self.prefix, axis)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What a pipeline is to do, whichever system runs it."""

    subject: Subject
    axes: Axes
    install: str  # what pip installs to get tfbuild
    tfbuild_version: str
    minutes: int = 60  # after which the runner ends the job
    again: str = ""  # the command that writes this file

    @property
    def cells(self) -> tuple[Pairs, ...]:
        """Every combination, in the order given."""
        return cross(self.axes)

    @property
    def build_minutes(self) -> int:
        """What of the job's time the build may have: tools come first, and the cache is kept."""
        return self.minutes - min(15, max(5, self.minutes // 6))


def split_word(word: str) -> tuple[str, tuple[str, ...]]:
    """The name and the values of NAME=VALUE,VALUE; no values where it is none."""
    name, _, text = word.partition("=")
    values = tuple(value.strip() for value in text.split(","))
    return name.strip(), values if all(values) else ()


def is_plain(value: str) -> bool:
    """Whether shells, names of files and CI systems take a value as it is."""
    return bool(_VALUE.fullmatch(value))


def check_pipeline(pipeline: Pipeline) -> None:
    """BadRequest where no runner could do it."""
    if not pipeline.again.isprintable():
        raise BadRequest(
            "an option has more than one line",
            code="pipeline-option-multiline",
            hint="write it on one line",
        )
    for what, text in (("--install", pipeline.install), ("the recipe", pipeline.subject.build)):
        if expression := next((mark for mark in _EXPRESSIONS if mark in text), ""):
            raise BadRequest(
                f"{what} holds an expression of the CI system: {expression}",
                code="pipeline-holds-expression",
                why="it would be replaced before the shell reads the line, and may end the quotes",
                hint="write it without",
            )
    if mask(plain := _PUBLIC.sub("", pipeline.again)) != plain:
        raise BadRequest(
            "the pipeline would hold a login or a token",
            code="pipeline-holds-secret",
            why="its file is committed, and all who read the repository would see it",
            hint="write the address without it, and let the runner know the login, as in ~/.netrc",
        )
    check_install(pipeline.install)
    if pipeline.minutes < _LEAST_MINUTES:
        raise BadRequest(
            f"{pipeline.minutes} minutes are too few",
            code="pipeline-minutes-few",
            why="tools are installed before the build, and the cache is kept after it",
            hint=f"give --minutes {_LEAST_MINUTES} or more",
        )
    if len(pipeline.cells) > _MOST_CELLS:
        raise BadRequest(
            f"the matrix has {counted(len(pipeline.cells), 'cell')}",
            code="pipeline-cells-many",
            why=f"systems let a job wait for at most {_MOST_CELLS} others",
            hint="write two pipelines",
        )


def published(pipeline: Pipeline) -> tuple[Pairs, ...]:
    """The cells whose files are published: of those with one file name, the first."""
    first = {n: values[0] for n, values in pipeline.axes if n not in pipeline.subject.distinct}
    return tuple(c for c in pipeline.cells if all(first.get(n, v) == v for n, v in c))


def job_name(cell: Pairs) -> str:
    """One word for a cell: python-3.11-cuda-none."""
    return "-".join(f"{name}-{value}" for name, value in cell)


def variable(prefix: str, axis: str) -> str:
    """The variable that holds a cell's value of an axis: OPTION_THREADS."""
    return prefix + re.sub("[^A-Z0-9_]", "_", axis.upper())


def install_line(pipeline: Pipeline) -> str:
    """The command that installs tfbuild; no module of the checkout takes part."""
    return f"python -I -m pip install {shlex.quote(pipeline.install)}"


def packages_line(pipeline: Pipeline, root: str = "") -> str:
    """The command that installs what the build needs, by a program that makes one root."""
    apt = f"{root} apt-get".strip()
    words = shlex.join(pipeline.subject.packages)
    return f"{apt} update && {apt} install --yes --no-install-recommends {words}"


def plan_lines(pipeline: Pipeline) -> tuple[str, ...]:
    """Decide, and keep the decision beside what is built; then show it."""
    plan = pipeline.subject.plan
    return ("mkdir -p dist", f"{plan} --json > dist/plan.json", plan)


def build_script(pipeline: Pipeline, error: str) -> str:
    """The build, which stops in order before the runner ends the job, and says what to do then."""
    return (
        f"{pipeline.subject.build} --deadline {pipeline.build_minutes}m || {{\n"
        "  code=$?\n"
        f'  if [ "$code" -eq {DeadlineReached.exit_code} ]; then\n'
        f"    echo '{error}the time is up; {pipeline.subject.late}'\n"
        "  fi\n"
        '  exit "$code"\n'
        "}\n"
    )


def header(pipeline: Pipeline) -> str:
    """The first lines of the file."""
    lines = (f"Written by `{pipeline.again}`:", "write it again rather than edit it.")
    return "".join(f"# {line}\n" for line in (*lines, *pipeline.subject.notes))
