"""The words of texts that other programs obey, as those programs take them apart.

Each function gives the words in which a path may stand, without comments. Sources: the manuals of
ld (linker scripts), pkg-config(1), cmake-language(7), and libtool's archives, which a shell reads.
"""

import re
from collections.abc import Iterator

_LINKER = re.compile(
    r"""/\*.*?(?:\*/|\Z) | "(?P<quoted>[^"]*)" | (?P<plain>[^\s"'`;,(){}=<>]+)""",
    re.DOTALL | re.VERBOSE,
)
_CMAKE = re.compile(
    r"""\#\[(?P<a>=*)\[.*?(?:\](?P=a)\]|\Z) | \#[^\n]*
    | \[(?P<b>=*)\[(?P<bracket>.*?)(?:\](?P=b)\]|\Z)
    | "(?P<quoted>(?:[^"\\]|\\.)*)" | (?P<plain>(?:[^\s()\#"\\]|\\.)+)""",
    re.DOTALL | re.VERBOSE,
)
_PACKAGE_LINE = re.compile(r"\s*([\w.]+)\s*([=:])[ \t]*(.*)")
_VARIABLE = re.compile(r"\$\{([\w.]+)\}")
_PROSE = frozenset({"URL", "Description", "Name"})
_LONGEST_VALUE = 1 << 16  # with its variables written out: they may double from line to line
_BETWEEN = re.compile(r"[\s\"'`;,(=<]+")


def linker_words(text: str) -> Iterator[str]:
    """Of a linker script: a quoted name is one word, whatever it holds."""
    for match in _LINKER.finditer(text):
        if (word := match["quoted"] if match["plain"] is None else match["plain"]) is not None:
            yield word


def cmake_words(text: str) -> Iterator[str]:
    """Of a file of CMake: its arguments, those in brackets and quotes too, in their pieces."""
    for match in _CMAKE.finditer(text):
        quoted = match["quoted"] if match["plain"] is None else match["plain"]
        argument = match["bracket"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        yield from _BETWEEN.split(argument or "")


def package_words(text: str) -> Iterator[str]:
    """Of a file of pkg-config, variables written out; the folder of the file stays `${pcfiledir}`.

    One word says so where a value is longer than any is.
    """
    values = {"pcfiledir": "${pcfiledir}"}
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        found = _PACKAGE_LINE.fullmatch(line.partition("#")[0])
        if not found:
            continue
        name, sign, value = found.groups()
        if len(value) <= _LONGEST_VALUE:
            value = _VARIABLE.sub(lambda match: values.get(match[1], ""), value)
        if len(value) > _LONGEST_VALUE:
            yield "/a value that is too long"
            return
        if sign == "=":
            values[name] = value
        if sign == "=" or name not in _PROSE:
            for word in _BETWEEN.split(value.replace("\\", "")):
                yield re.sub(r"^-[A-Za-z-]+(?=/)", "", word)


def libtool_words(text: str) -> Iterator[str]:
    """Of an archive of libtool: what stands in its values, without -L and -R."""
    for line in text.splitlines():
        if not line.lstrip().startswith("#"):
            for word in re.split(r"[\s\"'=`]+", line):
                yield re.sub(r"^-[LRI](?=/)", "", word)
