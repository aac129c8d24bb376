"""What a real engine keeps after builds: nothing that was sent; `cache prune` takes the rest."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engines import OwnEngine, own_engine, tiny_image
from tfbuild.containers.engine import ContainerSpec, Engine, Mount, open_engine
from tfbuild.containers.host_network import FOLDER
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.ownership import KIND, LABEL, cache_labels
from tfbuild.fetch.cache import note_use

pytestmark = pytest.mark.docker
ROOT = Path(__file__).parent.parent.parent
SECRET = b"tfbuild-leak-7c21b9"
# As every Dockerfile of ours begins and fetches; it has no network, and needs none.
_FILE = """
ARG BASE
FROM ${BASE} AS network
WORKDIR /network
COPY networ[k]/ ./
RUN touch apt.conf pip.conf && chmod -R a+rX .
FROM ${BASE} AS packages
RUN --mount=type=bind,from=network,source=/network,target=/run/network \\
    --mount=type=cache,target=/var/cache/apt,sharing=locked \\
    export APT_CONFIG=/run/network/apt.conf \\
 && cat /run/network/apt.conf > /dev/null && head -c 3000000 /dev/zero > /packages \\
 && head -c 1000000 /dev/zero > /var/cache/apt/archive
RUN touch /checked
"""
_SLOWLY = "echo begun && sleep 30 && touch apt.conf"
_BUILD = f"""
import json, sys
from tfbuild.containers.engine import open_engine
from tfbuild.containers.image_spec import ImageSpec
with open_engine() as engine:
    spec = ImageSpec(
        dockerfile=json.loads(sys.argv[1]), tag="tfbuild/env:killed", host_network=True,
        files=(("{FOLDER}/apt.conf", {SECRET!r}),), args=(("BASE", sys.argv[2]),),
    )
    engine.build_image(spec, lambda line: print(line, flush=True))
"""


@pytest.fixture(scope="module")
def own() -> Iterator[OwnEngine]:
    place = Path(tempfile.mkdtemp(prefix="tfbuild-e-"))
    with own_engine(place) as engine:
        yield engine
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def engine(own: OwnEngine) -> Iterator[Engine]:
    with open_engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def base(engine: Engine, own: OwnEngine) -> str:
    return tiny_image(engine, own.folder)


@pytest.fixture
def spec(base: str) -> ImageSpec:
    files = {"apt.conf": b"// %s\n" % SECRET, "pip.conf": b"", "client.pem": SECRET}
    return ImageSpec(
        dockerfile=_FILE,
        tag="tfbuild/env:left",
        labels=((KIND, "environment"), ("org.opencontainers.image.base.name", base)),
        files=tuple((f"{FOLDER}/{name}", content) for name, content in files.items()),
        args=(("BASE", base),),
        host_network=True,
    )


def holding(folder: Path) -> list[str]:
    """Every file of the engine that holds the secret: layers, build cache, records, logs."""
    words = ("grep", "-rlF", "-e", SECRET.decode(), str(folder))
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return said.splitlines()


def cache(*words: str, folder: Path) -> dict[str, Any]:
    environ = {**os.environ, "TFBUILD_CACHE_DIR": str(folder)}
    said = subprocess.run(
        [sys.executable, "-m", "tfbuild", "cache", *words, "--json"],
        capture_output=True, text=True, check=True, env=environ, cwd=ROOT,
    )  # fmt: skip
    engine: dict[str, Any] = json.loads(said.stdout)["engine"]
    assert engine["name"].startswith("docker "), engine["why"]
    return engine


def test_nothing_of_what_was_sent_stays_in_the_engine(
    own: OwnEngine, engine: Engine, spec: ImageSpec
) -> None:
    seen: list[list[str]] = []

    def look(line: str) -> None:
        if "[packages " in line and not seen:
            seen.append(holding(own.folder / "data"))

    engine.build_image(spec, look)
    assert seen and seen[0], "the search finds nothing even while it is there"
    assert holding(own.folder / "data") == []
    lines: list[str] = []
    engine.build_image(spec, lines.append)
    kept = [line for line in lines if "/run/network/apt.conf" in line]
    assert kept and kept[0].endswith("(kept)"), "packages must not be fetched anew for it"
    assert holding(own.folder / "data") == []


def test_what_others_send_in_the_same_seconds_stays(
    own: OwnEngine, engine: Engine, spec: ImageSpec, base: str
) -> None:
    api = engine.client.api
    others = ImageSpec(dockerfile=f"FROM {base}\nCOPY mine /\n", tag="others:1",
                       files=(("mine", b"of another"),))  # fmt: skip
    query = {"version": "2", "t": others.tag}
    seen: list[str] = []

    def meanwhile(line: str) -> None:
        if not seen:
            url = f"{api.base_url}/v{api.api_version}/build"
            api.post(url, data=others.archive(), stream=False, params=query).raise_for_status()
        seen.append(line)

    def contexts() -> set[str]:
        rows = api.df()["BuildCache"] or ()
        return {row["ID"] for row in rows if row["Description"].startswith("http url ")}

    before = contexts()
    engine.build_image(replace(spec, tag="tfbuild/env:beside"), meanwhile)
    assert seen
    assert len(contexts() - before) == 1, "that of the others, and not ours"
    assert holding(own.folder / "data") == []
    for tag in ("tfbuild/env:beside", others.tag):
        api.remove_image(tag)


def test_a_start_forgets_what_a_killed_build_has_sent(
    own: OwnEngine, engine: Engine, spec: ImageSpec
) -> None:
    slow = replace(spec, dockerfile=spec.dockerfile.replace("touch apt.conf", _SLOWLY))
    words = (sys.executable, "-c", _BUILD, json.dumps(slow.dockerfile), slow.args[0][1])
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert any("RUN echo begun" in line for line in child.stdout)
        assert engine.forget_left() == 0, "it lives"
        child.kill()
    assert holding(own.folder / "data"), "it had no time to forget"
    deadline = time.monotonic() + 20
    while any(row["InUse"] for row in engine.client.api.df()["BuildCache"] or ()):
        assert time.monotonic() < deadline, "the engine goes on without it"
        time.sleep(0.2)
    assert engine.forget_left() == 1
    assert holding(own.folder / "data") == []
    assert engine.forget_left() == 0


def test_show_and_prune(
    own: OwnEngine, engine: Engine, spec: ImageSpec, base: str, tmp_path: Path
) -> None:
    api = engine.client.api
    of_cache = cache_labels(tmp_path / "cache")
    image = engine.build_image(
        replace(spec, labels=(*spec.labels, *of_cache.items())), lambda _: None
    )
    engine.client.images.prune()  # what had the tag before shares its layers
    note_use(tmp_path / "cache", engine.image_id(base))  # a base names no cache
    assert cache("prune", "--all", folder=tmp_path / "other")["removed"] == []
    labels = {LABEL: "1", KIND: "cache", **of_cache}
    engine.make_volume("tfbuild-kept", labels)
    engine.make_volume("foreign", {})
    (mine,) = [
        one for one in cache("show", folder=tmp_path / "cache")["cached"] if one["name"] == spec.tag
    ]
    assert mine["bytes"] >= 3_000_000, "what its removal frees"
    foreign = ImageSpec(dockerfile=f"FROM {spec.tag}\nRUN touch /mine\n", tag="mine:1")
    api.post(
        api.base_url + f"/v{api.api_version}/build", data=foreign.archive(), stream=False,
        params={"version": "2", "t": "mine:1", "networkmode": "host"},
    ).raise_for_status()  # fmt: skip
    shown = cache("show", folder=tmp_path / "cache")["cached"]
    by_name = {one["name"]: one for one in shown}
    assert {spec.tag, base, "tfbuild-kept"} <= set(by_name)
    assert not {"mine:1", "foreign"} & set(by_name), "what others made of ours is theirs"
    assert {one["kind"] for one in shown} >= {"environment", "base", "volume", "step", "packages"}
    volume = Mount(source="tfbuild-kept", target="/v", writable=True, is_volume=True)
    with engine.open(ContainerSpec(image=image, kind="build", mounts=(volume,))):
        cache("prune", "--all", folder=tmp_path / "cache")
        assert engine.image_id(spec.tag) == image
    assert "tfbuild-kept" in volumes(engine)
    gone = cache("prune", "--all", folder=tmp_path / "cache")["removed"]
    assert {spec.tag, "tfbuild-kept"} <= {one["name"] for one in gone}
    assert cache("show", folder=tmp_path / "cache")["cached"] == []
    assert (engine.image_id(spec.tag), engine.image_id(base)) == ("", "")
    assert engine.image_id("mine:1")
    assert volumes(engine) == ["foreign"]
    steps = [row["Description"] for row in api.df()["BuildCache"] or ()]
    assert any("touch /mine" in said for said in steps)
    assert not [said for said in steps if "/run/network" in said]


def volumes(engine: Engine) -> list[str]:
    return sorted(v.name for v in engine.client.volumes.list())
