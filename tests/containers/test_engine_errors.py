"""Every way in which an engine fails has its class, its exit code and its remedy."""

import docker.errors
import pytest
import requests
import urllib3

from tests.failing import fails
from tfbuild.containers.engine import open_engine
from tfbuild.containers.engine_errors import explained, meant, not_built
from tfbuild.core.errors import BadRequest

START = "Error while fetching server API version: "
CASES = [
    (START + "404 Client Error", "engine-address-invalid", "DOCKER_HOST"),
    ("Invalid bind address format: port is required: foo", "engine-address-invalid", "DOCKER_HOST"),
    (
        'Get "https://registry/v2/": dial tcp: lookup registry: no such host',
        "registry-not-answering",
        "--image",
    ),
    (
        'Get "http://r:1/v2/": dial tcp 10.0.0.1:1: connect: connection refused',
        "registry-not-answering",
        "`docker info`",
    ),
    (
        'Get "https://r/v2/": context deadline exceeded (Client.Timeout exceeded)',
        "registry-not-answering",
        "`docker info`",
    ),
    (
        'Get "https://r/v2/": x509: certificate signed by unknown authority',
        "registry-certificate-unknown",
        "certs.d",
    ),
    (
        "Head http://r/v2/a/manifests/1: unauthorized: authentication required",
        "registry-login-missing",
        "docker login",
    ),
    ("No such image: nope:1", "image-missing", "--image"),
    (
        "write /var/lib/docker/x: no space left on device",
        "container-engine-full",
        "docker system df",
    ),
    (
        'could not select device driver "" with capabilities: [[gpu]]',
        "container-gpu-missing",
        "nvidia-ctk",
    ),
    (
        "container-init binary not found on the host: stat /usr/x/catatonit",
        "container-init-missing",
        "install catatonit",
    ),
    (
        "Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available",
        "container-limit-refused",
        "--cpus",
    ),
    ("Minimum memory limit allowed is 6MB", "container-limit-refused", "--memory"),
    (
        "runc create failed: unable to set memory limit to 1048576",
        "container-limit-refused",
        "--memory",
    ),
    (
        "crun: controller `cpu` is not available under /sys/fs/cgroup/x",
        "container-limits-unsupported",
        "--cpus",
    ),
    (
        "invalid mount config: bind source path does not exist: /x",
        "container-engine-elsewhere",
        "DOCKER_HOST",
    ),
    ("Response ended prematurely", "container-engine-gone", ""),
    (
        "can only create exec sessions on running containers: container state improper",
        "container-engine-gone",
        "",
    ),
    ("Container 12 is not running", "container-engine-gone", ""),
    ("something that nobody has seen", "container-engine-failed", "tfbuild doctor"),
]


@pytest.mark.parametrize(("said", "code", "remedy"), CASES)
def test_each_has_its_remedy(said: str, code: str, remedy: str) -> None:
    error = meant("trying", docker.errors.DockerException(said), image="nope:1")
    assert error.code == code
    assert error.hint and remedy in error.hint
    assert said.removeprefix(START) in error.why


@pytest.mark.parametrize(
    ("said", "why", "code"),
    [
        (START + "('Connection aborted.', PermissionError(13, 'Permission denied'))",
         START + "Connection aborted: Permission denied", "container-engine-forbidden"),
        ("('Connection aborted.', RemoteDisconnected('closed'))",
         "Connection aborted: closed", "container-engine-gone"),
    ],
)  # fmt: skip
def test_errors_within_errors_are_shown_as_sentences(said: str, why: str, code: str) -> None:
    error = meant("trying", docker.errors.DockerException(said))
    assert error.why == why
    assert error.code == code


@pytest.mark.parametrize(
    ("here", "address", "code", "remedy"),
    [
        ((), "", "container-engine-missing", "apt-get install docker.io"),
        (("docker",), "", "container-engine-stopped", "systemctl start docker"),
        (("podman",), "", "container-engine-stopped", "systemctl start podman"),
        (("docker",), "unix:///x", "engine-not-answering", ""),
    ],
)
def test_without_an_engine_the_message_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, here: tuple[str, ...], address: str, code: str, remedy: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    monkeypatch.setattr(
        "tfbuild.containers.engine_errors.find_program", lambda name: name if name in here else ""
    )
    said = START + "('Connection aborted.', FileNotFoundError(2, 'No such file or directory'))"
    refused = meant("trying", docker.errors.DockerException(START + "[Errno 111] refused"))
    error = meant("trying", docker.errors.DockerException(said))
    assert (refused.code, error.code) == (code, code)
    assert address in error.message
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
    with fails("container-engine-full"), explained("trying"):
        raise error


def test_the_explanation_of_an_answer_is_shown_and_not_its_number() -> None:
    error = meant(
        "x",
        docker.errors.APIError("500 Server Error", explanation="No such image: a:1"),
        image="b:1",
    )
    assert (error.code, error.why) == ("image-missing", "No such image: a:1")
    assert "b:1" in error.message


def test_an_image_that_could_not_be_made() -> None:
    lost = not_built("t:1", ["E: Failed to fetch https://user:word@mirror.example/x"], "code: 100")
    assert (lost.code, "word" in lost.why) == ("image-not-built", False)
    assert "code: 100" in lost.why
    locked = not_built("t:1", ["E: Failed to fetch http://m/InRelease  401  Unauthorized"], "100")
    assert (locked.code, "auth.conf" in locked.hint) == ("mirror-login-missing", True)
    full = not_built("t:1", ["dpkg: error: No space left on device"], "exit code: 100")
    assert (full.code, "docker system df" in full.hint) == ("container-engine-full", True)
    full = not_built(
        "t:1", ["E: You don't have enough free space in /var/cache/apt/archives/."], ""
    )
    assert full.code == "container-engine-full"


def test_errors_of_ours_and_bugs_pass() -> None:
    with pytest.raises(BadRequest), explained("trying"):
        raise BadRequest("mine")
    with pytest.raises(ZeroDivisionError), explained("trying"):
        raise ZeroDivisionError("a bug")


def test_no_traceback_class_is_lost() -> None:
    with fails("container-engine-failed", "trying"), explained("trying"):
        raise docker.errors.DockerException("what")


@pytest.mark.parametrize("address", ["{'': ''}", "tcp://host:port", "http://[", "nonsense://x"])
def test_an_address_that_is_none_is_reported(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    with fails("engine-address-invalid", "DOCKER_HOST"), open_engine():
        pass
