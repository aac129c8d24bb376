"""Which build system wrote a log: remedies differ between them."""

import io
import re
from typing import BinaryIO

_LOOKED_AT = 500_000  # bytes of the begin of a log, and of its end
# What only its own output has, in this order: what another one calls stands in its log, too.
_MARKS = {
    "bazel": (
        rb"bazel[ -]|Bazel |[/_]bazel/|\.bazel|\bBUILD:\d+|FAILED: Build did NOT|\.bzl\b|@\w+//"
        rb"|\bINFO: (?:Analyzed|Elapsed time|Found \d)|from target //|rule '@?@?\S*//"
    ),
    "meson": rb"The Meson build system|\bmeson\.build:|meson (?:setup|install|compile)|meson-log",
    "cmake": (
        rb"CMake (?:Error|Warning|Deprecation)|^-- \S|\bcmake (?:-|--build)|CMakeFiles/"
        rb"|CMakeLists\.txt"
    ),
    "configure": rb"^configure: |^checking (?:for|whether) |config\.log",
    "make": rb"\bg?make(?:\[\d+\])?: ",
    "ninja": rb"^ninja: |^\[\d+/\d+\] ",
}
_PATTERNS = tuple((name, re.compile(marks, re.MULTILINE)) for name, marks in _MARKS.items())


def build_system_of(log: BinaryIO) -> str:
    """bazel, meson, cmake, configure, make or ninja; empty where the log shows none of them."""
    log.seek(0)
    text = log.read(_LOOKED_AT)
    end = log.seek(0, io.SEEK_END)
    if end > _LOOKED_AT:
        log.seek(max(_LOOKED_AT, end - _LOOKED_AT))
        text += b"\n" + log.read(_LOOKED_AT)
    return next((name for name, pattern in _PATTERNS if pattern.search(text)), "")
