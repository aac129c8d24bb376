import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, FakeRunner, says
from tests.shared_libraries import needs, real_tools, tiny_wheel
from tfbuild.containers.engine import Mount
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.environments import System
from tfbuild.core.interfaces import Tools
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Artifact, Command, Completed
from tfbuild.core.run_folder import make_work
from tfbuild.fetch.damage import artifact_path
from tfbuild.fetch.seals import SEAL
from tfbuild.fetch.venv import open_venv, provide_programs, python_version, run_probe
from tfbuild.places.container import open_container

PYTHON = Path(sys.executable).name


def test_environment_holds_exactly_the_wheels(tmp_path: Path, fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers[PYTHON] = says()
    wheel = tiny_wheel(tmp_path)
    with open_venv(fake_env.tools, python=sys.executable, wheels=[wheel], stage="smoke") as venv:
        assert venv.scratch.is_dir()
        assert not any(venv.scratch.iterdir())
        assert (venv.folder / "probes" / "probe_tools.py").is_file()
        folder = venv.folder
    assert not folder.exists()
    temporary = dict(fake_env.runner.commands[1].env)["TMPDIR"]
    assert Path(temporary).is_relative_to(folder), "a pip that is killed leaves nothing elsewhere"
    make, install = (command.argv for command in fake_env.runner.commands)
    assert make[1:5] == ("-I", "-m", "venv", "--without-pip")
    assert {"--no-index", "--no-deps", "--isolated"} <= set(install)
    assert install[-1] == wheel.as_uri()


def test_another_system_makes_the_environment_and_this_one_fills_it(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    guest = FakeRunner()
    guest.answers["python3.9"] = says("3.9")
    guest.answers["python"] = says("probed")
    fake_env.runner.answers[PYTHON] = says()
    guest.answers |= {"mkdir": says(), "cp": says()}
    written = tmp_path / "written"
    tools = replace(fake_env.tools, guest=guest, guest_folder=written)
    wheel = tiny_wheel(tmp_path)
    with open_venv(tools, python="/usr/bin/python3.9", wheels=[wheel], stage="smoke") as venv:
        assert run_probe(tools, venv, "has_module", (), timeout=1).stdout == "probed\n"
    (install,) = [command.argv for command in fake_env.runner.commands]
    given = Path(install[install.index("--target") + 1])
    assert given.parent == venv.folder
    assert not venv.folder.is_relative_to(written), "there a program could put links in the way"
    assert not written.exists(), "this side makes nothing where the other writes"
    asked = [(Path(c.argv[0]).name, c.argv[-1]) for c in guest.commands]
    own = written / venv.folder.name
    assert ("mkdir", str(own / "scratch")) in asked
    assert ("cp", str(own / "env" / "lib" / "python3.9" / "site-packages")) in asked
    assert asked[-1][0] == "python"


def test_what_another_system_wrote_goes_with_its_environment(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    written = tmp_path / "written"

    def make(command: Command, _watch: object) -> Completed:
        Path(command.argv[-1]).mkdir(parents=True)
        return Completed(code=0)

    guest = FakeRunner({"python3.9": says("3.9"), "cp": says()})
    guest.answers["mkdir"] = make
    fake_env.runner.answers[PYTHON] = says()
    tools = replace(fake_env.tools, guest=guest, guest_folder=written)
    with open_venv(tools, python="/usr/bin/python3.9", wheels=[], stage="smoke") as venv:
        assert venv.scratch.is_dir()
    assert list(written.iterdir()) == []


def test_environment_lies_outside_the_project(tmp_path: Path, fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers[PYTHON] = says()
    with open_venv(fake_env.tools, python=sys.executable, wheels=[], stage="smoke") as venv:
        assert venv.folder.is_relative_to(fake_env.tools.folders.cache)


def test_environment_is_gone_after_an_error(fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers[PYTHON] = says("No module named venv", code=1)
    with (
        fails("venv-not-made", "python3-venv"),
        open_venv(fake_env.tools, python=sys.executable, wheels=[], stage="smoke"),
    ):
        pass
    assert list((fake_env.tools.folders.cache / "environments").iterdir()) == []


def test_what_killed_runs_have_left_is_removed(fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers[PYTHON] = says()
    base = fake_env.tools.folders.cache / "environments"
    dead = base / ".smoke.x.part"
    dead.mkdir(parents=True)
    with (
        part_folder(base, "smoke") as alive,
        open_venv(fake_env.tools, python=sys.executable, wheels=[], stage="perf"),
    ):
        assert not dead.exists()
        assert alive.exists()


def test_version_of_an_interpreter(tmp_path: Path) -> None:
    found = python_version(real_tools(tmp_path), sys.executable)
    assert found == f"{sys.version_info.major}.{sys.version_info.minor}"
    with fails("program-not-started", str(tmp_path / "python")):
        python_version(real_tools(tmp_path), str(tmp_path / "python"))


@pytest.mark.slow
def test_a_real_environment(tmp_path: Path) -> None:
    tools = real_tools(tmp_path)
    wheel = tiny_wheel(tmp_path, tags="py3-none-any")
    with open_venv(tools, python=sys.executable, wheels=[wheel], stage="smoke") as venv:
        assert run_probe(tools, venv, "has_module", ["tiny_thing"], timeout=60).code == 0
        missing = run_probe(tools, venv, "has_module", ["tfbuild"], timeout=60)
        assert missing.code == 1
        assert "No module named 'tfbuild'" in missing.last_lines[-1]


@pytest.mark.docker
@pytest.mark.slow
def test_a_container_takes_a_wheel_over_and_writes_only_to_its_own_folder(tmp_path: Path) -> None:
    needs("mmdebstrap")
    tools = real_tools(tmp_path)
    make_work(tools.folders.work)
    cache, system = tools.folders.cache, System(name="debian 12", suite="bookworm")
    make_cache(cache)
    own = cache / "environments" / "own"
    own.mkdir(parents=True)
    mounts = (
        Mount(source=str(cache), target=str(cache)),
        Mount(source=str(own), target=str(own), writable=True),
    )
    packages = ("python3", "python3-venv")
    with open_container(tools, system=system, packages=packages, mounts=mounts) as native:
        tools = replace(tools, guest=native.runner, guest_folder=own)
        wheel = tiny_wheel(tmp_path, tags="py3-none-any")
        with open_venv(tools, python="/usr/bin/python3", wheels=[wheel], stage="smoke") as venv:
            assert run_probe(tools, venv, "has_module", ["tiny_thing"], timeout=60).code == 0
            attack = f"rm -rf {venv.folder}/probes; ln -s /etc {venv.folder}/link; mv {own} {own}2"
            ask = Command(argv=("sh", "-c", attack), ok_codes=tuple(range(256)), quiet=True)
            native.runner.run(ask)
            assert (venv.folder / "probes" / "has_module.py").is_file()
            assert not (venv.folder / "link").is_symlink()


@pytest.mark.slow
def test_a_wheel_installs_from_a_folder_of_any_name(tmp_path: Path) -> None:
    tools = real_tools(tmp_path)
    folder = tmp_path / "Prüfung ☃;it's#100%41 [x]"
    folder.mkdir()
    wheel = tiny_wheel(folder, tags="py3-none-any")
    with open_venv(tools, python=sys.executable, wheels=[wheel], stage="smoke") as venv:
        assert run_probe(tools, venv, "has_module", ["tiny_thing"], timeout=60).code == 0


def artifact_in_cache(tools: Tools, wheel: Path) -> Artifact:
    """A wheel as if it had been fetched."""
    artifact = Artifact(
        distribution="tiny-thing", version="1.0", filename=wheel.name, sha256=file_digest(wheel),
        kind="tool",
    )  # fmt: skip
    target = artifact_path(artifact, tools)
    target.parent.mkdir(parents=True)
    target.write_bytes(wheel.read_bytes())
    return artifact


@pytest.mark.slow
def test_programs_of_wheels_are_made_once(tmp_path: Path) -> None:
    tools = real_tools(tmp_path)
    entry = {
        "tiny_thing-1.0.dist-info/entry_points.txt": b"[console_scripts]\ntiny = tiny_thing:go\n",
        "tiny_thing/__init__.py": b"def go():\n    print('it goes')\n",
    }
    artifact = artifact_in_cache(tools, tiny_wheel(tmp_path, entry, tags="py3-none-any"))

    def provide(*programs: str) -> Path:
        return provide_programs(
            tools, python=sys.executable, artifacts=(artifact,), programs=programs
        )

    folder = provide("tiny")
    assert [path.name for path in folder.iterdir()] == ["tiny"]
    assert tools.runner.run(Command(argv=(str(folder / "tiny"),))).stdout == "it goes\n"
    made = (folder.parent / "env").stat().st_ino
    assert provide("tiny") == folder
    assert (folder.parent / "env").stat().st_ino == made
    (folder.parent / "env" / SEAL).unlink()  # as a killed run leaves it
    assert provide("tiny") == folder
    script = folder.parent / "env" / "bin" / "tiny"
    script.write_text("#!/bin/sh\necho another\n")
    assert provide("tiny") == folder
    assert tools.runner.run(Command(argv=(str(folder / "tiny"),))).stdout == "it goes\n"
    (folder / "more").symlink_to("/bin/true")
    assert [path.name for path in provide("tiny").iterdir()] == ["tiny"]
    with fails("wheels-lack-program", "frob"):
        provide("frob")
