"""A workspace's request to its plan: which Bazel, with which options, for which targets."""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.stages.plan import BUILD_FLAGS, STARTUP_FLAGS
from tfbuild.core.errors import BadRequest
from tfbuild.core.identity import plan_id
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import BAZELS
from tfbuild.core.paths import data_folder, named_path, real_path, tree_digest
from tfbuild.core.plans import BazelPlan
from tfbuild.core.records import Command, Host, Pairs
from tfbuild.core.safe_files import read_inside
from tfbuild.core.versions import LONGEST_VERSION, contains, newest_first, parse_range
from tfbuild.core.workspaces import WorkspacePlan, WorkspaceRequest
from tfbuild.facts.job_count import (
    JobCount,
    choose_jobs,
    job_words,
    usual_jobs,
    usual_need,
)
from tfbuild.facts.tables import Tables

MARKERS = ("WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel")
_VARIABLE = "USE_BAZEL_VERSION"  # of Bazelisk, as is .bazelversion
_LARGEST = 4096  # bytes of a .bazelversion
_RELEASE = re.compile(r"\d+\.\d+(\.\d+)?([a-z]+\d+)?")
_SERIES = re.compile(r"(\d+)\.(?:x|\*)")
_TREE = re.compile(r"-(\d+\.\d+\.\d+)$")
_KIND = "CppCompile"  # of actions, by which the jobs are counted
_ANY = ">=0.17"
_FIRST_WITH_MODULES = ">=6"


def plan_workspace(request: WorkspaceRequest, tables: Tables, tools: Tools) -> WorkspacePlan:
    """The plan of a request; BadRequest where what names the Bazel cannot be understood."""
    constraint = _constraint(request)
    preferred = _preferred(constraint, tables, tools)
    flags = (*BUILD_FLAGS, *_asked_flags(request))
    sums: Pairs = next((r.sha256 for r in tables.axis("bazel") if r.version == preferred), ())
    bazel = BazelPlan(
        preferred=preferred,
        accepted=constraint.accepted,
        startup_flags=STARTUP_FLAGS,
        flags=flags,
        targets=request.targets,
        outputs=(),
        sha256=sums,
    )
    plan = WorkspacePlan(
        id="",
        workspace=request.workspace,
        bazel=bazel,
        bazel_because=constraint.because,
        configs=request.configs,
        asked_flags=request.flags,
        overrides=request.overrides,
        stand_ins=request.stand_ins,
        offline=request.offline,
        commands=(),
        collect=request.collect,
        output=request.output,
        services=replace(request.services, jobs=request.jobs or request.services.jobs),
    )
    count = _job_count(request, tables, tools.host)
    plan = replace(plan, id=_id(plan), jobs=count.jobs, jobs_because=count.because)
    return replace(plan, commands=(_command(plan),))


# --- which Bazel ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Constraint:
    """The Bazels that will do, and who says so."""

    accepted: str
    because: str
    exact: str = ""


def _constraint(request: WorkspaceRequest) -> _Constraint:
    """What is asked for; else what the variable and the file say that Bazelisk obeys; else any."""
    if request.bazel:
        return _read_constraint(request.bazel, request.bazel_origin)
    if text := os.environ.get(_VARIABLE, "").strip():
        return _read_constraint(text, f"environment, {_VARIABLE}")
    path = request.workspace / ".bazelversion"
    if os.path.lexists(path):
        try:
            text = read_inside(request.workspace, path, _LARGEST)
            words = [line.partition("#")[0].strip() for line in text.split("\n")]
        except (OSError, ValueError) as error:
            raise BadRequest(
                f"cannot read {path}", code="bazelversion-unreadable", why=str(error), hint=_HINT
            ) from error
        if text := next(filter(None, words), ""):
            return _read_constraint(text, str(path))
    has_workspace = any((request.workspace / name).exists() for name in MARKERS[:2])
    if has_workspace:
        return _Constraint(accepted=_ANY, because="nothing names a release")
    return _Constraint(
        accepted=_FIRST_WITH_MODULES, because="there is a MODULE.bazel and no WORKSPACE"
    )


_HINT = "write bazel=4.2.3 (or another release) on the command line"


def _read_constraint(text: str, origin: str) -> _Constraint:
    """A release, a series (7.x), a range or `latest`, as people and Bazelisk write them."""
    if len(text) > LONGEST_VERSION:
        raise BadRequest(
            f"'{text[:30]}...' names no release of Bazel ({origin})",
            code="bazel-release-malformed",
            hint=_HINT,
        )
    because = f"{origin} says {text}"
    if _RELEASE.fullmatch(text):
        exact = text if text.count(".") == 2 else ""
        return _Constraint(
            accepted=f"=={text}" if exact else f"=={text}.*", because=because, exact=exact
        )
    if series := _SERIES.fullmatch(text):
        return _Constraint(accepted=f"=={series[1]}.*", because=because)
    if text in {"latest", "any"}:
        return _Constraint(accepted=_ANY, because=because)
    if text[:1] in "<>!=~":
        return _Constraint(accepted=",".join(sorted(map(str, parse_range(text)))), because=because)
    raise BadRequest(
        f"'{text}' names no release of Bazel ({origin})", code="bazel-release-malformed", hint=_HINT
    )


def _preferred(constraint: _Constraint, tables: Tables, tools: Tools) -> str:
    """The release to use: the one that is asked for, is here, was fetched before, or is newest."""
    if constraint.exact:
        return constraint.exact
    folder = BAZELS.path(tools.folders.cache)
    names = (path.name for path in (folder.iterdir() if folder.is_dir() else ()))
    kept = newest_first(match[1] for name in names if (match := _TREE.search(name)))
    here = [program.version for program in tools.host.bazels if program.version]
    known = newest_first(row.version for row in tables.axis("bazel"))
    fitting = (v for v in (*here, *kept, *known) if contains(constraint.accepted, v))
    if found := next(fitting, ""):
        return found
    raise BadRequest(
        f"no release of Bazel is known that is {constraint.accepted}",
        code="bazel-release-unknown",
        why=constraint.because,
        hint=_HINT,
    )


# --- how it is called ----------------------------------------------------------------------------


def _asked_flags(request: WorkspaceRequest) -> tuple[str, ...]:
    return (
        *(f"--config={name}" for name in request.configs),
        *(f"--override_repository={o.name}={o.path}" for o in request.overrides),
        *request.flags,
    )


def _job_count(request: WorkspaceRequest, tables: Tables, host: Host) -> JobCount:
    """As many as there are processors and memory for, unless a number was asked for."""
    if not request.jobs:
        return usual_jobs(_KIND, tables.memory(), host)
    asked = choose_jobs(request.jobs, 0, usual_need(_KIND, tables.memory()))
    return replace(asked, because=f"{job_words(request.jobs)}: asked for")


def _command(plan: WorkspacePlan) -> Command:
    bazel = plan.bazel
    ours = len(BUILD_FLAGS)
    jobs = (f"--jobs={plan.jobs}", f"--local_cpu_resources={plan.jobs}")
    end = ("--",) if any(target.startswith("-") for target in bazel.targets) else ()
    return Command(
        argv=(
            "{bazel}",
            "{bazel_startup_flags}",
            *bazel.startup_flags,
            "build",
            "{bazel_flags}",
            *bazel.flags[:ours],
            *jobs,
            *bazel.flags[ours:],  # what was asked for has the last word
            *end,
            *bazel.targets,
        ),
        stage="build",
        purpose="build the targets",
        cwd="{source}",
        pty=True,
    )


def _id(plan: WorkspacePlan) -> str:
    """That of the plan, and of the rule sets where they stand in for others."""
    folder = data_folder("runtime") / "bazel" / "standins"
    return plan_id({"plan": plan, "stand_ins": tree_digest(folder) if plan.stand_ins else ""})


def workspace_at(text: str) -> Path:
    """The root of a Bazel workspace; BadRequest where there is none."""
    folder = real_path(named_path(text))
    if not folder.is_dir():
        raise BadRequest(
            f"there is no folder {folder}",
            code="workspace-folder-missing",
            hint="name one with --workspace",
        )
    if not any((folder / name).is_file() for name in MARKERS):
        above = next((p for p in folder.parents if any((p / n).is_file() for n in MARKERS)), None)
        raise BadRequest(
            f"{folder} is not the root of a Bazel workspace",
            code="not-bazel-workspace",
            why=f"it has none of {', '.join(MARKERS)}",
            hint=f"name {above}" if above else "name the folder that holds one of these files",
        )
    return folder
