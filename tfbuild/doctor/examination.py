"""Looks at this machine for what a build needs: per check one line and one fix. Changes nothing."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfbuild.core.errors import BadRequest, TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Device, Host
from tfbuild.core.serialization import to_plain
from tfbuild.core.temporary_folder import temporary_folder
from tfbuild.core.versions import did_you_mean
from tfbuild.doctor.checks import (
    bazel,
    compiler,
    container,
    cuda,
    folders,
    gpu,
    host,
    network,
    python,
)
from tfbuild.doctor.checks.model import (
    BuildNeeds,
    Check,
    CheckContext,
    CheckResult,
    CheckSpec,
    failed,
    skipped,
    softened,
    warned,
)
from tfbuild.facts.build_rows import MemoryRow
from tfbuild.facts.job_count import usual_jobs
from tfbuild.facts.own_packages import NO_PACKAGES, OwnPackages
from tfbuild.facts.ranges import newest_values_first, select
from tfbuild.facts.rows import AxisRow
from tfbuild.facts.tables import Recipe, Tables

SPECS: tuple[CheckSpec, ...] = tuple(
    spec
    for module in (host, folders, compiler, python, bazel, cuda, gpu, container, network)
    for spec in module.CHECKS
)
GROUPS = tuple(dict.fromkeys(spec.group for spec in SPECS))
_AT_ONCE = 6
_IN_CONTAINER = {"compiler", "python", "bazel", "cuda"}  # a container brings its own
_NO_FOLDER = "no temporary folder can be written"


def examine(
    tools: Tools,
    needs: BuildNeeds,
    only: Sequence[str] = (),
    packages: OwnPackages = NO_PACKAGES,
) -> tuple[Check, ...]:
    """The checks, group by group; what does not concern this machine is skipped by name.

    only names groups (cuda) or checks (cuda.kernels); BadRequest names the nearest one to a
    mistyped one. packages are those that remedies may name.
    """
    specs = choose(only)
    slow_first = sorted(specs, key=lambda spec: -spec.seconds)
    with _scratch() as folder, ThreadPoolExecutor(_AT_ONCE) as pool:
        work = {
            spec.full_name: pool.submit(_look, spec, tools, needs, folder, packages)
            for spec in slow_first
        }
        found: list[Check] = []
        for number, spec in enumerate(specs):
            tools.reporter.progress(f"checking {spec.full_name}", number, len(specs))
            found += _named(spec, needs, work[spec.full_name].result())
    return tuple(found)


def choose(only: Sequence[str]) -> tuple[CheckSpec, ...]:
    """The checks of these names, all without any; BadRequest for an unknown one."""
    known = {*GROUPS, *(spec.full_name for spec in SPECS)}
    for name in only:
        if name not in known:
            raise BadRequest(
                f"there is no check '{name}'",
                code="check-unknown",
                hint=f"{did_you_mean(name, sorted(known))} (tfbuild doctor --list-checks)",
            )
    return tuple(spec for spec in SPECS if not only or spec.group in only or spec.full_name in only)


def document(checks: Sequence[Check], tools: Tools, needs: BuildNeeds) -> dict[str, Any]:
    """The checks as the JSON document tfbuild.doctor/2."""
    return {
        "schema": "tfbuild.doctor/2",
        "status": "failure" if is_failed(checks) else "ok",
        "request": to_plain(needs),
        "checks": [{"code": check.code, **to_plain(check)} for check in checks],
        "host": to_plain(tools.host),
    }


def catalogue() -> dict[str, Any]:
    """What can be checked, as the JSON document tfbuild.checks/1."""
    rows = [
        {"group": s.group, "name": s.name, "looks_at": s.looks_at, "seconds": s.seconds}
        for s in SPECS
    ]
    return {"schema": "tfbuild.checks/1", "checks": rows}


def is_failed(checks: Sequence[Check]) -> bool:
    """Whether a build cannot work here as it is."""
    return any(check.state == "failure" for check in checks)


def bundled_needs(tables: Tables, machine: Host, device: Device = "cpu") -> BuildNeeds:
    """What the bundled runtime takes, by the matrices and its recipe."""
    row = tables.axis("runtime")[0]
    takes = dict((*row.expects, *row.requires))
    toolkit = _oldest(tables.axis("cuda"), takes.get("cuda", ""))
    asks = dict((*toolkit.expects, *toolkit.requires)) if toolkit else {}
    needs = BuildNeeds(
        title="the bundled runtime",
        device=device,
        platforms=tuple(takes["platform"].split(" | ")) if "platform" in takes else (),
        glibc=takes.get("glibc", ""),
        gcc=takes["gcc"],
        clang=takes.get("clang", "none"),
        python=takes["python"],
        bazel=takes["bazel"],
        cuda=takes.get("cuda", "none"),
        driver=asks.get("driver", ""),
        architectures=toolkit.architectures if toolkit else (),
        fetches=("bazel", "cuda", "numpy"),
    )
    return with_costs(needs, tables.recipe(device), tables.memory(), machine)


def with_costs(
    needs: BuildNeeds, recipe: Recipe, rows: Sequence[MemoryRow], machine: Host
) -> BuildNeeds:
    """The needs with the disk of a recipe, and the jobs and memory that a plan of it would take."""
    count = usual_jobs(recipe.memory_kind, rows, machine)
    return replace(
        needs,
        disk_mb=recipe.disk_mb,
        memory_mb=count.memory_mb,
        jobs=count.jobs,
        jobs_because=count.because,
    )


# --- inside ------------------------------------------------------------------------------------


def _oldest(rows: Iterable[AxisRow], spec: str) -> AxisRow | None:
    """The oldest toolkit in the range: it asks the least of the driver, so it is the default."""
    by_version = {row.version: row for row in rows}
    fitting = newest_values_first(tuple(select(spec or "any", tuple(by_version))))
    return by_version[fitting[-1]] if fitting else None


@contextmanager
def _scratch() -> Iterator[Path | None]:
    """A temporary folder for the probes that goes with all that they leave; None without one."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder("doctor"))
        except OSError:
            yield None
            return
        yield folder


def _look(
    spec: CheckSpec, tools: Tools, needs: BuildNeeds, folder: Path | None, packages: OwnPackages
) -> Sequence[CheckResult]:
    """What the check says; what keeps it from looking is a result as well."""
    if folder is None and spec.needs_folder:
        if spec.name == "temporary":
            return [failed(_NO_FOLDER, "set TMPDIR to a folder that can be written")]
        return [skipped(_NO_FOLDER)]
    own = (folder or Path(os.devnull)) / spec.full_name
    try:
        if folder is not None:
            own.mkdir()
        context = CheckContext(tools=tools, needs=needs, folder=own, packages=packages)
        result = spec.look(context)
    except (OSError, TfbuildError) as error:
        return [warned(f"could not be looked at: {error}", "fix that, and run doctor again")]
    return [result] if isinstance(result, CheckResult) else result


def _named(spec: CheckSpec, needs: BuildNeeds, found: Sequence[CheckResult]) -> Iterator[Check]:
    for result in found:
        soft = _weighed(spec.group, needs, result)
        yield Check(
            group=spec.group, name=spec.name, state=soft.state, detail=soft.detail, fix=soft.fix
        )


def _weighed(group: str, needs: BuildNeeds, result: CheckResult) -> CheckResult:
    """The result as it bears on the build: what that does without keeps it from nothing."""
    if needs.container and group in _IN_CONTAINER:
        is_amiss = result.state in {"failure", "warning"}
        return skipped(f"{result.detail}; the container brings its own") if is_amiss else result
    return softened(result) if group == "cuda" and needs.device != "cuda" else result
