"""The original archive of a Debian source package, which apt fetches and verifies."""

import re
from pathlib import Path

from tfbuild.core.errors import BadRecipe, EnvironmentFailed, FetchFailed, WrongHash
from tfbuild.core.interfaces import Tools
from tfbuild.core.kept_json import read_kept, write_kept
from tfbuild.core.layout import SOURCES
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.paths import file_digest
from tfbuild.core.process import find_program
from tfbuild.core.versions import did_you_mean
from tfbuild.fetch.apt import Apt
from tfbuild.inputs.archives import keep_archive, kept_archive

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_REMEDY = "name a source tree or an archive of one with --source"
_LATER = re.compile(r"[+~.](?:dfsg|ds|repack|really).*")  # what Debian adds to a version


def provide_debian(package: str, version: str, sha256: str, tools: Tools) -> tuple[Path, str]:
    """The original archive of a source package, and its sha256; it is kept in the cache.

    The package's version without what Debian adds must be that version; empty takes the newest.
    Raises EnvironmentFailed where there is no apt, FetchFailed where no source of this machine has
    it, WrongHash for another archive than was named, BadRecipe for what is no package's name.
    """
    if not _PACKAGE.fullmatch(package):
        raise BadRecipe(
            f"'{package}' is not the name of a package",
            code="package-name-invalid",
            hint="see source.debian",
        )
    kept = sha256 or (_remembered(package, version, tools) if version else "")
    if archive := kept_archive(kept, tools):
        return archive, kept
    if not find_program("apt-get"):
        raise EnvironmentFailed(
            f"there is no apt to fetch the source package {package} with",
            code="apt-missing",
            hint=_REMEDY,
        )
    folder = SOURCES.path(tools.folders.cache)
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    with part_folder(folder, "apt") as state:
        archive = _fetch(Apt(state / "state", tools), package, version, state, tools)
        found = file_digest(archive)
        if sha256 and found != sha256:
            raise WrongHash(
                f"{archive.name} of the source package {package} has the wrong hash",
                code="archive-hash-mismatch",
                why=f"expected sha256 {sha256}\nreceived sha256 {found}",
                hint=_REMEDY,
            )
        path = keep_archive(archive, found, tools)
    if version:
        write_kept(_note(package, version, tools), _subject(package, version, tools), found)
    return path, found


# --- inside ------------------------------------------------------------------------------------


def _note(package: str, version: str, tools: Tools) -> Path:
    """Where it is remembered which archive a version of a package has."""
    name = re.sub(r"[^\w.+~-]", "_", f"{package}-{version}")
    return SOURCES.path(tools.folders.cache) / f"debian-{name}.json"


def _subject(package: str, version: str, tools: Tools) -> str:
    host = tools.host
    return f"{host.distribution} {host.distribution_version}: {package} {version}"


def _remembered(package: str, version: str, tools: Tools) -> str:
    kept = read_kept(_note(package, version, tools), _subject(package, version, tools))
    return kept if isinstance(kept, str) else ""


def _fetch(apt: Apt, package: str, version: str, folder: Path, tools: Tools) -> Path:
    if not apt.use_source_packages():
        raise FetchFailed(
            f"this machine names no source of the package {package}",
            code="apt-sources-missing",
            why="there is no entry in /etc/apt",
            hint=_REMEDY,
        )
    tools.reporter.progress(f"fetching the source package {package}")
    # One source that is out of reach, or has no source code, keeps nobody from the others.
    apt.run("read the package lists", "apt-get", "--quiet", "update", codes=(0, 100))
    wanted = _find(apt, package, version)
    words = ("--quiet", "source", "--download-only", "--tar-only", "--only-source")
    apt.run("fetch the source package", "apt-get", *words, f"{package}={wanted}", cwd=str(folder))
    fetched = sorted(p for p in folder.glob("*.tar.*") if p.suffix not in {".asc", ".sig"})
    original = [path for path in fetched if ".orig.tar." in path.name] or fetched
    if not original:
        raise FetchFailed(
            f"the source package {package} {wanted} has no archive of its source code",
            code="source-package-empty",
            hint=_REMEDY,
        )
    return original[0]


def _find(apt: Apt, package: str, version: str) -> str:
    """The version on offer, as Debian writes it."""
    said = apt.run(
        "look for the source package",
        *("apt-cache", "showsrc", "--only-source", package),
        codes=(0, 100),
    )
    blocks = [dict(re.findall(r"(?m)^(Package|Version): (\S+)", b)) for b in said.split("\n\n")]
    offered: list[str] = [
        b["Version"] for b in blocks if b.get("Package") == package and "Version" in b
    ]
    if not offered:
        raise FetchFailed(
            f"no source of this machine has the source package {package}",
            code="source-package-unknown",
            why="apt knows it from none of its lists",
            hint=f"check the network, or {_REMEDY}",
        )
    if not version:
        return offered[-1]
    for each in offered:
        if version in {_original(each), _LATER.sub("", _original(each))}:
            return each
    raise FetchFailed(
        f"the sources of this machine have no {package} {version}",
        code="source-package-version-missing",
        why=f"they have {', '.join(offered)}",
        hint=f"{did_you_mean(version, [_original(each) for each in offered])}; or {_REMEDY}",
    )


def _original(version: str) -> str:
    """What a version of Debian is without its epoch and its revision."""
    without = version.partition(":")[2] if ":" in version else version
    return without.rpartition("-")[0] if "-" in without else without
