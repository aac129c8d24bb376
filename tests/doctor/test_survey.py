"""What is found out about a machine, from its files and the answers of its programs."""

import importlib.util
import json
import sys
import sysconfig
from pathlib import Path
from typing import NoReturn

import pytest

from tests.fakes import FakeRunner, says
from tfbuild.core.cgroups import Limit
from tfbuild.core.process import ProcessRunner
from tfbuild.doctor import survey as host
from tfbuild.doctor.survey import (
    ask_python,
    cpu_level,
    find_compilers,
    find_driver,
    find_engines,
    find_gpus,
    find_toolkits,
    look_at_host,
    memory_mb,
    usable_cpus,
)

V2 = "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3"
V3 = f"{V2} abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"


@pytest.mark.parametrize(
    ("flags", "level"),
    [
        ("fpu sse2", "x86-64"),
        (V2, "x86-64-v2"),
        (V3, "x86-64-v3"),
        (V3.replace("fma", ""), "x86-64-v2"),
        (f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl", "x86-64-v4"),
        ("avx512f avx512bw avx512cd avx512dq avx512vl", "x86-64"),
    ],
)
def test_the_level_is_the_highest_that_is_whole(flags: str, level: str) -> None:
    assert cpu_level(flags) == level


def limited(
    monkeypatch: pytest.MonkeyPatch, cpus: tuple[float, ...], *memory: tuple[int, int]
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(range(8)))
    monkeypatch.setattr(host, "cpu_limits", lambda: cpus)
    limits = tuple(Limit(amount=a << 20, free=f << 20, where="") for a, f in memory)
    monkeypatch.setattr(host, "memory_limits", lambda: limits)


def test_the_tightest_limit_of_all_groups_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, (6.0, 2.5), (1024, 424), (900, 500))
    assert usable_cpus() == 2
    assert memory_mb() == (900, 424)


def test_less_than_one_processor_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, (0.25,))
    assert usable_cpus() == 1


def test_without_limits_the_machine_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, ())
    assert usable_cpus() == 8
    total, free = memory_mb()
    assert 0 < free <= total


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    found = {name: f"/usr/bin/{name}" for name in names}
    monkeypatch.setattr(host, "find_program", lambda name: found.get(name, ""))


def test_compilers_say_their_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "g++", "g++-11", "clang++-16")
    answers = {"g++": says("12.2.0"), "g++-11": says("error", code=1), "clang++-16": says("16.0.6")}
    found = find_compilers(FakeRunner(answers=answers))
    assert [(p.name, p.version) for p in found] == [("g++", "12.2.0"), ("clang++-16", "16.0.6")]


def test_gpus_come_with_architecture_and_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "nvidia-smi")
    rows = ("NVIDIA H200, 9.0, 143771, 580.65.06", "No devices were found")
    driver, gpus = find_gpus(FakeRunner(answers={"nvidia-smi": says(*rows)}))
    assert driver == "580.65.06"
    assert [(g.name, g.architecture, g.memory_mb) for g in gpus] == [
        ("NVIDIA H200", "sm_90", 143771)
    ]
    only(monkeypatch)
    assert find_gpus(FakeRunner()) == ("", ())


def test_the_kernel_module_says_which_driver(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    only(monkeypatch, "nvidia-smi")
    runner = FakeRunner(answers={"nvidia-smi": says("NVIDIA H200, 9.0, 143771, 580.65.06")})
    monkeypatch.setattr(host, "_DRIVER_MODULE", tmp_path / "version")
    assert find_driver(runner) == "580.65.06", "asked, as under WSL"
    (tmp_path / "version").write_text(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05\n"
    )
    assert find_driver(FakeRunner()) == "535.104.05", "nobody is asked"


def test_only_the_parts_that_are_wanted_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    only(monkeypatch, "g++", "docker", "bazel")
    monkeypatch.setattr(host, "_DRIVER_MODULE", tmp_path / "version")
    runner = FakeRunner(answers={"g++": says("12.2.0")})
    found = look_at_host(runner, tmp_path, frozenset(("compilers",)))
    assert [p.version for p in found.compilers] == ["12.2.0"]
    assert (found.pythons, found.bazels, found.engines) == ((), (), ())
    assert {Path(command.argv[0]).name for command in runner.commands} == {"g++"}


def test_an_engine_without_its_service_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "docker", "podman")
    answers = {"docker": says("Cannot connect", code=1), "podman": says("4.3.1")}
    found = find_engines(FakeRunner(answers=answers))
    assert [(p.name, p.version) for p in found] == [("docker", ""), ("podman", "4.3.1")]


def test_one_toolkit_under_two_names_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "nvcc")
    monkeypatch.setattr(Path, "glob", lambda *_: [Path("/usr/local/cuda/bin/nvcc")])
    text = "Cuda compilation tools, release 13.0, V13.0.88"
    found = find_toolkits(FakeRunner(answers={"nvcc": says(text)}))
    assert [(p.path, p.version) for p in found] == [("/usr/bin/nvcc", "13.0.88")]


def test_this_python_speaks_for_itself() -> None:
    found = ask_python(ProcessRunner(), sys.executable)
    assert found
    assert found.version == "{}.{}.{}".format(*sys.version_info[:3])
    assert found.tag == "cp{}{}".format(*sys.version_info[:2])
    include = Path(sysconfig.get_path("include"))
    assert found.headers == (str(include) if (include / "Python.h").is_file() else "")
    assert found.can_venv == (importlib.util.find_spec("ensurepip") is not None)


@pytest.mark.parametrize("said", ["", "no json", json.dumps({"cpython": False})])
def test_what_is_no_cpython_is_left_out(said: str) -> None:
    assert ask_python(FakeRunner(answers={"pypy": says(said)}), "/opt/pypy") is None


def test_this_machine_is_seen(tmp_path: Path) -> None:
    found = look_at_host(ProcessRunner(), tmp_path / "not" / "there")
    assert found.cpus >= 1
    assert found.memory_mb > 0
    assert found.disk_free_mb > 0
    assert found.glibc
    assert found.pythons[0].path == sys.executable
    assert not (tmp_path / "not").exists(), "looking changes nothing"


def test_pythons_of_pyenv_are_found_that_no_path_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    programs = [tmp_path / f"versions/{version}/bin/python3" for version in ("3.12.9", "3.6.15")]
    for program in programs:
        program.parent.mkdir(parents=True)
        program.write_bytes(b"\x7fELF")
    said = says("cpython", "3.12.9", "cp312", "", "True")
    runner = FakeRunner(answers={"python3": said, Path(sys.executable).name: said})
    found = [python.path for python in host.find_pythons(runner)]
    assert str(programs[0]) in found
    asked = [command.argv[0] for command in runner.commands]
    assert str(programs[1]) not in asked, "its folder says that it is too old"


def test_another_users_pythons_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `su`, which keeps PYENV_ROOT."""

    def refuse(_folder: Path, _pattern: str) -> NoReturn:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setattr(Path, "glob", refuse)
    found = host.find_pythons(ProcessRunner())
    assert found[0].path == sys.executable
