"""The adapter for container engines: Docker, and Podman by its compatible socket."""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import SocketIO
from typing import Any

from tfbuild.containers.buildkit_progress import BuildLog
from tfbuild.containers.engine_address import podman_address
from tfbuild.containers.engine_errors import (
    address_explained,
    explained,
    meant,
    no_limits,
    not_built,
    require_folders,
)
from tfbuild.containers.engine_limits import patient_client
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.ownership import KIND, LABEL, OWNER, owner
from tfbuild.containers.sent import forget_left, forgetting_sent
from tfbuild.containers.sent_file import sent_file
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.paths import write_aside
from tfbuild.core.safe_files import text_of

PIDS = 16_384  # processes and threads: hundreds of compilers at once, and no end of the machine
_ANSWER_SECONDS = 60
_SILENCE_SECONDS = 900.0  # a step of an image may say nothing while it downloads
_MADE_HERE = ("localhost/", "docker.io/tfbuild")  # in Podman


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A folder of this machine, or a named volume, as the container sees it."""

    source: str
    target: str
    writable: bool = False
    is_volume: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerSpec:
    """A container that is wanted. It has no rights but those of the user it runs as."""

    image: str
    kind: str  # what it is for, as its label says
    mounts: tuple[Mount, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cpus: float = 0.0  # 0: all
    memory_mb: int = 0  # 0: all
    pids: int = 0  # processes and threads; 0: PIDS
    network: bool = False
    gpus: bool = False
    as_root: bool = False
    capabilities: tuple[str, ...] = ()


@contextmanager
def open_engine(patience: int = _ANSWER_SECONDS) -> Iterator["Engine"]:
    """The engine that DOCKER_HOST names, else Docker's socket, else Podman's.

    Raises EnvironmentFailed where none answers within patience seconds, or none to this user.
    """
    import docker

    address = podman_address() or os.environ.get("DOCKER_HOST", "")
    found = {**os.environ, "DOCKER_HOST": address}
    with explained("asking the container engine"), address_explained(address):
        client = patient_client(
            lambda: docker.from_env(version="auto", timeout=patience, environment=found), patience
        )
    try:
        with explained("asking the container engine"):
            engine = _engine(client)
        client.api.timeout = _ANSWER_SECONDS
        yield engine
    finally:
        client.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An engine that answers."""

    client: Any
    name: str  # docker, podman
    version: str
    is_rootless: bool = False
    passes_gpus: bool = False
    takes_limits: bool = True

    def image_id(self, name: str) -> str:
        """The identity of an image that the engine has, or an empty string."""
        return str(self._image(name).get("Id", ""))

    def image_digest(self, name: str) -> str:
        """The name of a registry's image with its digest; empty for one that was made here.

        Podman gives every image a digest: there those of our own repositories say nothing.
        """
        own = _MADE_HERE if self.name == "podman" else ()
        image = self._image(name)
        with explained(f"looking for {name}"):
            found = image.get("RepoDigests") or ()
            return next((digest for digest in found if not digest.startswith(own)), "")

    def image_labels(self, name: str) -> dict[str, str]:
        """The labels of an image; none where there is no such image."""
        image = self._image(name)
        with explained(f"looking for {name}"):
            return dict((image.get("Config") or {}).get("Labels") or {})

    def pull(self, name: str) -> str:
        """Fetch an image from its registry; EnvironmentFailed when it is not to be had."""
        repository, _, tag = name.partition("@") if "@" in name else name.rpartition(":")
        if not repository or "/" in tag:
            repository, tag = name, "latest"
        with explained(doing := f"pulling the image {name}", image=name):
            said = self.client.api.pull(repository, tag=tag, stream=True, decode=True)
            _heed(said, doing, image=name)
        return self.image_id(name)

    def build_image(self, wanted: ImageSpec, report: Callable[[str], None]) -> str:
        """The identity of the image that a Dockerfile makes, through BuildKit where there is one.

        report gets each line that the build prints. Raises FetchFailed when a step fails, DiskFull
        when the engine has no room for it.
        """
        api, log, tag = self.client.api, BuildLog(), wanted.tag
        query = {
            "t": tag, "target": wanted.target, "rm": "1", "forcerm": "1",
            "buildargs": json.dumps(dict(wanted.args)),
            "labels": json.dumps({LABEL: "1", **dict(wanted.labels)}),
            **({"version": "2"} if self.name == "docker" else {"layers": "false"}),
            **({"networkmode": "host"} if wanted.host_network else {}),
        }  # fmt: skip
        with (
            forgetting_sent(api, wanted.size, report) as sent,
            explained(f"building the image {tag}"),
            contextlib.closing(
                api.post(
                    api.base_url + f"/v{api.api_version}/build", params=query, stream=True,
                    data=wanted.archive(), timeout=_SILENCE_SECONDS,
                    headers={"Content-Type": "application/x-tar"},
                )
            ) as answer,
        ):  # fmt: skip
            for line in answer.iter_lines():
                lines = log.take(line)
                sent.heed(log.done.values())
                for said in lines:
                    report(said)
            if not answer.ok and not log.error:
                log.error = answer.reason
        found = self.image_id(tag)
        if log.error or not found:
            raise not_built(tag, log.tail, log.error)
        return found

    def forget_left(self) -> int:
        """Forget what killed builds of images have sent, and say how many builds there were."""
        return forget_left(self.client.api)

    def load(self, archive: Path) -> None:
        """Take an image from an archive such as `docker save` writes; DiskFull without room."""
        doing = f"loading {archive.name}"
        with explained(doing), archive.open("rb") as stream:
            _heed(self.client.api.load_image(stream), doing)

    def make_volume(self, name: str, labels: Mapping[str, str]) -> bool:
        """See that a volume is there; whether it is a new one, which belongs to root."""
        with explained(f"making the volume {name}"):
            if any(v.name == name for v in self.client.volumes.list(filters={"name": name})):
                return False
            self.client.volumes.create(name, labels=dict(labels))
        return True

    def remove_volume(self, name: str) -> None:
        """Remove a volume; one that is gone already is no error."""
        with contextlib.suppress(EnvironmentFailed), explained("removing a volume"):
            self.client.api.remove_volume(name, force=True)

    def labelled(self, label: str) -> list[tuple[str, str]]:
        """Identity and that label's text of every container that has it, stopped ones too."""
        with explained("listing the containers"):
            found = self.client.api.containers(all=True, filters={"label": label})
            return [(str(one["Id"]), str(one["Labels"].get(label, ""))) for one in found]

    def remove(self, container: str) -> None:
        """Stop and remove a container; one that is gone already is no error."""
        with contextlib.suppress(EnvironmentFailed), explained("removing a container"):
            self.client.api.remove_container(container, force=True, v=True)

    @contextmanager
    def open(self, spec: ContainerSpec) -> Iterator["Container"]:
        """A running container that waits for work, and is gone when left, however that happens.

        Its first process reads from us and ends when we do: a killed build leaves nothing.
        """
        container = Container(engine=self, id=self._create(spec), spec=spec)
        lease = None
        try:
            with explained("starting a container", image=spec.image):
                lease = self.client.api.attach_socket(container.id, {"stdin": 1, "stream": 1})
                self.client.api.start(container.id)
            yield container
        finally:
            if lease is not None:
                _hang_up(lease)
            self.remove(container.id)

    def _create(self, spec: ContainerSpec) -> str:
        from docker import types

        # Podman would make them, and they would be root's.
        require_folders(mount.source for mount in spec.mounts if not mount.is_volume)
        asked = spec.memory_mb or spec.cpus or spec.pids
        if asked and not self.takes_limits:  # it would say nothing
            raise no_limits("it runs without root, on cgroups of version 1")
        limits: dict[str, Any] = {"pids_limit": spec.pids or PIDS} if self.takes_limits else {}
        if spec.memory_mb:
            limits |= {"mem_limit": f"{spec.memory_mb}m", "memswap_limit": f"{spec.memory_mb}m"}
        if spec.cpus:
            limits["nano_cpus"] = int(spec.cpus * 1e9)
        if spec.gpus:
            limits["device_requests"] = [types.DeviceRequest(count=-1, capabilities=[["gpu"]])]
        api = self.client.api
        with explained("making a container", image=spec.image):
            host = api.create_host_config(
                mounts=[
                    types.Mount(
                        m.target, m.source, type="volume" if m.is_volume else "bind",
                        read_only=not m.writable,
                    )
                    for m in spec.mounts
                ],
                network_mode=None if spec.network else "none",
                cap_drop=["ALL"], cap_add=list(spec.capabilities) or None,
                security_opt=["no-new-privileges"], init=True, auto_remove=True,
                log_config=types.LogConfig(type="none") if self.name == "docker" else None,
                **limits,
            )  # fmt: skip
            made = api.create_container(
                spec.image, ["cat"], stdin_open=True, host_config=host, user=self.user_of(spec),
                environment=dict(spec.env), working_dir="/", entrypoint=[],
                labels={OWNER: owner(), KIND: spec.kind, LABEL: "1"},
            )  # fmt: skip
            return str(made["Id"])

    def user_of(self, spec: ContainerSpec) -> str | None:
        """The caller; none for an engine without root, where the caller is root inside."""
        if self.is_rootless:
            return None
        return "0:0" if spec.as_root else f"{os.getuid()}:{os.getgid()}"

    def _image(self, name: str) -> dict[str, Any]:
        from docker.errors import ImageNotFound

        with explained(f"looking for {name}", image=name), contextlib.suppress(ImageNotFound):
            return dict(self.client.api.inspect_image(name))
        return {}


def _engine(client: Any) -> Engine:  # noqa: ANN401  (the SDK has no types)
    version, info = client.version(), client.info()
    names = [part.get("Name", "") for part in version.get("Components") or ()]
    secured = [str(option) for option in info.get("SecurityOptions") or ()]
    is_rootless = bool(info.get("Rootless")) or any("rootless" in one for one in secured)
    return Engine(
        client=client,
        name="podman" if any("Podman" in name for name in names) else "docker",
        version=str(version.get("Version", "")),
        is_rootless=is_rootless,
        passes_gpus="nvidia" in (info.get("Runtimes") or {}),
        takes_limits=not (is_rootless and str(info.get("CgroupVersion")) == "1"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A running container."""

    engine: Engine
    id: str
    spec: ContainerSpec

    def execute(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str, terminal: bool
    ) -> "Session":
        """Start a program; nothing of its output can be lost, as it first waits to be let go."""
        api = self.engine.client.api
        with explained("starting a program in the container"):
            made = api.exec_create(
                self.id, list(argv), stdin=True, tty=terminal, environment=dict(env),
                workdir=cwd or "/",
            )  # fmt: skip
            stream = api.exec_start(made["Id"], tty=terminal, socket=True)
            session = Session(engine=self.engine, id=str(made["Id"]), stream=stream)
            with contextlib.suppress(EnvironmentFailed):
                if terminal:
                    with explained("sizing a terminal"):
                        api.exec_resize(made["Id"], height=50, width=200)
            os.write(stream.fileno(), b"\n")  # which it waits for
        return session

    def ended_for_memory(self) -> bool:
        """Whether the engine knows of a program in it that was ended for want of memory.

        Raises EnvironmentFailed when the container is no longer there.
        """
        return bool(self._state().get("OOMKilled"))

    def first_pid(self) -> int:
        """The number of its first process on this machine; 0 where the engine runs elsewhere."""
        with contextlib.suppress(EnvironmentFailed, OSError):
            pid = int(self._state().get("Pid") or 0)
            groups = text_of(Path("/proc", str(pid), "cgroup")) if pid else ""
            return pid if self.id[:12] in groups else 0
        return 0

    def is_running(self) -> bool:
        """Whether it still runs; one that is being removed does not."""
        with contextlib.suppress(EnvironmentFailed):
            return self._state().get("Status") == "running"
        return False

    def _state(self) -> dict[str, Any]:
        with explained("a program ran in a container"):
            return dict(self.engine.client.api.inspect_container(self.id)["State"])

    def read(self, path: str) -> bytes:
        """The content of a file inside; FileNotFoundError when there is none."""
        from docker.errors import NotFound

        def ask(name: str) -> Iterator[bytes]:
            with explained(f"reading {name} in the container"):
                try:
                    chunks, _ = self.engine.client.api.get_archive(self.id, name)
                    yield from chunks
                except NotFound as error:
                    raise FileNotFoundError(name) from error

        return sent_file(ask, path)

    def copy_out(self, path: str, target: Path) -> Path:
        """Copy a file from inside to target, which then belongs to the caller."""
        return write_aside(target, self.read(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A program that runs in a container, and the stream of what it says."""

    engine: Engine
    id: str
    stream: SocketIO

    def fileno(self) -> int:
        """What to wait on for output."""
        return int(self.stream.fileno())

    def code(self) -> int | None:
        """Its exit code, None while it runs."""
        with explained("asking after a program in the container"):
            found = self.engine.client.api.exec_inspect(self.id)
        return None if found.get("Running") else int(found.get("ExitCode") or 0)

    def close(self) -> None:
        """Stop listening."""
        _hang_up(self.stream)


# --- inside ------------------------------------------------------------------------------------


def _heed(answer: Iterable[Mapping[str, Any]], doing: str, *, image: str = "") -> None:
    """Read an answer, which may begin well and hold an error, to its end: so it is closed."""
    errors = [said["error"] for said in answer if "error" in said]
    if errors:
        raise meant(doing, OSError(errors[0]), image=image)


def _hang_up(stream: SocketIO) -> None:
    """Close a connection taken over from HTTP: the SDK keeps the socket below it open."""
    below = getattr(stream, "_sock", None)
    stream.close()
    if below is not None:
        below.close()
