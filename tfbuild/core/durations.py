"""Durations in words: one form for what was measured, and one for what is expected."""


def clock(seconds: float) -> str:
    """A duration as it was measured: 0.4 s, 12 s, 3:07 min, 1:02:03 h."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"


def about(seconds: float) -> str:
    """A duration as it is expected, no finer than it is known: 15 s, 12 min, 4:40 h."""
    if seconds < 55:
        return f"{max(5, round(seconds / 5) * 5)} s"
    if seconds < 5400:
        return f"{max(1, round(seconds / 60))} min"
    hours, minutes = divmod(round(seconds / 600) * 10, 60)
    return f"{hours}:{minutes:02} h"


def between(low: float, high: float) -> str:
    """A range of expected durations: 12 to 19 min, 45 s to 2 min, 12 min where both are one."""
    first, last = about(low), about(high)
    if first == last:
        return last
    number, _, unit = first.partition(" ")
    return f"{number if last.endswith(f' {unit}') else first} to {last}"
