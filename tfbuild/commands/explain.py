"""What `tfbuild explain` does: says what the code of an error or a warning means."""

import re
from collections.abc import Iterable

from tfbuild.core.error_catalogue import ErrorMeaning, error_meanings
from tfbuild.core.errors import BadRequest
from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import did_you_mean
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text


def explain(code: str, *, as_json: bool) -> None:
    """Print the meaning of one code, or of all; BadRequest for a code that there is none of."""
    known = error_meanings()
    name = re.sub(r"^(error|warning)(?=\[)", "", code).strip("[]")
    if name and name not in known:
        raise BadRequest(
            f"no error and no warning has the code '{name}'",
            code="unknown-error-code",
            hint=did_you_mean(name, known),
        )
    shown = [known[name]] if name else list(known.values())
    if as_json:
        print_json({"schema": "tfbuild.error-codes/1", "codes": to_plain(shown)})
    elif name:
        exit_code = shown[0].exit_code
        ends = (
            f"The exit code is {exit_code}." if exit_code else "It is a warning: it ends nothing."
        )
        print_text(f"{shown[0].means}\n{ends}")
    else:
        _print_table(shown)


def _print_table(meanings: Iterable[ErrorMeaning]) -> None:
    rows = [(one.code, str(one.exit_code or "warning"), one.means) for one in meanings]
    ConsoleReporter().table("", ("code", "exit code", "meaning"), rows)
