"""GPU and driver for running, with nvidia-smi as a script."""

from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, a_script, lines_of, the_line
from tfbuild.core.process import find_program
from tfbuild.core.records import Gpu
from tfbuild.doctor.checks import gpu
from tfbuild.doctor.checks.model import BuildNeeds

H200 = Gpu(name="NVIDIA H200", architecture="sm_90", memory_mb=143771)
CUDA = BuildNeeds(cuda="13.0", driver=">=580", architectures=("sm_75", "sm_80", "sm_90"))


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the script nvidia-smi goes."""
    path = tmp_path / "bin" / "nvidia-smi"
    monkeypatch.setattr(gpu, "find_program", lambda _name: str(path) if path.exists() else "")
    return path


@pytest.mark.parametrize(
    ("driver", "state"), [("580.65.06", "pass"), ("535.104.05", "warning"), ("", "skipped")]
)
def test_the_driver_is_held_against_cuda(tmp_path: Path, driver: str, state: str) -> None:
    line = the_line(gpu.driver(a_context(tmp_path, driver=driver, needs=CUDA)))
    assert line.state == state
    if state == "warning":
        assert ">=580" in line.fix


def test_a_driver_without_constraint_or_version(tmp_path: Path) -> None:
    assert the_line(gpu.driver(a_context(tmp_path, driver="390.1"))).state == "pass"
    assert the_line(gpu.driver(a_context(tmp_path, gpus=(H200,)))).state == "warning"


@pytest.mark.parametrize(
    ("architecture", "needed", "state"),
    [
        ("sm_90", ("sm_90",), "pass"),
        ("sm_86", ("sm_80",), "pass"),
        ("sm_80", ("sm_86",), "warning"),
        ("sm_90", ("sm_80", "sm_86"), "warning"),
        ("sm_120", ("sm_80", "compute_90"), "pass"),
        ("sm_75", ("compute_80",), "warning"),
        ("sm_103", ("sm_100",), "pass"),
        ("sm_103", ("sm_100a",), "warning"),
        ("sm_90", (), "pass"),
    ],
)
def test_whether_requested_code_runs(
    tmp_path: Path, architecture: str, needed: tuple[str, ...], state: str
) -> None:
    one = Gpu(name="a GPU", architecture=architecture, memory_mb=8000)
    line = the_line(
        gpu.gpus(a_context(tmp_path, gpus=(one,), needs=BuildNeeds(architectures=needed)))
    )
    assert line.state == state
    if line.fix:
        assert f"--gpu={architecture}" in line.fix


def test_one_line_per_gpu(tmp_path: Path, smi: Path) -> None:
    assert len(lines_of(gpu.gpus(a_context(tmp_path, gpus=(H200, H200))))) == 2
    assert the_line(gpu.gpus(a_context(tmp_path))).state == "skipped"


def test_a_driver_without_gpu_says_why(tmp_path: Path, smi: Path) -> None:
    context = a_context(tmp_path, driver="580.65")
    assert "no nvidia-smi" in the_line(gpu.gpus(context)).detail
    words = "Failed to initialize NVML: Driver/library version mismatch"
    a_script(smi, f'echo "{words}"; exit 18')
    line = the_line(gpu.gpus(context))
    assert (line.state, "mismatch" in line.detail) == ("warning", True)
    assert "restart" in line.fix
    a_script(smi, 'echo "No devices were found"; exit 6')
    assert "--gpus all" in the_line(gpu.gpus(context)).fix


@pytest.mark.parametrize(
    ("row", "state", "fix"),
    [
        ("0, Default, [N/A]", "pass", ""),
        ("0, Default, Disabled", "pass", ""),
        ("0, Prohibited, Disabled", "warning", "-c DEFAULT"),
        ("1, Exclusive_Process, [N/A]", "warning", "-i 1 -c DEFAULT"),
        ("0, Default, Enabled", "warning", "-mig 0"),
    ],
)
def test_modes(tmp_path: Path, smi: Path, row: str, state: str, fix: str) -> None:
    a_script(smi, f'case "$*" in -L) echo "GPU 0: H200";; *) echo "{row}";; esac')
    line = the_line(gpu.modes(a_context(tmp_path, gpus=(H200,))))
    assert line.state == state
    assert fix in line.fix


def test_mig_with_an_instance_is_usable(tmp_path: Path, smi: Path) -> None:
    listing = "GPU 0: NVIDIA H200 (UUID: x)\\n  MIG 1g.18gb     Device  0: (UUID: MIG-x)"
    a_script(smi, f'case "$*" in -L) printf "{listing}";; *) echo "0, Default, Enabled";; esac')
    assert the_line(gpu.modes(a_context(tmp_path, gpus=(H200,)))).state == "pass"


def test_an_nvidia_smi_that_fails_or_says_nothing(tmp_path: Path, smi: Path) -> None:
    context = a_context(tmp_path, gpus=(H200,))
    assert the_line(gpu.modes(context)).state == "skipped"
    a_script(smi, "echo 'Unknown error' >&2; exit 9")
    assert the_line(gpu.modes(context)).state == "warning"
    a_script(smi, "exit 0")
    assert the_line(gpu.modes(context)).state == "skipped"


@pytest.mark.gpu
def test_the_gpu_of_this_machine(tmp_path: Path) -> None:
    assert find_program("nvidia-smi")
    for line in lines_of(gpu.modes(a_context(tmp_path, gpus=(H200,)))):
        assert "compute mode" in line.detail
