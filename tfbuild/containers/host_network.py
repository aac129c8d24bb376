"""How this machine reaches the outside, as files that apt and pip obey inside a container.

They lie in the build context, are mounted while packages are fetched, and are in no layer. They may
hold passwords and keys, so the context is taken out of the engine's build cache again.
"""

import contextlib
import netrc
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from tfbuild.containers.systems import is_ended
from tfbuild.core.environments import System
from tfbuild.core.errors import BadRequest, CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Runner
from tfbuild.core.paths import named_path
from tfbuild.core.process import find_program
from tfbuild.core.records import Command, Host
from tfbuild.core.safe_files import read_bytes
from tfbuild.fetch.pip_config import PipConfig, ask_pip

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
    r"^Acquire::((https?|ftp)(::(?!Proxy-Auto-Detect)|\s)|Check-Valid-Until\s|Check-Date\s|"
    r"Max-ValidTime|Retries\s|ForceIPv[46]\s)",
    re.IGNORECASE,
)
_KEY_FILE = re.compile(r'^(Acquire::https::(?:\S+::)?Ssl(?:Cert|Key)) "(.*)";$', re.IGNORECASE)
_LOGINS = Path("/etc/apt")  # auth.conf, auth.conf.d/*.conf
_THIS_MACHINE = re.compile(r"(?<![\w.-])(127(?:\.\d+){3}|localhost|\[::1\])(?![\w.-])")
_ADDRESS = re.compile(r"\w+://[^\s\"';,]+")
_INDEXES = ("indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")


def network_files(runner: Runner, host: Host, system: System) -> dict[str, bytes]:
    """apt.conf, pip.conf and what they name of this machine: certificates, sources, logins.

    The sources are this machine's own where it runs the same distribution as the container; of
    apt's logins only those for these sources are among the files.
    """
    pip = ask_pip(runner)
    sources = apt_sources(runner, host, system)
    named = {
        "ca.pem": ca_bundle(pip),
        "sources.list": sources.encode(),
        "auth.conf": apt_logins(sources).encode(),
        "client.pem": _content(pip.access.client_cert),
    }
    places = {name: f"{MOUNTED}/{name}" if content else "" for name, content in named.items()}
    settings = apt_settings(
        runner,
        ca=places["ca.pem"],
        sources=places["sources.list"],
        logins=places["auth.conf"],
    )
    settings, keys = _with_keys(settings)
    texts = {"apt.conf": settings, "pip.conf": _pip_settings(pip, places)}
    contents = {name: text.encode() for name, text in texts.items()} | named | keys
    return {f"{FOLDER}/{name}": content for name, content in contents.items() if content}


def local_address(files: Mapping[str, bytes]) -> str:
    """The first name in the files that means this machine and no other; empty for none."""
    for name in ("apt.conf", "pip.conf", "sources.list"):
        lines = files.get(f"{FOLDER}/{name}", b"").decode().splitlines()
        found = _THIS_MACHINE.search("\n".join(one for one in lines if '"DIRECT"' not in one))
        if found:
            return found[0]
    return ""


def needs_host_network(files: Mapping[str, bytes], engine: "EngineKind") -> bool:
    """Whether the files name a proxy, a mirror or an index that listens on this machine alone.

    The steps of an image see it in this machine's own network only. Raises EnvironmentFailed
    where the engine cannot give them that.
    """
    local = local_address(files)
    if local and engine.name == "docker" and engine.is_rootless:
        raise EnvironmentFailed(
            f"an image cannot be made over {local}",
            code="proxy-on-loopback",
            why="that is this machine as it sees itself, and a Docker without root has a network "
            "of its own",
            hint="let the proxy or mirror listen on another address of this machine and name "
            "that in the settings of apt and pip",
        )
    return bool(local)


def apt_settings(runner: Runner, *, ca: str, sources: str, logins: str = "") -> str:
    """apt's settings of this machine that concern the network, as an apt.conf.

    ca, sources and logins are the paths of the certificates, of the list of sources and of the
    passwords for them, where there are such files.
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
    if logins:
        kept.append(f'Dir::Etc::netrc "{logins}";')
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
    for pocket in ("",) if is_ended(system) else ("", "-updates", "-security"):
        for address, release in pairs:
            if release.endswith(pocket) and release.removesuffix(pocket) in own:
                lines.append(f"deb {address} {system.suite}{pocket} {parts}")
                break
    return "".join(f"{line}\n" for line in lines) if lines and " main" in lines[0] else ""


def apt_logins(sources: str) -> str:
    """What apt's auth.conf of this machine says of the servers of a list of sources.

    A file that this user may not read says nothing.
    """
    servers = {_server(address) for address in _ADDRESS.findall(sources)} - {""}
    lines = []
    for path in (_LOGINS / "auth.conf", *sorted((_LOGINS / "auth.conf.d").glob("*.conf"))):
        text = _content(str(path)).decode("utf-8", "replace")
        for entry in re.split(r"(?m)^\s*(?=machine\s)", re.sub(r"(?m)^\s*#.*$", "", text)):
            words = entry.split()
            if words[:1] == ["machine"] and len(words) > 1 and _server(words[1]) in servers:
                lines.append(" ".join(words))
    return "".join(f"{line}\n" for line in lines)


def ca_bundle(pip: PipConfig) -> bytes:
    """The certificates that this machine trusts: pip's, the usual variables', the system's."""
    named = (pip.access.ca, *(os.environ.get(name, "") for name in _CA_VARIABLES), *_CA_BUNDLES)
    for name in named:
        if name and Path(name).is_file():
            return _certificates(Path(name))
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


class EngineKind(Protocol):
    """What is asked of an engine about its network."""

    @property
    def name(self) -> str:
        """docker or podman."""

    @property
    def is_rootless(self) -> bool:
        """Whether it runs without root."""


def _pip_settings(pip: PipConfig, places: Mapping[str, str]) -> str:
    """A pip.conf; folders of this machine that serve as indexes mean nothing in a container."""
    served = [_with_login(a) for a in pip.indexes if urlsplit(a).scheme in {"http", "https"}]
    main, *more = served or [""]
    access = pip.access
    proxy = access.proxy or proxies(os.environ).get("https", "")
    settings = {
        "index-url": main,
        "extra-index-url": " ".join(more),
        "trusted-host": " ".join(access.trusted_hosts),
        "proxy": proxy,
        "cert": places["ca.pem"],
        "client-cert": places["client.pem"],
        "timeout": f"{access.timeout:.0f}",
    }
    return "[global]\n" + "".join(f"{name} = {text}\n" for name, text in settings.items() if text)


def _with_login(address: str) -> str:
    """An index with what this user's netrc knows for it: no netrc is read in a container."""
    parts = urlsplit(address)
    if "@" in parts.netloc:
        return address
    places = (os.environ.get("NETRC", ""), "~/.netrc", "~/_netrc")
    for place in filter(None, places):
        with contextlib.suppress(
            OSError, LookupError, ValueError, netrc.NetrcParseError, BadRequest
        ):
            login, _, password = netrc.netrc(named_path(place)).hosts[parts.hostname or ""]
            known = f"{quote(login or '', safe='')}:{quote(password or '', safe='')}"
            return parts._replace(netloc=f"{known}@{parts.netloc}").geturl()
    return address


def _with_keys(settings: str) -> tuple[str, dict[str, bytes]]:
    """apt's settings and the client certificates that they name, as files of the context."""
    lines: list[str] = []
    files: dict[str, bytes] = {}
    for line in settings.splitlines():
        found = _KEY_FILE.match(line)
        if not found:
            lines.append(line)
        elif content := _content(found[2]):
            name = f"apt-{len(files)}.pem"
            files[name] = content
            lines.append(f'{found[1]} "{MOUNTED}/{name}";')
    return "".join(f"{line}\n" for line in lines), files


def _certificates(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except (OSError, ValueError) as error:
        raise EnvironmentFailed(
            f"cannot read the certificates in {path}",
            code="certificates-unreadable",
            why=str(error),
            hint="fix the file, or name another one (`pip config set global.cert FILE`)",
        ) from error


def _content(path: str) -> bytes:
    """What is in a file of this machine; nothing where this user cannot read it."""
    with contextlib.suppress(OSError, ValueError):
        return read_bytes(Path(path)) if path else b""
    return b""


def _server(machine: str) -> str:
    """The server of an entry or an address, empty where there is none.

    In an entry apt takes a name, a port, a path and a scheme.
    """
    with contextlib.suppress(ValueError):
        return urlsplit(machine if "://" in machine else f"//{machine}").hostname or ""
    return ""


def _apt(runner: Runner, program: str, *words: str) -> list[str]:
    """The lines that apt says about its own settings; none on a machine without apt."""
    if not find_program(program):
        return []
    command = Command(argv=(program, *words), purpose="ask apt for its settings", quiet=True)
    try:
        return runner.run(command).stdout.splitlines()
    except CommandFailed as error:
        raise EnvironmentFailed(
            "apt does not show its settings",
            code="apt-settings-unreadable",
            why="\n".join(error.last_lines[-3:]),
            hint=f"see what `{program} {words[0]}` says; a file in /etc/apt may be broken",
            log=error.log,
        ) from error
