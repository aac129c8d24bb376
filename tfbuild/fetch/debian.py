"""Bazel from the packages of Debian and Ubuntu, as an ordinary user: unpacked, not installed.

apt itself fetches and verifies, with its own sources and proxies but a state folder of ours. Only
what Bazel runs with is taken: the Java runtime and its C++ libraries. Its programs get an RPATH
into the tree, so no variable, namespace or root is needed and the tree can lie anywhere.
"""

import fnmatch
import os
import re
from pathlib import Path

from tfbuild.core.disk_space import require_room
from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.paths import real_path, write_aside
from tfbuild.core.process import find_program
from tfbuild.core.records import Command
from tfbuild.core.versions import contains
from tfbuild.facts.targets import target_of
from tfbuild.fetch.apt import Apt
from tfbuild.fetch.bazel_on_path import PACKAGE
from tfbuild.fetch.patchelf import find_patchelf
from tfbuild.fetch.seals import seal_tree
from tfbuild.fetch.unpack import move_folder

NEED_MB = 600
_SECONDS = 3600.0  # for one call of apt, dpkg or patchelf
_RUNTIME = "default-jre-headless"
# Dependencies that a C++ build never touches, or that every machine with a compiler has.
_LEFT_OUT = (
    *("libc6", "libc6-dev", "libgcc-s1", "libgcc1", "libstdc++6", "zlib1g", "zlib1g-dev"),
    *("build-essential", "unzip", "python3", "util-linux", "default-jdk-headless", "java-common"),
    *("*-java", "*-java-plugin", "libjs-*", "node-*", "ca-certificates*"),
    *("libasound2*", "libcups2*", "libfontconfig1", "libfreetype6", "libglib2.0-0*"),
    *("libharfbuzz0b", "libjpeg*", "liblcms2-2", "libnss3", "libpcsclite1"),
)
_VERSION = "version.txt"
# A line of `dpkg-deb --contents`: rights, owner, size, day, time, name; of folders the name ends.
_MEMBER = re.compile(r"[^d]\S+ +\S+ +\d+ +\S+ +\S+ +\./(.+?)(?: -> .*| link to .*)?$")
_WRAPPER = """#!/bin/sh
# Bazel {version} from packages that were unpacked here, not installed.
set -eu
tree=$(CDPATH= cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)
exec "$tree/{client}" --nosystem_rc --server_javabase="$tree/{java}" \\
  --install_base="$tree/usr/share/bazel" --trust_install_base "$@"
"""


def install_packages(packages: tuple[str, ...], tools: Tools) -> None:
    """Install packages on the system with apt-get, as root; EnvironmentFailed when it refuses."""
    if not tools.host.is_root:
        raise EnvironmentFailed(
            "system packages can only be installed by root",
            code="packages-need-root",
            why=f"needed: {' '.join(packages)}",
            hint=f"run: sudo apt-get install --no-install-recommends {' '.join(packages)}",
        )
    environment = (("DEBIAN_FRONTEND", "noninteractive"),)
    tools.reporter.progress(f"installing {', '.join(packages)}")
    try:
        for words in (
            ("update",),
            ("install", "--yes", "--no-install-recommends", *packages),
        ):
            tools.runner.run(
                Command(
                    argv=("apt-get", "--quiet", *words),
                    stage="environment",
                    purpose=f"apt-get {words[0]}",
                    env=environment,
                    timeout=_SECONDS,
                )
            )
    except CommandFailed as error:
        raise EnvironmentFailed(
            f"apt-get could not install {' '.join(packages)}",
            code="apt-install-failed",
            why="\n".join(error.last_lines[-4:]),
            hint="run it by hand and see what it says",
            log=error.log,
        ) from error


def unpack_bazel(accepted: str, folder: Path, tools: Tools) -> Path:
    """The start script of a Bazel unpacked below folder, named after distribution and version.

    Raises FetchFailed when apt cannot reach its sources, EnvironmentFailed when the distribution
    has no Bazel in the accepted range.
    """
    if not find_program("apt-get") or not find_program("dpkg-deb"):
        raise EnvironmentFailed(
            "this distribution has no apt", code="apt-missing", hint="see the other sources"
        )
    require_room(folder, NEED_MB, "Bazel from Debian's packages")
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    with part_folder(folder, "apt") as state, part_folder(folder, "tree") as tree:
        apt = _Packages(state, tools)
        version = apt.find_version(accepted)
        archives = apt.download()
        tools.reporter.progress(f"unpacking Bazel {version}")
        listed = {"bin/bazel", _VERSION}
        for archive in archives:
            listed |= _contents(archive, tools)
            _run(tools, "unpack", "dpkg-deb", "--extract", str(archive), str(tree))
        _make_relocatable(tree, tools)
        _write_wrapper(tree, version)
        target = folder / f"{tools.host.distribution}{tools.host.distribution_version}-{version}"
        seal_tree(tree, listed, name=target.name)
        move_folder(tree, target)
        return target / "bin" / "bazel"


# --- inside ------------------------------------------------------------------------------------


class _Packages:
    """What apt has of Bazel."""

    def __init__(self, state: Path, tools: Tools) -> None:
        self._tools = tools
        self._apt = Apt(state, tools)
        self._run = self._apt.run

    def find_version(self, accepted: str) -> str:
        """The version on offer, such as 4.2.3; EnvironmentFailed unless it is accepted."""
        self._run("read the package lists", "apt-get", "--quiet", "update")
        text = self._run("look for Bazel", "apt-cache", "show", PACKAGE, codes=(0, 100))
        offered = re.findall(r"^Version: (?:\d+:)?([0-9]+(?:\.[0-9]+)+)", text, re.MULTILINE)
        name = f"{self._tools.host.distribution} {self._tools.host.distribution_version}"
        if not offered:
            raise EnvironmentFailed(
                f"{name} offers no package {PACKAGE}",
                code="bazel-package-missing",
                hint="on Ubuntu, enable the component universe",
            )
        if not contains(accepted, offered[0]):
            raise EnvironmentFailed(
                f"{name} offers Bazel {offered[0]}, not {accepted}", code="bazel-package-unfit"
            )
        return str(offered[0])

    def download(self) -> list[Path]:
        """The archives of Bazel and of what it runs with, verified by apt."""
        self._leave_out()
        self._tools.reporter.progress("fetching Bazel's packages")
        words = ("--quiet", "install", "--download-only", PACKAGE, _RUNTIME)
        self._run("fetch Bazel's packages", "apt-get", *words)
        return sorted(self._apt.archives.glob("*.deb"))

    def _leave_out(self) -> None:
        """Make apt believe that what is not needed is installed."""
        names: set[str] = set()
        for package in (PACKAGE, f"{PACKAGE}-data", _RUNTIME, *self._runtimes()):
            names |= self._dependencies(package)
        left_out = [n for n in names if any(fnmatch.fnmatch(n, pattern) for pattern in _LEFT_OUT)]
        architecture = target_of(self._tools.host).debian
        self._apt.count_as_installed(
            "".join(
                f"Package: {name}\nStatus: install ok installed\nVersion: 99:9999\n"
                f"Architecture: {architecture}\nMaintainer: none\n"
                "Description: taken from the machine\n\n"
                for name in sorted(left_out)
            )
        )

    def _runtimes(self) -> list[str]:
        found = self._dependencies(_RUNTIME)
        return [name for name in found if re.fullmatch(r"openjdk-\d+-jre-headless", name)]

    def _dependencies(self, package: str) -> set[str]:
        text = self._run("ask for dependencies", "apt-cache", "depends", package, codes=(0, 100))
        return set(re.findall(r"(?:Pre-)?Depends: ([a-z0-9][a-z0-9+.-]+)", text))


def _run(
    tools: Tools, purpose: str, program: str, *words: str, codes: tuple[int, ...] = (0,)
) -> str:
    command = Command(
        argv=(program, *words), purpose=purpose, ok_codes=codes, timeout=_SECONDS, quiet=True
    )
    return tools.runner.run(command).stdout


def _contents(archive: Path, tools: Tools) -> set[str]:
    """The files and links that a package holds, as it lists them itself."""
    said = _run(tools, "list what is in", "dpkg-deb", "--contents", str(archive))
    return {match[1] for line in said.splitlines() if (match := _MEMBER.match(line))}


def _make_relocatable(tree: Path, tools: Tools) -> None:
    """Point links and library paths into the tree, wherever it lies."""
    for link in [path for path in tree.rglob("*") if path.is_symlink()]:
        target = link.readlink()
        inside = tree / str(target).lstrip("/")
        if target.is_absolute() and inside.exists():
            link.unlink()
            link.symlink_to(os.path.relpath(inside, link.parent))
    patchelf = find_patchelf()
    programs = [*tree.glob("usr/libexec/*/bazel/*"), *_clients(tree)]
    for program in programs:
        if program.is_symlink() or program.read_bytes()[:4] != b"\x7fELF":
            continue
        for libraries in tree.glob("usr/lib/*-linux-gnu"):
            path = f"$ORIGIN/{os.path.relpath(libraries, program.parent)}"
            # RPATH, not RUNPATH: it must hold for the libraries' own dependencies as well.
            words = ("--force-rpath", "--set-rpath", path, str(program))
            _run(tools, "set a library path", patchelf, *words)


def _clients(tree: Path) -> list[Path]:
    return sorted(tree.glob("usr/bin/bazel-[0-9]*"))


def _write_wrapper(tree: Path, version: str) -> None:
    clients = _clients(tree)
    javas = sorted(j for j in tree.glob("usr/lib/jvm/*") if (j / "bin/java").is_file())
    if not clients or not javas:
        raise EnvironmentFailed(
            "the packages of Bazel are not laid out as expected",
            code="bazel-package-layout",
            why="no usr/bin/bazel-VERSION or no Java runtime in them",
            hint="install a Bazel by hand and put it on PATH",
        )
    script = tree / "bin" / "bazel"
    write_aside(
        script,
        _WRAPPER.format(
            version=version,
            client=clients[-1].relative_to(tree),
            java=real_path(javas[0]).relative_to(real_path(tree)),
        ),
    )
    script.chmod(0o755)
    write_aside(tree / _VERSION, version + "\n")
