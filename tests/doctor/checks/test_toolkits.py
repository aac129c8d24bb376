"""Finding CUDA toolkits and what belongs to them."""

import os
from pathlib import Path

from tests.doctor.checks.contexts import a_context, a_script
from tests.doctor.checks.toolkit_trees import a_cudnn, a_kit, a_library, needs_gxx
from tfbuild.core.records import Program
from tfbuild.doctor.checks.model import BuildNeeds
from tfbuild.doctor.checks.toolkits import header_number, library_number, needed_kits, trees


def test_nvcc_itself_says_where_it_belongs(tmp_path: Path) -> None:
    """On PATH there may be a script, as on this kind of machine: exec /usr/local/cuda/bin/nvcc."""
    root = a_kit(tmp_path / "cuda")
    starter = a_script(tmp_path / "bin" / "nvcc", f'exec {root}/bin/nvcc "$@"')
    context = a_context(tmp_path, toolkits=(Program(name="nvcc", path=starter, version="13.0.88"),))
    (kit,) = needed_kits(context)
    assert kit.nvcc == str(root / "bin" / "nvcc")
    assert root / "include" in kit.includes


def test_an_nvcc_that_says_nothing_is_taken_by_its_path(tmp_path: Path) -> None:
    nvcc = a_script(tmp_path / "cuda-9" / "bin" / "nvcc", "exit 1")
    context = a_context(tmp_path, toolkits=(Program(name="nvcc", path=nvcc, version="9.0.176"),))
    (kit,) = needed_kits(context)
    assert tmp_path / "cuda-9" / "include" in kit.includes


def test_requested_are_those_of_the_system_then_the_last_used_of_the_cache(tmp_path: Path) -> None:
    root = a_kit(tmp_path / "cuda")
    program = Program(name="nvcc", path=str(root / "bin/nvcc"), version="13.0.88")
    context = a_context(tmp_path, toolkits=(program,), needs=BuildNeeds(cuda=">=13,<14"))
    cache = context.tools.folders.cache / "toolkits"
    for number, name in enumerate(("older", "newer")):
        made = a_kit(cache / name, cuda=13010 + 10 * number)
        os.utime(made, (number * 100, number * 100))
    assert [kit.version for kit in needed_kits(context)] == ["13.0.88", "13.2"]
    other = a_context(tmp_path, toolkits=(program,), needs=BuildNeeds(cuda="11.2"))
    assert needed_kits(other) == []


def test_trees_are_toolkits_and_unpacked_wheels(tmp_path: Path) -> None:
    root = a_kit(tmp_path / "cuda")
    program = Program(name="nvcc", path=str(root / "bin/nvcc"), version="13.0.88")
    context = a_context(tmp_path, toolkits=(program,))
    a_cudnn(context.tools.folders.unpacked / "abc" / "nvidia" / "cudnn" / "include", 9, 14, 0)
    assert [tree.name for tree in trees(context)] == [str(root), "cudnn in the cache"]


def test_numbers_of_headers(tmp_path: Path) -> None:
    a_cudnn(tmp_path / "second", 8, 1, 1)
    folders = (tmp_path / "first", tmp_path / "second")
    assert header_number(folders, "cudnn_version.h", "CUDNN_MAJOR", "CUDNN_MINOR") == (8, 1)
    assert header_number(folders, "cudnn_version.h", "CUDNN_MAJOR", "OTHER") == ()
    assert header_number(folders, "none.h", "CUDNN_MAJOR") == ()


@needs_gxx
def test_a_library_is_asked_itself(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    path = a_library(tmp_path / "lib", "cudart", 11020)
    assert library_number(context, (tmp_path / "none", tmp_path / "lib"), "cudart") == (path, 11020)
    assert library_number(context, (tmp_path,), "cudart") == (None, 0)
    path.write_text("no library")
    assert library_number(context, (tmp_path / "lib",), "cudart") == (path, 0)
