"""What a wheel requires, read as pip reads it (PEP 508)."""

import re
from email.message import Message

from packaging.markers import Marker, UndefinedComparison
from packaging.requirements import InvalidRequirement, Requirement

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest

MOST_REQUIREMENTS = 2000
_SIDE = r"""("[^"]*"|'[^']*'|\w+)"""
_COMPARISON = re.compile(rf"{_SIDE} (?:[<>=!~]+|in|not in) {_SIDE}")


def parse_requirement(text: str) -> Requirement:
    """What the text asks for; BadRequest where pip would not understand it either."""
    try:
        return Requirement(text)
    except InvalidRequirement as error:
        raise BadRequest(
            f"'{' '.join(text.split())[:200]}' is not a requirement",
            code="requirement-invalid",
            why=str(error).partition("\n")[0],
            hint="write one as pip knows it, such as numpy>=1.26,<3",
        ) from error


def read_requirements(metadata: Message) -> dict[str, Requirement]:
    """The lines of Requires-Dist and what each asks for; BadRequest as of `parse_requirement`.

    So it is for more lines than any real wheel has: SBOMs take time for every pair of them.
    """
    lines = [str(line).strip() for line in metadata.get_all("Requires-Dist", [])]
    if len(lines) > MOST_REQUIREMENTS:
        raise BadRequest(
            f"the wheel requires {counted(len(lines), 'package')}",
            code="requirements-too-many",
            why=f"{MOST_REQUIREMENTS} lines of Requires-Dist are read at most",
            hint="look into its METADATA; the largest real ones have some hundreds",
        )
    return {line: parse_requirement(line) for line in lines}


def is_for_extra(requirement: Requirement) -> bool:
    """Whether pip installs it on no machine unless an extra is named.

    An extra in the marker does not say so alone: `extra != 'x'` holds where none is named.
    """
    text = _COMPARISON.sub(_true_without_extra, str(requirement.marker or ""))
    try:
        return bool(text) and not Marker(text).evaluate({"extra": ""})
    except UndefinedComparison:  # as extra ~= '1': pip fails, whatever is named
        return False


def _true_without_extra(comparison: re.Match[str]) -> str:
    """A comparison of extras as it is; of anything else one that holds: some machine is so."""
    asks = "extra" in (comparison[1], comparison[2])
    return comparison[0] if asks else 'extra == ""'
