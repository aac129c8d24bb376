import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment, says
from tests.shared_libraries import a_library, a_subject, compile_c, real_tools, tiny_wheel
from tests.wheels.test_fatbin import compile_cuda
from tfbuild.builds.stages.audit import audit_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.wheels.code_checks import check_cpu_level, check_device_code, check_second_reader
from tfbuild.wheels.cpu_level import CpuUse
from tfbuild.wheels.fatbin import FatbinContainer


def container(*names: str, has_kernels: bool = True) -> FatbinContainer:
    return FatbinContainer(
        machine=frozenset(n for n in names if n.startswith("sm_")),
        ptx=frozenset(n for n in names if n.startswith("compute_")),
        has_kernels=has_kernels,
    )


def asking(*names: str, level: str = "x86-64") -> AuditPolicy:
    return AuditPolicy(version="1.0", architectures=names, cpu_level=level)


def code_of(
    tmp_path: Path, asked: tuple[str, ...], *containers: FatbinContainer
) -> tuple[str, str]:
    subject = a_subject(
        tiny_wheel(tmp_path), a_library(containers=containers), policy=asking(*asked)
    )
    (found,) = check_device_code(subject)
    return found.state, found.detail


def test_what_was_asked_is_there(tmp_path: Path) -> None:
    asked = ("sm_80", "sm_90", "compute_90")
    assert code_of(tmp_path, asked, container(*asked)) == ("passed", "")


def test_an_architecture_that_is_missing(tmp_path: Path) -> None:
    asked = ("sm_80", "sm_90", "compute_90")
    state, detail = code_of(tmp_path, asked, container("sm_80", "compute_90"))
    assert (state, detail) == ("failed", "sm_90 is missing")


def test_ptx_that_is_missing(tmp_path: Path) -> None:
    state, detail = code_of(tmp_path, ("sm_90", "compute_90"), container("sm_90"))
    assert (state, detail) == ("failed", "compute_90 is missing")


def test_what_was_not_asked(tmp_path: Path) -> None:
    state, detail = code_of(tmp_path, ("sm_90",), container("sm_80", "sm_90"))
    assert (state, detail) == ("failed", "sm_80 was not asked for")


def test_one_source_file_without_an_architecture(tmp_path: Path) -> None:
    """The union of a library may be right while one kernel is missing."""
    whole, partial = container("sm_80", "sm_90"), container("sm_80")
    state, detail = code_of(tmp_path, ("sm_80", "sm_90"), whole, whole, partial)
    assert (state, detail) == ("failed", "sm_90 is missing from 1 of 3 fat binaries")
    stub = container("sm_80", has_kernels=False)
    assert code_of(tmp_path, ("sm_80", "sm_90"), whole, stub)[0] == "passed"


def test_no_device_code_where_some_was_asked(tmp_path: Path) -> None:
    subject = a_subject(tiny_wheel(tmp_path), a_library(), policy=asking("sm_90"))
    assert [f.state for f in check_device_code(subject)] == ["failed"]
    none = a_subject(tiny_wheel(tmp_path), a_library(), policy=asking())
    assert [f.state for f in check_device_code(none)] == ["passed"]


def test_architectures_may_be_asked_without_a_plan(tmp_path: Path) -> None:
    wheel, library = tiny_wheel(tmp_path), a_library(containers=(container("sm_80"),))
    policy = AuditPolicy(architectures=("sm_90",))
    assert check_device_code(a_subject(wheel, library, policy=policy))[0].state == "failed"
    assert check_device_code(a_subject(wheel, library, policy=AuditPolicy()))[0].state == "skipped"


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        (("ELF file 1: a.1.sm_90.cubin", "PTX file 1: a.1.sm_90.ptx"), "passed"),
        (("ELF file 1: a.1.sm_90.cubin",), "failed"),
    ],
)
def test_both_readers_must_agree(
    tmp_path: Path, fake_env: FakeEnvironment, lines: tuple[str, ...], state: str
) -> None:
    library = a_library(containers=(container("sm_90", "compute_90"),))
    wheel = tiny_wheel(tmp_path, {library.path: b""})
    fake_env.runner.answers["cuobjdump"] = says(*lines)
    (found,) = check_second_reader(
        a_subject(wheel, library), fake_env.tools, "/opt/cuda/bin/cuobjdump"
    )
    assert found.state == state


def test_device_code_that_only_the_segments_show_is_no_fault_without_a_plan(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    library = a_library(containers=(container("sm_90", "sm_80"),))
    wheel = tiny_wheel(tmp_path, {library.path: b""})
    for lines, policy, state in (
        (("ELF file 1: a.1.sm_90.cubin",), AuditPolicy(), "passed"),
        (("ELF file 1: a.1.sm_75.cubin",), AuditPolicy(), "failed"),
        (("ELF file 1: a.1.sm_90.cubin",), None, "failed"),
    ):
        fake_env.runner.answers["cuobjdump"] = says(*lines)
        subject = a_subject(wheel, library, policy=policy)
        (found,) = check_second_reader(subject, fake_env.tools, "/opt/cuda/bin/cuobjdump")
        assert found.state == state


def test_without_cuobjdump_the_second_reader_is_skipped(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    subject = a_subject(tiny_wheel(tmp_path), a_library(containers=(container("sm_90"),)))
    assert [f.state for f in check_second_reader(subject, fake_env.tools, "")] == ["skipped"]


def cpu(level: str, *, asks: bool = False) -> CpuUse:
    return CpuUse(level=level, features=("AVX",), instructions=10, asks_processor=asks)


def test_cpu_level_within(tmp_path: Path) -> None:
    library = a_library(cpu=cpu("x86-64-v2"))
    policy = asking(level="x86-64-v3")
    (found,) = check_cpu_level(a_subject(tiny_wheel(tmp_path), library, policy=policy))
    assert found.state == "passed"


def test_cpu_level_above(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path)
    for library, state in (
        (a_library(cpu=cpu("x86-64-v3")), "failed"),
        (a_library(cpu=cpu("x86-64-v3", asks=True)), "skipped"),
        (a_library(cpu=cpu("x86-64-v3"), has_ifuncs=True), "skipped"),
        (a_library(cpu=None, machine="AArch64"), "skipped"),
    ):
        (found,) = check_cpu_level(a_subject(wheel, library, policy=asking()))
        assert found.state == state


def test_declared_level_counts_too(tmp_path: Path) -> None:
    library = a_library(cpu=cpu("x86-64"), isa_needed="x86-64-v3")
    (found,) = check_cpu_level(a_subject(tiny_wheel(tmp_path), library, policy=asking()))
    assert (found.state, found.detail) == ("failed", "libtiny.so declares x86-64-v3")


def test_compiled_for_too_new_a_processor(tmp_path: Path) -> None:
    source = "void add(float *a, const float *b) { for (int i = 0; i < 64; ++i) a[i] += b[i]; }"
    raw = compile_c(tmp_path, source, "-O3", "-mavx2").read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw})
    report = audit_wheel(AuditPolicy(version="1.0"), wheel, real_tools(tmp_path))
    (found,) = [f for f in report.findings if f.name.startswith("CPU level")]
    assert found.state == "failed"
    assert "never asks the processor" in found.detail


@pytest.mark.slow
@pytest.mark.network
def test_our_reader_agrees_with_cuobjdump(tmp_path: Path) -> None:
    """The toolkit's own reader comes from its wheel; both read a wheel of several architectures."""
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    words += [str(tmp_path / "tool"), "nvidia-cuda-cuobjdump"]
    subprocess.run(words, check=True)
    (archive,) = (tmp_path / "tool").glob("*.whl")
    with zipfile.ZipFile(archive) as tool:
        tool.extractall(tmp_path / "tool")
    (cuobjdump,) = (tmp_path / "tool").rglob("bin/cuobjdump")
    cuobjdump.chmod(0o755)
    targets = ("sm_75", "sm_90a", "sm_100f", "sm_120", "compute_120")
    raw = compile_cuda(tmp_path, *targets).read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny_cuda.so": raw})
    report = audit_wheel(asking(*targets), wheel, real_tools(tmp_path), str(cuobjdump))
    states = {f.name: f.state for f in report.findings if f.name.startswith("device code")}
    assert states == {
        "device code of libtiny_cuda.so": "passed",
        "device code, read by cuobjdump": "passed",
    }


@pytest.mark.slow
def test_a_stripped_architecture_is_caught(tmp_path: Path) -> None:
    """Built for two, asked for three."""
    raw = compile_cuda(tmp_path, "sm_80", "sm_90", "compute_90").read_bytes()
    wheel = tiny_wheel(tmp_path, {"tiny_thing/libtiny_cuda.so": raw})
    asked = ("sm_80", "sm_90", "sm_100", "compute_90")
    report = audit_wheel(asking(*asked), wheel, real_tools(tmp_path))
    (found,) = [f for f in report.findings if f.name.startswith("device code of")]
    assert (found.state, found.detail) == ("failed", "sm_100 is missing")
    assert found.asked == "sm_80 sm_90 sm_100 compute_90"
    assert found.built == "sm_80 sm_90 compute_90"
