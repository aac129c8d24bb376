"""Counts in sentences: 1 file, 2 files, 1,000 libraries."""

_HISSING = ("s", "x", "ch", "sh")


def counted(count: float, one: str, many: str = "") -> str:
    """The count with its noun: many where it is not one, else what is usual in English.

    one may go on with a verb (`file is left`); then many has to be said.
    """
    number = f"{count:,}" if isinstance(count, int) else f"{count:g}"
    return f"{number} {one if count == 1 else many or _plural(one)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_HISSING) else f"{noun}s"
