"""How often the time that a build took lay in the range that was stated, in replays of real builds.

    python -m benchmarks.estimate [FOLDER]

FOLDER has recordings of `benchmarks/record.py`, TREE-NUMBER-STATE.jsonl.gz; those of one tree are
played in the order of their names into a history of their own. From the fourth on, each is judged:
by what was stated at a tenth, a quarter, the half and three quarters of its time.
"""

import argparse
import gzip
import json
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.terminal import say
from tfbuild.bazel.estimate import Estimator
from tfbuild.bazel.follower import Follower
from tfbuild.bazel.governor import Governor
from tfbuild.bazel.history import History
from tfbuild.core.build_course import BuildCourse
from tfbuild.core.reporter import SilentReporter

RECORDINGS = Path(__file__).parent / "recordings"
_LEARNT = 3  # builds before the first that is judged
_SHORT_SECONDS = 10.0  # what ends sooner needs no estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One build, and what was stated while it ran."""

    name: str
    seconds: float
    course: BuildCourse

    @property
    def hits(self) -> list[bool]:
        """Of each range that was stated, whether what was left lay within."""
        return [one.low <= one.actual <= one.high for one in self.course.estimates]

    @property
    def widths(self) -> list[float]:
        """How many times the least the most was."""
        return [one.high / max(one.low, 1.0) for one in self.course.estimates]


def main() -> None:
    """Replay and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=RECORDINGS)
    replays = list(replay_all(parser.parse_args().folder))
    for replay in replays:
        stated = "  ".join(
            f"{t.actual:.0f} in {t.low:.0f}..{t.high:.0f}{'' if hit else ' (no)'}"
            for t, hit in zip(replay.course.estimates, replay.hits, strict=True)
        )
        say(f"{replay.name:<28} {replay.seconds:6.0f} s  {stated}")
    hits = [hit for replay in replays for hit in replay.hits]
    widths = [width for replay in replays for width in replay.widths]
    if not hits:
        say("nothing to judge: fewer than four recordings of a tree")
        return
    for tree in dict.fromkeys(replay.name.partition("-")[0] for replay in replays):
        own = [w for r in replays if r.name.partition("-")[0] == tree for w in r.widths]
        say(f"{tree}: the most is {statistics.median(own):.1f} times the least (median)")
    most = sum(sum(r.hits) * 2 > len(r.hits) for r in replays)
    first = sum(replay.hits[0] for replay in replays)
    say(
        f"{len(replays)} replays: {sum(hits)} of {len(hits)} ranges held "
        f"({sum(hits) / len(hits):.0%}), the first one in {first} replays, most of them in {most}; "
        f"the most is {statistics.median(widths):.1f} times the least (median)"
    )


def replay_all(folder: Path) -> Iterator[Replay]:
    """The judged replays of all recordings in a folder, each tree with a history of its own."""
    trees = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.gz")):
        trees[path.name.partition("-")[0]].append(path)
    for tree, paths in trees.items():
        with tempfile.TemporaryDirectory() as cache:
            history = History(cache=Path(cache), machine="recorded", tree=tree)
            for number, path in enumerate(paths):
                replay = _replay(path, history, Path(cache))
                if number >= _LEARNT and replay.seconds >= _SHORT_SECONDS:
                    yield replay


def _replay(path: Path, history: History, folder: Path) -> Replay:
    """Play one recording through what follows a build, with the recording's own clock."""
    with gzip.open(path, "rt") as stream:
        head, *rows = (json.loads(line) for line in stream)
    now = [0.0]
    profile = folder / "profile.json"
    profile.write_text(json.dumps([_slice(*entry) for entry in head["profile"]]))
    follower = Follower(
        estimator=Estimator(expects=history.expectation(), jobs=head["jobs"]),
        governor=Governor(server=lambda: 0, reporter=SilentReporter()),
        history=history,
        profile=profile,
        clock=lambda: now[0],
    )
    for when, what, *values in rows:
        now[0] = when
        if what == "line":
            follower.line(values[0])
        else:
            follower.event(_event(*values))
        follower.tick()
    now[0] = head["seconds"]
    course = follower.finish(is_whole=head["code"] == 0)
    return Replay(name=path.name.removesuffix(".jsonl.gz"), seconds=now[0], course=course)


def _slice(name: str, output: str, seconds: float, is_hit: bool) -> dict[str, Any]:  # noqa: FBT001
    """An action of the profile; what came out of a cache took hardly any time."""
    took = min(seconds, 0.05) if is_hit else seconds
    return {"cat": "action processing", "name": name, "out": output, "ts": 0, "dur": took * 1e6}


def _event(output: str, kind: str, name: str) -> bytes:
    """The end of an action as Bazel reports it."""
    words = ["gcc", "-c", name.removeprefix("Compiling ")] if name.startswith("Compiling") else []
    event = {
        "id": {"actionCompleted": {"primaryOutput": output}},
        "action": {"success": True, "type": kind, "commandLine": words},
    }
    return json.dumps(event).encode()


if __name__ == "__main__":
    main()
