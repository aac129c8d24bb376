"""Why did this rebuild: what changed since the last build of these targets, and what that cost.

tfbuild itself sees what changed (a manifest of the sources, the options, the tools); Bazel reports
what that cost: --explain gives a reason for every action that ran, the event file its
target, the profile its seconds.
"""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.bazel.driver import BazelResult, drive
from tfbuild.bazel.explanation import event_of, lines_of, list_of, part_of, read_explanation
from tfbuild.bazel.manifest import SourceFile, compare_sources, list_sources
from tfbuild.bazel.remote import NO_REMOTE, Remote
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Environment, expand
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import EVENTS, EXPLAIN, LAST_BUILDS
from tfbuild.core.masking import mask, mask_value
from tfbuild.core.rebuilds import Change, ChangeKind, CostOfRebuild, Rebuild
from tfbuild.core.records import Command, Pairs

_MOST_TARGETS = 10
# Options that say where and how fast, never what is built.
_NO_MATTER = re.compile(
    r"--(?:jobs|local_\w+_resources|local_ram_\w+|build_event_\w+|explain|profile|disk_cache"
    r"|remote_\w+|color|curses|show_progress\w*|progress_in_\w+|verbose_\w+|isatty|terminal_columns"
    r"|client_\w+|experimental_\w*profile\w*|experimental_repository_cache\w*|heap_\w+)\b"
)
_OVERRIDE = re.compile(r"--override_(?:repository|module)=([^=]+)=(.+)")
_PASSED_ON = re.compile(r"--(?:action|host_action|repo|test)_env=(\w+)$")
# What the rules that find a C++ compiler or a Python look at without being asked to.
_VARIABLES = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "BAZEL_COMPILER", "BAZEL_CXXOPTS",
              "BAZEL_LINKOPTS", "BAZEL_LINKLIBS", "PYTHON_BIN_PATH", "ANDROID_HOME")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltFrom:
    """What one build of some targets was made of."""

    run: str
    has_failed: bool
    sources: tuple[SourceFile, ...]
    options: tuple[str, ...]
    variables: Pairs
    tools: Pairs


def drive_and_explain(
    command: Command, env: Environment, remote: Remote = NO_REMOTE
) -> tuple[BazelResult, Rebuild]:
    """Call Bazel as drive does, and say what it had to do anew and why; raises what drive raises.

    What is built from is noted before: an edit during the build belongs to the next one.
    """
    explain = EXPLAIN.path(env.toolchain.work)
    explain.unlink(missing_ok=True)
    explain.touch(
        mode=0o600, exist_ok=False
    )  # Bazel writes all of its options into it, logins for caches too
    key = _key(command, env)
    path = LAST_BUILDS.path(env.tools.folders.work) / f"{key}.json"
    before = read_record(path, key, BuiltFrom)
    now = _look(command, env, before)
    try:
        result = drive(command, env, remote)
    except TfbuildError:
        write_kept(path, key, replace(now, has_failed=True, options=_options(command, env)))
        raise
    now = replace(now, options=_options(command, env))
    write_kept(path, key, now)
    return result, _rebuild(before, now, env)


def compare_built(old: BuiltFrom, new: BuiltFrom) -> tuple[Change, ...]:
    """What is not as it was: sources, options, variables, tools."""
    options = _compare("option", _as_pairs(old.options), _as_pairs(new.options))
    variables = _compare("environment", dict(old.variables), dict(new.variables))
    tools = _compare("tool", dict(old.tools), dict(new.tools))
    return (*tools, *options, *variables, *compare_sources(old.sources, new.sources))


# --- before the build ----------------------------------------------------------------------------


def _key(command: Command, env: Environment) -> str:
    """Twenty digits that stand for these targets of this source tree, built in this place."""
    chain = env.toolchain
    targets = [word for word in command.argv if word.startswith(("//", "@", ":", "-//"))]
    place = "container" if chain.image else "host"
    parts = (str(chain.source), str(chain.cache), place, *targets)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def _look(command: Command, env: Environment, before: BuiltFrom | None) -> BuiltFrom:
    chain = env.toolchain
    argv = expand(command, chain).argv
    known = {source.name: source for source in (before.sources if before else ())}
    work = env.tools.folders.work
    left_out = () if chain.source.is_relative_to(work) else (work,)  # a copy of a tree lies in it
    sources = list_sources(chain.source, leave_out=left_out, known=known)
    for name, folder in _overrides(argv, env):
        if folder.is_dir() and not folder.is_relative_to(chain.source):
            sources += list_sources(folder, label=f"@{name}//", known=known)
    passed_on = (found[1] for word in argv if (found := _PASSED_ON.match(word)))
    names = sorted({*_VARIABLES, *passed_on}) if not chain.image else ()
    return BuiltFrom(
        run=env.tools.folders.run.name,
        has_failed=False,
        sources=sources,
        options=(),
        variables=tuple((n, mask_value(n, os.environ[n])) for n in names if n in os.environ),
        tools=(
            ("Bazel", chain.bazel_version),
            ("compiler", f"{chain.compiler} {chain.compiler_version}"),
            ("Python", f"{chain.python} {chain.python_version}".strip()),
            ("image", chain.image),
            *((name, folder.name) for name, folder in chain.artifacts),
        ),
    )


def _overrides(argv: Iterable[str], env: Environment) -> Iterator[tuple[str, Path]]:
    """The folders that stand in for repositories: in the command, and in the rc file it names."""
    words = [*argv]
    for word in argv:
        name, _, path = word.partition("=")
        if name == "--bazelrc" and Path(path).is_file():
            words += [line.partition(" ")[2].strip('" ') for line in lines_of(Path(path))]
    for word in words:
        if found := _OVERRIDE.match(word):
            yield found[1], Path(found[2].replace("%workspace%", str(env.toolchain.source)))


# --- after it ------------------------------------------------------------------------------------


def _options(command: Command, env: Environment) -> tuple[str, ...]:
    """The options that held, those of every .bazelrc with them; else those of the command."""
    for line in lines_of(EVENTS.path(env.toolchain.work)):
        if '"optionsParsed":{"' in line and '"cmdLine"' in line:
            words = list_of(part_of(event_of(line), "optionsParsed"), "cmdLine")
            return _that_matter(str(word) for word in words)
    return _that_matter(expand(command, env.toolchain).argv[1:])


def _that_matter(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(mask(w) for w in words if w.startswith("--") and not _NO_MATTER.match(w))


def _as_pairs(options: Iterable[str]) -> dict[str, str]:
    """Each option with its values in their order: that of --copt matters, for others it is last."""
    found: dict[str, list[str]] = defaultdict(list)
    for option in options:
        name, _, value = option.partition("=")
        found[name].append(value)
    return {name: " ".join(values) for name, values in found.items()}


def _compare(kind: ChangeKind, old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    changes = []
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            was, now = (texts.get(name, "not set") or "set" for texts in (old, new))
            changes.append(Change(kind=kind, name=name, how=f"{was} -> {now}"))
    return changes


def _rebuild(before: BuiltFrom | None, now: BuiltFrom, env: Environment) -> Rebuild:
    ran = read_explanation(env)
    return Rebuild(
        since=before.run if before else "",
        has_failed=before.has_failed if before else False,
        changes=compare_built(before, now) if before else (),
        actions=len(ran),
        seconds=round(sum(action.seconds for action in ran), 3),
        reasons=_costs((action.reason, action.seconds) for action in ran),
        targets=_costs((action.target, action.seconds) for action in ran if action.target)[
            :_MOST_TARGETS
        ],
    )


def _costs(entries: Iterable[tuple[str, float]]) -> tuple[CostOfRebuild, ...]:
    """How many of each name, and their seconds; the costliest first."""
    found: dict[str, list[float]] = defaultdict(list)
    for name, seconds in entries:
        found[name].append(seconds)
    costs = (
        CostOfRebuild(name=name, actions=len(each), seconds=round(sum(each), 3))
        for name, each in found.items()
    )
    return tuple(sorted(costs, key=lambda cost: (-cost.seconds, -cost.actions, cost.name)))
