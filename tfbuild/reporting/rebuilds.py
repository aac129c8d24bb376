"""Why a build did what it did, in a few lines."""

from collections.abc import Sequence

from tfbuild.core.counts import counted
from tfbuild.core.durations import clock
from tfbuild.core.rebuilds import Change, Rebuild
from tfbuild.core.reporter import Reporter

_MOST = 3  # changes of one kind that are named, and targets


def rebuild_summary(rebuild: Rebuild) -> tuple[str, ...]:
    """What changed since the last build and what that cost; nothing for a first build."""
    if not rebuild.since:
        return ()
    lines = [f"changed since run {rebuild.since}: {_changed(rebuild.changes)}"]
    if not rebuild.actions:
        return (*lines, "that cost nothing: every action was up to date") if rebuild.changes else ()
    took = f", {clock(rebuild.seconds)} of work" if rebuild.seconds else ""
    why = "; ".join(f"{cost.actions} because {cost.name}" for cost in rebuild.reasons[:_MOST])
    lines.append(f"that cost {counted(rebuild.actions, 'action')}{took}: {why}")
    costly = [
        f"{cost.name} ({cost.actions}{f', {clock(cost.seconds)}' if cost.seconds else ''})"
        for cost in rebuild.targets[:_MOST]
    ]
    if costly:
        lines.append(f"most for {', '.join(costly)}")
    if rebuild.has_failed:
        lines.append("the last build failed: what it left undone is in that number")
    return tuple(lines)


def report_rebuild(rebuild: Rebuild, reporter: Reporter) -> None:
    """Say so on the terminal."""
    for line in rebuild_summary(rebuild):
        reporter.note(line)


def _changed(changes: Sequence[Change]) -> str:
    if not changes:
        return "nothing that tfbuild can see"
    words = []
    for kind, plural in (
        ("tool", "tools"), ("option", "options"), ("environment", "variables"),
        ("source", "sources"),
    ):  # fmt: skip
        some = [change for change in changes if change.kind == kind]
        if some:
            named = [_sentence(change) for change in some[:_MOST]]
            more = f" and {len(some) - _MOST} more" if len(some) > _MOST else ""
            words.append(
                f"{len(some)} {plural if len(some) > 1 else kind}: {', '.join(named)}{more}"
            )
    return "; ".join(words)


def _sentence(change: Change) -> str:
    if change.kind == "source":
        return change.name if change.how == "changed" else f"{change.name} ({change.how})"
    return f"{change.name} {change.how}"
