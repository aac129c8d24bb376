"""Values that a configure.py would replace, refuse or misread are refused before it sees them."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.tensorflow_trees import make_cuda, make_tree
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
    ("release", "text", "code"),
    [
        ("1.15.5", "sm_86", "capability-invalid"),
        *(("2.6.5", text, "capability-invalid") for text in ("86", "8.6+PTX", "8.6;9.0")),
        *(("2.6.5", text, "capability-invalid") for text in ("9.0a", "sm_90a", "")),
        ("2.6.5", "2.0", "capability-too-low"),
    ],
)
def test_other_spellings_are_refused(tmp_path: Path, release: str, text: str, code: str) -> None:
    with fails(code, f"TF_CUDA: '{text}'"):
        check_capabilities(text, read_tree(make_tree(tmp_path, release)), "TF_CUDA")


def test_architectures_are_given_in_the_words_of_the_release(tmp_path: Path) -> None:
    old = read_tree(make_tree(tmp_path / "old", "1.15.5"))
    new = read_tree(make_tree(tmp_path / "new", "2.6.5"))
    names = ("sm_80", "sm_86", "compute_86")
    assert capabilities(names, old) == "8.0,8.6"
    assert capabilities(names, new) == "sm_80,sm_86,compute_86"
    with fails("capability-unsupported", "2.6.5", "sm_90a"):
        capabilities(("sm_90a",), new)


@pytest.mark.parametrize(
    ("variables", "code", "named"),
    [
        (
            {"TF_NEED_ROCM": "1", "TF_NEED_CUDA": "yes"},
            "cuda-and-rocm",
            ("TF_NEED_ROCM", "TF_NEED_CUDA"),
        ),
        ({"TF_NEED_ROCM": "perhaps"}, "variable-not-switch", ("TF_NEED_ROCM", "'perhaps'")),
        ({"TF_NEED_ROCM": ""}, "variable-not-switch", ("TF_NEED_ROCM", "''")),
        ({"TF_ENABLE_XLA": "true"}, "variable-not-switch", ("TF_ENABLE_XLA", "'true'")),
        ({"TF_CUDA_VERSION": "11.2.2"}, "cuda-version-too-exact", ("TF_CUDA_VERSION", "'11.2.2'")),
        ({"TF_CUDNN_VERSION": "eight"}, "variable-not-version", ("TF_CUDNN_VERSION", "'eight'")),
        ({"TF_SYSTEM_LIBS": "curl,zlob"}, "system-library-unknown", ("'zlob'", "'zlib'")),
        ({"TF_SYSTEM_LIBS": "curl zlib, zlib"}, "variable-not-list", ("TF_SYSTEM_LIBS",)),
        ({"CC_OPT_FLAGS": 'a"b'}, "variable-letter-refused", ("CC_OPT_FLAGS", 'a"b')),
    ],
)
def test_what_would_be_misread_is_refused(
    tables: Tables,
    tmp_path: Path,
    variables: dict[str, str],
    code: str,
    named: tuple[str, ...],
) -> None:
    tree = read_tree(make_tree(tmp_path, "2.6.5"))
    rows = make_answers(tree, tables.variables(), "cuda", {}).rows
    with fails(code, *named):
        check_values(tree, rows, variables)


def test_what_the_rules_fetch_is_held_against_their_lists(tables: Tables, tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path, "2.21.0"))
    check_values(tree, tables.variables(), {"HERMETIC_CUDA_VERSION": "12.5.1"})
    with fails("cuda-release-not-listed", "HERMETIC_CUDA_VERSION", "'12.5'", "'12.5.1'"):
        check_values(tree, tables.variables(), {"HERMETIC_CUDA_VERSION": "12.5"})


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
        with fails("variable-program-unusable", "PYTHON_BIN_PATH", str(wrong)):
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
    with fails("compiler-is-cache-link", "GCC", str(link), "ccache"):
        check_paths(tree, (("GCC", "compiler"),), {"GCC": str(link)})


def test_cuda_is_looked_at_before_configure_does(tmp_path: Path) -> None:
    tree = read_tree(make_tree(tmp_path / "tree", "2.17.0"))
    cuda = make_cuda(tmp_path / "cuda", "11.2", "8.1.1")
    places = (("TF_CUDA_PATHS", "folders"),)
    good = {"TF_CUDA_PATHS": str(cuda), "TF_CUDA_VERSION": "11.2", "TF_CUDNN_VERSION": "8.1"}
    check_paths(tree, places, good)
    gone = str(tmp_path / "gone")
    for change, code, named in (
        ({"TF_CUDA_VERSION": "11.8"}, "cuda-folders-incomplete", ("CUDA 11.8", "11.2")),
        ({"TF_CUDNN_VERSION": "8.9"}, "cuda-folders-incomplete", ("cuDNN 8.9", "8.1.1")),
        ({"TF_CUDA_PATHS": f"{cuda},{gone}"}, "variable-folder-missing", ("TF_CUDA_PATHS", gone)),
    ):
        with fails(code, *named):
            check_paths(tree, places, good | change)
    (cuda / "include/nvml.h").unlink()
    with fails("cuda-folders-incomplete", "nvml.h"):
        check_paths(tree, places, good)
