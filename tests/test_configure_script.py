"""runtime/configure.py: answers in, repositories and an rc file out, or one sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "runtime" / "configure.py"
FILES = (
    "onednn/lib/libdnnl.so.3",
    "onednn_devel/include/oneapi/dnnl/dnnl.hpp",
    "libjpeg/libjpeg/install/include/jpeglib.h",
    "libjpeg/libjpeg/install/lib/libjpeg.a",
    "nanobind/nanobind/src/nb_combined.cpp",
    "eigen/cmeel.prefix/include/eigen3/Eigen/Core",
    "python_include/Python.h",
    "cuda/bin/nvcc",
)


@pytest.fixture
def answers(tmp_path: Path) -> dict[str, str]:
    """Right answers for the CPU."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    names = ("onednn", "onednn_devel", "libjpeg", "nanobind", "eigen", "python_include")
    return {name: str(tmp_path / name) for name in names} | {"work": str(tmp_path / "work")}


def configure(
    folder: Path, answers: dict[str, object] | str, *words: str
) -> subprocess.CompletedProcess[str]:
    path = folder / "answers.json"
    path.write_text(answers if isinstance(answers, str) else json.dumps(answers))
    return subprocess.run(
        [
            *(sys.executable, str(SCRIPT), "--answers", str(path)),
            *("--output", str(folder / "rc"), *words),
        ],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def refused(done: subprocess.CompletedProcess[str], code: int) -> str:
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("configure.py: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_repositories_and_rc_file_are_written(tmp_path: Path, answers: dict[str, object]) -> None:
    done = configure(tmp_path, answers)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "rc").read_text()
    for name in ("eigen", "libjpeg", "nanobind", "onednn", "python_headers"):
        folder = tmp_path / "work" / name
        assert f"build --override_repository={name}={folder}\n" in text
        assert (folder / "WORKSPACE").is_file()
        assert (folder / "BUILD.bazel").is_file()
    assert (tmp_path / "work/onednn/lib/libdnnl.so.3").is_file()
    assert "build:cuda" not in text
    for line in text.splitlines():
        if "override_repository" in line:
            assert Path(line.rpartition("=")[2], "WORKSPACE").is_file(), line


def test_a_second_call_changes_nothing(tmp_path: Path, answers: dict[str, object]) -> None:
    configure(tmp_path, answers)
    before = {p: os.lstat(p).st_mtime_ns for p in [*tmp_path.rglob("work/**/*"), tmp_path / "rc"]}
    configure(tmp_path, answers)
    assert {p: os.lstat(p).st_mtime_ns for p in before} == before


def test_another_toolkit_moves_the_link(tmp_path: Path, answers: dict[str, object]) -> None:
    configure(tmp_path, answers)
    (tmp_path / "onednn").rename(tmp_path / "newer")
    assert configure(tmp_path, answers | {"onednn": str(tmp_path / "newer")}).returncode == 0
    assert (tmp_path / "work/onednn/lib").resolve() == tmp_path / "newer/lib"


def test_gpu_code_is_a_configuration_of_its_own(tmp_path: Path, answers: dict[str, object]) -> None:
    gpu = {"device": "cuda", "cuda": str(tmp_path / "cuda"), "architectures": ["sm_80", "sm_90a"]}
    assert configure(tmp_path, answers | gpu).returncode == 0
    text = (tmp_path / "rc").read_text()
    assert f"build:cuda --override_repository=cuda={tmp_path / 'work/cuda'}\n" in text
    assert "build:cuda --define=tfbuild_cuda_architectures=sm_80:sm_90a\n" in text


def test_flags_beat_the_file(tmp_path: Path, answers: dict[str, object]) -> None:
    done = configure(tmp_path, answers | {"compiler": "/nope"}, "--compiler", "/bin/sh")
    assert done.returncode == 0
    assert "--repo_env=CC=/bin/sh\n" in (tmp_path / "rc").read_text()


def test_python_is_asked_for_its_headers(tmp_path: Path, answers: dict[str, object]) -> None:
    del answers["python_include"]
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {tmp_path}/python_include\n")
    python.chmod(0o755)
    assert configure(tmp_path, answers | {"python": str(python)}).returncode == 0
    assert (tmp_path / "work/python_headers/include/Python.h").is_file()


def test_bazel_7_gets_its_own_switches(tmp_path: Path, answers: dict[str, object]) -> None:
    rules = tmp_path / "bazel"
    (rules / "rules" / "cc").mkdir(parents=True)
    seven = {"bazel_version": "7.7.1", "bazel_rules": str(rules)}
    assert configure(tmp_path, answers | seven).returncode == 0
    text = (tmp_path / "rc").read_text()
    assert "common --noenable_bzlmod\n" in text
    assert f"build --override_repository=rules_cc={rules / 'rules/cc'}\n" in text
    assert "standins/rules_cc" not in text


def test_a_folder_with_a_space_survives(tmp_path: Path, answers: dict[str, object]) -> None:
    work = tmp_path / "a place"
    assert configure(tmp_path, answers | {"work": str(work)}).returncode == 0
    assert f'build "--override_repository=onednn={work}/onednn"\n' in (tmp_path / "rc").read_text()


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"onednn": "/nope"}, 5, "/nope/lib/libdnnl.so.3 is not there"),
        ({"onednn": ""}, 2, "--onednn"),
        ({"device": "tpu"}, 2, "neither cpu nor cuda"),
        ({"device": "cuda"}, 2, "CUDA toolkit"),
        ({"device": "cuda", "cuda": "/nope"}, 2, "architectures"),
        ({"device": "cuda", "cuda": "/nope", "architectures": "sm_90"}, 5, "nvcc is not there"),
        ({"device": "cuda", "cuda": "/nope", "architectures": "90"}, 2, "neither like sm_90"),
        ({"bazel_version": "new"}, 2, "is no version"),
        ({"compiler": "/nope"}, 5, "cannot be run"),
        ({"colour": "red"}, 2, "unknown names: colour"),
        ({"work": "/dev/null/x"}, 5, "/dev/null/x"),
        ({"python_include": "", "python": "/nope"}, 5, "cannot be asked"),
    ],
)
def test_a_wrong_answer_is_one_sentence(
    tmp_path: Path, answers: dict[str, object], change: dict[str, object], code: int, said: str
) -> None:
    assert said in refused(configure(tmp_path, answers | change), code)
    assert not (tmp_path / "rc").exists()


@pytest.mark.parametrize(("text", "said"), [("[1]", "one JSON object"), ("{", "is not JSON")])
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(configure(tmp_path, text), 2)


def test_an_unknown_flag_is_wrong_use(tmp_path: Path, answers: dict[str, object]) -> None:
    assert configure(tmp_path, answers, "--colour").returncode == 2
