"""Which version of a source package the machine's own sources offer, before it is fetched."""

import re
from dataclasses import dataclass

from tfbuild.core.errors import EnvironmentFailed, FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import SOURCES
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.process import find_program
from tfbuild.fetch.apt import Apt

_REMEDY = "name a source tree or an archive of one with --source"
_LATER = re.compile(r"[+~.](?:dfsg|ds|repack|really).*")  # what Debian adds to a version
_FIELD = re.compile(r"(?m)^(Package|Version): (\S+)")
_ARCHIVE = re.compile(r"(?m)^ ([0-9a-f]{64}) \d+ \S+\.orig\.tar\.\w+$")


@dataclass(frozen=True, slots=True)
class Offer:
    """The newest one: its version without what Debian adds, and the sha256 of its archive."""

    version: str
    sha256: str


def debian_offer(package: str, tools: Tools) -> Offer:
    """The newest version of a source package; apt has verified what it says of it.

    Raises EnvironmentFailed where there is no apt, FetchFailed where no source of the machine has
    the package, or none can be reached.
    """
    if not find_program("apt-get"):
        raise EnvironmentFailed(
            f"there is no apt to look for {package} with", code="apt-missing", hint=_REMEDY
        )
    folder = SOURCES.path(tools.folders.cache)
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    tools.reporter.progress(f"looking for the source package {package}")
    with part_folder(folder, "apt") as state:
        apt = Apt(state / "state", tools)
        if apt.use_source_packages():
            apt.run("read the package lists", "apt-get", "--quiet", "update", codes=(0, 100))
        words = ("apt-cache", "showsrc", "--only-source", package)
        said = apt.run("look for the source package", *words, codes=(0, 100))
    for block in reversed(said.split("\n\n")):
        fields = dict(_FIELD.findall(block))
        archive = _ARCHIVE.search(block)
        if fields.get("Package") == package and archive:
            return Offer(_original(fields["Version"]), archive[1])
    raise FetchFailed(
        f"no source of this machine has the source package {package}",
        code="source-package-unknown",
        why="apt knows it from none of its lists",
        hint=f"check the network, or {_REMEDY}",
    )


def _original(version: str) -> str:
    """1.5.4 of 1:1.5.4+dfsg2-5."""
    without = version.partition(":")[2] if ":" in version else version
    return _LATER.sub("", without.rpartition("-")[0] if "-" in without else without)
