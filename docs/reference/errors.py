"""The exit codes, and what each code of an error means."""

from collections import defaultdict

from docs.reference.markdown import heading, page, prose
from tfbuild.core.error_catalogue import ErrorMeaning, error_meanings
from tfbuild.core.errors import EXIT_CODES


def error_pages() -> dict[str, str]:
    """The page of exit codes and that of error codes; an anchor is the code itself."""
    return {"reference/exit-codes.md": _exit_codes(), "reference/errors.md": _errors()}


# --- inside ------------------------------------------------------------------------------------


def _exit_codes() -> str:
    by_exit: dict[int, list[ErrorMeaning]] = defaultdict(list)
    for meaning in error_meanings().values():
        by_exit[meaning.exit_code].append(meaning)
    parts = []
    for number, means in EXIT_CODES.items():
        parts += [heading(2, str(number), str(number)), prose(means) + "\n"]
        if found := by_exit.get(number):
            links = ", ".join(f"[`{one.code}`](errors.md#{one.code})" for one in found)
            what = f"Error codes that end with {number}" if number else "Codes of warnings"
            parts.append(f'??? note "{what}: {len(found)}"\n')
            parts.append(f"    {links}\n")
    return page(
        "Exit codes",
        "A command ends with 0, or with a number that says at which step it failed. The error that"
        " is printed also has a [code of its own](errors.md). A matrix of builds ends with the code"
        " of its first build that failed, else with 3 where a combination is impossible.",
        *parts,
        summary="The number that each command ends with, and what it means.",
    )


def _errors() -> str:
    by_area: dict[str, list[ErrorMeaning]] = defaultdict(list)
    for meaning in error_meanings().values():
        by_area[meaning.area].append(meaning)
    parts = []
    for area, meanings in by_area.items():
        title = area.upper() if len(area) == 2 else area.capitalize()  # CI
        parts.append(heading(2, title, f"area-{area}"))
        for one in sorted(meanings, key=lambda one: one.code):
            end = f"Exit code [{one.exit_code}](exit-codes.md#{one.exit_code})."
            parts += [heading(3, f"`{one.code}`", one.code), f"{prose(one.means)} {end}\n"]
    return page(
        "Error codes",
        f"The {len(error_meanings())} codes of errors and warnings, by their areas. An error shows"
        " its code as `error[lock-differs]`; `tfbuild explain lock-differs` prints the same as this"
        " page. A code keeps its meaning, so scripts may depend on it. The words of an error may"
        " change.",
        *parts,
        summary="What each code of an error means, as in `error[lock-differs]`.",
    )
