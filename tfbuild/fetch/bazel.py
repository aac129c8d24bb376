"""Finds or gets a Bazel: on PATH, in the cache, as an official download, from Debian packages."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.errors import BadRequest, EnvironmentFailed, FetchFailed, WrongHash
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import BAZELS
from tfbuild.core.masking import mask_address
from tfbuild.core.parts import part_folder
from tfbuild.core.plans import BazelPlan
from tfbuild.core.versions import contains
from tfbuild.facts.targets import target_of
from tfbuild.fetch.bazel_on_path import PACKAGE, find_bazels
from tfbuild.fetch.debian import install_packages, unpack_bazel
from tfbuild.fetch.download import fetch_file, fetch_text
from tfbuild.fetch.seals import discard, find_damage, seal_tree
from tfbuild.fetch.unpack import move_folder

MIRROR_VARIABLE = "TFBUILD_BAZEL_MIRROR"
_OFFICIAL = "https://github.com/bazelbuild/bazel/releases/download"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBazel:
    """A Bazel that can be run, and which source it came from."""

    path: str
    version: str
    origin: str  # PATH, cache, download, Debian packages


def provide_bazel(plan: BazelPlan, tools: Tools, *, install: bool = False) -> FoundBazel:
    """The first Bazel that the plan accepts: PATH, cache, download, Debian packages.

    install allows apt-get to install the package on the system. Raises FetchFailed on a download
    with a wrong hash, and where one in the cache is damaged and none can be got; else
    EnvironmentFailed with every source's reason when none has one.
    """
    if found := on_path(plan, tools):
        return found
    damage = _drop_damaged(plan, tools)
    if found := in_cache(plan, tools):
        return found
    reasons = [_path_reason(plan, tools)]
    for source in (_download, _install if install else _unpack):
        try:
            return source(plan, tools)
        except (FetchFailed, EnvironmentFailed) as error:
            if isinstance(error, WrongHash):
                raise
            reasons.append(f"{error.message}: {error.why}" if error.why else error.message)
    why = "\n".join(reasons)
    hint = f"put a Bazel {plan.preferred} on PATH, or name a mirror of its releases "
    hint += f"in {MIRROR_VARIABLE}"
    if damage:
        lost = f"damaged in the cache, and not to be had anew: {', '.join(damage)}"
        raise FetchFailed(lost, code="cached-file-damaged", why=why, hint=hint)
    none = f"there is no Bazel {plan.accepted} here, and none could be got"
    raise EnvironmentFailed(none, code="bazel-not-obtainable", why=why, hint=hint)


def on_path(plan: BazelPlan, tools: Tools) -> FoundBazel | None:
    """A Bazel of this machine in the accepted range."""
    for program in tools.host.bazels:
        if program.version and contains(plan.accepted, program.version):
            return FoundBazel(path=program.path, version=program.version, origin="PATH")
    return None


def in_cache(plan: BazelPlan, tools: Tools) -> FoundBazel | None:
    """A Bazel that an earlier run has put into the cache: the preferred release comes first."""
    for tree in _kept(plan, tools):
        path = tree / "bin" / "bazel"
        if os.access(path, os.X_OK):
            os.utime(tree)
            version = tree.name.rpartition("-")[2]
            return FoundBazel(path=str(path), version=version, origin="cache")
    return None


def require_sound(path: str, tools: Tools) -> None:
    """Read all of a Bazel in the cache; FetchFailed where it is damaged, and then it is gone."""
    tree = Path(path).parents[1]
    if tree.parent == _folder(tools) and (damage := find_damage(tree, in_full=True)):
        discard(tree)
        raise FetchFailed(
            f"the Bazel {tree.name} was damaged in the cache ({damage})",
            code="cached-bazel-damaged",
            hint="it was thrown away: run the same command again, and it is fetched anew",
        )


# --- sources -----------------------------------------------------------------------------------


def _download(plan: BazelPlan, tools: Tools) -> FoundBazel:
    """The official release, from GitHub or the mirror that is named."""
    version = plan.preferred
    here = target_of(tools.host)
    name = f"bazel-{version}-{here.bazel or here.version}"
    known = dict(plan.sha256).get(name, "")
    url = f"{_place(name, known)}/{version}/{name}"
    tools.reporter.progress(f"fetching Bazel {version}")
    sha256 = known or _published_hash(url)
    tree = _folder(tools) / f"release-{version}"
    fetched = fetch_file(url, tree.with_name(name), sha256, tools.reporter)
    target = _sealed(fetched, tree) / "bin" / "bazel"
    return FoundBazel(path=str(target), version=version, origin="download")


def _place(name: str, known: str) -> str:
    """Where releases are fetched; FetchFailed where nothing vouches for a mirror's files."""
    mirror = os.environ.get(MIRROR_VARIABLE, "")
    if mirror and not mirror.startswith(("http://", "https://")):
        raise BadRequest(
            f"{MIRROR_VARIABLE} is '{mirror}'",
            code="bazel-mirror-malformed",
            hint="give a base URL; the release is looked for at URL/VERSION/bazel-VERSION-...",
        )
    if mirror and not known:
        raise FetchFailed(
            f"{name} is not fetched from {mask_address(mirror)}",
            code="bazel-mirror-unpinned",
            why="matrices/bazel.yaml has no sha256 of it, and a mirror vouches for nothing: "
            f"ask for a release that has one (bazel=VERSION), or unset {MIRROR_VARIABLE}",
        )
    return mirror.rstrip("/") or _OFFICIAL


def _sealed(program: Path, tree: Path) -> Path:
    """The tree with a downloaded program as its bin/bazel, there only when it is whole."""
    with part_folder(tree.parent) as aside:
        target = aside / "bin" / "bazel"
        target.parent.mkdir()
        program.chmod(0o755)
        program.replace(target)
        seal_tree(aside, ["bin/bazel"], name=tree.name)
        move_folder(aside, tree)
    return tree


def _published_hash(url: str) -> str:
    """The hash in the .sha256 file beside the official release, which came over TLS."""
    text = fetch_text(url + ".sha256")
    match = re.match(r"\s*([0-9a-fA-F]{64})\b", text)
    if not match:
        raise FetchFailed(
            f"{mask_address(url)}.sha256 holds no sha256",
            code="bazel-checksum-missing",
            why=text[:80],
            hint="try again later",
        )
    return match[1].lower()


def _unpack(plan: BazelPlan, tools: Tools) -> FoundBazel:
    """From the distribution's packages, unpacked into the cache."""
    path = unpack_bazel(plan.accepted, _folder(tools), tools)
    version = path.parents[1].name.rpartition("-")[2]
    return FoundBazel(path=str(path), version=version, origin="Debian packages")


def _install(plan: BazelPlan, tools: Tools) -> FoundBazel:
    """From the distribution's packages, installed on the system."""
    install_packages((PACKAGE,), tools)
    for program in find_bazels(tools.runner):
        if program.version and contains(plan.accepted, program.version):
            return FoundBazel(path=program.path, version=program.version, origin="Debian packages")
    raise EnvironmentFailed(
        f"{PACKAGE} was installed, but it gives no Bazel {plan.accepted}",
        code="bazel-package-unfit",
    )


# --- inside ------------------------------------------------------------------------------------


def _kept(plan: BazelPlan, tools: Tools) -> list[Path]:
    """The trees in the cache that fit this system and the plan, the preferred release first."""
    system = f"{tools.host.distribution}{tools.host.distribution_version}"
    folder = _folder(tools)
    usable = [
        (version != plan.preferred, tree)
        for tree in (folder.iterdir() if folder.is_dir() else ())
        for origin, _, version in [tree.name.rpartition("-")]
        if origin in {"release", system} and contains(plan.accepted, version)
    ]
    return [tree for _, tree in sorted(usable)]


def _drop_damaged(plan: BazelPlan, tools: Tools) -> tuple[str, ...]:
    """Throw away what is not as it was put into the cache; a line for each."""
    lines = []
    for tree in _kept(plan, tools):
        if damage := find_damage(tree):
            lines.append(f"the Bazel {tree.name} ({damage})")
            tools.reporter.warn(
                f"damaged in the cache, and thrown away: {lines[-1]}", code="cache-entry-damaged"
            )
            discard(tree)
    return tuple(lines)


def _folder(tools: Tools) -> Path:
    return BAZELS.path(tools.folders.cache)


def _path_reason(plan: BazelPlan, tools: Tools) -> str:
    programs = tools.host.bazels
    if not programs:
        return "no bazel on PATH"
    found = ", ".join(f"{p.path} is {p.version or 'of unknown version'}" for p in programs)
    return f"the plan accepts {plan.accepted}, and {found}"
