"""Container engines: whether one answers, who may use it, GPUs inside."""

import os
from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, a_script, lines_of, the_line
from tfbuild.core.records import Gpu, Program
from tfbuild.doctor.checks import container
from tfbuild.doctor.checks.model import BuildNeeds

SILENT = Program(name="docker", path="/usr/bin/docker")
GPU = Gpu(name="NVIDIA H200", architecture="sm_90")


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    socket = tmp_path / "docker.sock"
    monkeypatch.setattr(container, "_SOCKET", socket)
    monkeypatch.setattr(container, "_CDI", (tmp_path / "cdi",))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    return socket


def test_no_engine(tmp_path: Path) -> None:
    assert the_line(container.engines(a_context(tmp_path))).state == "skipped"
    needed = a_context(tmp_path, needs=BuildNeeds(container=True))
    assert the_line(container.engines(needed)).state == "failure"


def test_an_engine_that_answers(tmp_path: Path) -> None:
    podman = Program(name="podman", path="/usr/bin/podman", version="4.3.1")
    context = a_context(tmp_path, engines=(SILENT, podman), needs=BuildNeeds(container=True))
    assert [line.state for line in lines_of(container.engines(context))] == ["warning", "pass"]


@pytest.mark.parametrize(
    ("socket", "fix"),
    [
        ("missing", "sudo systemctl start docker"),
        ("forbidden", "usermod -aG docker"),
        ("silent", "docker info"),
    ],
)
def test_why_docker_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nowhere: Path, socket: str, fix: str
) -> None:
    if socket != "missing":
        nowhere.write_text("")
    monkeypatch.setattr(os, "access", lambda *_: socket != "forbidden")
    line = the_line(container.engines(a_context(tmp_path, engines=(SILENT,))))
    assert (line.state, fix in line.fix) == ("warning", True)
    needed = a_context(tmp_path, engines=(SILENT,), needs=BuildNeeds(container=True))
    assert the_line(container.engines(needed)).state == "failure"


def test_an_engine_on_another_machine_has_no_socket_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://builder:2375")
    line = the_line(container.engines(a_context(tmp_path, engines=(SILENT,))))
    assert "docker info" in line.fix


@pytest.mark.parametrize(
    ("runtimes", "state"), [('{"nvidia":{},"runc":{}}', "pass"), ('{"runc":{}}', "warning")]
)
def test_gpus_in_containers(tmp_path: Path, runtimes: str, state: str) -> None:
    path = a_script(tmp_path / "docker", f"echo '{runtimes}'")
    docker = Program(name="docker", path=path, version="24.0.5")
    line = the_line(container.gpu_runtime(a_context(tmp_path, engines=(docker,), gpus=(GPU,))))
    assert line.state == state


def test_gpus_described_by_cdi(tmp_path: Path) -> None:
    podman = Program(name="podman", path="/usr/bin/podman", version="4.3.1")
    context = a_context(tmp_path, engines=(podman,), gpus=(GPU,))
    assert the_line(container.gpu_runtime(context)).state == "warning"
    (tmp_path / "cdi").mkdir()
    (tmp_path / "cdi" / "nvidia.yaml").write_text("")
    assert the_line(container.gpu_runtime(context)).state == "pass"


def test_without_gpu_or_engine_it_is_skipped(tmp_path: Path) -> None:
    assert the_line(container.gpu_runtime(a_context(tmp_path))).state == "skipped"
    context = a_context(tmp_path, gpus=(GPU,), engines=(SILENT,))
    assert the_line(container.gpu_runtime(context)).state == "skipped"
