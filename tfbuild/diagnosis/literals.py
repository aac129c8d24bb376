"""What every match of a regular expression must hold, so that a log is searched for plain words.

Understands the expressions of the catalogue: literals, classes, groups with alternatives and
quantifiers. What it does not know it refuses.
"""

from dataclasses import dataclass

SHORTEST = 4  # a literal below this is in every other line
_ANY = "dDsSwWbBAZ"
_OPTIONAL = "?*{"


@dataclass(frozen=True, slots=True)
class _Item:
    """One piece of an expression: a letter, a group of alternatives, or anything else."""

    letter: str = ""
    branches: tuple[tuple["_Item", ...], ...] = ()


def required_literals(pattern: str) -> tuple[str, ...]:
    """Words of which each match holds at least one; ValueError where there are none of length."""
    branches, end = _branches(pattern, 0)
    if end != len(pattern):
        raise ValueError(f"unbalanced parenthesis in {pattern!r}")
    found = _best(branches)
    if _worth(found) < SHORTEST:
        raise ValueError(f"no word of {SHORTEST} letters that each match of {pattern!r} holds")
    return found


# --- inside ------------------------------------------------------------------------------------


def _branches(text: str, at: int) -> tuple[tuple[tuple[_Item, ...], ...], int]:
    """The alternatives from here to the closing parenthesis or the end."""
    branches: list[tuple[_Item, ...]] = []
    items: list[_Item] = []
    while at < len(text) and text[at] != ")":
        if text[at] == "|":
            branches.append(tuple(items))
            items, at = [], at + 1
            continue
        item, at = _item(text, at)
        if at < len(text) and text[at] in _OPTIONAL + "+":
            at, is_certain = _after_quantifier(text, at)
            items += [item, _Item()] if is_certain else [_Item()]
        else:
            items.append(item)
    return (*branches, tuple(items)), at


def _item(text: str, at: int) -> tuple[_Item, int]:
    match text[at]:
        case "\\":
            is_any = text[at + 1] in _ANY
            return _Item() if is_any else _Item(letter=text[at + 1]), at + 2
        case "[":
            end = text.index("]", at + (3 if text[at + 1] == "^" else 2))
            return _Item(), end + 1
        case "(":
            return _group(text, at)
        case "." | "^" | "$":
            return _Item(), at + 1
        case letter:
            return _Item(letter=letter), at + 1


def _group(text: str, at: int) -> tuple[_Item, int]:
    start = at + 1
    if text.startswith("?P<", start):
        start = text.index(">", start) + 1
    elif text.startswith("?:", start):
        start += 2
    elif text.startswith("?", start):  # other flags, as letters of either case
        raise ValueError(f"a group that is neither (?:...) nor (?P<name>...) in {text!r}")
    branches, end = _branches(text, start)
    return _Item(branches=branches), end + 1


def _after_quantifier(text: str, at: int) -> tuple[int, bool]:
    """Where the expression goes on, and whether what is repeated is there at least once."""
    is_certain = text[at] == "+"
    at = text.index("}", at) + 1 if text[at] == "{" else at + 1
    return (at + 1 if text[at : at + 1] == "?" else at), is_certain


def _best(branches: tuple[tuple[_Item, ...], ...]) -> tuple[str, ...]:
    """The best words of each alternative, together; none where one alternative has none."""
    each = [_best_of_branch(branch) for branch in branches]
    return tuple(word for words in each for word in words) if all(each) else ()


def _best_of_branch(items: tuple[_Item, ...]) -> tuple[str, ...]:
    best: tuple[str, ...] = ()
    run = ""
    for item in (*items, _Item()):
        if item.letter:
            run += item.letter
            continue
        candidates: list[tuple[str, ...]] = [(run,)] if run else []
        if item.branches:
            candidates.append(_best(item.branches))
        best = max((best, *candidates), key=_worth)
        run = ""
    return best


def _worth(words: tuple[str, ...]) -> int:
    return min(map(len, words), default=0)
