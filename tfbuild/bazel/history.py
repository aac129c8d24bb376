"""What earlier builds on this machine took: a small SQLite file in the cache, for all trees.

It makes estimates better and is never needed: a file that is damaged, of another version or held
by another build for long is done without, and a damaged one is begun anew.
"""

import hashlib
import math
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tfbuild.bazel.estimate import Expectation
from tfbuild.core.counts import counted
from tfbuild.core.layout import HISTORY
from tfbuild.core.records import Host
from tfbuild.core.reporter import Reporter, SilentReporter

Result = TypeVar("Result")

VERSION = 1
_PATIENCE_SECONDS = 2.0
_KEPT_BUILDS = 40  # of one tree
_KEPT_SECONDS = 200 * 86400.0  # for a tree that is not built any more
_NEW_SHARE = 0.5  # how much the latest build counts
_SCHEMA = """
CREATE TABLE builds (
  id INTEGER PRIMARY KEY, machine TEXT NOT NULL, tree TEXT NOT NULL, began REAL NOT NULL,
  seconds REAL NOT NULL, jobs INTEGER NOT NULL, total INTEGER NOT NULL, speed REAL NOT NULL,
  settled REAL NOT NULL
);
CREATE INDEX builds_of_a_tree ON builds (machine, tree, began);
CREATE TABLE actions (
  machine TEXT NOT NULL, tree TEXT NOT NULL, output TEXT NOT NULL, kind TEXT NOT NULL,
  seconds REAL NOT NULL, memory_mb REAL NOT NULL, seen REAL NOT NULL,
  PRIMARY KEY (machine, tree, output)
) WITHOUT ROWID;
"""
_LEARN = """
INSERT INTO actions VALUES (:machine, :tree, :output, :kind, :seconds, :memory, :now)
ON CONFLICT DO UPDATE SET
  kind = :kind,
  seen = :now,
  seconds = CASE WHEN :seconds > 0 THEN seconds + :share * (:seconds - seconds) ELSE seconds END,
  memory_mb = CASE WHEN :memory > 0 THEN max(:memory, memory_mb + :share * (:memory - memory_mb))
    ELSE memory_mb END
"""


def _within(column: str, low: float, high: float) -> str:
    """That a value is a number in a range: a damaged page passes SQLite's own checks."""
    return f"(typeof({column}) IN ('real', 'integer') AND {column} BETWEEN {low} AND {high})"


_LONGEST_SECONDS = 1e8
_BELIEVED = {
    "builds": " AND ".join(
        (
            *(f"typeof({column}) = 'text'" for column in ("machine", "tree")),
            *(_within(column, 0, _LONGEST_SECONDS) for column in ("seconds", "jobs")),
            _within("began", 0, 1e12),
            f"typeof(total) = 'integer' AND {_within('total', 0, 1e9)}",
            f"({_within('speed', 1e-9, 1e9)} OR speed = 0)",
            _within("settled", 0, 1),
        )
    ),
    "actions": " AND ".join(
        (
            *(f"typeof({column}) = 'text'" for column in ("machine", "tree", "output", "kind")),
            *(_within(column, 0, _LONGEST_SECONDS) for column in ("seconds", "memory_mb")),
            _within("seen", 0, 1e12),
        )
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedAction:
    """One action that ran to its end: seconds 0 and memory 0 where they were not seen."""

    output: str
    kind: str
    seconds: float = 0.0
    memory_mb: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KindMemory:
    """What actions of one kind took at their peak, in MB."""

    kind: str
    actions: int
    mean_mb: float
    deviation_mb: float
    largest_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The file of one cache, for one machine and one tree with its targets."""

    cache: Path
    machine: str
    tree: str
    reporter: Reporter = field(default_factory=SilentReporter)

    def expectation(self) -> Expectation:
        """What to expect of the next build; empty where nothing is known."""
        return (self._with(self._expectation) if self._path.is_file() else None) or Expectation()

    def memory(self) -> tuple[KindMemory, ...]:
        """What each kind of action took in this tree; of other trees nothing is concluded."""
        return (self._with(self._memory) if self._path.is_file() else None) or ()

    def learn(
        self,
        actions: Sequence[LearnedAction],
        *,
        seconds: float,
        jobs: int,
        total: int,
        speed: float,
        settled: float = 0.0,
    ) -> None:
        """Remember a build: its actions that ran, and how it went as a whole."""

        def add(rows: sqlite3.Connection) -> None:
            now = time.time()
            rows.execute(
                "INSERT INTO builds (machine, tree, began, seconds, jobs, total, speed, settled)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (self.machine, self.tree, now - seconds, seconds, jobs, total, speed, settled),
            )
            rows.executemany(_LEARN, self._values(actions, now))
            self._prune(rows, now)

        self._with(add)

    # --- inside ----------------------------------------------------------------------------------

    @property
    def _path(self) -> Path:
        return HISTORY.path(self.cache) / "builds.sqlite"

    def _values(self, actions: Iterable[LearnedAction], now: float) -> Iterator[dict[str, object]]:
        for action in actions:
            yield {
                "machine": self.machine, "tree": self.tree, "output": action.output,
                "kind": action.kind, "seconds": action.seconds, "memory": action.memory_mb,
                "now": now, "share": _NEW_SHARE,
            }  # fmt: skip

    def _prune(self, rows: sqlite3.Connection, now: float) -> None:
        rows.execute(
            "DELETE FROM builds WHERE began < ? OR (machine = ? AND tree = ? AND id NOT IN"
            " (SELECT id FROM builds WHERE machine = ? AND tree = ? ORDER BY began DESC LIMIT ?))",
            (now - _KEPT_SECONDS, *(self.machine, self.tree) * 2, _KEPT_BUILDS),
        )
        rows.execute("DELETE FROM actions WHERE seen < ?", (now - _KEPT_SECONDS,))

    def _expectation(self, rows: sqlite3.Connection) -> Expectation:
        here = (self.machine, self.tree)
        actions = rows.execute(
            "SELECT output, seconds, memory_mb FROM actions WHERE machine = ? AND tree = ?", here
        ).fetchall()
        builds = rows.execute(
            "SELECT total, speed, settled FROM builds WHERE machine = ? AND tree = ?"
            " ORDER BY began DESC LIMIT 12",
            here,
        ).fetchall()
        kinds = rows.execute(
            "SELECT kind, avg(seconds) FROM actions WHERE machine = ? GROUP BY kind", here[:1]
        ).fetchall()
        return Expectation(
            seconds={output: seconds for output, seconds, _ in actions},
            kinds=dict(kinds),
            totals=tuple(total for total, _, _ in builds if total),
            speeds=tuple(speed for _, speed, _ in builds if speed > 0),
            settled=statistics.median([s for total, _, s in builds if total] or [0.0]),
            memory_mb={output: memory for output, _, memory in actions if memory > 0},
        )

    def _memory(self, rows: sqlite3.Connection) -> tuple[KindMemory, ...]:
        found = rows.execute(
            "SELECT kind, count(*), avg(memory_mb), avg(memory_mb * memory_mb), max(memory_mb)"
            " FROM actions WHERE machine = ? AND tree = ? AND memory_mb > 0 GROUP BY kind",
            (self.machine, self.tree),
        ).fetchall()
        return tuple(_kind(*row) for row in found)

    def _drop_damaged(self, rows: sqlite3.Connection) -> None:
        """Take out what cannot have been written, and say so; the rest goes on."""
        dropped = 0
        for table, believed in _BELIEVED.items():
            doubted = f"FROM {table} WHERE ({believed}) IS NOT 1"
            if rows.execute(f"SELECT count(*) {doubted}").fetchone()[0]:  # else it is only read
                dropped += rows.execute(f"DELETE {doubted}").rowcount
        if dropped:
            self.reporter.warn(
                f"dropped {counted(dropped, 'damaged entry')} of the history of builds: "
                "estimates are rougher until they are learnt again",
                code="history-damaged",
            )

    def _with(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """What comes of work with the file, in one transaction; None where it cannot be had."""
        path = self._path
        try:
            with closing(_connect(path)) as rows, rows:
                self._drop_damaged(rows)
                return work(rows)
        except sqlite3.OperationalError as error:  # held by another, or nowhere to write
            self.reporter.note(f"the history of builds is not at hand: {error}")
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # even in what it says
            self.reporter.warn(
                f"the history of builds was damaged and is begun anew ({error}): estimates are "
                "rough until it has grown again",
                code="history-damaged",
            )
            path.unlink(missing_ok=True)
        return None


def machine_key(host: Host) -> str:
    """Twelve digits over what makes a machine, or a container on it, faster or slower."""
    parts = (host.machine, host.cpu_model, str(host.cpus), str(round(host.memory_mb, -3)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def tree_key(source: Path, targets: Sequence[str]) -> str:
    """Twelve digits over where a tree lies and what is built of it."""
    parts = (str(source), *sorted(targets))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _connect(path: Path) -> sqlite3.Connection:
    """An open file of this version; one of another is begun anew."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise sqlite3.OperationalError(str(error)) from error
    rows = sqlite3.connect(path, timeout=_PATIENCE_SECONDS)
    rows.text_factory = lambda raw: raw.decode(errors="replace")
    try:
        version = rows.execute("PRAGMA user_version").fetchone()[0]
        if version not in {0, VERSION}:
            raise sqlite3.DatabaseError(f"it is of version {version}")
        if version == 0:
            rows.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {VERSION};COMMIT")
    except BaseException:
        rows.close()
        raise
    return rows


def _kind(kind: str, actions: int, mean: float, squares: float, largest: float) -> KindMemory:
    deviation = math.sqrt(max(0.0, squares - mean * mean))
    return KindMemory(
        kind=kind, actions=actions, mean_mb=mean, deviation_mb=deviation, largest_mb=largest
    )
