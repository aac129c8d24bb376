"""How this machine reaches the outside, as files that apt and pip obey inside a container.

They lie in the build context, are mounted while packages are fetched, and are in no layer. What
they hold stays in the engine's build cache until that is pruned, as every context does.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from tfbuild.doors import Runner
from tfbuild.errors import CommandFailed, EnvironmentFailed
from tfbuild.pip_config import PipConfig, ask_pip
from tfbuild.process import find_program
from tfbuild.records import Command, Host
from tfbuild.systems import System

FOLDER = "network"  # in the build context
MOUNTED = "/run/network"  # in the container, while packages are fetched
_CA_VARIABLES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_CA_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, Red Hat
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # Alpine
)
# Of apt's settings, those that say how to reach a source, and which dates of it are believed.
_APT = re.compile(
    r"^Acquire::((https?|ftp)(::(?!SslCert|SslKey|Proxy-Auto-Detect)|\s)|Check-Valid-Until\s|Check-Date\s|"
    r"Max-ValidTime|Retries\s|ForceIPv[46]\s)",
    re.IGNORECASE,
)
_INDEXES = ("indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")


def network_files(runner: Runner, host: Host, system: System) -> dict[str, bytes]:
    """apt.conf, pip.conf and, where this machine has them, ca.pem and sources.list of the context.

    The sources are this machine's own where it runs the same distribution as the container.
    """
    pip = ask_pip(runner)
    bundle = ca_bundle(pip)
    sources = apt_sources(runner, host, system)
    files = {
        "apt.conf": apt_settings(
            runner,
            ca=f"{MOUNTED}/ca.pem" if bundle else "",
            sources=f"{MOUNTED}/sources.list" if sources else "",
        ),
        "pip.conf": _pip_settings(pip, ca=f"{MOUNTED}/ca.pem" if bundle else ""),
        "sources.list": sources,
    }
    contents = {name: text.encode() for name, text in files.items()} | {"ca.pem": bundle}
    return {f"{FOLDER}/{name}": content for name, content in contents.items() if content}


def apt_settings(runner: Runner, *, ca: str, sources: str) -> str:
    """apt's settings of this machine that concern the network, as an apt.conf.

    ca and sources are the paths of the certificates and of the list of sources, where there are
    such files.
    """
    kept = [line for line in _apt(runner, "apt-config", "dump") if _APT.match(line)]
    named = {line.partition(" ")[0].lower() for line in kept}
    kept = [line for line in kept if "::cainfo" not in line.lower()]
    for scheme, address in proxies(os.environ).items():
        if f"acquire::{scheme}::proxy" not in named:
            kept.append(f'Acquire::{scheme}::Proxy "{address}";')
    if ca:
        kept.append(f'Acquire::https::CaInfo "{ca}";')
    if sources:
        kept += [f'Dir::Etc::sourcelist "{sources}";', 'Dir::Etc::sourceparts "/dev/null";']
    return "".join(f"{line}\n" for line in kept)


def apt_sources(runner: Runner, host: Host, system: System) -> str:
    """This machine's sources of packages, with the system's suite in place of its own.

    Empty where it runs another distribution, or names none of the usual sources. Of a system that
    has come to its end only the release itself: files that its updates still list may be gone.
    """
    if host.distribution != system.family:
        return ""
    found = [line.split() for line in _apt(runner, "apt-get", *_INDEXES)]
    pairs = [(words[0], words[1]) for words in found if len(words) == 2]
    own = {release.partition("-")[0] for _, release in pairs}
    parts = "main universe" if system.family == "ubuntu" else "main"
    lines = []
    for pocket in ("",) if system.is_ended else ("", "-updates", "-security"):
        for address, release in pairs:
            if release.endswith(pocket) and release.removesuffix(pocket) in own:
                lines.append(f"deb {address} {system.suite}{pocket} {parts}")
                break
    return "".join(f"{line}\n" for line in lines) if lines and " main" in lines[0] else ""


def ca_bundle(pip: PipConfig) -> bytes:
    """The certificates that this machine trusts: pip's, the usual variables', the system's."""
    named = (pip.access.ca, *(os.environ.get(name, "") for name in _CA_VARIABLES), *_CA_BUNDLES)
    for name in named:
        if name and Path(name).is_file():
            return Path(name).read_bytes()
    return b""


def proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """http and https with the proxy that the usual variables name for them."""
    found = {}
    for scheme in ("http", "https"):
        names = (f"{scheme}_proxy", f"{scheme.upper()}_PROXY", "all_proxy", "ALL_PROXY")
        address = next((environ[name] for name in names if environ.get(name)), "")
        if address:
            found[scheme] = address
    return found


# --- inside ------------------------------------------------------------------------------------


def _pip_settings(pip: PipConfig, *, ca: str) -> str:
    """A pip.conf; folders of this machine that serve as indexes mean nothing in a container."""
    main, *more = [a for a in pip.indexes if urlsplit(a).scheme in {"http", "https"}] or [""]
    access = pip.access
    proxy = access.proxy or proxies(os.environ).get("https", "")
    settings = {
        "index-url": main,
        "extra-index-url": " ".join(more),
        "trusted-host": " ".join(access.trusted_hosts),
        "proxy": proxy,
        "cert": ca,
        "timeout": f"{access.timeout:.0f}",
    }
    return "[global]\n" + "".join(f"{name} = {text}\n" for name, text in settings.items() if text)


def _apt(runner: Runner, program: str, *words: str) -> list[str]:
    """The lines that apt says about its own settings; none on a machine without apt."""
    if not find_program(program):
        return []
    command = Command(argv=(program, *words), purpose="ask apt for its settings", quiet=True)
    try:
        return runner.run(command).stdout.splitlines()
    except CommandFailed as error:
        raise EnvironmentFailed(
            "apt does not tell its settings",
            why="\n".join(error.last_lines[-3:]),
            hint=f"see what `{program} {words[0]}` says; a file in /etc/apt may be broken",
            log=error.log,
        ) from error
