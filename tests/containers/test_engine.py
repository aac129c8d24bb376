"""What is asked of an engine, in its own words; the engine is a stand-in that remembers."""

import contextlib
import gc
import io
import json
import os
import socket
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker.errors
import pytest

from tests.buildkit_messages import moment, step
from tests.failing import fails
from tfbuild.containers.engine import PIDS, Container, ContainerSpec, Engine, Mount, open_engine
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.ownership import KIND, OWNER, lives
from tfbuild.core.errors import FetchFailed

ORDER = ContainerSpec(image="sha256:1", kind="build")


class Answer:
    """An HTTP answer that is a stream of lines."""

    def __init__(self, *lines: bytes, ok: bool = True) -> None:
        self.lines, self.ok, self.reason, self.closed = lines, ok, "Bad Request", False

    def iter_lines(self) -> Iterator[bytes]:
        yield from self.lines

    def close(self) -> None:
        self.closed = True


class Said(Answer):
    """An HTTP answer that is a document."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__()
        self.document = document

    def raise_for_status(self) -> None:
        """It is a good one."""

    def json(self) -> dict[str, Any]:
        return self.document


class Api:
    """The SDK's low-level client."""

    base_url, api_version = "http+docker://localhost", "1.41"

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.images: dict[str, dict[str, Any]] = {}
        self.answer = Answer()
        self.broken = ""
        self.records: list[dict[str, Any]] = []
        self.pulling: list[dict[str, str]] = []
        self.loading: list[dict[str, Any]] = []
        self.pair = socket.socketpair()

    def pull(self, repository: str, tag: str, **words: bool) -> list[dict[str, str]]:
        assert words == {"stream": True, "decode": True}
        self.calls.append(("pull", (repository, tag)))
        return self.pulling

    def info(self) -> dict[str, Any]:
        return {"ID": "one"}

    def inspect_image(self, name: str) -> dict[str, Any]:
        if name not in self.images:
            raise docker.errors.ImageNotFound("no such image")
        return self.images[name]

    def create_host_config(self, **words: Any) -> dict[str, Any]:
        return {k: v for k, v in words.items() if v is not None}

    def create_container(self, image: str, command: list[str], **words: Any) -> dict[str, str]:
        self.calls.append(("create", {"image": image, "command": command, **words}))
        return {"Id": "c1"}

    def attach_socket(self, name: str, params: dict[str, int]) -> socket.SocketIO:
        assert params["stdin"]
        return socket.SocketIO(self.pair[0], "rw")

    def load_image(self, _: object) -> list[dict[str, Any]]:
        return self.loading

    def start(self, name: str) -> None:
        if self.broken:
            raise docker.errors.APIError(self.broken)
        self.calls.append(("start", name))

    def remove_container(self, name: str, *, force: bool, v: bool) -> None:
        assert force and v
        self.calls.append(("remove", name))

    def containers(self, **_: Any) -> list[dict[str, Any]]:
        return [{"Id": "c1", "Labels": {OWNER: "x"}}]

    def post(self, url: str, **words: Any) -> Answer:
        self.calls.append((url, words))
        return self.answer if url.endswith("/build") else Said({"CachesDeleted": ["prepare"]})

    def get(self, url: str, **words: Any) -> Answer:
        return Said({"BuildCache": self.records})

    def inspect_container(self, name: str) -> dict[str, Any]:
        return {"State": {"OOMKilled": True, "Status": "running"}}

    def get_archive(self, name: str, path: str) -> tuple[list[bytes], object]:
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w") as archive:
            entry = tarfile.TarInfo(Path(path).name)
            if path == "/lib/link.so":
                entry.type, entry.linkname = tarfile.SYMTYPE, "real.so"
            elif path == "/lib/real.so":
                entry.size = 4
            else:
                raise docker.errors.NotFound("no such file")
            archive.addfile(entry, io.BytesIO(b"real"[: entry.size]))
        return [raw.getvalue()], None


class Client:
    def __init__(self, api: Api) -> None:
        self.api = api


@pytest.fixture
def api() -> Iterator[Api]:
    api = Api()
    yield api
    for end in api.pair:
        end.close()


@pytest.fixture
def engine(api: Api) -> Engine:
    return Engine(client=Client(api), name="docker", version="20.10")


def created(api: Api) -> dict[str, Any]:
    return dict(next(words for name, words in api.calls if name == "create"))


def test_a_container_has_no_rights_but_the_callers(engine: Engine, api: Api) -> None:
    mounts = (Mount(source="/tmp", target="/s"), Mount(source="v", target="/c", writable=True,
                                                     is_volume=True))  # fmt: skip
    spec = ContainerSpec(image="sha256:1", kind="build", mounts=mounts, memory_mb=700, cpus=1.5)
    with engine.open(spec) as made:
        assert made.id == "c1"
    words = created(api)
    host = words["host_config"]
    assert words["user"] == f"{os.getuid()}:{os.getgid()}"
    assert host["network_mode"] == "none"
    assert host["cap_drop"] == ["ALL"]
    assert host["security_opt"] == ["no-new-privileges"]
    assert host["init"] and host["auto_remove"]
    assert (host["mem_limit"], host["memswap_limit"], host["nano_cpus"]) == (
        "700m", "700m", 1_500_000_000,
    )  # fmt: skip
    assert [(m["Type"], m["Source"], m["ReadOnly"]) for m in host["mounts"]] == [
        ("bind", "/tmp", True), ("volume", "v", False),
    ]  # fmt: skip
    assert words["labels"][KIND] == "build"
    assert lives(words["labels"][OWNER])
    assert [name for name, _ in api.calls] == ["create", "start", "remove"]


def test_a_folder_that_is_not_there_is_not_made(engine: Engine, api: Api, tmp_path: Path) -> None:
    lost = Mount(source=f"{tmp_path}/lost", target="/x")
    with fails("mounted-folder-missing", f"{tmp_path}/lost"):
        engine.open(ContainerSpec(image="i", kind="build", mounts=(lost,))).__enter__()
    assert api.calls == []


def test_a_gpu_is_asked_for_only_where_it_is_wanted(engine: Engine, api: Api) -> None:
    with engine.open(ContainerSpec(image="i", kind="trial", gpus=True)):
        pass
    assert created(api)["host_config"]["device_requests"][0]["Capabilities"] == [["gpu"]]
    api.calls.clear()
    with engine.open(ORDER):
        pass
    assert "device_requests" not in created(api)["host_config"]


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_an_engine_without_root_maps_root_to_the_caller(api: Api, name: str) -> None:
    engine = Engine(client=Client(api), name=name, version="4", is_rootless=True)
    with engine.open(ORDER):
        pass
    assert created(api)["user"] is None


@pytest.mark.parametrize("limits", [{"cpus": 1.0}, {"memory_mb": 100}, {"pids": 300}])
def test_limits_that_an_engine_would_forget_are_refused(api: Api, limits: dict[str, Any]) -> None:
    engine = Engine(client=Client(api), name="podman", version="4", takes_limits=False)
    with (
        fails("container-limits-unsupported"),
        engine.open(replace(ORDER, **limits)),
    ):
        pass
    with engine.open(ORDER):
        pass
    assert "pids_limit" not in created(api)["host_config"]


@pytest.mark.parametrize(("asked", "given"), [(0, PIDS), (300, 300)])
def test_no_container_may_start_processes_without_end(
    engine: Engine, api: Api, asked: int, given: int
) -> None:
    with engine.open(replace(ORDER, pids=asked)):
        pass
    assert created(api)["host_config"]["pids_limit"] == given


def test_a_container_that_does_not_start_is_removed(engine: Engine, api: Api) -> None:
    api.broken = 'could not select device driver "" with capabilities: [[gpu]]'
    with fails("container-gpu-missing"), engine.open(ORDER):
        pass
    assert api.calls[-1] == ("remove", "c1")


def test_what_is_interrupted_is_removed(engine: Engine, api: Api) -> None:
    with pytest.raises(KeyboardInterrupt), engine.open(ORDER):
        raise KeyboardInterrupt
    assert api.calls[-1] == ("remove", "c1")


def test_a_pull_that_breaks_off_is_an_error(engine: Engine, api: Api) -> None:
    """The answer begins well, and holds the error: Docker in the middle, Podman always."""
    api.pulling = [{"status": "Pulling"}, {"error": "dial tcp 10.0.0.1:443: i/o timeout"}]
    with fails("registry-not-answering", "a:1"):
        engine.pull("a:1")
    api.pulling = [{"status": "Pulling"}]
    api.images["h:5000/a@sha256:3"] = {"Id": "sha256:2"}
    assert engine.pull("h:5000/a@sha256:3") == "sha256:2"
    asked = [words for name, words in api.calls if name == "pull"]
    assert asked == [("a", "1"), ("h:5000/a", "sha256:3")]


def test_podman_gives_digests_to_what_was_made_here(api: Api) -> None:
    podman = Engine(client=Client(api), name="podman", version="4")
    digests = ["localhost/a@sha256:3", "docker.io/tfbuild/env@sha256:3"]
    api.images["a:1"] = {"Id": "sha256:2", "RepoDigests": digests}
    assert podman.image_digest("a:1") == ""
    api.images["a:1"]["RepoDigests"] = [*digests, "quay.io/a@sha256:3"]
    assert podman.image_digest("a:1") == "quay.io/a@sha256:3"


def test_what_is_known_of_images(engine: Engine, api: Api) -> None:
    api.images["a:1"] = {
        "Id": "sha256:2", "RepoDigests": ["a@sha256:3"], "Config": {"Labels": {"k": "v"}},
    }  # fmt: skip
    assert (engine.image_id("a:1"), engine.image_id("b:1")) == ("sha256:2", "")
    assert engine.image_labels("a:1") == {"k": "v"}
    assert (engine.image_digest("a:1"), engine.image_digest("b:1")) == ("a@sha256:3", "")
    assert engine.labelled(OWNER) == [("c1", "x")]


def test_an_image_is_built_from_its_text_and_files(engine: Engine, api: Api) -> None:
    api.images["t:1"] = {"Id": "sha256:9"}
    api.answer = Answer(
        b'{"stream": "one\\n"}', b"", b'{"id": "moby.image.id", "aux": {"ID": "9"}}'
    )
    said: list[str] = []
    spec = ImageSpec(
        dockerfile="FROM a\n", tag="t:1", target="toolchain", files=(("network/apt.conf", b"x"),),
        args=(("BASE", "b"),), labels=(("l", "m"),),
    )  # fmt: skip
    assert engine.build_image(spec, said.append) == "sha256:9"
    url, words = api.calls[0]
    assert url.endswith("/v1.41/build")
    query = words["params"]
    assert (query["version"], query["t"], query["target"]) == ("2", "t:1", "toolchain")
    assert (json.loads(query["buildargs"]), json.loads(query["labels"])["l"]) == (
        {"BASE": "b"},
        "m",
    )
    with tarfile.open(fileobj=io.BytesIO(words["data"])) as archive:
        assert archive.getnames() == ["Dockerfile", "network/apt.conf"]
    assert said == ["one"]
    assert api.answer.closed
    assert words["timeout"] > 0


def done(name: str, at: float, **more: int) -> bytes:
    return step(name.encode(), name.encode(), f5=moment(at), f6=moment(at + 0.5), **more)


PREPARED = {
    "ID": "prepare", "Description": "mount / from exec /bin/sh -c touch apt.conf pip.conf",
    "CreatedAt": "2026-01-02T03:04:05.2Z", "LastUsedAt": "2026-01-02T03:04:06Z",
}  # fmt: skip
PREPARES = done("[network 4/4] RUN touch apt.conf pip.conf", 1767323045.0)


@pytest.mark.parametrize("is_good", [True, False])
def test_what_was_sent_is_taken_out_of_the_engines_cache(
    engine: Engine, api: Api, is_good: bool
) -> None:
    """Whether the image came to be or not: the context may hold passwords."""
    api.records = [
        PREPARED,
        PREPARED | {"ID": "other", "Description": "mount / from exec /bin/sh -c ls"},
    ]
    api.images["t:1"] = {"Id": "sha256:9"} if is_good else {}
    api.answer = Answer(PREPARES, *([] if is_good else [b'{"error": "exit code: 100"}']))
    with contextlib.suppress(FetchFailed):
        engine.build_image(ImageSpec(dockerfile="FROM a", tag="t:1"), lambda _: None)
    pruned = [words["params"] for url, words in api.calls if url.endswith("/build/prune")]
    assert [json.loads(query["filters"]) for query in pruned] == [{"id": ["prepare"]}]


def test_what_was_sent_is_taken_out_after_an_interrupt(engine: Engine, api: Api) -> None:
    api.records, api.answer = [PREPARED], Answer(PREPARES)

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.build_image(ImageSpec(dockerfile="FROM a", tag="t:1"), interrupted)
    assert any(url.endswith("/build/prune") for url, _ in api.calls)


def test_podman_keeps_no_step_with_what_was_sent(api: Api) -> None:
    api.images["t:1"] = {"Id": "sha256:9"}
    engine = Engine(client=Client(api), name="podman", version="4")
    engine.build_image(ImageSpec(dockerfile="FROM a", tag="t:1"), lambda _: None)
    query = api.calls[0][1]["params"]
    assert (query["layers"], "version" in query) == ("false", False)


def test_steps_may_see_what_listens_on_this_machine_alone(engine: Engine, api: Api) -> None:
    api.images["t:1"] = {"Id": "sha256:9"}
    for is_asked in (True, False):
        spec = ImageSpec(dockerfile="FROM a", tag="t:1", host_network=is_asked)
        engine.build_image(spec, lambda _: None)
    queries = [words["params"] for url, words in api.calls if url.endswith("/build")]
    assert [query.get("networkmode") for query in queries] == ["host", None]


def test_a_failed_step_shows_its_last_lines_and_no_address(engine: Engine, api: Api) -> None:
    api.answer = Answer(
        b'{"stream": "E: cannot fetch https://mirror.example/x\\n"}', b'{"error": "exit code: 100"}'
    )
    with fails("image-not-built", "t:1", "(address)", "exit code: 100") as caught:
        engine.build_image(ImageSpec(dockerfile="FROM a", tag="t:1"), lambda _: None)
    assert "mirror.example" not in caught.value.why


def test_a_refused_dockerfile(engine: Engine, api: Api) -> None:
    api.answer = Answer(b'{"message": "dockerfile parse error line 1"}', ok=False)
    with fails("image-not-built", "t:1", "dockerfile parse error line 1"):
        engine.build_image(ImageSpec(dockerfile="", tag="t:1"), lambda _: None)


def test_an_archive_that_is_not_taken(engine: Engine, api: Api, tmp_path: Path) -> None:
    (tmp_path / "a.tar").touch()
    api.loading = [{"stream": "Loading"}]
    engine.load(tmp_path / "a.tar")
    api.loading.append({"error": "write /x: no space left on device", "errorDetail": {}})
    with fails("container-engine-full", "a.tar"):
        engine.load(tmp_path / "a.tar")


def test_files_come_out_through_links(engine: Engine, tmp_path: Path) -> None:
    inside = Container(engine=engine, id="c1", spec=ORDER)
    assert inside.read("/lib/link.so") == b"real"
    assert inside.copy_out("/lib/real.so", tmp_path / "a" / "b").read_bytes() == b"real"
    with pytest.raises(FileNotFoundError):
        inside.read("/lib/none.so")
    assert inside.ended_for_memory()
    assert inside.is_running()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path / 'none.sock'}")
    with fails("engine-not-answering", f"unix://{tmp_path / 'none.sock'}"), open_engine():
        pass
    gc.collect()  # the SDK leaves a socket that never was connected
