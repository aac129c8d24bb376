"""A container of a distribution with packages: what the engine is asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tests.local_container import Box
from tfbuild.containers.engine import ContainerSpec, Mount
from tfbuild.containers.images import BuildImage
from tfbuild.core.environments import NO_SYSTEM
from tfbuild.core.records import Command
from tfbuild.places import container


def test_a_container_has_its_packages_folders_and_limits(
    tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    opened: list[ContainerSpec] = []

    class Engine:
        def user_of(self, _spec: ContainerSpec) -> str:
            return "7:8"

        @contextmanager
        def open(self, spec: ContainerSpec) -> Iterator[Box]:
            opened.append(spec)
            yield Box(spec=spec)

    @contextmanager
    def engine() -> Iterator[Engine]:
        yield Engine()

    def made(_engine: object, text: str, *_: object, **__: object) -> BuildImage:
        asked.append(text)
        return BuildImage(name="i:1", id="sha256:1")

    monkeypatch.setattr(container, "open_engine", engine)
    monkeypatch.setattr(container, "clear", lambda _: 0)
    monkeypatch.setattr(container, "make_image", made)
    mount = Mount(source=str(tmp_path), target=str(tmp_path), writable=True)
    with container.open_container(
        fake_env.tools,
        system=NO_SYSTEM,
        packages=("g++", "make"),
        mounts=(mount,),
        cpus=1.5,
        pids=700,
    ) as found:
        assert found.runner.run(Command(argv=("echo", "here"), quiet=True)).stdout == "here\n"
    assert 'ARG PACKAGES="g++ make"' in asked[0]
    (spec,) = opened
    assert (spec.image, spec.mounts) == ("sha256:1", (mount,))
    assert (spec.cpus, spec.pids) == (1.5, 700)
