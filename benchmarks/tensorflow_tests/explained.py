"""Wrong values that are no fault of the runtime: each with its reason, and whether it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tensorflow_tests.running import Ended
from tfbuild.core.safe_files import read_yaml

TABLE = Path(__file__).with_name("explained.yaml")
FAULTS = ("wrong value", "crashed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why one method ends with a wrong value; it holds for an ending whose detail has `says`."""

    file: Path
    method: str
    says: str
    because: str

    def fits(self, ended: Ended) -> bool:
        """Whether this ending is the one that is explained; a crash never is."""
        return ended.reason == "wrong value" and self.says in ended.detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The faults of all runs, by whether they are explained, and explanations that fit nothing."""

    explained: tuple[tuple[Explanation, Ended], ...]
    unexplained: tuple[tuple[Path, Ended], ...]
    stale: tuple[tuple[Explanation, str], ...]


def read_explanations(table: Path = TABLE) -> tuple[Explanation, ...]:
    """An explanation for each method of the table; KeyError where a row lacks a field."""
    return tuple(
        Explanation(file=Path(row["file"]), method=method, says=row["says"], because=row["because"])
        for row in read_yaml(table)["rows"]
        for method in row["methods"]
    )


def judge(results: Mapping[Path, tuple[Ended, ...]], explanations: Sequence[Explanation]) -> Judged:
    """Set every fault of the files that ran beside the explanations of these files.

    An explanation is stale where its method ended in another way, or is not in its file any more;
    what the file's time did not suffice for says nothing about it.
    """
    of = {(one.file, one.method): one for one in explanations}
    ended = {(file, one.name): one for file in sorted(results) for one in results[file]}
    explained = [
        (of[place], one) for place, one in ended.items() if place in of and of[place].fits(one)
    ]
    held = {(one.file, one.method) for one, _ in explained}
    return Judged(
        explained=tuple(explained),
        unexplained=tuple(
            (place[0], one)
            for place, one in ended.items()
            if one.reason in FAULTS and place not in held
        ),
        stale=tuple(
            (one, _now(ended.get(place)))
            for place, one in of.items()
            if place[0] in results and place not in held and not _timed_out(ended.get(place))
        ),
    )


def _now(ended: Ended | None) -> str:
    return f"{ended.reason}: {ended.detail}".rstrip(": ") if ended else "not in the file"


def _timed_out(ended: Ended | None) -> bool:
    return ended is not None and ended.reason == "timed out"
