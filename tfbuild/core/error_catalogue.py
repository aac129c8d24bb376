"""What each code of an error or a warning means, as `tfbuild explain` shows it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tfbuild.core.safe_files import read_yaml

_FOLDER = Path(__file__).parent / "error_codes"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorMeaning:
    """One code: the area is the file that it stands in, means a sentence or two.

    That of a warning has the exit code 0: it ends nothing.
    """

    code: str  # as an error, a warning or a check of doctor has it
    area: str  # what it is about: the name of the file that has it; doctor for checks
    exit_code: int  # with which tfbuild ends; 0: a warning, which ends nothing
    means: str  # in a sentence or two


@cache
def error_meanings() -> dict[str, ErrorMeaning]:
    """All codes, by area and then in the order of their files."""
    return {
        code: ErrorMeaning(code=code, area=path.stem, exit_code=row["exit"], means=row["means"])
        for path in sorted(_FOLDER.glob("*.yaml"))
        for code, row in read_yaml(path).items()
    }
