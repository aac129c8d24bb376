"""Why a build did what it did, in a few lines."""

from dataclasses import replace

from tests.fakes import RecordingReporter
from tfbuild.core.rebuilds import NO_REBUILD, Change, CostOfRebuild, Rebuild
from tfbuild.reporting.rebuilds import rebuild_summary, report_rebuild

CHANGES = tuple(Change(kind="source", name=f"{name}.h", how="changed") for name in "abcde")
BECAUSE = "5 because One of the files has changed; 2 because action command has changed"
REBUILD = Rebuild(
    since="one",
    changes=(Change(kind="option", name="--copt", how="-O1 -> -O2"), *CHANGES),
    actions=7,
    seconds=75.0,
    reasons=(
        CostOfRebuild(name="One of the files has changed", actions=5, seconds=70.0),
        CostOfRebuild(name="action command has changed", actions=2, seconds=5.0),
    ),
    targets=(CostOfRebuild(name="//a:b", actions=7, seconds=75.0),),
)


def test_a_first_build_needs_no_reason() -> None:
    assert rebuild_summary(NO_REBUILD) == ()
    assert rebuild_summary(replace(REBUILD, since="")) == ()


def test_what_changed_and_what_it_cost() -> None:
    assert rebuild_summary(REBUILD) == (
        "changed since run one: 1 option: --copt -O1 -> -O2; 5 sources: a.h, b.h, c.h and 2 more",
        f"that cost 7 actions, 1:15 min of work: {BECAUSE}",
        "most for //a:b (7, 1:15 min)",
    )


def test_a_change_that_cost_nothing() -> None:
    free = replace(REBUILD, actions=0, reasons=(), targets=())
    assert "cost nothing" in rebuild_summary(free)[1]


def test_nothing_changed_and_nothing_was_done() -> None:
    assert rebuild_summary(Rebuild(since="one")) == ()


def test_work_without_a_change_that_is_known_is_reported() -> None:
    assert "nothing that tfbuild can see" in rebuild_summary(replace(REBUILD, changes=()))[0]


def test_what_the_last_build_left_undone_is_reported() -> None:
    assert "failed" in rebuild_summary(replace(REBUILD, has_failed=True))[-1]


def test_added_and_removed_sources_are_reported_as_such() -> None:
    new = (Change(kind="source", name="n.cc", how="added"),)
    assert "n.cc (added)" in rebuild_summary(replace(REBUILD, changes=new))[0]


def test_it_is_reported_as_notes() -> None:
    noted: list[str] = []

    class Notes(RecordingReporter):
        def note(self, text: str) -> None:
            noted.append(text)

    report_rebuild(REBUILD, Notes())
    assert tuple(noted) == rebuild_summary(REBUILD)
