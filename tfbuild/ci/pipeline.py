"""What the pipelines of every CI system share: the cells of a matrix, and what each runs."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from tfbuild.builds.build_matrix import cross
from tfbuild.ci.origin import check_install
from tfbuild.core.axes import AXES
from tfbuild.core.errors import BadRequest, DeadlineReached
from tfbuild.core.layout import CARRIED, PROJECTS, RUNS
from tfbuild.core.masking import mask
from tfbuild.core.records import Pairs
from tfbuild.core.settings import axis_name
from tfbuild.core.versions import did_you_mean

# tfbuild itself runs on this Python where the wheel is for an older one, or for any.
OWN_PYTHON = "3.13"
OLDEST_OWN_PYTHON = (3, 11)
KEPT = tuple(place.name for place in CARRIED)  # folders of the cache, from run to run
LOGS = f"~/.local/state/tfbuild/{PROJECTS.name}/*/{RUNS.name}/"  # what each run has said
SMOKE_MINUTES = 30
PUBLISH_MINUTES = 15
_LEAST_MINUTES = 15
_MOST_CELLS = 48
_EXPRESSIONS = ("${{", "$[[")  # GitHub's, GitLab's
# What looks like a login and is none: by whose name one gets in with a key, and a commit.
_PUBLIC = re.compile(r"(?<=ssh://)[\w.-]+@|@[0-9a-f]{40,64}(?!\w)")
_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]*")
_PYTHON = re.compile(r"3\.(\d+)(\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What a pipeline is to do, whichever system runs it."""

    axes: tuple[tuple[str, tuple[str, ...]], ...]
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


def read_axes(words: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The axes of `python=3.11,3.13 cuda=none,13.0`; BadRequest where a word is none.

    Only plain versions: a pipeline must build tomorrow what it builds today.
    """
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        head, equals, text = word.partition("=")
        name = axis_name(head)
        values = tuple(value.strip() for value in text.split(","))
        if not equals or not all(map(_VALUE.fullmatch, values)):
            raise BadRequest(
                f"'{word}' is not AXIS=VALUE,VALUE",
                why="each value is one version, or none",
                hint="write for example python=3.11,3.13 cuda=none,13.0",
            )
        if name not in AXES:
            raise BadRequest(f"there is no axis '{name}'", hint=did_you_mean(name, AXES))
        if name in found or len(set(values)) < len(values):
            raise BadRequest(f"'{word}' says something twice", hint="say each value once")
        found[name] = values
    found.setdefault("python", (OWN_PYTHON,))
    for version in found["python"]:
        if not _PYTHON.fullmatch(version):
            raise BadRequest(f"'{version}' is no Python version", hint="write python=3.11,3.13")
    return tuple(found.items())


def check_pipeline(pipeline: Pipeline) -> None:
    """BadRequest where no runner could do it."""
    if not pipeline.again.isprintable():
        raise BadRequest("an option has more than one line", hint="write it on one line")
    if expression := next((mark for mark in _EXPRESSIONS if mark in pipeline.install), ""):
        raise BadRequest(
            f"--install holds an expression of the CI system: {expression}",
            why="it would be replaced before the shell reads the line, and could end the quotes",
            hint="write what pip is to install as it is",
        )
    if mask(plain := _PUBLIC.sub("", pipeline.again)) != plain:
        raise BadRequest(
            "the pipeline would hold a login or a token",
            why="its file is committed, and all who read the repository would see it",
            hint="write the address without it, and let the runner know the login, as in ~/.netrc",
        )
    check_install(pipeline.install)
    if pipeline.minutes < _LEAST_MINUTES:
        raise BadRequest(
            f"{pipeline.minutes} minutes are too few",
            why="tools are installed before the build, and the cache is kept after it",
            hint=f"give --minutes {_LEAST_MINUTES} or more",
        )
    if len(pipeline.cells) > _MOST_CELLS:
        raise BadRequest(
            f"the matrix has {len(pipeline.cells)} cells",
            why=f"systems let a job wait for at most {_MOST_CELLS} others",
            hint="write two pipelines",
        )


def published(pipeline: Pipeline) -> tuple[Pairs, ...]:
    """The cells whose wheels are published: one per Python, the first of every other axis.

    An index takes each file name once; and where one has a wheel with CUDA beside one without, pip
    takes the former for everybody.
    """
    first = {name: values[0] for name, values in pipeline.axes if name != "python"}
    return tuple(c for c in pipeline.cells if all(first.get(n, v) == v for n, v in c))


def job_name(cell: Pairs) -> str:
    """One word for a cell: python-3.11-cuda-none."""
    return "-".join(f"{name}-{value}" for name, value in cell)


def variable(axis: str) -> str:
    """The variable by which tfbuild takes the wish for an axis from the environment."""
    return f"TFBUILD_{axis.upper()}"


def install_line(pipeline: Pipeline) -> str:
    """The command that installs tfbuild; no module of the checkout takes part."""
    return f"python -I -m pip install {shlex.quote(pipeline.install)}"


def plan_lines() -> tuple[str, ...]:
    """Decide, and keep the decision beside the wheel."""
    return ("mkdir -p dist", "tfbuild plan --json > dist/plan.json")


def build_script(pipeline: Pipeline, error: str) -> str:
    """The build, which stops in order before the runner ends the job.

    What was compiled until then is in the cache, so that the next run goes on from there.
    """
    return (
        f"tfbuild build --skip-perf --deadline {pipeline.build_minutes}m || {{\n"
        "  code=$?\n"
        f'  if [ "$code" -eq {DeadlineReached.exit_code} ]; then\n'
        f"    echo '{error}the time is up; what was compiled is kept: run the job again'\n"
        "  fi\n"
        '  exit "$code"\n'
        "}\n"
    )


def check_lines() -> tuple[str, ...]:
    """Prove the wheel on a machine that did not build it."""
    return ("tfbuild audit dist/*.whl --plan dist/plan.json", "tfbuild smoke dist/*.whl")


def header(pipeline: Pipeline) -> str:
    """The first lines of the file."""
    return f"# Written by `{pipeline.again}`:\n# write it again rather than edit it.\n"
