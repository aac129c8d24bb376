"""What `tfbuild explain` does: says what the code of an error, a warning or a check means."""

import re
from collections.abc import Iterable

from tfbuild.core.error_catalogue import ErrorMeaning, error_meanings
from tfbuild.core.errors import BadRequest, EnvironmentFailed
from tfbuild.core.paths import PACKAGE
from tfbuild.core.serialization import to_plain
from tfbuild.core.versions import nearest
from tfbuild.doctor.examination import SPECS
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter, print_folded, print_json

_DOCTOR, _DIAGNOSIS = "doctor", "diagnosis"
_GROUP = re.compile(r"\{\w+\}")  # what a line of a log fills in
# The page of the documentation that treats an area, by its place below docs/pages.
PAGES = {
    "bazel": "how-to/bazel-workspace",
    "cache": "how-to/disk-room",
    "ci": "how-to/ci",
    "compile": "how-to/failed-build",
    "configure": "how-to/tensorflow-tree",
    "container": "how-to/containers",
    "debug": "how-to/failed-build",
    "delivery": "how-to/check-a-wheel",
    "diagnosis": "how-to/failed-build",
    "facts": "explanation/versions",
    "fetch": "how-to/offline",
    "general": "how-to/failed-build",
    "lock": "explanation/plans-and-locks",
    "machine": "how-to/disk-room",
    "product": "how-to/recipes",
    "proof": "explanation/proof",
    "recipe": "how-to/recipes",
    "report": "how-to/check-a-wheel",
    "request": "explanation/versions",
    "resolve": "explanation/versions",
    "source": "how-to/tensorflow-tree",
    "warnings": "how-to/failed-build",
    "wheel": "how-to/check-a-wheel",
    _DOCTOR: "how-to/other-machines",
}


def explain(code: str, *, as_json: bool) -> None:
    """Print the meaning of one code, or of all; BadRequest for a code that there is none of."""
    known = {**error_meanings(), **_checks(), **_causes()}
    name = re.sub(r"^(error|warning)(?=\[)", "", code).strip("[]")
    if name and name not in known:
        like = nearest(name, known)
        raise BadRequest(
            f"no error, warning, check of doctor or cause of a failure has the code '{name}'",
            code="unknown-error-code",
            hint=f"did you mean '{like}'?" if like else "`tfbuild explain` lists the codes",
        )
    shown = [known[name]] if name else [*error_meanings().values(), *_checks().values()]
    if as_json:
        print_json({"schema": "tfbuild.error-codes/1", "codes": to_plain(shown)})
    elif name:
        one = shown[0]
        print_folded([one.means, _ends(one), _remedy(one), _page(one)])
    else:
        _print_table(shown)


def _checks() -> dict[str, ErrorMeaning]:
    """What the checks of doctor look at, which have codes like compiler.gcc."""
    return {
        spec.full_name: ErrorMeaning(
            code=spec.full_name,
            area=_DOCTOR,
            exit_code=EnvironmentFailed.exit_code,
            means=f"Check of doctor: {spec.looks_at}.",
        )
        for spec in SPECS
    }


def _causes() -> dict[str, ErrorMeaning]:
    """What `tfbuild diagnose` finds in logs: each cause with what to do about it."""
    return {
        row.id: ErrorMeaning(
            code=row.id,
            area=_DIAGNOSIS,
            exit_code=0,
            means=_GROUP.sub("...", f"{row.cause.rstrip('.')}. {row.fix.rstrip('.')}."),
        )
        for row in open_tables().pitfalls()
    }


def _ends(meaning: ErrorMeaning) -> str:
    """What it does to the command, in a sentence."""
    if meaning.area == _DOCTOR:
        return f"The exit code is {meaning.exit_code} where that fails; a warning ends nothing."
    if meaning.area == _DIAGNOSIS and not meaning.exit_code:
        return "It is a cause that `tfbuild diagnose` finds in logs."
    if not meaning.exit_code:
        return "It is a warning and ends nothing."
    return f"The exit code is {meaning.exit_code}."


def _remedy(meaning: ErrorMeaning) -> str:
    """Where the way out stands, which depends on what was asked for."""
    if meaning.area == _DOCTOR:
        return f"`tfbuild doctor --check {meaning.code}` shows what to do about it on this machine."
    if meaning.area == _DIAGNOSIS and not meaning.exit_code:
        return "`tfbuild diagnose LOGFILE` shows the line of a log that says so."
    if not meaning.exit_code:
        return "The warning itself says what it is about."
    return "The error itself says what to do, in its line `do this`."


def _page(meaning: ErrorMeaning) -> str:
    """The page that treats it: its file where the documentation lies beside the program."""
    page = f"docs/pages/{PAGES[meaning.area]}.md"
    file = PACKAGE.parent / page
    return f"Documentation: {file if file.is_file() else page}"


def _print_table(meanings: Iterable[ErrorMeaning]) -> None:
    rows = sorted((one.code, str(one.exit_code or "warning"), one.means) for one in meanings)
    ConsoleReporter().table("", ("code", "exit code", "meaning"), rows)
