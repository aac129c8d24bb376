"""Images by the real engine: made from packages, built from a plan, and nothing of us in them."""

import base64
import json
import os
import pty
import select
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.company_network import Forwarder, forwarding
from tests.failing import fails
from tests.fakes import a_request
from tests.shared_libraries import real_tools
from tfbuild.builds.decide import decide
from tfbuild.containers import host_network
from tfbuild.containers.base_image import BaseImage, make_base
from tfbuild.containers.dockerfile import TOOLCHAIN, dockerfile_text
from tfbuild.containers.engine import Engine, open_engine
from tfbuild.containers.host_network import network_files
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.systems import read_system
from tfbuild.core.environments import System
from tfbuild.core.errors import TfbuildError
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Pin
from tfbuild.facts.tables import Tables

pytestmark = [pytest.mark.docker, pytest.mark.network, pytest.mark.long]

SECRET = "tfbuild-leak-4d1f0c"
LABELS = (("org.tfbuild.test", "images"),)
RUNTIME = data_folder("runtime")


@dataclass(frozen=True)
class Built:
    """An image of a plan, made behind a company's proxy, mirror and certificates."""

    engine: Engine
    spec: ImageSpec
    id: str
    forwarder: Forwarder
    said: list[str]

    def run(self, *argv: str, **options: Any) -> str:
        """What a program prints in a container without a network."""
        settings = {"network_mode": "none", "remove": True, "stderr": True, **options}
        return str(self.engine.client.containers.run(self.id, list(argv), **settings).decode())

    def containers(self) -> list[Any]:
        """What is left of it, running or not."""
        return list(self.engine.client.containers.list(all=True, filters={"ancestor": self.id}))


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine() as found:
        yield found
        for image in found.client.images.list(filters={"label": "org.tfbuild.test=images"}):
            found.client.images.remove(image.id, force=True)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    from tfbuild.doctor.survey import look_at_host

    made = real_tools(tmp_path_factory.mktemp("images"))
    host = look_at_host(made.runner, made.folders.cache)
    return Tools(runner=made.runner, reporter=made.reporter, folders=made.folders, host=host)


@pytest.fixture(scope="module")
def all_tables() -> Tables:
    return Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes"))


@pytest.fixture(scope="module")
def trixie(all_tables: Tables) -> System:
    return read_system("debian:trixie", all_tables.axis("os"))


@pytest.fixture(scope="module")
def base(trixie: System, tools: Tools, engine: Engine) -> BaseImage:
    return make_base(trixie, tools, engine)


@pytest.fixture(scope="module")
def spec(
    trixie: System, all_tables: Tables, tools: Tools, base: BaseImage, tmp_path_factory: Any
) -> ImageSpec:
    """The whole environment of a plan on trixie, in words."""
    request = a_request(
        tmp_path_factory.mktemp("plan"),
        source=RUNTIME,
        pins=(Pin(axis="python", spec="3.13"), Pin(axis="os", spec=trixie.name)),
        env="docker",
    )
    plan = decide(request, all_tables, tools).plan
    return ImageSpec(
        dockerfile=dockerfile_text(plan, data_folder("dockerfiles")),
        tag="tfbuild/test:images",
        labels=LABELS,
        args=(("BASE", base.tag), ("USER_ID", "4321"), ("GROUP_ID", "4322")),
    )


@pytest.fixture(scope="module")
def built(
    spec: ImageSpec, trixie: System, tools: Tools, engine: Engine, tmp_path_factory: Any
) -> Iterator[Built]:
    """The image, with every road to the outside being a secret."""
    bridge = (
        engine.client.networks.get("bridge").attrs["IPAM"]["Config"][0].get("Gateway", "172.17.0.1")
    )
    bundle = tmp_path_factory.mktemp("ca") / "ca.pem"
    with pytest.MonkeyPatch.context() as patch, forwarding(bridge) as forwarder:
        plain = network_files(tools.runner, tools.host, trixie)
        patch.setenv("https_proxy", f"http://user:{SECRET}@{forwarder.address}")
        bundle.write_bytes(f"# {SECRET}\n".encode() + plain.get("network/ca.pem", b""))
        for name in ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            patch.setenv(name, str(bundle))
        patch.setenv("PIP_CLIENT_CERT", str(_client_certificate(bundle.parent)))
        sources = _mirrored(plain["network/sources.list"], forwarder)
        login = f"machine http://{forwarder.address} login me password {SECRET}\n"
        (bundle.parent / "auth.conf").write_text(login)
        patch.setattr(host_network, "_LOGINS", bundle.parent)
        patch.setattr(host_network, "apt_sources", lambda *_: sources)
        files = network_files(tools.runner, tools.host, trixie)
        wanted = ImageSpec(
            dockerfile=spec.dockerfile,
            tag=spec.tag,
            labels=spec.labels,
            files=tuple(files.items()),
            args=spec.args,
        )
        said: list[str] = []
        identity = engine.build_image(wanted, said.append)
        yield Built(engine=engine, spec=wanted, id=identity, forwarder=forwarder, said=said)


def _client_certificate(folder: Path) -> Path:
    """A key and its certificate in one file, with the secret beside them."""
    path = folder / "client.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=me", "-days",
         "2", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    parts = [(folder / name).read_bytes() for name in ("key.pem", "cert.pem")]
    path.write_bytes(f"# {SECRET}\n".encode() + b"".join(parts))
    return path


def _mirrored(sources: bytes, forwarder: Forwarder) -> str:
    """The sources, as a mirror would have them whose path must not be known."""
    lines = []
    for number, line in enumerate(sources.decode().splitlines()):
        kind, address, *rest = line.split()
        path = f"/{SECRET}/{number}/"
        forwarder.mirrors[path] = address.rstrip("/") + "/"
        lines.append(" ".join((kind, f"http://{forwarder.address}{path}", *rest)))
    return "".join(f"{line}\n" for line in lines)


# --- base images ---------------------------------------------------------------------------------


def test_a_base_image_is_the_same_each_time(
    trixie: System, tools: Tools, engine: Engine, base: BaseImage
) -> None:
    again = make_base(trixie, tools, engine, is_anew=True)
    assert (again.id, again.tag) == (base.id, base.tag)
    assert make_base(trixie, tools, engine) == BaseImage(
        system="debian 13", tag=base.tag, id=base.id, is_new=False
    )
    assert engine.image_labels(base.tag)["org.tfbuild.base"] == "trixie"


def test_a_base_image_has_nothing_of_this_machine(
    engine: Engine, base: BaseImage, tmp_path: Path
) -> None:
    names = {name for name, _ in contents(saved(engine, base.tag, tmp_path))}
    for name in ("etc/resolv.conf", "etc/hostname", "etc/apt/apt.conf.d/99mmdebstrap"):
        assert name not in names
    assert "usr/bin/apt-get" in names


# --- the image of a plan -------------------------------------------------------------------------


def test_the_image_is_built_over_mirror_and_proxy(built: Built) -> None:
    asked = built.forwarder.asked
    # Packages may come from the engine's cache; what is in the release is asked for each time.
    assert any(f"/{SECRET}/" in path and "/dists/" in path for path in asked), "apt went elsewhere"
    assert any(path.endswith(":443") for path in asked), "pip went another way"
    wanted = base64.b64encode(f"user:{SECRET}".encode()).decode()
    assert f"Basic {wanted}" in built.forwarder.passwords
    login = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert f"Basic {login}" in built.forwarder.logins, "apt's auth.conf was not obeyed"
    assert b"client-cert = /run/network/client.pem" in dict(built.spec.files)["network/pip.conf"]


def test_no_trace_of_them_in_any_layer_or_in_the_history(built: Built, tmp_path: Path) -> None:
    seen, answers = 0, b""
    for name, content in contents(saved(built.engine, built.id, tmp_path)):
        seen += 1
        assert SECRET.encode() not in content, f"{name} holds the secret"
        assert SECRET not in name
        assert not name.startswith("run/network/"), f"{name} was mounted, and stayed"
        assert "_dists_" not in name, f"{name}: apt's lists have the names of mirrors"
        answers = content if name == "opt/tfbuild/answers.json" else answers
    assert seen > 5000, "there was nothing to search"
    assert b"python3.13" in answers, "the search does not read files"
    inspected = json.dumps(
        [built.engine.client.api.history(built.id), built.engine.client.api.inspect_image(built.id)]
    )
    assert SECRET not in inspected
    assert built.forwarder.address not in inspected


def test_it_is_a_user_with_the_callers_numbers(built: Built) -> None:
    assert built.run("id", "-u").strip() == "4321"
    assert built.run("id", "-g").strip() == "4322"
    assert built.run("sh", "-c", "touch ~/file && stat -c %U ~/file").strip() == "builder"


def test_versions_are_those_of_the_plan(built: Built) -> None:
    assert built.run("python3.13", "-V").startswith("Python 3.13.")
    assert built.run("sh", "-c", "$CXX -dumpversion").strip() == "14"
    labels = built.engine.image_labels(built.id)
    assert "python=3.13" in labels["org.tfbuild.versions"].split()
    assert len(labels["org.tfbuild.plan"]) == 16


def test_the_runtime_can_be_configured_and_analysed_by_hand_offline(built: Built) -> None:
    script = (
        "cp -r /source ~/runtime && cd ~/runtime && "
        '"python$PYTHON" configure.py --answers /opt/tfbuild/answers.json && '
        "bazel build --nobuild //python:libtfbuild_runtime.so //python:_runtime.so"
    )
    volumes = {str(RUNTIME): {"bind": "/source", "mode": "ro"}}
    said = built.run("bash", "-euo", "pipefail", "-c", script, volumes=volumes)
    assert "Build completed successfully" in said


# --- a shell in it -------------------------------------------------------------------------------


def words(built: Built, *more: str) -> list[str]:
    return [sys.executable, "-m", "tfbuild", "env", "shell", f"--image={built.spec.tag}", *more]


def test_one_command_in_the_environment(built: Built, tmp_path: Path) -> None:
    command = "$CXX -dumpversion; id -u; touch file; exit 7"
    ended = subprocess.run(
        words(built, "--command", command),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert ended.returncode == 7, ended.stderr
    assert ended.stdout.split() == ["14", str(os.getuid())], "and sources are read-only"
    assert built.containers() == []


def test_a_person_at_a_terminal(built: Built, tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, words(built))
    try:
        shown = _until(terminal, b"/runtime", typed=b"")
        shown += _until(terminal, b"two:4", typed=b"echo two:$((2+2)); stty size\r")
        shown += _until(terminal, b"exit", typed=b"exit 5\r")
    except BaseException:
        os.kill(pid, signal.SIGTERM)
        raise
    finally:
        _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 5, shown.decode(errors="replace")
    assert built.containers() == []


def _until(terminal: int, wanted: bytes, *, typed: bytes) -> bytes:
    """What the terminal shows until it shows that."""
    os.write(terminal, typed)
    shown, until = b"", time.monotonic() + 120
    while wanted not in shown and time.monotonic() < until:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:
                break
    assert wanted in shown, shown.decode(errors="replace")
    return shown


# --- what must fail ------------------------------------------------------------------------------


def failing(built: Built, *named: str, **args: str) -> TfbuildError:
    """How the same order fails with other arguments."""
    spec = ImageSpec(
        dockerfile=built.spec.dockerfile,
        tag="tfbuild/test:never",
        target=TOOLCHAIN,
        labels=LABELS,
        files=built.spec.files,
        args=(*built.spec.args, *args.items()),
    )
    with fails("image-not-built", *named) as caught:
        built.engine.build_image(spec, lambda _: None)
    return caught.value


def test_a_compiler_that_the_distribution_lacks(built: Built) -> None:
    failing(built, "Unable to locate package g++-9", GCC="9")


def test_a_version_that_is_not_what_was_asked_for(built: Built) -> None:
    failing(built, "4.2.3", "9.9.9", BAZEL="9.9.9")


def test_a_mirror_that_is_gone(built: Built) -> None:
    built.forwarder.mirrors.clear()
    error = failing(built, GCC="13")
    assert "9.9.9" not in error.why
    assert "Failed to fetch" in f"{error.message} {error.why}" or "404" in error.why


def saved(engine: Engine, image: str, folder: Path) -> Path:
    """The image as `docker save` writes it."""
    path = folder / "image.tar"
    with path.open("wb") as stream:
        for chunk in engine.client.images.get(image).save():
            stream.write(chunk)
    return path


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file in every layer, and of what describes the image."""
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is None:
                continue
            try:
                with tarfile.open(fileobj=stream) as layer:
                    for file in layer:
                        inner = layer.extractfile(file) if file.isreg() else None
                        content = inner.read() if inner else file.linkname.encode()
                        yield file.name.removeprefix("./"), content
            except tarfile.ReadError:
                stream.seek(0)
                yield member.name, stream.read()
