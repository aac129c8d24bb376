import random
from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment, says
from tests.shared_libraries import a_library, a_subject, tiny_wheel
from tfbuild.core.records import Command, Completed
from tfbuild.wheels.audit_subject import AuditSubject
from tfbuild.wheels.fatbin import FatbinContainer
from tfbuild.wheels.kernel_checks import check_kernels

RECORDED = Path(__file__).parent / "kernel_code"


@pytest.fixture
def cuobjdump(tmp_path: Path, fake_env: FakeEnvironment) -> str:
    """A toolkit that says what one said of kernels.cu; only the last kernel keeps the limits."""

    def answer(command: Command, _watch: object) -> Completed:
        if "--extract-elf" in command.argv:
            (Path(command.cwd) / "kernels.1.sm_90.cubin").write_bytes(b"")
            return Completed(code=0)
        return Completed(code=0, stdout=(RECORDED / "usage.txt").read_text())

    tools = tmp_path / "cuda" / "bin"
    tools.mkdir(parents=True)
    (tools / "nvdisasm").write_text("")
    fake_env.runner.answers["cuobjdump"] = answer
    fake_env.runner.answers["nvdisasm"] = says(*(RECORDED / "sm_90.txt").read_text().splitlines())
    return str(tools / "cuobjdump")


def subject_with(tmp_path: Path, *machine: str, content: bytes = b"") -> AuditSubject:
    container = FatbinContainer(
        machine=frozenset(machine), ptx=frozenset({"compute_90"}), has_kernels=True
    )
    library = a_library(containers=(container,))
    return a_subject(tiny_wheel(tmp_path, {library.path: content}), library)


def test_kernels_beyond_the_limits_are_named(
    tmp_path: Path, fake_env: FakeEnvironment, cuobjdump: str
) -> None:
    kernels, (found,) = check_kernels(subject_with(tmp_path, "sm_90"), fake_env.tools, cuobjdump)
    assert {kernel.name for kernel in kernels} == {"Copy", "Divide", "Local", "Product", "Shared"}
    assert found.state == "failed"
    assert "Local for sm_90: 4 loads of spilled registers" in found.detail
    assert "Divide for sm_90: 1 division of 64 bits in an inner loop" in found.detail
    assert "Copy" not in found.detail
    assert not (fake_env.tools.folders.run / "kernels").exists()


def test_every_file_of_machine_code_is_read(
    tmp_path: Path, fake_env: FakeEnvironment, cuobjdump: str
) -> None:
    """They are read side by side: the faults of one among forty are found."""

    def extract(command: Command, _watch: object) -> Completed:
        if "--extract-elf" not in command.argv:
            return Completed(code=0, stdout=(RECORDED / "usage.txt").read_text())
        for number in range(40):
            (Path(command.cwd) / f"kernels.{number}.sm_90.cubin").write_bytes(b"")
        return Completed(code=0)

    def disassemble(command: Command, _watch: object) -> Completed:
        code = (RECORDED / "sm_90.txt").read_text() if ".17." in command.argv[-1] else ""
        return Completed(code=0, stdout=code)

    fake_env.runner.answers["cuobjdump"] = extract
    fake_env.runner.answers["nvdisasm"] = disassemble
    _, (found,) = check_kernels(subject_with(tmp_path, "sm_90"), fake_env.tools, cuobjdump)
    assert "Local for sm_90: 4 loads of spilled registers" in found.detail


def test_kernels_within_the_limits(
    tmp_path: Path, fake_env: FakeEnvironment, cuobjdump: str
) -> None:
    lines = [
        "Fatbin elf code:", "arch = sm_90", "Resource usage:", " Function _ZN6sample6SharedEPf:",
        "  REG:10 STACK:0 SHARED:1280 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0",
    ]  # fmt: skip
    fake_env.runner.answers["cuobjdump"] = says(*lines)
    _, (found,) = check_kernels(subject_with(tmp_path, "sm_90"), fake_env.tools, cuobjdump)
    assert (found.state, found.built) == ("passed", "1 for 1 architecture, at most 10 registers")


def test_without_the_tools_nothing_is_said_to_have_passed(
    tmp_path: Path, fake_env: FakeEnvironment, cuobjdump: str
) -> None:
    subject = subject_with(tmp_path, "sm_90")
    Path(cuobjdump).with_name("nvdisasm").unlink()
    for program, lacks in ((cuobjdump, "nvdisasm"), ("", "cuobjdump")):
        kernels, (found,) = check_kernels(subject, fake_env.tools, program)
        assert (kernels, found.state) == ((), "skipped")
        assert found.detail == f"there is no {lacks} here"


def test_a_library_that_would_take_hours_is_left_alone(
    tmp_path: Path, fake_env: FakeEnvironment, cuobjdump: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfbuild.wheels.kernel_checks._LARGEST", 2_000_000)
    subject = subject_with(tmp_path, "sm_90", content=random.Random(1).randbytes(2_000_001))
    _, (found,) = check_kernels(subject, fake_env.tools, cuobjdump)
    assert found.state == "skipped"
    assert "larger than 2 MB" in found.detail


def test_ptx_alone_is_not_compiled_yet(
    tmp_path: Path, fake_env: FakeEnvironment, cuobjdump: str
) -> None:
    assert check_kernels(subject_with(tmp_path), fake_env.tools, cuobjdump) == ((), [])
