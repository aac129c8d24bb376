"""Base images: the same archive for the same content, and what is said when one cannot be made."""

import hashlib
import json
import sys
import tarfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, says
from tfbuild.containers import base_image
from tfbuild.containers.base_image import EPOCH, make_base, write_archive
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.environments import System
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed

TRIXIE = System(name="debian 13", suite="trixie", glibc="2.41")
PIP = Path(sys.executable).name


@pytest.fixture(autouse=True)
def cache(fake_env: FakeEnvironment) -> None:
    """The cache, as a build makes it before anything else lies there."""
    make_cache(fake_env.tools.folders.cache)


@dataclass
class FakeEngine:
    """Remembers what it was given, under the name that is in it."""

    images: dict[str, str] = field(default_factory=dict)
    loads: int = 0
    breaks: bool = False

    def image_id(self, name: str) -> str:
        return self.images.get(name, "")

    def load(self, archive: Path) -> None:
        with tarfile.open(archive) as stream:
            content = stream.extractfile("manifest.json")
            assert content is not None
            manifest = json.loads(content.read())[0]
        self.loads += 1
        name = "0" * 64 if self.breaks else manifest["Config"].removesuffix(".json")
        self.images[manifest["RepoTags"][0]] = f"sha256:{name}"


@pytest.fixture
def env(fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch) -> FakeEnvironment:
    """A machine on which mmdebstrap makes a file that says what it was asked."""

    def bootstrap(command: Command, watch: Watch | None) -> Completed:
        assert watch is not None
        for line in ("I: running apt-get update...", "Get:1 http://m/ InRelease", ""):
            watch(line)
        Path(command.argv[-1]).write_text(command.argv[-2])
        return Completed(code=0)

    fake_env.runner.answers |= {
        "mmdebstrap": bootstrap,
        "apt-config": says('Acquire::Check-Valid-Until "false";'),
        "apt-get": says("http://mirror.example/debian/ bookworm"),
        PIP: says("global.index-url='https://i.example/simple'"),
    }
    for module in ("base_image", "host_network"):
        monkeypatch.setattr(
            f"tfbuild.containers.{module}.find_program", lambda name: f"/usr/bin/{name}"
        )
    return fake_env


def test_the_archive_is_the_same_for_the_same_layer(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "layer.tar").write_bytes(b"files")
        (folder / "layer.tar").chmod(0o600 if name == "one" else 0o666)
        named = write_archive(folder / "layer.tar", folder / "image.tar", TRIXIE, "amd64")
        made.append((named, (folder / "image.tar").read_bytes()))
    assert made[0] == made[1]


def test_the_archive_is_what_docker_load_takes(tmp_path: Path) -> None:
    (tmp_path / "layer.tar").write_bytes(b"files")
    digest = hashlib.sha256(b"files").hexdigest()
    tag, identity = write_archive(tmp_path / "layer.tar", tmp_path / "image.tar", TRIXIE, "arm64")
    assert tag == f"tfbuild/base:trixie-{digest[:12]}"
    with tarfile.open(tmp_path / "image.tar") as archive:
        contents = {
            m.name: stream.read()
            for m in archive.getmembers()
            if (stream := archive.extractfile(m)) is not None
        }
        assert {m.mtime for m in archive.getmembers()} == {int(EPOCH)}
    manifest = json.loads(contents["manifest.json"])
    assert manifest == [
        {"Config": f"{identity[7:]}.json", "RepoTags": [tag], "Layers": ["layer.tar"]}
    ]
    raw = contents[f"{identity[7:]}.json"]
    assert hashlib.sha256(raw).hexdigest() == identity[7:]
    config = json.loads(raw)
    assert config["rootfs"]["diff_ids"] == [f"sha256:{digest}"]
    assert config["architecture"] == "arm64"
    assert config["config"]["Labels"]["org.tfbuild.base"] == "trixie"
    assert config["config"]["Env"][0].startswith("PATH=/usr/local/sbin:")


def test_it_is_made_once_and_found_again(env: FakeEnvironment) -> None:
    engine = FakeEngine()
    first = make_base(TRIXIE, env.tools, engine)
    second = make_base(TRIXIE, env.tools, engine)
    assert (first.is_new, second.is_new, engine.loads) == (True, False, 1)
    assert replace(second, is_new=True) == first
    again = make_base(TRIXIE, env.tools, engine, is_anew=True)
    assert (again, engine.loads) == (first, 2)


def test_an_engine_that_lost_it_gets_it_anew(env: FakeEnvironment) -> None:
    make_base(TRIXIE, env.tools, FakeEngine())
    assert make_base(TRIXIE, env.tools, FakeEngine()).is_new


def test_a_broken_record_is_no_record(env: FakeEnvironment) -> None:
    engine = FakeEngine()
    make_base(TRIXIE, env.tools, engine)
    (record,) = (env.tools.folders.cache / "bases").iterdir()
    for content in ("{", "", "null", record.read_text().replace("debian 13", "debian 12")):
        record.write_text(content)
        assert make_base(TRIXIE, env.tools, engine).is_new, content


def test_the_command_line_of_mmdebstrap(env: FakeEnvironment) -> None:
    make_base(TRIXIE, env.tools, FakeEngine())
    command = next(c for c in env.runner.commands if c.argv[0] == "mmdebstrap")
    environment = dict(command.env)
    assert environment["SOURCE_DATE_EPOCH"] == EPOCH
    # What it leaves where it is stopped goes with the folder of the layer.
    assert environment["TMPDIR"] == str(Path(command.argv[-1]).parent)
    assert "--variant=minbase" in command.argv
    hook = next(word for word in command.argv if word.startswith("--customize-hook="))
    for name in ("etc/resolv.conf", "etc/hostname", "apt.conf.d/99mmdebstrap"):
        assert name in hook, "what belongs to this machine must not stay"


@pytest.mark.parametrize("may_mount", [True, False])
def test_what_root_mounts_is_apart_where_it_can_be(env: FakeEnvironment, may_mount: bool) -> None:
    env.runner.answers["unshare"] = lambda command, watch: (
        Completed(code=0 if may_mount else 1)
        if command.argv[-1] == "true"
        else env.runner.answers["mmdebstrap"](command, watch)
    )
    tools = replace(env.tools, host=replace(env.tools.host, is_root=True))
    make_base(TRIXIE, tools, FakeEngine())
    making = env.runner.commands[-1].argv
    assert making[: making.index("mmdebstrap")] == (("unshare", "--mount") if may_mount else ())


def test_settings_of_apt_reach_mmdebstrap_and_are_gone_afterwards(env: FakeEnvironment) -> None:
    seen = {}

    def bootstrap(command: Command, _watch: Watch | None) -> Completed:
        conf = next(w for w in command.argv if w.startswith("--aptopt=")).partition("=")[2]
        seen[conf] = Path(conf).read_text()
        sources = Path(conf).with_name("sources.list")
        seen[str(sources)] = sources.read_text()
        assert Path(conf).parent.stat().st_mode & 0o777 == 0o755, "apt's own user must read it"
        Path(command.argv[-1]).write_text("layer")
        return Completed(code=0)

    env.runner.answers["mmdebstrap"] = bootstrap
    make_base(TRIXIE, env.tools, FakeEngine())
    conf, sources = seen
    assert 'Acquire::Check-Valid-Until "false";' in seen[conf]
    assert f'Dir::Etc::sourcelist "{sources}";' in seen[conf]
    assert seen[sources].splitlines()[0] == "deb http://mirror.example/debian/ trixie main"
    assert not Path(conf).parent.exists()


def test_no_mmdebstrap(env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_image, "find_program", lambda _: "")
    with fails("mmdebstrap-missing", "apt-get install --no-install-recommends mmdebstrap"):
        make_base(TRIXIE, env.tools, FakeEngine())


def test_a_mirror_that_does_not_answer(env: FakeEnvironment) -> None:
    said = ("I: running apt-get update...", "E: Failed to fetch, Could not resolve", "I: bye")
    env.runner.answers["mmdebstrap"] = says(*said, code=25)
    with fails("base-image-not-made", "debian:trixie") as caught:
        make_base(TRIXIE, env.tools, FakeEngine())
    assert caught.value.why == "E: Failed to fetch, Could not resolve"


def test_an_engine_that_holds_something_else(env: FakeEnvironment) -> None:
    with fails("image-tag-taken", "tfbuild/base:trixie-"):
        make_base(TRIXIE, env.tools, FakeEngine(breaks=True))


def test_only_debian(env: FakeEnvironment) -> None:
    jammy = System(name="ubuntu 22.04", suite="jammy", glibc="2.35")
    with fails("base-image-not-debian", "ubuntu 22.04"):
        make_base(jammy, env.tools, FakeEngine())


def test_each_step_is_reported(env: FakeEnvironment) -> None:
    made = make_base(TRIXIE, env.tools, FakeEngine())
    assert [said[1] for said in env.reporter.said if said[0] == "step"] == [
        "making a base image of debian 13 (trixie)",
        "mmdebstrap: running apt-get update...",
        f"loading {made.tag}",
    ]
