"""Every way in which an engine fails has its class, its exit code and its remedy."""

import docker.errors
import pytest
import requests
import urllib3

from tfbuild.containers.engine import open_engine
from tfbuild.containers.engine_errors import explained, meant, not_built
from tfbuild.core.errors import BadRequest, DiskFull, EnvironmentFailed, TfbuildError

START = "Error while fetching server API version: "
CASES = [
    (START + "[Errno 111] Connection refused", 4, "--env host"),
    (START + "404 Client Error", 4, "DOCKER_HOST"),
    ("Invalid bind address format: port is required: foo", 4, "DOCKER_HOST"),
    ('Get "https://registry/v2/": dial tcp: lookup registry: no such host', 4, "--image"),
    ('Get "http://r:1/v2/": dial tcp 10.0.0.1:1: connect: connection refused', 4, "proxy"),
    ('Get "https://r/v2/": context deadline exceeded (Client.Timeout exceeded)', 4, "proxy"),
    ('Get "https://r/v2/": x509: certificate signed by unknown authority', 4, "certs.d"),
    ("Head http://r/v2/a/manifests/1: unauthorized: authentication required", 4, "docker login"),
    ("No such image: nope:1", 4, "--image"),
    ("write /var/lib/docker/x: no space left on device", 12, "docker system df"),
    ('could not select device driver "" with capabilities: [[gpu]]', 4, "nvidia-ctk"),
    ("container-init binary not found on the host: stat /usr/x/catatonit", 4, "install catatonit"),
    ("Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available", 2, "--cpus"),
    ("Minimum memory limit allowed is 6MB", 2, "--memory"),
    ("runc create failed: unable to set memory limit to 1048576", 2, "--memory"),
    ("crun: controller `cpu` is not available under /sys/fs/cgroup/x", 4, "delegated"),
    ("invalid mount config: bind source path does not exist: /x", 4, "this very machine"),
    ("Response ended prematurely", 4, "finished work is kept"),
    ("can only create exec sessions on running containers: container state improper", 4, "kept"),
    ("Container 12 is not running", 4, "finished work is kept"),
    ("something that nobody has seen", 4, "doctor"),
]


@pytest.mark.parametrize(("said", "code", "remedy"), CASES)
def test_each_has_its_remedy(said: str, code: int, remedy: str) -> None:
    error = meant("trying", docker.errors.DockerException(said), image="nope:1")
    assert error.exit_code == code
    assert remedy in error.hint
    assert said.removeprefix(START) in error.why


@pytest.mark.parametrize(
    ("said", "why", "remedy"),
    [
        (START + "('Connection aborted.', PermissionError(13, 'Permission denied'))",
         START + "Connection aborted: Permission denied", "usermod"),
        ("('Connection aborted.', RemoteDisconnected('closed'))",
         "Connection aborted: closed", "finished work is kept"),
    ],
)  # fmt: skip
def test_errors_within_errors_are_told_as_sentences(said: str, why: str, remedy: str) -> None:
    error = meant("trying", docker.errors.DockerException(said))
    assert error.why == why
    assert remedy in error.hint


@pytest.mark.parametrize(
    ("here", "address", "message", "remedy"),
    [
        ((), "", "no docker or podman here", "install docker or podman"),
        (("docker",), "", "the service of docker does not run", "systemctl start docker"),
        (("podman",), "", "the service of podman does not run", "systemctl start podman"),
        (("docker",), "unix:///x", "answers at DOCKER_HOST=unix:///x", "unset it"),
    ],
)
def test_without_an_engine_the_message_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, here: tuple[str, ...], address: str, message: str, remedy: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    monkeypatch.setattr(
        "tfbuild.containers.engine_errors.find_program", lambda name: name if name in here else ""
    )
    said = START + "('Connection aborted.', FileNotFoundError(2, 'No such file or directory'))"
    error = meant("trying", docker.errors.DockerException(said))
    assert message in error.message
    assert remedy in error.hint
    assert "--env host" in error.hint
    assert error.why == ("Connection aborted: No such file or directory" if here else "")


@pytest.mark.parametrize(
    "error",
    [
        docker.errors.APIError("no space left on device"),
        requests.exceptions.ChunkedEncodingError("no space left on device"),
        urllib3.exceptions.ProtocolError("no space left on device"),
        ConnectionResetError("no space left on device"),
    ],
)
def test_all_classes_of_the_way_to_the_engine_are_known(error: Exception) -> None:
    with pytest.raises(DiskFull), explained("trying"):
        raise error


def test_the_explanation_of_an_answer_is_told_and_not_its_number() -> None:
    error = docker.errors.APIError("500 Server Error", explanation="No such image: a:1")
    assert meant("x", error, image="a:1").message == "there is no image a:1"


def test_an_image_that_could_not_be_made() -> None:
    lost = not_built("t:1", ["E: Failed to fetch https://user:word@mirror.example/x"], "code: 100")
    assert (lost.exit_code, "word" in lost.why) == (10, False)
    assert "exit code" not in lost.hint and "proxy" in lost.hint
    locked = not_built("t:1", ["E: Failed to fetch http://m/InRelease  401  Unauthorized"], "100")
    assert "auth.conf" in locked.hint
    full = not_built("t:1", ["dpkg: error: No space left on device"], "exit code: 100")
    assert (full.exit_code, "docker system df" in full.hint) == (12, True)
    full = not_built(
        "t:1", ["E: You don't have enough free space in /var/cache/apt/archives/."], ""
    )
    assert full.exit_code == 12


def test_errors_of_ours_and_bugs_pass() -> None:
    with pytest.raises(BadRequest), explained("trying"):
        raise BadRequest("mine")
    with pytest.raises(KeyError), explained("trying"):
        raise KeyError("a bug")


def test_no_traceback_class_is_lost() -> None:
    with pytest.raises(TfbuildError) as caught, explained("trying"):
        raise docker.errors.DockerException("what")
    assert isinstance(caught.value, EnvironmentFailed)


@pytest.mark.parametrize("address", ["{'': ''}", "tcp://host:port", "http://[", "nonsense://x"])
def test_an_address_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(EnvironmentFailed), open_engine():
        pass
