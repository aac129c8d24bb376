import re
import subprocess
from pathlib import Path

import pytest

from tests.shared_libraries import elf_of, fat_binary, fat_entry, needs
from tfbuild.wheels.fatbin import FatbinContainer, architectures, find_fatbins, read_fatbins

KERNEL = b"\x7fELF....text.kernel"
PLAIN, SPECIFIC, FAMILY = 0x1000011, 0x1100011, 0x1200011


def read(memory: bytes) -> tuple[FatbinContainer, ...]:
    return read_fatbins(list(find_fatbins(memory)))


def test_machine_code_and_ptx() -> None:
    section = fat_binary(
        fat_entry(2, 75, KERNEL), fat_entry(2, 90, KERNEL), fat_entry(1, 90, b".version 9.0")
    )
    (container,) = read(section)
    assert container.machine == {"sm_75", "sm_90"}
    assert container.ptx == {"compute_90"}
    assert container.has_kernels


def test_architecture_variants() -> None:
    kinds = ((90, SPECIFIC), (100, FAMILY), (120, PLAIN))
    section = fat_binary(*(fat_entry(2, number, KERNEL, flags) for number, flags in kinds))
    assert architectures(read(section)) == ("sm_90a", "sm_100f", "sm_120")


def test_several_containers_and_padding() -> None:
    section = fat_binary(fat_entry(2, 80, KERNEL + b"x")) + b"\0" * 24
    section += fat_binary(fat_entry(2, 90, KERNEL))
    assert [c.machine for c in read(section)] == [{"sm_80"}, {"sm_90"}]


def test_the_stub_of_the_linker_has_no_kernels() -> None:
    (container,) = read(fat_binary(fat_entry(2, 80, b"\x7fELF.nothing")))
    assert not container.has_kernels


def test_compressed_code_counts_as_kernels() -> None:
    (container,) = read(fat_binary(fat_entry(2, 80, b"\x28\xb5\x2f\xfd", 0x8011)))
    assert container.has_kernels


def test_a_container_that_is_cut_off() -> None:
    first, second = fat_entry(2, 80, KERNEL), fat_entry(2, 90, KERNEL)
    memory = fat_binary(first, second)
    with pytest.raises(ValueError, match="cut off"):
        read(memory[: 16 + len(first) + 70])
    assert read(memory[:90]) == (), "nothing of it can be run"


def test_an_entry_that_leads_out_of_its_container() -> None:
    memory = bytearray(fat_binary(fat_entry(2, 80, KERNEL), fat_entry(2, 90, KERNEL)))
    memory[16 + 64 + len(KERNEL) + 8] += 100
    with pytest.raises(ValueError, match="an entry of a fat binary is cut off"):
        read(bytes(memory))


def test_order_is_machine_code_first_then_by_number() -> None:
    section = fat_binary(*(fat_entry(kind, n, KERNEL) for kind, n in ((1, 90), (2, 100), (2, 80))))
    assert architectures(read(section)) == ("sm_80", "sm_100", "compute_90")


def test_containers_lie_anywhere_and_never_in_one_another() -> None:
    inner = fat_binary(fat_entry(2, 90, KERNEL))
    assert architectures(read(b"odd" + inner + b"x" + fat_binary(fat_entry(2, 80, KERNEL)))) == (
        "sm_80",
        "sm_90",
    )
    with pytest.raises(ValueError, match="within another"):
        read(fat_binary(fat_entry(2, 80, b"...." + inner)))
    assert read(b"\x50\xed\x55\xba\x01\0" + bytes(40)) == (), "no header is that short"


CU = """
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
extern "C" void launch(float* x, int n) { twice<<<(n + 255) / 256, 256>>>(x, n); }
"""


def compile_cuda(folder: Path, *targets: str, flags: tuple[str, ...] = ()) -> Path:
    """A shared library with device code: targets are sm_90 or compute_90."""
    needs("nvcc")
    (folder / "twice.cu").write_text(CU)
    out = folder / "libtwice.so"
    words = ["nvcc", "-shared", "-Xcompiler", "-fPIC", "-o", str(out), *flags]
    words.append(str(folder / "twice.cu"))
    for target in targets:
        number = re.sub(r"^(sm|compute)_", "", target)
        words += ["-gencode", f"arch=compute_{number},code={target}"]
    subprocess.run(words, check=True)
    return out


SETS = (
    ("sm_80", "sm_90a", "sm_90", "compute_90"),
    ("sm_75", "sm_100", "sm_103", "sm_120", "compute_120"),
    ("sm_100f", "sm_120a", "compute_120a"),
)


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--no-compress",), ("--compress-mode=size",)])
@pytest.mark.parametrize("targets", SETS, ids=" ".join)
def test_what_nvcc_makes(tmp_path: Path, targets: tuple[str, ...], flags: tuple[str, ...]) -> None:
    containers = read_fatbins(elf_of(compile_cuda(tmp_path, *targets, flags=flags)).fatbins)
    assert set(architectures(containers)) == set(targets)
    assert any(container.has_kernels for container in containers)
