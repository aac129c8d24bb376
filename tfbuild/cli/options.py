"""Options that several commands share, and what becomes of them."""

from pathlib import Path
from typing import Annotated, Any

import typer

Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[AXIS=SPEC]...", help='python=3.11, "cuda>=13.0,<13.3", numpy=2.3 ...'),
]
Cuda = Annotated[bool, typer.Option("--cuda", help="Compile GPU kernels as well.")]
GpuNames = Annotated[
    str,
    typer.Option(
        "--gpu", "--arch", metavar="NAMES", help="'RTX 3090', sm_90, native; implies CUDA."
    ),
]
Source = Annotated[str, typer.Option(metavar="DIR", help="Source tree instead of the bundled one.")]
OutputFolder = Annotated[
    str, typer.Option(metavar="DIR", help="Where the wheel goes [default: dist].")
]
Jobs = Annotated[str, typer.Option("--jobs", "-j", metavar="N", help="Actions at once.")]
Against = Annotated[
    list[str] | None,
    typer.Option(metavar="WHEEL", help="Compare speed with a wheel or NAME==VERSION; repeatable."),
]
InstallSystemPackages = Annotated[
    bool,
    typer.Option("--install-system-packages", help="Let apt-get install what is missing (root)."),
]
SkipPerf = Annotated[bool, typer.Option("--skip-perf", help="Build and check, do not measure.")]
Prefer = Annotated[
    str,
    typer.Option(
        metavar="ORDER",
        help="What makes a version better: evidence,here,newest in the order you like.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Only what was tested, by its makers.")]
LockFile = Annotated[
    str, typer.Option("--lock", metavar="FILE", help="Take the versions of this lock.")
]
Env = Annotated[
    str, typer.Option("--env", metavar="host|docker", help="Build here, or in a container.")
]
Image = Annotated[
    str, typer.Option(metavar="NAME", help="A container image [default: one made for the plan].")
]
Cpus = Annotated[str, typer.Option(metavar="N", help="Processors of the container.")]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="Memory of the container, as in 6g.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Matrix = Annotated[
    list[str] | None,
    typer.Option(metavar="AXIS=V,V", help="Every combination in turn; repeatable."),
]
Verbose = Annotated[int, typer.Option("-v", "--verbose", count=True, help="Say more; -vv all.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say only what went wrong.")]
WheelFile = Annotated[Path, typer.Argument(metavar="WHEEL", help="A wheel file.")]


def flags_of(given: dict[str, Any]) -> dict[str, str]:
    """The options that were given, as settings' texts."""
    plain = ("gpu", "source", "output", "jobs", "prefer", "env", "image", "cpus", "memory")
    flags = {name: given[name] for name in plain if given.get(name)}
    if given["cuda"]:
        flags["cuda"] = "any"
    if given.get("against"):
        flags["against"] = ",".join(given["against"])
    if given.get("take"):
        flags["lock"] = given["take"]
    for name in ("install_system_packages", "skip_perf", "strict"):
        if given.get(name):
            flags[name.replace("_", "-")] = "true"
    return flags


def verbosity_of(verbose: int, *, quiet: bool) -> int:
    """How much is said: -1 quiet, 0 usual, more for each -v."""
    return -1 if quiet else verbose


def leave(code: int) -> None:
    """End the command with this exit code, unless it is 0."""
    if code:
        raise typer.Exit(code)
