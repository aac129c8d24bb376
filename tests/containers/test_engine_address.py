"""Which engine is asked where nothing is named."""

from pathlib import Path

import pytest

from tfbuild.containers import engine_address
from tfbuild.containers.engine_address import podman_address


def test_podmans_socket_is_found_where_docker_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine_address, "_DOCKER_SOCKET", tmp_path / "docker.sock")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    place = tmp_path / "podman" / "podman.sock"
    place.parent.mkdir()
    place.touch()
    assert podman_address() == f"unix://{place}"
    monkeypatch.setenv("DOCKER_HOST", "unix:///else")
    assert podman_address() == ""
