"""Values that a configure.py would replace, refuse or misread are refused before it sees them."""

from pathlib import Path

import pytest

from tests.tensorflow_trees import make_cuda, make_tree
from tfbuild.core.errors import BadRequest, ConfigureFailed
from tfbuild.facts.tables import Tables
from tfbuild.sources.answers import make_answers
from tfbuild.sources.tensorflow_tree import read_tree
from tfbuild.sources.values import (
    capabilities,
    check_capabilities,
    check_paths,
    check_values,
    real_compiler,
)


@pytest.mark.parametrize(
    ("release", "text"),
    [("1.15.5", "8.6, 7.0"), ("2.6.5", "sm_80,compute_86"), ("2.21.0", "sm_120,compute_120,8.6")],
)
def test_capabilities_as_the_release_writes_them(tmp_path: Path, release: str, text: str) -> None:
    check_capabilities(text, read_tree(make_tree(tmp_path, release)), "TF_CUDA")


@pytest.mark.parametrize(
    ("release", "text"),
    [
        ("1.15.5", "sm_86"), ("2.6.5", "86"), ("2.6.5", "8.6+PTX"), ("2.6.5", "8.6;9.0"),
        ("2.6.5", "9.0a"), ("2.6.5", "sm_90a"), ("2.6.5", ""), ("2.6.5", "2.0"),
    ],
)  # fmt: skip
def test_other_spellings_are_refused(tmp_path: Path, release: str, text: str) -> None:
    with pytest.raises(BadRequest):
        check_capabilities(text, read_tree(make_tree(tmp_path, release)), "TF_CUDA")


def test_architectures_are_told_in_the_words_of_the_release(tmp_path: Path) -> None:
    old = read_tree(make_tree(tmp_path / "old", "1.15.5"))
    new = read_tree(make_tree(tmp_path / "new", "2.6.5"))
    names = ("sm_80", "sm_86", "compute_86")
    assert capabilities(names, old) == "8.0,8.6"
    assert capabilities(names, new) == "sm_80,sm_86,compute_86"
    with pytest.raises(BadRequest, match="sm_90a"):
        capabilities(("sm_90a",), new)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"TF_NEED_ROCM": "1", "TF_NEED_CUDA": "yes"}, "both on"),
        ({"TF_NEED_ROCM": "perhaps"}, "TF_NEED_ROCM"),
        ({"TF_NEED_ROCM": ""}, "TF_NEED_ROCM"),
        ({"TF_ENABLE_XLA": "true"}, "TF_ENABLE_XLA"),
        ({"TF_CUDA_VERSION": "11.2.2"}, "TF_CUDA_VERSION"),
        ({"TF_CUDNN_VERSION": "eight"}, "TF_CUDNN_VERSION"),
        ({"TF_SYSTEM_LIBS": "curl,zlob"}, "zlob"),
        ({"TF_SYSTEM_LIBS": "curl zlib, zlib"}, "TF_SYSTEM_LIBS"),
        ({"CC_OPT_FLAGS": 'a"b'}, "CC_OPT_FLAGS"),
    ],
)
def test_what_would_be_misread_is_refused(
    tables: Tables, tmp_path: Path, variables: dict[str, str], words: str
) -> None:
    tree = read_tree(make_tree(tmp_path, "2.6.5"))
    rows = make_answers(tree, tables.variables(), "cuda", {}).rows
    with pytest.raises(BadRequest, match=words):
        check_values(tree, rows, variables)


def test_what_the_rules_fetch_is_held_against_their_lists(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.21.0"))
    check_values(tree, tables.variables(), {"HERMETIC_CUDA_VERSION": "12.5.1"})
    with pytest.raises(BadRequest) as caught:
        check_values(tree, tables.variables(), {"HERMETIC_CUDA_VERSION": "12.5"})
    assert "12.5.1" in caught.value.why


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_programs_must_be_programs(tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path / "tree", "2.6.5"))
    python = program(tmp_path / "python3")
    places = (("PYTHON_BIN_PATH", "program"),)
    check_paths(tree, places, {"PYTHON_BIN_PATH": str(python)})
    for wrong in (tmp_path / "gone", tmp_path):
        with pytest.raises(ConfigureFailed, match="PYTHON_BIN_PATH"):
            check_paths(tree, places, {"PYTHON_BIN_PATH": str(wrong)})


def test_a_link_of_a_compiler_cache_is_seen_through(tmp_path: Path) -> None:
    cache, real = program(tmp_path / "bin/ccache"), program(tmp_path / "real/gcc")
    link = tmp_path / "bin/gcc"
    link.symlink_to(cache)
    search = f"{tmp_path / 'bin'}:{tmp_path / 'real'}"
    assert real_compiler(str(link), search) == str(real)
    assert real_compiler(str(real), search) == str(real)
    assert real_compiler(str(link), str(tmp_path / "bin")) == ""
    tree = read_tree(make_tree(tmp_path / "tree", "2.6.5"))
    with pytest.raises(ConfigureFailed, match="link to ccache"):
        check_paths(tree, (("GCC", "compiler"),), {"GCC": str(link)})


def test_cuda_is_looked_at_before_configure_does(tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path / "tree", "2.17.0"))
    cuda = make_cuda(tmp_path / "cuda", "11.2", "8.1.1")
    places = (("TF_CUDA_PATHS", "folders"),)
    good = {"TF_CUDA_PATHS": str(cuda), "TF_CUDA_VERSION": "11.2", "TF_CUDNN_VERSION": "8.1"}
    check_paths(tree, places, good)
    for change, words in (
        ({"TF_CUDA_VERSION": "11.8"}, r"CUDA 11\.8 \(there is 11\.2\)"),
        ({"TF_CUDNN_VERSION": "8.9"}, r"cuDNN 8\.9 \(there is 8\.1\.1\)"),
        ({"TF_CUDA_PATHS": f"{cuda},{tmp_path / 'gone'}"}, "gone"),
    ):
        with pytest.raises(ConfigureFailed, match=words):
            check_paths(tree, places, good | change)
    (cuda / "include/nvml.h").unlink()
    with pytest.raises(ConfigureFailed, match=r"nvml\.h"):
        check_paths(tree, places, good)
