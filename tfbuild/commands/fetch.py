"""What `fetch` does: all that a source tree downloads, by hash, before a build asks for it."""

from collections.abc import Sequence
from pathlib import Path

from tfbuild.commands.context import open_tools
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest, FetchFailed
from tfbuild.core.paths import named_path, real_path, refuse_link_on_way, require_writable
from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import did_you_mean
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text
from tfbuild.sources.archives import SourceArchive, SourceArchives, read_archives
from tfbuild.sources.repository_cache import (
    Missing,
    cache_of_bazels,
    fetch_archives,
    is_there,
    place_of,
    take_from,
)

SCHEMA = "tfbuild.archives/1"


def fetch(
    source: str,
    only: Sequence[str],
    *,
    into: str,
    out_of: str,
    is_list: bool,
    as_json: bool,
    verbosity: int,
) -> None:
    """Fetch what is missing, or only list it; FetchFailed names together what could not be had."""
    if not source:
        raise BadRequest(
            "fetch needs a source tree",
            code="source-tree-not-named",
            hint="name its top folder with --source",
        )
    found = read_archives(real_path(named_path(source)))
    archives = _chosen(found.archives, only)
    missing: tuple[Missing, ...] = ()
    with ConsoleReporter(verbosity) as reporter, open_tools(reporter) as tools:
        root = named_path(into).absolute() if into else cache_of_bazels(tools.folders.cache)
        if not is_list:
            refuse_link_on_way(root / "any")
            require_writable(root, hint="name another folder with --into")
            if out_of:
                take_from(named_path(out_of), archives, root, reporter)
            missing = fetch_archives(archives, root, reporter)
        here = {a.sha256 for a in archives if is_there(a, root)}
    if as_json:
        print_json(_document(found, archives, here, root))
    elif is_list or not missing:
        print_text(_text(found, archives, here, root, is_list=is_list, into=into))
    if missing:
        raise _not_had(missing, len(archives), root, source)


# --- inside ------------------------------------------------------------------------------------


def _chosen(archives: Sequence[SourceArchive], only: Sequence[str]) -> tuple[SourceArchive, ...]:
    names = {archive.name for archive in archives}
    for name in only:
        if name not in names:
            raise BadRequest(
                f"the tree downloads nothing named '{name}'",
                code="archive-not-of-tree",
                hint=did_you_mean(name, sorted(names)),
            )
    return tuple(a for a in archives if not only or a.name in only)


def _document(
    found: SourceArchives, archives: Sequence[SourceArchive], here: set[str], root: Path
) -> dict[str, object]:
    listed = [
        {**to_plain(a), "is_here": a.sha256 in here, "place": str(place_of(a, root))}
        for a in archives
    ]
    return {
        "schema": SCHEMA,
        "repository_cache": str(root),
        "archives": listed,
        "unread": list(found.unread),
        "foreign": list(found.foreign),
    }


def _text(
    found: SourceArchives,
    archives: Sequence[SourceArchive],
    here: set[str],
    root: Path,
    *,
    is_list: bool,
    into: str,
) -> str:
    lines = []
    if is_list:
        for archive in archives:
            mark = "here   " if archive.sha256 in here else "missing"
            lines += [f"{mark} {archive.name}", f"        {archive.urls[-1]}"]
            lines += [f"        sha256 {archive.sha256 or 'not said'}, {archive.said_at}"]
        lines.append("")
    named = counted(len({archive.sha256 for archive in archives}), "archive")
    lines.append(f"in {root}: {len(here)} of {named}")
    if into:
        lines.append(f"a Bazel takes them from there with --repository_cache={root}")
    lines += [f"not read: the address at {where} is computed" for where in found.unread]
    if found.foreign:
        names = sorted({label.partition("//")[0] for label in found.foreign})
        lines.append(f"these may download more, once they are there: {' '.join(names)}")
    return "\n".join(lines) + "\n"


def _not_had(missing: Sequence[Missing], count: int, root: Path, source: str) -> FetchFailed:
    lines = []
    for one in missing:
        archive = one.archive
        lines.append(f"{archive.name}: {archive.urls[-1] if archive.urls else ''} ({one.why})")
        lines.append(f"  sha256 {archive.sha256 or 'not said'}")
    return FetchFailed(
        f"could not fetch {len(missing)} of {counted(count, 'archive')}",
        code="archives-not-fetched",
        why="\n".join(lines),
        hint="fetch them where there is a network and bring them here in any folder, then: "
        f"tfbuild fetch --source {source} --from FOLDER (they are known by their hash); "
        f"they belong into {root}",
    )
