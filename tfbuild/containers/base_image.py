"""Base images from a distribution's own packages, for where no registry has them.

mmdebstrap makes the file system with all times set to one instant, and the archive around it is
written here, so that the same packages give the same image, to the bit, on every machine.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tfbuild.containers.host_network import apt_logins, apt_settings, apt_sources, ca_bundle
from tfbuild.core.disk_space import require_room
from tfbuild.core.environments import System
from tfbuild.core.errors import BadRequest, CommandFailed, EnvironmentFailed, FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import BASES
from tfbuild.core.paths import file_digest
from tfbuild.core.process import find_program
from tfbuild.core.records import Command
from tfbuild.core.temporary_folder import temporary_folder
from tfbuild.facts.targets import target_of
from tfbuild.fetch.cache import note_use
from tfbuild.fetch.pip_config import ask_pip

REPOSITORY = "tfbuild/base"
EPOCH = "315532800"  # 1980-01-01, the oldest time that zip archives can hold
_CREATED = "1980-01-01T00:00:00Z"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_NEED_MB = 800
_SAYS = "I: "  # begins what mmdebstrap does next
# What belongs to this machine or to this hour, and not to the distribution.
_LEAVE_OUT = (
    "etc/apt/apt.conf.d/99mmdebstrap",
    "etc/resolv.conf",
    "etc/hostname",
    "var/log/bootstrap.log",
)


class Images(Protocol):
    """What is asked of a container engine."""

    def image_id(self, name: str) -> str:
        """The identity of an image, or an empty string."""

    def load(self, archive: Path) -> None:
        """Take an image from an archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseImage:
    """An image that an engine has: its content is in the tag, so the tag never means another."""

    system: str  # the distribution and its release: debian 12
    tag: str  # its name: tfbuild/base:SUITE-DIGEST
    id: str  # its identity, as the engine has it
    is_new: bool = True  # whether it was made now; else it was there


def make_base(system: System, tools: Tools, engine: Images, *, is_anew: bool = False) -> BaseImage:
    """The base image of a Debian release; the one made earlier unless it is wanted anew.

    Raises BadRequest for what is no Debian, EnvironmentFailed where mmdebstrap is missing,
    FetchFailed when the packages cannot be fetched, DiskFull.
    """
    if system.family != "debian":
        raise BadRequest(
            f"base images are made of Debian's packages, not of {system.name}",
            code="base-image-not-debian",
            hint=f"pull {system.image} from a registry, or ask for debian:bookworm",
        )
    record = BASES.path(tools.folders.cache) / f"{system.suite}-{tools.host.machine}.json"
    known = None if is_anew else _known(record, _subject(system, tools), engine)
    if known:
        note_use(tools.folders.cache, known.id)
        return known
    _require_program(tools)
    require_room(tools.folders.cache, _NEED_MB, f"a base image of {system.name}")
    with _workshop() as folder:
        layer, archive = folder / "layer.tar", folder / "image.tar"
        _bootstrap(system, layer, folder, tools)
        tag, image_id = write_archive(layer, archive, system, target_of(tools.host).debian)
        tools.reporter.step(f"loading {tag}")
        engine.load(archive)
    if engine.image_id(tag) != image_id:
        raise EnvironmentFailed(
            f"the engine has another image under {tag} than was given to it",
            code="image-tag-taken",
            why=f"given {image_id}, found {engine.image_id(tag) or 'none'}",
            hint=f"remove it and try again: docker image rm {tag}",
        )
    base = BaseImage(system=system.name, tag=tag, id=image_id)
    write_kept(record, _subject(system, tools), base)
    note_use(tools.folders.cache, base.id)
    return base


def write_archive(layer: Path, archive: Path, system: System, architecture: str) -> tuple[str, str]:
    """Write an image of one layer as `docker load` takes it; its tag and its identity."""
    digest = file_digest(layer)
    tag = f"{REPOSITORY}:{system.suite}-{digest[:12]}"
    config = json.dumps(_config(digest, system, architecture), sort_keys=True).encode()
    identity = hashlib.sha256(config).hexdigest()
    manifest = [{"Config": f"{identity}.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    with tarfile.open(archive, "w") as stream:
        _add(stream, f"{identity}.json", config)
        _add(stream, "manifest.json", json.dumps(manifest).encode())
        stream.add(layer, "layer.tar", filter=_plain)
    return tag, f"sha256:{identity}"


# --- inside ------------------------------------------------------------------------------------


def _subject(system: System, tools: Tools) -> str:
    return f"the base image of {system.name} for {tools.host.machine}"


def _known(record: Path, subject: str, engine: Images) -> BaseImage | None:
    """The image of an earlier time, if the engine has it still."""
    base = read_record(record, subject, BaseImage)
    if base is None or engine.image_id(base.tag) != base.id:
        return None
    return replace(base, is_new=False)


def _require_program(tools: Tools) -> None:
    if find_program("mmdebstrap"):
        return
    sudo = "" if tools.host.is_root else "sudo "
    raise EnvironmentFailed(
        "this machine has no mmdebstrap",
        code="mmdebstrap-missing",
        why="it puts a base image together from a distribution's packages",
        hint=f"run: {sudo}apt-get install --no-install-recommends mmdebstrap; or name an image of "
        "a registry",
    )


@contextmanager
def _workshop() -> Iterator[Path]:
    """A folder that apt's own user may look into; gone when left."""
    with temporary_folder("base") as folder:
        folder.chmod(0o755)
        yield folder


def _own_mounts(tools: Tools) -> tuple[str, ...]:
    """Words before a command with which what it mounts goes with its processes.

    mmdebstrap itself sees to that for everybody but root. Where it is stopped, the machine's own
    folders would stay mounted in a temporary one, and be emptied with it.
    """
    words = ("unshare", "--mount")
    if not tools.host.is_root or not find_program(words[0]):
        return ()
    trial = Command(argv=(*words, "true"), purpose="try whether mounts can be apart", quiet=True)
    try:
        tools.runner.run(trial)
    except CommandFailed:  # in a container that may not mount, which mmdebstrap knows as well
        return ()
    return words


def _bootstrap(system: System, layer: Path, folder: Path, tools: Tools) -> None:
    """The distribution's smallest file system with apt in it, as a tar file."""
    tools.reporter.step(f"making a base image of {system.name} ({system.suite})")
    command = Command(
        argv=(
            *_own_mounts(tools),
            "mmdebstrap",
            "--variant=minbase",
            f"--aptopt={_apt_conf(system, folder, tools)}",
            # The folder of the new system is the hook's first word.
            "--customize-hook=" + " ".join(["rm -f", *(f'"$1/{name}"' for name in _LEAVE_OUT)]),
            system.suite,
            str(layer),
        ),
        stage="environment",
        purpose=f"make a base image of {system.name}",
        env=(("SOURCE_DATE_EPOCH", EPOCH), ("TMPDIR", str(folder))),
        quiet=True,
    )

    def report(line: str) -> None:
        if line.startswith(_SAYS):
            tools.reporter.step(f"mmdebstrap: {line.removeprefix(_SAYS)}")

    try:
        tools.runner.run(command, report)
    except CommandFailed as error:
        said = [line for line in error.last_lines if line.startswith(("E:", "Err:"))]
        raise FetchFailed(
            f"mmdebstrap could not make {system.image}",
            code="base-image-not-made",
            why="\n".join((said or list(error.last_lines))[-4:]),
            hint="check the network and apt's settings in /etc/apt, which it obeys; for a release "
            'that is no longer signed anew, apt needs Acquire::Check-Valid-Until "false"',
            log=error.log,
        ) from error


def _apt_conf(system: System, folder: Path, tools: Tools) -> Path:
    """This machine's way to the packages, for the time of the making only."""
    bundle = ca_bundle(ask_pip(tools.runner))
    sources = apt_sources(tools.runner, tools.host, system)
    certificates, listed = folder / "ca.pem", folder / "sources.list"
    certificates.write_bytes(bundle)
    listed.write_text(sources)
    logins, known = folder / "auth.conf", apt_logins(sources)
    logins.touch(mode=0o600)
    logins.write_text(known)
    conf = folder / "apt.conf"
    text = apt_settings(
        tools.runner,
        ca=str(certificates) if bundle else "",
        sources=str(listed) if sources else "",
        logins=str(logins) if known else "",
    )
    conf.write_text(text or "// nothing to say\n")
    return conf


def _config(digest: str, system: System, architecture: str) -> dict[str, object]:
    made = f"tfbuild env base {system.image}"
    return {
        "architecture": architecture,
        "os": "linux",
        "created": _CREATED,
        "config": {
            "Env": [f"PATH={_PATH}"],
            "Cmd": ["bash"],
            "Labels": {"org.tfbuild.base": system.suite, "org.tfbuild.system": system.name},
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created": _CREATED, "created_by": made}],
    }


def _add(stream: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mtime = len(content), int(EPOCH)
    stream.addfile(member, io.BytesIO(content))


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """The member without this machine's user, time and mode."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime, member.mode = int(EPOCH), 0o644
    return member
