"""CUDA for compiling: made-up toolkits that fail in known ways, and a real one where it is."""

from pathlib import Path
from typing import Any

import pytest

from tests.doctor.checks.contexts import a_context, a_script, lines_of, the_line
from tests.doctor.checks.toolkit_trees import a_cudnn, a_kit, a_library, an_nvcc, needs_gxx
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Gpu, Program
from tfbuild.doctor.checks import cuda
from tfbuild.doctor.checks import toolkits as kits
from tfbuild.doctor.checks.model import BuildNeeds, CheckContext, CheckResult
from tfbuild.doctor.survey import find_compilers, find_toolkits

GXX = Program(name="g++", path="/usr/bin/g++", version="12.2.0")
CLANG = Program(name="clang++-14", path="/usr/bin/clang++-14", version="14.0.6")
REAL = find_toolkits(ProcessRunner())
needs_nvcc = pytest.mark.skipif(not REAL, reason="there is no nvcc here")
H200 = Gpu(name="NVIDIA H200", architecture="sm_90", memory_mb=143771)


@pytest.fixture(autouse=True)
def no_system_cudnn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kits, "system_folders", lambda _: ((), ()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return a_kit(tmp_path / "cuda")


def on(root: Path, tmp_path: Path, needs: BuildNeeds | None = None, **host: object) -> CheckContext:
    program = Program(name="nvcc", path=str(root / "bin" / "nvcc"), version="13.0.88")
    machine: dict[str, Any] = {"toolkits": (program,), "compilers": (GXX,)} | host
    return a_context(tmp_path, needs=needs or BuildNeeds(cuda=">=13.0"), **machine)


# --- toolkit -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needs", "state"),
    [
        (BuildNeeds(cuda=">=13.0,<13.6"), "pass"),
        (BuildNeeds(), "pass"),
        (BuildNeeds(cuda="11.2"), "failure"),
        (BuildNeeds(cuda="11.2", fetches=("cuda",)), "pass"),
    ],
)
def test_toolkit(root: Path, tmp_path: Path, needs: BuildNeeds, state: str) -> None:
    line = the_line(cuda.toolkit(on(root, tmp_path, needs)))
    assert (line.state, "13.0.88" in line.detail) == (state, True)


def test_without_nvcc_every_probe_is_skipped_with_the_reason(tmp_path: Path) -> None:
    bare = a_context(tmp_path, needs=BuildNeeds(cuda="11.2", architectures=("sm_86",)))
    for look in (cuda.host_compiler, cuda.kernels):
        line = the_line(look(bare))
        assert (line.state, "no nvcc" in line.detail) == ("skipped", True)
    for look in (cuda.releases, cuda.cudnn):
        assert the_line(look(bare)).state == "skipped"
    assert the_line(cuda.toolkit(a_context(tmp_path))).state == "skipped"


def test_an_nvcc_of_another_version_is_not_probed(root: Path, tmp_path: Path) -> None:
    line = the_line(cuda.kernels(on(root, tmp_path, BuildNeeds(cuda="11.2"))))
    assert (line.state, "13.0.88" in line.detail) == ("skipped", True)


# --- host compiler -----------------------------------------------------------------------------


def test_a_compiler_that_is_too_new_names_the_newest_that_is_not(
    root: Path, tmp_path: Path
) -> None:
    an_nvcc(root, 'echo "error: -- unsupported GNU version! gcc later than 15" >&2; exit 1')
    line = the_line(cuda.host_compiler(on(root, tmp_path)))
    assert line.state == "failure"
    assert "unsupported GNU version" in line.detail
    assert "g++ up to 15" in line.fix


def test_a_clang_that_the_build_does_not_take_may_be_refused(root: Path, tmp_path: Path) -> None:
    refuses = (
        'case "$*" in */usr/bin/clang*) echo "error: unsupported clang version" >&2; exit 1;; esac'
    )
    an_nvcc(root, refuses, "exit 0")
    context = on(root, tmp_path, compilers=(GXX, CLANG))
    assert [line.state for line in lines_of(cuda.host_compiler(context))] == ["pass", "warning"]
    context = on(root, tmp_path, BuildNeeds(gcc="none", clang="14"), compilers=(CLANG,))
    assert the_line(cuda.host_compiler(context)).state == "failure"
    assert the_line(cuda.host_compiler(on(root, tmp_path, compilers=()))).state == "skipped"


def test_a_broken_nvcc_is_no_question_of_compilers(root: Path, tmp_path: Path) -> None:
    an_nvcc(root, 'echo "nvcc: error while loading shared libraries" >&2; exit 127')
    line = the_line(cuda.host_compiler(on(root, tmp_path)))
    assert (line.state, "see what it says" in line.fix) == ("failure", True)


# --- kernels -----------------------------------------------------------------------------------

CONSTRAINT = BuildNeeds(cuda=">=13", architectures=("sm_75", "sm_90", "compute_120"))


def test_kernels_are_compiled_for_each_in_one_call(root: Path, tmp_path: Path) -> None:
    an_nvcc(root, 'echo "$*" >> calls')
    context = on(root, tmp_path, CONSTRAINT)
    assert the_line(cuda.kernels(context)).state == "pass"
    (call,) = (context.folder / "calls").read_text().splitlines()
    assert "arch=compute_75,code=[sm_75,sm_90]" in call
    assert "arch=compute_120,code=compute_120" in call
    assert "-ccbin /usr/bin/g++" in call


def test_the_architecture_that_fails_is_named(root: Path, tmp_path: Path) -> None:
    words = "nvcc fatal   : Unsupported gpu architecture 'compute_120'"
    an_nvcc(root, f'case "$*" in *compute_120*) echo "{words}" >&2; exit 1;; esac')
    line = the_line(cuda.kernels(on(root, tmp_path, CONSTRAINT)))
    assert line.state == "failure"
    assert "does not compile for compute_120" in line.detail
    assert "sm_75" not in line.detail
    assert "compute_120" in line.fix


def test_an_nvcc_that_compiles_nothing(root: Path, tmp_path: Path) -> None:
    an_nvcc(root, 'echo "sh: cicc: not found" >&2; exit 1')
    line = the_line(cuda.kernels(on(root, tmp_path, CONSTRAINT)))
    assert (line.state, "no kernel" in line.detail, "cicc" in line.detail) == (
        "failure", True, True,
    )  # fmt: skip


def test_an_nvcc_that_hangs_is_stopped(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "_KERNEL_SECONDS", 0.3)
    an_nvcc(root, "exec sleep 100")
    line = the_line(cuda.kernels(on(root, tmp_path, CONSTRAINT)))
    assert (line.state, "time limit" in line.detail) == ("failure", True)


def test_what_fails_together_is_tried_one_by_one(root: Path, tmp_path: Path) -> None:
    an_nvcc(root, 'case "$*" in *--threads*) echo "Killed" >&2; exit 1;; esac')
    line = the_line(cuda.kernels(on(root, tmp_path, CONSTRAINT)))
    assert (line.state, "one by one" in line.detail) == ("pass", True)


def test_a_refused_compiler_says_nothing_of_kernels(root: Path, tmp_path: Path) -> None:
    an_nvcc(root, 'echo "error: -- unsupported GNU version!" >&2; exit 1')
    assert the_line(cuda.kernels(on(root, tmp_path, CONSTRAINT))).state == "skipped"


def test_without_constraints_the_gpus_here_decide(root: Path, tmp_path: Path) -> None:
    assert "sm_90" in the_line(cuda.kernels(on(root, tmp_path, gpus=(H200,)))).detail
    assert the_line(cuda.kernels(on(root, tmp_path))).state == "skipped"


# --- releases ----------------------------------------------------------------------------------


def test_headers_and_nvcc_of_one_release(root: Path, tmp_path: Path) -> None:
    line = the_line(cuda.releases(on(root, tmp_path)))
    assert line.state == "pass"
    assert "cuda.h 13.0" in line.detail


def test_headers_of_two_releases(root: Path, tmp_path: Path) -> None:
    a_kit(root, cuda=13000, runtime=12040)
    line = the_line(cuda.releases(on(root, tmp_path)))
    assert (line.state, "cuda_runtime_api.h 12.4" in line.detail) == ("failure", True)


@needs_gxx
def test_a_library_of_another_release(root: Path, tmp_path: Path) -> None:
    a_library(root / "lib", "cudart", 11020)
    line = the_line(cuda.releases(on(root, tmp_path)))
    assert (line.state, "libcudart 11.2" in line.detail) == ("failure", True)


def cudnn_of(root: Path, tmp_path: Path, needs: BuildNeeds | None = None) -> CheckResult:
    return the_line(cuda.cudnn(on(root, tmp_path, needs)))


@needs_gxx
def test_cudnn_header_and_library(root: Path, tmp_path: Path) -> None:
    a_cudnn(root / "include", 9, 14, 0)
    assert "no libcudnn" in cudnn_of(root, tmp_path).detail
    a_library(root / "lib", "cudnn", 91400)
    assert cudnn_of(root, tmp_path).state == "pass"
    assert cudnn_of(root, tmp_path, BuildNeeds(cudnn=">=9,<10")).state == "pass"
    assert cudnn_of(root, tmp_path, BuildNeeds(cudnn="8.1")).state == "failure"
    a_library(root / "lib", "cudnn", 8101)
    line = cudnn_of(root, tmp_path)
    assert (line.state, "libcudnn.so.9 8.1.1" in line.detail) == ("failure", True)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("libcudnn.so.9", "pass"),
        ("libcudnn.so.9.14.0", "pass"),
        ("libcudnn.so.8", "failure"),
        ("libcudnn.so", "pass"),
    ],
)
def test_a_library_that_cannot_be_loaded_is_known_by_its_name(
    root: Path, tmp_path: Path, name: str, state: str
) -> None:
    a_cudnn(root / "include", 9, 14, 0)
    (root / "lib" / name).write_text("for another machine")
    assert cudnn_of(root, tmp_path).state == state


def test_before_cudnn_8_the_numbers_stood_elsewhere(root: Path, tmp_path: Path) -> None:
    a_cudnn(root / "include", 7, 6, 5)
    (root / "include/cudnn_version.h").rename(root / "include/cudnn.h")
    assert "7.6.5" in cudnn_of(root, tmp_path).detail


# --- a real one --------------------------------------------------------------------------------


@needs_nvcc
def test_the_toolkit_of_this_machine(tmp_path: Path) -> None:
    found = find_compilers(ProcessRunner())[:1]
    needs = BuildNeeds(cuda="", architectures=("sm_90", "sm_86"))
    context = a_context(tmp_path, toolkits=REAL, compilers=found, needs=needs)
    assert the_line(cuda.host_compiler(context)).state == "pass"
    assert the_line(cuda.kernels(context)).state == "pass"
    assert the_line(cuda.releases(context)).state == "pass"


@needs_nvcc
@needs_gxx
def test_the_toolkit_of_this_machine_with_a_compiler_of_the_future(tmp_path: Path) -> None:
    gxx = find_compilers(ProcessRunner())[0]
    future = a_script(tmp_path / "g++", f'exec {gxx.path} -U__GNUC__ -D__GNUC__=99 "$@"')
    context = a_context(
        tmp_path,
        toolkits=REAL,
        compilers=(Program(name="g++", path=future, version="99.1.0"),),
        needs=BuildNeeds(architectures=("sm_90",)),
    )
    line = the_line(cuda.host_compiler(context))
    assert line.state == "failure"
    assert "unsupported GNU version" in line.detail
    assert "takes g++ up to" in line.fix


@needs_nvcc
def test_the_toolkit_of_this_machine_does_not_know_every_gpu(tmp_path: Path) -> None:
    found = find_compilers(ProcessRunner())[:1]
    needs = BuildNeeds(architectures=("sm_30", "sm_90"))
    line = the_line(cuda.kernels(a_context(tmp_path, toolkits=REAL, compilers=found, needs=needs)))
    assert line.state == "failure"
    assert "does not compile for sm_30:" in line.detail
