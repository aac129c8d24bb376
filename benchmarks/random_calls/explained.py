"""Differences that are no fault of the runtime, each with its reason."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks.random_calls.running import Call
from tfbuild.core.safe_files import read_yaml

TABLE = Path(__file__).with_name("explained.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why calls of some functions end as they do; it holds where the text has `says`."""

    functions: tuple[str, ...]
    ending: str
    says: str
    because: str

    def fits(self, call: Call) -> bool:
        """Whether this call is one that is explained; a crash never is."""
        named = any(fnmatchcase(call.name, name) for name in self.functions)
        return named and call.ending == self.ending != "crashed" and self.says in call.what


def read_explanations(table: Path = TABLE) -> tuple[Explanation, ...]:
    """The rows of the table; KeyError where one lacks a field."""
    return tuple(
        Explanation(
            functions=tuple(row["functions"]),
            ending=row["ending"],
            says=row.get("says", ""),
            because=row["because"],
        )
        for row in read_yaml(table)["rows"]
    )
