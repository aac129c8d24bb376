"""Assembling a CUDA toolkit from unpacked wheels."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.sealing import seal_as_it_is
from tfbuild.core.records import Artifact
from tfbuild.fetch.cuda_toolkit import assemble_toolkit, find_toolkit_program
from tfbuild.fetch.seals import find_damage

FILES = {
    "nvcc": ("cu13/bin/nvcc", "cu13/bin/ptxas", "cu13/.metadata/x"),
    "nvvm": ("cu13/nvvm/bin/cicc", "cu13/nvvm/libdevice/libdevice.10.bc"),
    "crt": ("cu13/include/crt/host_config.h",),
    "runtime": ("cu13/include/cuda_runtime.h", "cu13/lib/libcudart_static.a"),
    "cublas": ("cu13/include/cublas_v2.h", "cu13/lib/libcublas.so.13"),
    "cudnn": ("cudnn/include/cudnn.h", "cudnn/lib/libcudnn.so.9"),
}


@pytest.fixture
def wheels(fake_env: FakeEnvironment, tmp_path: Path) -> list[tuple[Artifact, Path]]:
    found = []
    for number, (name, files) in enumerate(FILES.items()):
        for file in files:
            path = tmp_path / "unpacked" / name / "nvidia" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file)
        seal_as_it_is(tmp_path / "unpacked" / name)
        artifact = Artifact(
            distribution=name, version="13.0", filename="", sha256=f"{number}" * 64, kind="cuda"
        )
        found.append((artifact, tmp_path / "unpacked" / name))
    return found


def test_all_lies_in_one_tree_with_the_usual_names(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    root = assemble_toolkit(wheels, fake_env.tools)
    assert (root / "lib64" / "libcublas.so").read_text() == "cu13/lib/libcublas.so.13"
    assert (root / "lib" / "libcudnn.so").read_text() == "cudnn/lib/libcudnn.so.9"
    assert (root / "include" / "cudnn.h").is_file()
    assert not (root / ".metadata").exists()
    nvcc = wheels[0][1] / "nvidia" / "cu13" / "bin" / "nvcc"
    assert nvcc.samefile(root / "bin" / "nvcc"), "it takes no room twice"


def test_it_is_made_once_per_set_of_wheels(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    root = assemble_toolkit(wheels, fake_env.tools)
    for _, folder in wheels:
        shutil.rmtree(folder)
    assert assemble_toolkit(list(reversed(wheels)), fake_env.tools) == root


def test_other_wheels_make_another_toolkit(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    root = assemble_toolkit(wheels, fake_env.tools)
    wheels[0] = (replace(wheels[0][0], sha256="f" * 64), wheels[0][1])
    assert assemble_toolkit(wheels, fake_env.tools) != root


def test_a_toolkit_with_a_hole_names_it_and_leaves_nothing(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    with fails("cuda-toolkit-incomplete", "nvvm/bin/cicc"):
        assemble_toolkit(wheels[:1] + wheels[2:], fake_env.tools)
    assert list((fake_env.tools.folders.cache / "toolkits").iterdir()) == []


def test_a_toolkit_has_all_that_its_wheels_list(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    """Where somebody has taken a header away, it is not taken for whole."""
    header = wheels[0][1] / "nvidia" / "cu13" / "include" / "extra.h"
    header.parent.mkdir(exist_ok=True)
    header.write_text("")
    seal_as_it_is(wheels[0][1])
    header.unlink()
    with fails("unpacked-files-changed", "include/extra.h"):
        assemble_toolkit(wheels, fake_env.tools)
    assert list((fake_env.tools.folders.cache / "toolkits").iterdir()) == []


def test_a_damaged_toolkit_is_made_anew(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    root = assemble_toolkit(wheels, fake_env.tools)
    library = root / "lib" / "libcublas.so.13"
    library.unlink()
    library.write_text("another")
    assert assemble_toolkit(wheels, fake_env.tools) == root
    assert library.read_text() == "cu13/lib/libcublas.so.13"
    (said,) = [words[1] for words in fake_env.reporter.said if words[0] == "warn"]
    assert "the CUDA toolkit (lib/libcublas.so.13 was changed)" in said


def test_a_toolkit_is_what_its_wheels_were_when_they_were_unpacked(
    fake_env: FakeEnvironment, wheels: list[tuple[Artifact, Path]]
) -> None:
    nvcc = wheels[0][1] / "nvidia" / "cu13" / "bin" / "nvcc"
    nvcc.write_text("cu13/bin/nvCC")  # and nobody has noticed
    root = assemble_toolkit(wheels, fake_env.tools)
    assert find_damage(root, in_full=True) == "bin/nvcc was changed"
    nvcc.unlink()
    nvcc.write_text("cu13/bin/nvcc")
    assemble_toolkit(wheels, fake_env.tools, in_full=True)
    assert (root / "bin" / "nvcc").read_text() == "cu13/bin/nvcc"


def test_a_program_of_the_toolkit_is_found_again(
    fake_env: FakeEnvironment,
    wheels: list[tuple[Artifact, Path]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert find_toolkit_program("nvcc", fake_env.tools) == ""
    root = assemble_toolkit(wheels, fake_env.tools)
    assert find_toolkit_program("nvcc", fake_env.tools) == str(root / "bin" / "nvcc")
    assert find_toolkit_program("nvdisasm", fake_env.tools) == ""
