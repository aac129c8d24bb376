"""What `tfbuild env` prints and writes."""

import json
from pathlib import Path

import pytest
import yaml

from tests.failing import fails
from tests.fakes import a_host
from tests.tensorflow_trees import make_tree
from tfbuild.commands import env as front_env
from tfbuild.commands.build import show_plan
from tfbuild.commands.buildable.base import Asked
from tfbuild.commands.env import EnvOptions


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, on a Debian 12 machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tfbuild.doctor.survey.look_at_host", lambda *_: a_host())
    return tmp_path


def dockerfile(
    *words: str, output: str = "", image_from: str = "wheels", cuda: bool = False
) -> None:
    flags = {"cuda": "any"} if cuda else {}
    front_env.dockerfile(words, flags, EnvOptions(image_from=image_from, output=output))


def test_dockerfile_to_stdout_or_into_a_file(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    dockerfile("python=3.13")
    printed = capsys.readouterr().out
    dockerfile("python=3.13", output="image/Dockerfile")
    assert (here / "image" / "Dockerfile").read_text() == printed
    assert "ARG BASE=debian:trixie\n" in printed
    assert capsys.readouterr().out == f"written: {here / 'image' / 'Dockerfile'}\n"


def test_dockerfile_with_cuda(capsys: pytest.CaptureFixture[str]) -> None:
    dockerfile(cuda=True)
    assert "nvidia-cuda-nvcc==" in capsys.readouterr().out
    dockerfile(cuda=True, image_from="nvidia")
    printed = capsys.readouterr().out
    assert "ARG BASE=nvidia/cuda:13." in printed
    assert "nvidia-cuda-nvcc==" not in printed


def test_dockerfile_refuses_what_makes_no_sense(here: Path) -> None:
    with fails("image-origin-unknown", "--image-from", "'nvidea'", "'nvidia'"):
        dockerfile(cuda=True, image_from="nvidea")
    with fails("nvidia-image-without-cuda", "--image-from", "--cuda"):
        dockerfile("python=3.12", image_from="nvidia")
    with fails("no-system-has-all", "python 3.11", "gcc 16"):
        dockerfile("python=3.11", "gcc=16")
    with fails("output-is-folder", str(here)):
        dockerfile(output=str(here))
    (here / "file").touch()
    with fails("output-not-writable", str(here / "file" / "Dockerfile")):
        dockerfile(output="file/Dockerfile")


def test_devcontainer_is_a_folder_that_is_not_written_over(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(*words: str, force: bool = False) -> None:
        front_env.devcontainer(words, {}, EnvOptions(force=force))

    write()
    folder = here / ".devcontainer"
    settings = json.loads((folder / "devcontainer.json").read_text())
    assert (folder / settings["build"]["dockerfile"]).read_text().startswith("# An environment")
    write()
    before = (folder / "Dockerfile").read_text()
    with fails("output-folder-differs", str(folder), "Dockerfile", "--force"):
        write("python=3.13")
    assert (folder / "Dockerfile").read_text() == before
    write("python=3.13", force=True)
    assert (folder / "Dockerfile").read_text() != before


@pytest.mark.parametrize("link", [".devcontainer", ".devcontainer/network"])
def test_nothing_is_written_through_a_link_of_a_checkout(
    monkeypatch: pytest.MonkeyPatch, here: Path, link: str
) -> None:
    files = {"network/pip.conf": b"index-url = http://me:sesame@localhost/\n"}
    monkeypatch.setattr("tfbuild.containers.host_network.network_files", lambda *_: files)
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pip.conf").write_text("mine")
    (here / link).parent.mkdir(exist_ok=True)
    (here / link).symlink_to(elsewhere)
    with fails("output-folder-is-link", str(elsewhere)):
        front_env.devcontainer((), {}, EnvOptions(network=True))
    assert [path.name for path in elsewhere.iterdir()] == ["pip.conf"]
    assert (elsewhere / "pip.conf").read_text() == "mine"


def test_the_way_to_the_outside_lies_beside_the_file_for_its_owner(
    monkeypatch: pytest.MonkeyPatch, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"network/apt.conf": b"apt\n", "network/pip.conf": b"pip\n"}
    monkeypatch.setattr("tfbuild.containers.host_network.network_files", lambda *_: files)
    front_env.dockerfile((), {}, EnvOptions(output="image/Dockerfile", network=True))
    assert (here / "image" / "network" / "apt.conf").read_bytes() == b"apt\n"
    assert (here / "image" / "network" / ".gitignore").read_text() == "*\n"
    for path in (here / "image" / "network").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    front_env.devcontainer((), {}, EnvOptions(network=True))
    assert (here / ".devcontainer" / "network" / "pip.conf").is_file()
    assert "--network" not in capsys.readouterr().err
    files["network/pip.conf"] = b"index-url = http://localhost:3141/simple\n"
    front_env.dockerfile((), {}, EnvOptions(output="image/Dockerfile", network=True))
    assert "--network=host" in capsys.readouterr().err.replace("\n", " ")
    with fails("network-without-file", "--network", "--output"):
        front_env.dockerfile((), {}, EnvOptions(network=True))


def test_conda_is_an_environment_file(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    front_env.conda(("python=3.12",), {}, output="environment.yml")
    content = yaml.safe_load((here / "environment.yml").read_text())
    assert content["channels"] == ["conda-forge"]
    assert "python=3.12" in content["dependencies"]
    front_env.conda(("tensorflow=2.15.0",), {}, output="")
    assert "tensorflow-2.15.0-build" in capsys.readouterr().out


def test_conda_is_what_a_build_would_take(capsys: pytest.CaptureFixture[str]) -> None:
    front_env.conda((), {}, output="")
    written = yaml.safe_load(capsys.readouterr().out)["dependencies"]
    show_plan(Asked(flags={}), style="json")
    plan = json.loads(capsys.readouterr().out)
    versions = {choice["axis"]: choice["value"] for choice in plan["versions"]["choices"]}
    assert written[:2] == [f"python={versions['python']}", f"numpy={versions['numpy']}"]
    assert written[-1]["pip"] == [
        f"{artifact['distribution']}=={artifact['version']}" for artifact in plan["artifacts"]
    ]


def test_conda_of_what_cannot_be() -> None:
    with fails("versions-collide", "python=3.6", "python=3.11"):
        front_env.conda(("python=3.6",), {}, output="")


def test_base_of_an_unknown_system() -> None:
    with fails("system-unknown", "'debian:woody'"):
        front_env.base("debian:woody", anew=False, as_json=False)


def test_a_lock_is_obeyed_by_what_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "a.lock.yaml"
    lock.write_text("schema: tfbuild.lock/2\nversions: {os: debian 13, python: '3.13'}\n")
    front_env.dockerfile((), {"lock": str(lock)}, front_env.EnvOptions())
    assert "ARG BASE=debian:trixie" in capsys.readouterr().out
    with fails("lock-missing", str(tmp_path / "none.yaml")):
        front_env.dockerfile((), {"lock": str(tmp_path / "none.yaml")}, front_env.EnvOptions())


def test_a_shell_is_opened_only_where_a_build_would_have_an_image(
    monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    tree = make_tree(here / "tree", "2.6.5")
    monkeypatch.setenv("TFBUILD_SOURCE", str(tree))
    lacking = {"packages": (), "unpackaged": ("opt_einsum",)}
    monkeypatch.setattr("tfbuild.builds.tree_plan.packages_of", lambda *_: lacking)
    with fails("image-not-makeable", "2.6.5", "opt_einsum", "--image"):
        front_env.shell((), {}, command="true")


def test_no_devcontainer_is_written_through_a_link(here: Path) -> None:
    (here / "mine").mkdir()
    (here / "docker").symlink_to(here / "mine")
    with fails("output-folder-is-link", str(here / "docker")):
        front_env.devcontainer((), {}, EnvOptions(output="docker"))
    assert list((here / "mine").iterdir()) == []
