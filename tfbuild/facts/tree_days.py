"""What the development tree of TensorFlow asked for on a day, in place of the release it led to."""

from collections.abc import Iterable

from tfbuild.facts.rules import Rule


def rules_of_day(rules: Iterable[Rule], day: str) -> list[Rule]:
    """The rules that speak of a tree of that day; those of releases where the day is empty.

    What is said of its days takes the place of what the row of the release asks of the same axis.
    """
    known = list(rules)
    own = [rule for rule in known if rule.days and _is_among(day, rule.days)]
    axes = {rule.needs[0] for rule in own if rule.needs}
    return [rule for rule in known if not rule.days and not _is_overtaken(rule, axes)] + own


# --- inside ------------------------------------------------------------------------------------


def _is_among(day: str, days: str) -> bool:
    first, _, last = days.partition("..")
    return first <= day <= last


def _is_overtaken(rule: Rule, axes: set[str]) -> bool:
    """Whether it is what the row of a release asks of one of the axes."""
    is_of_release = rule.fact.kind in {"requirement", "usual"} and rule.when[0][0] == "tensorflow"
    needed, _ = rule.needs or ("", "")
    return is_of_release and needed in axes
