"""Hides what is secret in text that is shown, logged or written down: logins, tokens, headers.

It rather hides a harmless word than shows a secret one, and does not need an address to be one that
can be parsed: what was mistyped is shown more often than what was right. What it gives is for
people to read.
"""

import re
from typing import Any

HIDDEN = "****"
# A character as it is, or percent-encoded, however often.
_AT, _COLON, _EQUALS = r"(?:@|%(?:25)*40)", r"(?::|%(?:25)*3A)", r"(?:=|%(?:25)*3D)"
_SLASH, _SEPARATOR = r"(?:[/\\]|%(?:25)*(?:2F|5C))", r"(?:[?&;#]|%(?:25)*(?:3F|26|3B|23))"
# user:password@ may hold slashes and quotes; a token alone ends where a path begins.
_LOGIN = re.compile(r"(?<=://)(?:[^\s/:@]*:(?:(?!://)\S)*@|[^\s/@]+@)")
# A token alone behind a scheme that has lost a slash, or is encoded.
_BEGIN = "|".join(rf"(?<={name}:/)" for name in ("https", "http", "grpcs", "grpc", "ftp"))
_TOKEN = re.compile(rf"(?i)(?:{_BEGIN}|(?<=%3A%2F%2F))[^\s/@%:]+(?={_AT})")
# Without a scheme: `user:` at the beginning of a word or after punctuation, and what follows up to
# the last @ that has a host behind it, and no digest (image:tag@sha256:...) or label (@name//x:y).
_PORT = re.compile(r":\d{1,5}$")
_WORD = re.compile(r"\S+")
_PUNCTUATION = r"\"'`=,;|&?<>()\[\]{}/\\"
_USER = re.compile(
    rf"(?i)(?:^|(?<=[{_PUNCTUATION}])|(?<=%2F)|(?<=%5C)|(?<=%3D))"
    rf"[^{_PUNCTUATION}:]{{0,200}}?{_COLON}(?!{_SLASH}|$)"
)
_HOST = re.compile(rf"(?i){_AT}(?=[\w\[%])(?!sha\d+:)(?![\w.~+-]{{0,200}}//)")

_KINDS = (
    r"(?:token|secret|passw(?:or)?d|passphrase|passwd|pass|pwd|signature|credentials?|api_?key|"
    r"access_?key(?:id)?|key|auth|sig|jwt|session(?:id)?|sid|login)"
)
_QUERY = re.compile(
    rf"(?i)({_SEPARATOR}(?:[\w.%-]{{0,60}}[_.-])?{_KINDS}(?:[_.-][\w.%-]{{0,60}})?{_EQUALS})"
    rf"(?:(?!{_SEPARATOR})[^\s\"'])+"
)
_NAMES = (
    r"(?:proxy-)?authorization|(?:set-)?cookie|(?:private|job|deploy)-token"
    r"|x-[\w-]{0,40}(?:token|key|secret)"
)
# Before the value stands a scheme, behind it more parts: a=x; b=y, or Credential=x, Signature=y.
_SCHEME = (
    r"(?:(?:basic|bearer|token|digest|negotiate|ntlm|aws4-hmac-sha256"
    r"|[\w-]{1,40}(?=\s+\w{1,40}=))\s+)"
)
_MORE = r"(?:[;,]\s?[\w.-]{1,80}=(?:\"[^\"\n]*\"|[^\s\"',;]*))*"
_HEADER = re.compile(
    rf"(?i)\b((?:{_NAMES})[\"']?\s*[:=]\s*[\"']?{_SCHEME}?)[^\s\"',;]+"
    rf"(?:(?<==)\"[^\"\n]*\")?{_MORE}"
)
_VARIABLE = (
    r"(?:(?<![\w?&;.-])|(?<=-D))(?:[A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE"
    r"|CREDENTIALS?|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTHORIZATION)[A-Z0-9_]{0,60}"
    r"|[A-Z0-9_]{1,60}_(?:PASS|PWD)(?![A-Z0-9_]))"
)
_IS_SECRET = re.compile(_VARIABLE)
_OPTION = r"(?<![\w-])--(?:[a-z0-9]+[-_]){0,5}(?:token|secret|password|passwd|api[-_]?key)"
_GIVEN = r"(?:'[^']*'|\"[^\"]*\"|[^\s\"';&|])+"
_ASSIGNED = re.compile(rf"({_VARIABLE}\s?[=:]\s?|{_OPTION}(?:=|\s)){_GIVEN}")
# Keys of JSON and of settings: "token": "x", _authToken=x; netrc; curl -u user:password.
_KEY = re.compile(
    r"(?i)([\"'][\w-]{0,60}(?:token|secret|passw(?:or)?d|passwd|api[-_]?key|access[-_]?key"
    r"|private[-_]?key)[\"']\s?:\s?[\"'])[^\"'\n]+"
)
_SETTING = re.compile(r"(?i)((?<!\w)_(?:auth(?:token)?|password)\s?=\s?)[^\s\"']+")
_NETRC = re.compile(r"(\blogin\s\S{1,200}\spassword\s)\S+")
_USER_OPTION = re.compile(r"((?<!\S)(?:-u|--user)[ =](?!\d+:\d+(?:\s|$))[^\s:]{1,200}:)\S+")


def mask(text: str) -> str:
    """The text without logins in addresses, tokens in queries, headers and variables."""
    if "://" in text:
        text = _LOGIN.sub(f"{HIDDEN}@", text)
    if "@" in text or "%" in text:
        text = _TOKEN.sub(HIDDEN, text)
        text = _WORD.sub(_without_login, text)
    if "=" in text or ":" in text or "%" in text:
        text = _QUERY.sub(rf"\1{HIDDEN}", text)
        text = _HEADER.sub(rf"\1{HIDDEN}", text)
        for pattern in (_KEY, _SETTING, _USER_OPTION):
            text = pattern.sub(rf"\1{HIDDEN}", text)
    if "=" in text or ":" in text or "--" in text:
        text = _ASSIGNED.sub(rf"\1{HIDDEN}", text)
    return _NETRC.sub(rf"\1{HIDDEN}", text) if "password" in text else text


def mask_address(address: str) -> str:
    """What is known to be an address, or should be one: no login, no query, whatever its form."""
    shown = mask(_without_user(address)).replace(f"{HIDDEN}@", "")
    begin, scheme, rest = shown.rpartition("://")
    if not scheme:  # a token alone before its host looks like a name
        rest = rest.rpartition("@")[2]
    return begin + scheme + re.split(_SEPARATOR, rest, maxsplit=1)[0]


def mask_value(name: str, value: str) -> str:
    """The value of a variable, hidden as a whole where the name says that it is secret."""
    return HIDDEN if value and _IS_SECRET.fullmatch(name) else mask(value)


def mask_all(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Plain data of the same shape, each text in it masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _named(key, each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[0], str):  # how pairs of name and value are written
            return [mask(value[0]), _named(value[0], value[1])]
        return [mask_all(each) for each in value]
    return value


# --- inside ------------------------------------------------------------------------------------


def _without_user(address: str) -> str:
    """An address without user and password, also where the latter holds blanks or slashes."""
    scheme, mark, rest = address.partition("://")
    host, *_ = rest.split("/", 1)
    is_cut = ":" in host and "@" not in host and not _PORT.search(host)  # a slash of a password
    if not mark or "@" not in (rest if is_cut else host):
        return address
    whole = rest if is_cut else host
    return f"{scheme}://{whole.rpartition('@')[2]}{rest[len(whole) :]}"


def _named(name: Any, value: Any) -> Any:  # noqa: ANN401
    if isinstance(name, str) and isinstance(value, str):
        return mask_value(name, value)
    return mask_all(value)


def _without_login(word: re.Match[str]) -> str:
    """A word in which nothing stands between the beginning of a login and its host."""
    text = word[0]
    hosts = [found.start() for found in _HOST.finditer(text)]
    user = _USER.search(text, 0, hosts[-1]) if hosts else None
    return text[: user.start()] + HIDDEN + text[hosts[-1] :] if user else text
