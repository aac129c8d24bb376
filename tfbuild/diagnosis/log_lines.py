"""Lines of a log without what terminals and CI systems add: colours, progress, clocks, quotes."""

import re

LONGEST = 4_000  # letters of a line that are looked at around a word; command lines have more
_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_CLOCK = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_ADDED = re.compile(
    "^(?:"
    rf"\[?{_CLOCK}\]?(?: \| [\w.-]+ \|)? +(?=\S)(?![IWEF] )|"  # CI systems; not TensorFlow's own
    r"\(\d\d:\d\d:\d\d\) +|"  # Bazel with --show_timestamps
    r"\[\d\d:\d\d:\d\d\] +|"
    r"#\d+ \d+\.\d+ |"  # BuildKit
    r"\d+>|"  # Visual Studio
    r"[>|] |"  # quoted in a mail or a thread
    r" *>> +\d+ {4}|"  # Spack
    r"##\[error\]|::error::"
    ")+"
)


def clean(raw: str) -> str:
    """A line as its program wrote it, what a carriage return has overwritten left out."""
    text = raw.rstrip("\r\n")
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "\r" in text:
        text = text.rpartition("\r")[2]
    return _ADDED.sub("", text)
