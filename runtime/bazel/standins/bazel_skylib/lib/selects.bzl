"""Conditions that are put together out of others, by the names of bazel_skylib."""

_ELSE = "//conditions:default"

def _with_or_dict(branches):
    """The branches of a select, with a tuple of conditions spelled out as one branch for each."""
    single = {}
    for conditions, value in branches.items():
        for condition in conditions if type(conditions) == "tuple" else (conditions,):
            if condition in single:
                fail("the condition {} stands in two branches".format(condition))
            single[condition] = value
    return single

def _with_or(branches, no_match_error = ""):
    """A select whose keys may be tuples: any of their conditions will do."""
    return select(_with_or_dict(branches), no_match_error = no_match_error)

def _config_setting_group(name, match_any = [], match_all = [], visibility = None):
    """A condition that holds where any, or all, of the named ones hold.

    Conditions that hold at once would make one select ambiguous: each gets a select of its own,
    and the links of the chain lead to the first one that decides.
    """
    if bool(match_any) == bool(match_all):
        fail("{}: give either match_any or match_all, and name conditions".format(name))
    conditions = match_any or match_all
    for number, condition in enumerate(conditions[:-1]):
        following = _link(name, number + 1) if number + 2 < len(conditions) else conditions[-1]
        holds, fails = (condition, following) if match_any else (following, condition)
        native.alias(
            name = _link(name, number),
            actual = select({condition: holds, _ELSE: fails}),
            visibility = visibility if number == 0 else ["//visibility:private"],
        )
    if len(conditions) == 1:
        native.alias(name = name, actual = conditions[0], visibility = visibility)

def _link(name, number):
    return "{}_{}".format(name, number + 1) if number else name

selects = struct(
    config_setting_group = _config_setting_group,
    with_or = _with_or,
    with_or_dict = _with_or_dict,
)
