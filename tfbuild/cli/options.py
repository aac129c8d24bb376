"""Options that several commands share, and what becomes of them.

A record of options stands in a command's signature as one parameter; `spelled_out` shows typer its
fields instead, in their order.
"""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tfbuild.cli.completion import BUILD_WORDS, found_by, one_of
from tfbuild.cli.pages import OUTPUT, PANEL_OF
from tfbuild.commands.choices import ENVIRONMENTS, PLAN_FORMATS, RESOLVE_FORMATS
from tfbuild.core.build_kinds import OBEYED_BY, Kind
from tfbuild.core.errors import BadRequest

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[AXIS=SPEC]...",
        help='python=3.11, "cuda>=13.0,<13.3", numpy=2.3 ...',
        autocompletion=found_by("axis_words"),
    ),
]
BuildWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RECIPE] [AXIS=SPEC]...",
        help="A name from `tfbuild recipes list`, or a YAML file; python=3.11, OPTION=on ...",
        autocompletion=BUILD_WORDS,
    ),
]
Cuda = Annotated[bool, typer.Option("--cuda", help="Build with CUDA kernels.")]
GpuNames = Annotated[
    str,
    typer.Option(
        "--gpu",
        "--arch",
        metavar="NAMES",
        help="GPUs: 'RTX 3090', sm_90, native; implies --cuda.",
        autocompletion=found_by("gpu_names"),
    ),
]
Source = Annotated[
    str,
    typer.Option(
        metavar="DIR",
        help="The source tree to build; for a recipe also an archive, or debian.",
    ),
]
Tree = Annotated[str, typer.Option("--source", metavar="DIR", help="The TensorFlow source tree.")]
OutputFolder = Annotated[
    str, typer.Option(metavar="DIR", help="The folder for the wheel (default: dist).")
]
Jobs = Annotated[str, typer.Option("--jobs", "-j", metavar="N", help="Number of parallel jobs.")]
Against = Annotated[
    list[str] | None,
    typer.Option(metavar="WHEEL", help="Compare speed with a wheel or NAME==VERSION; repeatable."),
]
InstallSystemPackages = Annotated[
    bool,
    typer.Option(
        "--install-system-packages", help="Install missing packages with apt-get (as root)."
    ),
]
TrustProject = Annotated[
    bool,
    typer.Option(
        "--trust-project",
        help="Also take servers, images and packages from pyproject.toml.",
    ),
]
SkipPerf = Annotated[bool, typer.Option("--skip-perf", help="Do not measure the speed.")]
Prefer = Annotated[
    str,
    typer.Option(
        metavar="ORDER",
        help="Order of preference (default: evidence,here,newest).",
        autocompletion=found_by("preferences"),
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Use only versions that their makers tested together.")
]
LockFile = Annotated[
    str,
    typer.Option(
        "--lock",
        metavar="FILE",
        help="Use the versions of this lock.",
        autocompletion=found_by("lock_files"),
    ),
]
Env = Annotated[
    str,
    typer.Option(
        "--env",
        metavar="host|docker",
        help="Build on this machine or in a container.",
        autocompletion=one_of(*ENVIRONMENTS),
    ),
]
Image = Annotated[
    str, typer.Option(metavar="NAME", help="The container image (default: built for the plan).")
]
Cpus = Annotated[str, typer.Option(metavar="N", help="Processors for the container.")]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="Memory for the container, such as 6g.")]
Pids = Annotated[
    str,
    typer.Option(metavar="N", help="Most processes and threads in the container (default: 16384)."),
]
RemoteCache = Annotated[
    str, typer.Option(metavar="URL", help="A shared cache: http(s)://, grpc(s)://HOST:PORT.")
]
RemoteExecutor = Annotated[
    str, typer.Option(metavar="URL", help="A build farm: grpc(s)://HOST:PORT or .../INSTANCE.")
]
RemoteHeader = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VARIABLE", help="A header, and the environment variable with its value."
    ),
]
RemoteProperty = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE", help="A property that the farm's machines must have; repeatable."
    ),
]
RemoteRequired = Annotated[
    bool, typer.Option("--remote-required", help="Fail if the cache or the farm cannot be reached.")
]
DiskCacheLimit = Annotated[
    str, typer.Option(metavar="SIZE", help="Most disk space for cached results (default: 20g).")
]
VerifyCache = Annotated[
    str,
    typer.Option(
        metavar="SHARE", help="Recompile this share of cached results and compare, such as 5%."
    ),
]
KeepServer = Annotated[
    bool,
    typer.Option(
        "--keep-server", help="Keep Bazel's server for the next build (0.3 GB of memory)."
    ),
]
DeadlineAt = Annotated[
    str,
    typer.Option("--deadline", metavar="TIME", help="Stop cleanly after 5h or 45m, or at 17:30."),
]
BuildFile = Annotated[
    str,
    typer.Option(
        "--build-file", metavar="FILE", help="A YAML file that says how to build a TensorFlow tree."
    ),
]
Library = Annotated[
    bool, typer.Option("--cc", help="Build the C++ library of a TensorFlow tree, not the wheel.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUTPUT)
]
Matrix = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AXIS=V,V",
        help="Build every combination of these values; repeatable.",
        autocompletion=found_by("axis_words"),
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="FILE", help="Also test tflite with this model; repeatable."),
]
Verbose = Annotated[
    int,
    typer.Option(
        "-v",
        "--verbose",
        count=True,
        help="Print more; -vv prints everything.",
        rich_help_panel=OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("-q", "--quiet", help="Print only warnings and errors.", rich_help_panel=OUTPUT),
]
_PLAIN = (
    "gpu", "source", "output", "jobs", "prefer", "env", "image", "cpus", "memory", "pids", "lock",
    "disk_cache_limit", "remote_cache", "remote_executor", "verify_cache", "deadline", "build_file",
)  # fmt: skip
_LISTS = ("against", "remote_header", "remote_property")
_YES_OR_NO = (
    "trust_project",
    "install_system_packages",
    "skip_perf",
    "strict",
    "remote_required",
    "keep_server",
    "cc",
)
ExplainAxis = Annotated[
    str,
    typer.Option(
        metavar="AXIS",
        help="Explain why each version of this axis is chosen or not.",
        autocompletion=found_by("axis_names"),
    ),
]
AnswerFormat = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table, json, conda or requirements",
        rich_help_panel=OUTPUT,
        autocompletion=one_of(*RESOLVE_FORMATS),
    ),
]
PlanFormat = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="text, json or script",
        rich_help_panel=OUTPUT,
        autocompletion=one_of(*PLAN_FORMATS),
    ),
]
WheelFile = Annotated[Path, typer.Argument(metavar="WHEEL", help="A wheel file.")]
BuiltFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A wheel, or the .tar.gz that a recipe made.")
]
PlanFile = Annotated[
    str,
    typer.Option(
        "--plan", metavar="FILE", help="A plan or a report, which you trust, to hold it against."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """What the commands of `tfbuild env` ask for."""

    words: Words = None
    cuda: Cuda = False
    gpu: GpuNames = ""
    prefer: Prefer = ""
    strict: Strict = False
    trust_project: TrustProject = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """What `plan` and `build` ask for."""

    words: BuildWords = None
    cuda: Cuda = False
    gpu: GpuNames = ""
    source: Source = ""
    build_file: BuildFile = ""
    cc: Library = False
    output: OutputFolder = ""
    matrix: Matrix = None
    model: Models = None
    lock: LockFile = ""
    strict: Strict = False
    prefer: Prefer = ""
    jobs: Jobs = ""
    against: Against = None
    install_system_packages: InstallSystemPackages = False
    skip_perf: SkipPerf = False
    env: Env = ""
    image: Image = ""
    cpus: Cpus = ""
    memory: Memory = ""
    pids: Pids = ""
    disk_cache_limit: DiskCacheLimit = ""
    remote_cache: RemoteCache = ""
    remote_executor: RemoteExecutor = ""
    remote_header: RemoteHeader = None
    remote_property: RemoteProperty = None
    remote_required: RemoteRequired = False
    verify_cache: VerifyCache = ""
    keep_server: KeepServer = False
    deadline: DeadlineAt = ""
    trust_project: TrustProject = False


def spelled_out(command: Callable[..., None], kinds: Collection[Kind] = ()) -> Callable[..., None]:
    """The command for typer: each parameter that is a record of options as the record's fields.

    With kinds of build named, its help shows only what one of them obeys; the rest is still read,
    so that it is refused with a way that works.
    """
    signature = inspect.signature(command)
    records: dict[str, type[Any]] = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
    }

    @functools.wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401  (what typer has read, of any type)
        for name, record in records.items():
            own = {field.name: given.pop(field.name) for field in fields(record)}
            given[name] = record(**own)
        command(**given)

    shown: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        shown += _parameters(records[name], kinds) if name in records else [parameter]
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in shown]
    )
    return run


def _parameters(record: type[Any], kinds: Collection[Kind]) -> list[inspect.Parameter]:
    """The fields of a record as parameters, in panels; hidden where no kind obeys them."""
    kind = inspect.Parameter.KEYWORD_ONLY
    found = []
    for field in fields(record):
        annotation: Any = field.type
        known = OBEYED_BY.get(field.name.replace("_", "-"))
        option = copy(annotation.__metadata__[0])
        option.hidden = bool(kinds and known and not set(known) & set(kinds))
        option.rich_help_panel = PANEL_OF.get(field.name)
        shown = Annotated[annotation.__origin__, option]
        found.append(inspect.Parameter(field.name, kind, default=field.default, annotation=shown))
    return found


def flags_of(*parts: RequestOptions | BuildOptions | Mapping[str, Any]) -> dict[str, str]:
    """The options that were given, as settings' texts; what is no setting is left out."""
    given: dict[str, Any] = {}
    for part in parts:
        given |= part if isinstance(part, Mapping) else asdict(part)
    flags = {name.replace("_", "-"): given[name] for name in _PLAIN if given.get(name)}
    if given.get("cuda"):
        flags["cuda"] = "any"
    for name in _LISTS:
        if given.get(name):
            flags[name.replace("_", "-")] = ",".join(given[name])
    for name in _YES_OR_NO:
        if given.get(name):
            flags[name.replace("_", "-")] = "true"
    return flags


def typed_alone(asked: BuildOptions, **more: bool) -> tuple[str, ...]:
    """The options that were given and are no settings, by their names; more are of the command."""
    given = {"matrix": asked.matrix, "model": asked.model, **more}
    return tuple(name for name, value in given.items() if value)


def style_of(style: str, *, as_json: bool, usual: str) -> str:
    """The format of a document; BadRequest where --json and --format say different things."""
    if as_json and style not in {usual, "json"}:
        raise BadRequest(
            f"--json and --format {style} contradict each other",
            code="options-contradict",
            hint="leave one of them out",
        )
    return "json" if as_json else style


def verbosity_of(verbose: int, *, quiet: bool) -> int:
    """How much is said: -1 quiet, 0 usual, more for each -v."""
    return -1 if quiet else verbose


def leave(code: int) -> None:
    """End the command with this exit code, unless it is 0."""
    if code:
        raise typer.Exit(code)
