"""The C++ of the runtime computes, reads and writes alike in every locale."""

import re
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parent.parent / "runtime"

# What the libraries of C and C++ do by the locale of the process.
_BY_LOCALE = (
    r"\b(strto(d|f|ld)|atof|sto(d|f|ld)|v?[fs]?scanf)(_l)?\s*\(",  # a comma for the point
    r"\b(str(coll|xfrm|n?casecmp|ftime|error(_[rl])?)|mbstowcs|wcstombs|dlerror)\s*\(",
    r"\b(is(alpha|alnum|x?digit|space|print|punct|upper|lower|cntrl|graph|blank)|to(upper|lower))\b",
    r"\b([gs]etlocale|uselocale|newlocale|localeconv|std::locale|std::regex)\b",
    r"#include <(sstream|iostream|iomanip|locale|locale\.h|regex|c?ctype(\.h)?|codecvt)>",
    r"\b(generic|system)_category\b|\.code\(\)\.message\(",
    r"printf\s*\([^;]*%[-+ #0]*(\d+|\*)?(\.(\d+|\*))?l?[aefgAEFG]",  # %.3g
    r"std::ifstream (\w+)[^}]*\b\1 >>",  # a number out of a stream
)
# The same of whole numbers; emulation/ reads those of its tests, and links nothing of ours.
_INTEGERS_BY_LOCALE = (r"\b(strtou?(l|ll|max)|ato(i|l|ll)|stou?(i|l|ll)|std::to_string)\s*\(",)
# Who may, and why.
KNOWS_LOCALES = {
    "base/c_locale.cc": "does all that without the locale",
    "tensor/cuda_library.cc": "says what the loader of libraries says",
    "testing/test.h": "shows values of all types, in a stream of the classic locale",
    "testing/test_main.cc": "runs tests in a locale",
    "base/c_locale_test.cc": "tries other locales",
}


def locale_dependence(text: str, name: str) -> list[str]:
    """What in a C++ file of that path depends on the locale of the process."""
    text = re.sub(r"//.*", "", text)
    integers = () if name.startswith("emulation/") else _INTEGERS_BY_LOCALE
    return [m.group(0) for p in (*_BY_LOCALE, *integers) for m in re.finditer(p, text)]


def test_numbers_and_letters_do_not_depend_on_the_locale() -> None:
    """A program in a comma locale reads and writes the same numbers: see base/c_locale.h."""
    found = {}
    for path in RUNTIME.rglob("*"):
        if path.suffix in {".h", ".cc", ".cu", ".cuh"}:
            name = path.relative_to(RUNTIME).as_posix()
            if parts := locale_dependence(path.read_text(), name):
                found[name] = parts
    assert found.keys() - KNOWS_LOCALES == set(), found
    assert found.keys() == KNOWS_LOCALES.keys(), "listed without need"


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("x = std::strtod(text, &end);", True),
        ('std::snprintf(text, 9, "%.*g", digits, x);', True),
        ('std::snprintf(text, 9, "%05d: %s", x, name);', False),
        ('FormatReal("%.1f", x);', False),
        ("Ascii(std::isalnum)", True),
        ("if (IsDigit(c)) return;", False),
        ("std::ifstream file(path); double x; file >> x;", True),
        ("// as strtod(3) does", False),
    ],
)
def test_dependence_on_the_locale_is_found(line: str, is_one: bool) -> None:
    assert bool(locale_dependence(line, "base/imagined.cc")) == is_one
