"""Images of a real registry on this machine: pulled, distinguished by their digests, refused."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.engines import base_image
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.shared_libraries import needs, real_tools
from tfbuild.containers.engine import Engine, open_engine
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.images import BuildImage, environment_of, look_at_named, looked_at
from tfbuild.containers.systems import read_system
from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock
from tfbuild.facts.tables import Tables

pytestmark = [pytest.mark.docker, pytest.mark.network]
_CONFIG = """
version: 0.1
log: {{accesslog: {{disabled: true}}, level: error}}
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "{address}"}}
"""
_MANIFEST = {"Accept": "application/vnd.docker.distribution.manifest.v2+json"}


class Registry:
    """A program that serves images; what is pushed is the engine's no longer."""

    def __init__(self, engine: Engine, folder: Path, base: str) -> None:
        self.engine, self.base = engine, base
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.name = f"{self.address}/team/env:1"
        config = folder / "config.yml"
        config.write_text(_CONFIG.format(folder=folder / "data", address=self.address))
        self._program = subprocess.Popen(
            ["docker-registry", "serve", config], stderr=subprocess.DEVNULL
        )

    def wait(self) -> None:
        deadline = time.monotonic() + 20
        while True:
            try:
                requests.get(f"http://{self.address}/v2/", timeout=2).raise_for_status()
            except requests.RequestException:
                assert time.monotonic() < deadline, "the registry does not answer"
                time.sleep(0.1)
            else:
                return

    def offer(self, step: str) -> str:
        """Make an image and push it: the digest by which the registry knows it."""
        text = f"FROM {self.base}\nRUN {step}\n"
        self.engine.build_image(
            ImageSpec(dockerfile=text, tag=self.name, host_network=True), lambda _: None
        )
        said = self.engine.client.images.push(self.name, stream=True, decode=True)
        assert not [line["error"] for line in said if "error" in line]
        self.forget()
        url = f"http://{self.address}/v2/team/env/manifests/1"
        answer = requests.head(url, headers=_MANIFEST, timeout=10)
        return f"{self.address}/team/env@{answer.headers['Docker-Content-Digest']}"

    def forget(self) -> None:
        """Let the engine have none of the images."""
        for image in self.engine.client.images.list(f"{self.address}/team/env"):
            self.engine.client.images.remove(image.id, force=True)

    def end(self) -> None:
        self._program.terminate()
        self._program.wait(20)


@pytest.fixture
def registry(tmp_path: Path, tables: Tables) -> Iterator[Registry]:
    needs("docker-registry")
    with open_engine() as engine:
        if engine.name == "podman":
            pytest.skip("Podman takes plain HTTP only where registries.conf allows it")
        system = read_system("debian:bookworm", tables.axis("os"))
        found = Registry(engine, tmp_path, base_image(engine, system, real_tools(tmp_path)))
        try:
            found.wait()
            yield found
        finally:
            found.forget()
            found.end()


def environment(registry: Registry, name: str, env: FakeEnvironment) -> EnvironmentLock:
    image = BuildImage(name=name, id=registry.engine.image_id(name))
    return environment_of(registry.engine, image, looked_at(registry.engine, image.id, env.tools))


def test_an_image_is_pulled_and_its_digest_is_in_the_lock(
    registry: Registry, fake_env: FakeEnvironment
) -> None:
    tools = fake_env.tools
    digest = registry.offer(f"echo {os.getpid()} > /first")
    host = look_at_named(registry.name, NO_ENVIRONMENT, tools)[1].host
    assert (host.distribution, host.distribution_version) == ("debian", "12")
    first = environment(registry, registry.name, fake_env)
    assert (first.image, first.digest) == (registry.name, digest)
    assert ("pulling " + registry.name,) in [w[1:2] for w in fake_env.reporter.said]

    registry.forget()
    assert (
        registry.offer(
            "rm /var/lib/dpkg/info/mawk.* && sed -i '/^Package: mawk$/,/^$/d' /var/lib/dpkg/status"
        )
        != digest
    )
    with fails("environment-drifted") as caught:
        look_at_named(registry.name, first, tools)
    assert caught.value.why.startswith("mawk ")
    assert look_at_named(digest, first, tools)[1].host.distribution == "debian"
    assert environment(registry, digest, fake_env).digest == digest


def test_what_a_registry_does_not_give(registry: Registry, fake_env: FakeEnvironment) -> None:
    for name in (f"{registry.address}/team/env:2", f"{registry.address}/nobody/none:1"):
        with fails("image-missing", name):
            look_at_named(name, NO_ENVIRONMENT, fake_env.tools)
    registry.end()
    with fails("registry-not-answering", "proxy"):
        look_at_named(registry.name, NO_ENVIRONMENT, fake_env.tools)
