"""Settings of caches and other machines: every word is checked before anything is asked."""

import os
import re
from urllib.parse import urlsplit

from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.core.errors import BadRequest
from tfbuild.core.masking import mask_address
from tfbuild.core.records import Pairs
from tfbuild.core.settings import Setting, Settings, is_yes

_SCHEMES = {
    "remote-cache": ("grpc", "grpcs", "http", "https"),
    "remote-executor": ("grpc", "grpcs"),
}
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([mgt]?)(?:i?b)?")
_MB = {"": 1, "m": 1, "g": 1000, "t": 1_000_000}
_HEADER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_PROPERTY = re.compile(r"[A-Za-z0-9][\w.:/-]{0,99}")


def read_services(settings: Settings) -> Services:
    """The caches and machines that the settings name; BadRequest for the first that cannot be."""
    services = Services(
        disk_limit_mb=_disk_limit_mb(settings.get("disk-cache-limit")),
        cache=_address(settings.get("remote-cache")),
        executor=_address(settings.get("remote-executor")),
        headers=_headers(settings.get("remote-header")),
        properties=_properties(settings.get("remote-property")),
        is_required=is_yes(settings.get("remote-required")),
        checked=_share(settings.get("verify-cache")),
        keeps_server=is_yes(settings.get("keep-server")),
    )
    if not (services.cache or services.executor):
        _refuse_without_place(settings, "remote-header", "remote-property", "remote-required")
    elif not services.executor:
        _refuse_without_place(settings, "remote-property")
    if (services.cache or services.executor) and settings.text("env") == "docker":
        raise BadRequest(
            "a container of tfbuild has no network, so no cache or farm is reached from it",
            code="remote-cache-in-container",
            hint="build on this machine (--env host) with the cache, or without it in a container",
        )
    return services


def _disk_limit_mb(setting: Setting | None) -> int:
    if setting is None:
        return NO_SERVICES.disk_limit_mb
    found = _SIZE.fullmatch(setting.value.strip().lower())
    if not found:
        raise BadRequest(
            f"disk-cache-limit is '{setting.value}' ({setting.origin})",
            code="disk-cache-limit-no-size",
            hint="write a size such as 20g or 500m; 0 keeps no results",
        )
    return int(float(found[1]) * _MB[found[2]])


def _address(setting: Setting | None) -> str:
    if setting is None:
        return ""
    name, text = setting.name, setting.value.strip()
    where = f"{name} ({setting.origin})"
    if "@" in text or "%40" in text:
        raise BadRequest(
            f"{where} holds a login",
            code="address-holds-login",
            why="an address is shown, logged and kept in reports",
            hint="put the login into .netrc, or give --remote-header authorization=VARIABLE with "
            "the name of a variable that holds it",
        )
    try:
        parts = urlsplit(text)
        is_whole = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        raise BadRequest(
            f"{where} is no address", code="remote-address-malformed", hint=_example(name)
        ) from None
    if parts.scheme not in _SCHEMES[name] or not is_whole or parts.query or parts.fragment:
        raise BadRequest(
            f"{where} is '{mask_address(text)}'",
            code="remote-address-unfit",
            why=f"it must begin with {', '.join(f'{s}://' for s in _SCHEMES[name])} and a host",
            hint=_example(name),
        )
    if parts.scheme.startswith("grpc") and not parts.port:
        raise BadRequest(f"{where} names no port", code="remote-port-missing", hint=_example(name))
    return text.rstrip("/")


def _example(name: str) -> str:
    if name == "remote-cache":
        return "write for example https://cache.example.org/bazel or grpc://10.0.0.5:9092"
    return "write for example grpc://10.0.0.5:8980, or grpc://10.0.0.5:8980/INSTANCE"


def _headers(setting: Setting | None) -> Pairs:
    found = _pairs(setting, "--remote-header authorization=CACHE_LOGIN")
    for name, variable in found:
        if not _HEADER.fullmatch(name) or not _VARIABLE.fullmatch(variable):
            raise BadRequest(
                "remote-header is not NAME=VARIABLE",
                code="remote-header-malformed",
                why="its second part is the name of an environment variable, never the secret",
                hint="write for example --remote-header authorization=CACHE_LOGIN",
            )
        value = os.environ.get(variable, "")
        if not value:
            raise BadRequest(
                f"the header {name} should come from ${variable}, which is not set",
                code="remote-header-unset",
                hint=f"set it: export {variable}='Bearer ...'",
            )
        if not value.isprintable() or not value.isascii():
            raise BadRequest(
                f"${variable} is no header: it must be one line of plain letters",
                code="remote-header-unfit",
            )
    return found


def _properties(setting: Setting | None) -> Pairs:
    found = _pairs(setting, "--remote-property OSFamily=linux")
    for name, value in found:
        if not _PROPERTY.fullmatch(name) or not value.isprintable():
            raise BadRequest(
                f"remote-property '{name}={value}' is not NAME=VALUE",
                code="remote-property-malformed",
                hint="write for example --remote-property OSFamily=linux",
            )
    return tuple(sorted(found))


def _pairs(setting: Setting | None, example: str) -> Pairs:
    if setting is None:
        return ()
    found = []
    for word in filter(None, (word.strip() for word in setting.value.split(","))):
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise BadRequest(
                f"{setting.name} ({setting.origin}) has no = in it",
                code="option-without-equals",
                hint=f"write {example}",
            )
        found.append((name.strip(), value.strip()))
    if len({name for name, _ in found}) < len(found):
        raise BadRequest(
            f"{setting.name} names something twice", code="option-names-twice", hint="name it once"
        )
    return tuple(found)


def _share(setting: Setting | None) -> float:
    if setting is None:
        return 0.0
    text = setting.value.strip()
    found = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)( ?%)?", text)
    share = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= share <= 1:
        raise BadRequest(
            f"verify-cache is '{text}' ({setting.origin})",
            code="verify-cache-no-share",
            hint="write a share such as 5%",
        )
    return share


def _refuse_without_place(settings: Settings, *names: str) -> None:
    for name in names:
        if (setting := settings.get(name)) and setting.value not in {"false", "0", "no", "off"}:
            raise BadRequest(
                f"{name} ({setting.origin}) is given, and no "
                f"{'--remote-executor' if name == 'remote-property' else '--remote-cache'}",
                code="option-without-address",
                hint="give the address as well, or leave it out",
            )
