"""The way to the package index, asked through pip itself; proxies and certificates."""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tfbuild.doctor.checks.model import (
    CheckContext,
    CheckResult,
    CheckSpec,
    failed,
    passed,
    skipped,
    warned,
)

_PIP = (sys.executable, "-B", "-m", "pip", "--disable-pip-version-check", "--no-input")
_ASK_PIP = "import pip; print('pip', pip.__version__)"  # far quicker than pip --version
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_CERTIFICATES = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
)
_INDEX_SECONDS = 25.0


def pip(context: CheckContext) -> CheckResult:
    """Whether there is a pip, which fetches the libraries."""
    answer = context.ask(sys.executable, "-I", "-B", "-c", _ASK_PIP)
    if answer.is_ok:
        return passed(answer.text.strip())
    detail = f"{sys.executable} has no pip, which fetches the libraries"
    return failed(detail, f"{sys.executable} -m ensurepip")


def index(context: CheckContext) -> CheckResult:
    """Whether pip reaches its index with its own settings."""
    words = ("--no-cache-dir", "index", "versions", "nanobind", "--timeout", "8", "--retries", "0")
    # To name itself to the index pip asks rustc its version, and a rustup then makes a folder.
    aside = (("RUSTUP_HOME", str(context.folder)),)
    answer = context.ask(*_PIP, *words, seconds=_INDEX_SECONDS, env=aside)
    if answer.is_ok:
        return passed("pip reaches its package index")
    if "No module named pip" in answer.text:
        return skipped("there is no pip here")
    detail = "pip does not reach its package index; a build works if the cache has it all"
    fix = "check the network, or pip's settings: PIP_INDEX_URL, PIP_PROXY, PIP_CERT"
    return warned(detail, fix)


def proxies(context: CheckContext) -> list[CheckResult]:  # noqa: ARG001  (all looks are called alike)
    """Whether the proxy variables agree; never shows their values, which may hold passwords."""
    small = {name: os.environ.get(name, "") for name in _PROXIES}
    large = {name: os.environ.get(name.upper(), "") for name in _PROXIES}
    given = {name: small[name] or large[name] for name in _PROXIES}
    if not any(given[name] for name in _PROXIES[:3]):
        return [passed("no proxy is set")]
    found = []
    for name in _PROXIES:
        if small[name] and large[name] and small[name] != large[name]:
            detail = f"{name} and {name.upper()} differ; programs read one or the other"
            found.append(warned(detail, f'set both alike: export {name.upper()}="${name}"'))
        if name != "no_proxy" and given[name] and not _is_url(given[name]):
            fix = f"write {name} as http://HOST:PORT"
            found.append(warned(f"{name} is no URL with host and port", fix))
    if bool(given["http_proxy"]) != bool(given["https_proxy"]) and not given["all_proxy"]:
        one, other = sorted(_PROXIES[:2], key=lambda name: not given[name])
        detail = f"{one} is set and {other} is not; half of the downloads go past the proxy"
        found.append(warned(detail, f'export {other}="${one}"'))
    exempt = {word.strip() for word in given["no_proxy"].split(",")}
    if not exempt & {"localhost", "127.0.0.1", "*", "::1"}:
        detail = "no_proxy does not name localhost, by which Bazel talks to its server"
        found.append(warned(detail, "export no_proxy=localhost,127.0.0.1,::1"))
    return found or [passed("the proxy variables agree")]


def certificates(context: CheckContext) -> list[CheckResult]:  # noqa: ARG001  (all looks are called alike)
    """Whether the variables that name certificates name something that can be read."""
    named = {name: value for name in _CERTIFICATES if (value := os.environ.get(name, ""))}
    missing = [name for name, value in named.items() if not os.access(Path(value), os.R_OK)]
    if missing:
        return [
            warned(f"{name} names what cannot be read", f"unset {name}, or name the right file")
            for name in missing
        ]
    return [passed(f"set and there: {', '.join(named)}" if named else "those of the system")]


# --- inside ------------------------------------------------------------------------------------


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return bool(parts.scheme and parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


CHECKS = (
    CheckSpec(
        group="network",
        name="pip",
        looks_at="whether there is a pip",
        look=pip,
        seconds=0.1,
        needs_folder=True,
    ),
    CheckSpec(
        group="network",
        name="index",
        looks_at="whether pip reaches its package index",
        look=index,
        seconds=2.0,
        needs_folder=True,
    ),
    CheckSpec(
        group="network",
        name="proxies",
        looks_at="the proxy variables, in both spellings",
        look=proxies,
    ),
    CheckSpec(
        group="network",
        name="certificates",
        looks_at="variables that name certificates",
        look=certificates,
    ),
)
