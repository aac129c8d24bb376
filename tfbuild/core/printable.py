"""Makes text harmless that is shown: nothing in it steers a terminal, or hides or turns letters.

It stands where text leaves the program, as names in wheels, logs and archives come from anywhere.
"""

import re

# Control characters but line feed and tab (C0, C1), format characters (among them what turns the
# direction of letters or has no width), fillers without an image, variation selectors, separators
# of lines and paragraphs, and halves of surrogate pairs.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001345f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def printable(text: str) -> str:
    r"""The text with each harmful character as its number: \x1b, \u202e, \U000e0001."""
    return _HARMFUL.sub(_numbered, text)


def printable_json(text: str) -> str:
    r"""A JSON document that means the same, with each harmful character as \uXXXX."""
    return _HARMFUL.sub(_as_json, text)


def _numbered(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _as_json(match: re.Match[str]) -> str:
    raw = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))
