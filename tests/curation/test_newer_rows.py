"""What each axis finds on an index, against small matrices that are a little behind."""

from collections.abc import Mapping
from typing import Any

from tests.package_indexes import FakeIndex, wheels
from tfbuild.curation.matrix_file import read_matrix
from tfbuild.curation.newer_rows import AXES, NewRows, Task

LINUX = "manylinux_2_27_x86_64"
OLD = "manylinux2014_x86_64"


def a_matrix(*rows: str, absent: str = "") -> str:
    lines = "".join(f"- {{{row}, source: [docs]}}\n" for row in rows)
    return f"sources:\n  docs: The manual\nrows:\n{lines}" + (
        f"absent:\n- {{version: '{absent}', says: No., source: [docs]}}\n" if absent else ""
    )


def look(axis: str, index: FakeIndex, **texts: str) -> NewRows:
    """What an axis finds, given the matrices as text."""
    matrices = {f"{n}.yaml": read_matrix(f"{n}.yaml", text) for n, text in texts.items()}
    news = NewRows()
    AXES[axis](Task(matrix=matrices[f"{axis}.yaml"], others=matrices, index=index), news)
    return news


def said(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value}


def numpy_index(*newer: str) -> FakeIndex:
    return FakeIndex(
        {
            "numpy": (
                *wheels("numpy", "1.9.0", f"cp27-{OLD}"),
                *wheels("numpy", "2.4.0", f"cp311-{OLD}", f"cp312-{OLD}"),
                *wheels("numpy", "2.4.1", f"cp311-{OLD}", f"cp312-{OLD}", *newer),
                *wheels("numpy", "2.5.0", f"cp312-{LINUX}", f"cp313-{LINUX}", f"cp313t-{LINUX}"),
                *wheels("numpy", "2.6.0rc1", f"cp312-{LINUX}"),
            )
        }
    )


def test_numpy_rows_of_a_known_minor_take_what_no_index_states_from_their_neighbour() -> None:
    text = a_matrix(
        "version: '2.4.0', requires: {python: '>=3.11,<3.13'}, c_api: '0x15', target: '1.23'"
    )
    news = look("numpy", numpy_index(), numpy=text)
    assert [said(row) for row in news.added] == [
        {
            "version": "2.5.0",
            "requires": {"python": ">=3.12,<3.14"},
            "expects": {"glibc": ">=2.27"},
            "free_threaded": ["3.13t"],
            "note": "not known from the index: the C interface and the oldest numpy to run on",
        },
        {
            "version": "2.4.1",
            "requires": {"python": ">=3.11,<3.13"},
            "expects": {"glibc": ">=2.17"},
            "c_api": "0x15",
            "target": "1.23",
            "note": "c_api, target as in 2.4.0",
        },
    ]
    assert news.lacks == {"the C interface and the oldest numpy to run on": ["2.5.0"]}
    assert news.changed == []


def test_numpy_rows_per_minor_are_compared_with_the_newest_patch_release() -> None:
    text = a_matrix(
        "version: '2.5', requires: {python: '>=3.12,<3.14'}, free_threaded: ['3.13t']",
        "version: '2.4', requires: {python: '>=3.11,<3.13', glibc: '>=2.17'}, note: kept",
    )
    assert look("numpy", numpy_index(), numpy=text) == NewRows()
    news = look("numpy", numpy_index(f"cp313-{OLD}", f"cp313t-{OLD}"), numpy=text)
    assert news.added == []
    assert news.changed == [
        {
            "version": "2.4",
            "requires": {"python": ">=3.11,<3.14", "glibc": ">=2.17"},
            "note": "kept",
            "source": ["docs"],
            "free_threaded": ["3.13t"],
        }
    ]
    assert news.notes == ["numpy 2.4 has wheels for 3.11, 3.12, 3.13 now"]


def test_another_way_to_write_the_same_pythons_is_no_change() -> None:
    text = a_matrix("version: '2.4', requires: {python: '3.11 | ==3.12.*'}", "version: '1.9'")
    news = look("numpy", numpy_index(), numpy=text)
    assert [row["version"] for row in news.added] == ["2.5"]
    assert [(row["version"], row["requires"]) for row in news.changed] == [
        ("1.9", {"python": "2.7"}),  # it said nothing
    ]


def test_ranges_go_where_the_other_rows_have_them() -> None:
    text = a_matrix("version: '2.4', expects: {python: '>=3.11,<3.13'}")
    (row,) = look("numpy", numpy_index(), numpy=text).added
    assert (row["requires"], row["expects"]["python"]) == ({}, ">=3.12,<3.14")


def test_a_python_is_new_when_numpy_has_wheels_for_it() -> None:
    news = look("python", numpy_index(f"cp313-{OLD}"), python=a_matrix("version: '3.12'"))
    assert [said(row) for row in news.added] == [
        {
            "version": "3.13",
            "free_threaded": ["3.13t"],
            "note": "numpy 2.4 to 2.5 have wheels for it on linux-x86_64",
        }
    ]
    assert look("python", numpy_index(), python=a_matrix("version: '3.13'")) == NewRows()


def tensorflow_index(metadata: str | None) -> FakeIndex:
    return FakeIndex(
        {
            "tensorflow": wheels(
                *("tensorflow", "2.22.0", f"cp311-{LINUX}", f"cp312-{LINUX}", "cp312-win_amd64"),
                *("cp312-manylinux_2_27_aarch64", "cp312-macosx_12_0_arm64"),
                requires_python=">=3.11",
            )
        },
        {} if metadata is None else {"2.22.0": metadata},
    )


def test_tensorflow_takes_what_its_wheel_requires() -> None:
    text = a_matrix("version: '2.21.0', requires: {bazel: '==7.7.0'}, hermetic_python: true")
    metadata = "Requires-Dist: numpy>=1.26\nRequires-Dist: protobuf<8,>=6\nRequires-Dist: six\n"
    (row,) = look("tensorflow", tensorflow_index(metadata), tensorflow=text).added
    assert said(row) == {
        "version": "2.22.0",
        "requires": {"numpy": ">=1.26", "protobuf": ">=6,<8"},
        "expects": {
            "python": ">=3.11,<3.13",
            "platform": "linux-x86_64 | linux-aarch64 | macos-arm64 | windows-x86_64",
        },
        "wheels": {
            "linux-x86_64": "3.11 3.12",
            "linux-aarch64": "3.12",
            "macos-arm64": "3.12",
            "windows-x86_64": "3.12",
        },
        "note": "not known from the index: Bazel, compilers, CUDA and cuDNN",
    }


def test_tensorflow_without_metadata_says_so() -> None:
    text = a_matrix("version: '2.21.0'")
    (row,) = look("tensorflow", tensorflow_index(None), tensorflow=text).added
    assert row["requires"] == {}
    assert row["note"].startswith("what it requires could not be read from the index; not known")


def test_a_patch_release_of_tensorflow_takes_over_what_its_minor_needs() -> None:
    text = a_matrix(
        "version: '2.22.1', requires: {bazel: '==7.7.0', numpy: '>=2', python: '3.12'}, "
        "expects: {gcc: '>=9', bazel: '7', python: '3.12'}, "
        "hermetic_cuda: true, wheel_target: //a:wheel, build_numpy: {'3.12': 2.1.0}",
        "version: '2.21.0'",
    )
    index = tensorflow_index("Requires-Dist: numpy>=1.26\n")
    (row,) = look("tensorflow", index, tensorflow=text).added
    pythons = ">=3.11,<3.13"  # in both, as the row of 2.22.1 has it
    assert row["requires"] == {"bazel": "==7.7.0", "python": pythons, "numpy": ">=1.26"}
    assert (row["expects"]["gcc"], row["expects"]["python"]) == (">=9", pythons)
    assert row["build_numpy"] == {"3.12": "2.1.0"}
    assert row["note"] == "bazel, gcc, hermetic_cuda, wheel_target, build_numpy as in 2.22.1"


def test_ranges_between_rows_go_where_the_neighbours_have_them() -> None:
    text = a_matrix(
        "version: '2.6', requires: {python: '3.12'}",
        "version: '2.4', expects: {python: '>=3.11,<3.13'}",
    )
    (row,) = look("numpy", numpy_index(), numpy=text).added
    assert (row["version"], row["requires"]) == ("2.5", {})
    assert row["expects"]["python"] == ">=3.12,<3.14"


def test_protobuf_is_cut_to_the_length_of_its_rows() -> None:
    index = FakeIndex(
        {
            "protobuf": (
                *wheels("protobuf", "6.33.0", "py3-any", requires_python=">=3.9"),
                *wheels("protobuf", "6.34.0", "py3-any", requires_python=">=3.9"),
                *wheels("protobuf", "6.34.1", "py3-any", requires_python=">=3.10"),
            )
        }
    )
    text = a_matrix("version: '6.33', requires: {python: '>=3.9'}")
    (row,) = look("protobuf", index, protobuf=text).added
    assert (row["version"], row["requires"]) == ("6.34", {"python": ">=3.10"})


def test_protobuf_wants_the_newest_of_each_minor_only() -> None:
    versions = ("6.33.0", "6.33.1", "6.33.2", "6.34.0", "6.34.1", "6.35.0")
    files = [wheels("protobuf", version, "py3-any") for version in versions]
    index = FakeIndex({"protobuf": tuple(file for of_one in files for file in of_one)})
    text = a_matrix("version: '6.35.0'", "version: '6.33.1'", "version: '6.32.0'")
    news = look("protobuf", index, protobuf=text)
    assert [row["version"] for row in news.added] == ["6.34.1", "6.33.2"]


def cuda_index() -> FakeIndex:
    return FakeIndex(
        {
            "cuda-toolkit": (
                *wheels("cuda-toolkit", "12.7.0", "py3-any"),
                *wheels("cuda-toolkit", "13.0.2", "py3-any"),
                *wheels("cuda-toolkit", "13.2.0", "py3-any"),
                *wheels("cuda-toolkit", "13.2.1", "py3-any"),
            ),
            "nvidia-cuda-nvcc": (
                *wheels("nvidia-cuda-nvcc", "13.2.51", f"py3-{OLD}"),
                *wheels("nvidia-cuda-nvcc", "13.3.7", f"py3-{OLD}", "py3-win_amd64"),
            ),
        }
    )


def test_a_toolkit_is_new_by_either_package() -> None:
    text = a_matrix("version: '13.0'", "version: '12.6'", absent="12.7")
    news = look("cuda", cuda_index(), cuda=text)
    lacks = "not known from the index: architectures, host compilers and driver"
    assert [(row["version"], row["note"]) for row in news.added] == [
        ("13.3", f"seen as nvidia-cuda-nvcc 13.3.7; {lacks}"),
        ("13.2", f"seen as cuda-toolkit 13.2.1 and nvidia-cuda-nvcc 13.2.51; {lacks}"),
    ]
    assert news.lacks == {"architectures, host compilers and driver": ["13.3", "13.2"]}


def test_toolkits_with_updates_are_distinguished() -> None:
    text = a_matrix("version: '13.2.0', architectures: [sm_90]", "version: '13.0.2'")
    news = look("cuda", cuda_index(), cuda=text)
    assert [(row["version"], row.get("architectures")) for row in news.added] == [
        ("13.3", None),
        ("13.2.1", ["sm_90"]),
    ]


def test_libraries_of_nvidia_are_looked_for_per_cuda() -> None:
    index = cuda_index()
    index.projects |= {
        "nvidia-cudnn-cu12": (
            *wheels("nvidia-cudnn-cu12", "9.1.0.70", f"py3-{OLD}"),
            *wheels("nvidia-cudnn-cu12", "9.2.1.82", f"py3-{OLD}"),
        ),
        "nvidia-cudnn-cu13": (
            *wheels("nvidia-cudnn-cu13", "9.2.1.80", "py3-manylinux_2_27_aarch64"),
            *wheels("nvidia-cudnn-cu13", "9.3.0.1", f"py3-{OLD}"),
            *wheels("nvidia-cudnn-cu13", "9.4.0.1", "py3-win_amd64"),
        ),
    }
    cuda = a_matrix("version: '12.6'", "version: '10.2'")
    rows = (
        "version: '9.2.2', requires: {cuda: '12 | 13', gpu: '>=8.0'}",
        "version: '9.2.0', requires: {cuda: '12', gpu: '>=7.5'}, expects: {cuda: '>=12.1,<12.4'}",
        "version: '9.1.0'",
    )
    news = look("cudnn", index, cudnn=a_matrix(*rows), cuda=cuda)
    lacks = "not known from the index: the GPUs that it has code for"
    assert [said(row) for row in news.added] == [
        {
            "version": "9.3.0",
            "requires": {"cuda": "13"},
            "note": f"published for CUDA 13; {lacks}",
        },
        {
            "version": "9.2.1",
            "requires": {"cuda": "12 | 13", "gpu": ">=7.5"},
            "note": "published for CUDA 12 and 13; gpu as in 9.2.0",
        },
    ]
    assert [name for name in index.asked if "cudnn" in name] == [
        *("nvidia-cudnn-cu12", "nvidia-cudnn-cu13"),
    ]


def test_nccl_has_packages_of_its_own() -> None:
    index = FakeIndex({"nvidia-nccl-cu12": wheels("nvidia-nccl-cu12", "2.30.1", f"py3-{OLD}")})
    cuda = a_matrix("version: '12.6'")
    news = look("nccl", index, nccl=a_matrix("version: '2.29.0'"), cuda=cuda)
    assert [said(row) for row in news.added] == [
        {
            "version": "2.30.1",
            "requires": {"cuda": "any"},
            "expects": {"cuda": "12"},
            "note": "published for CUDA 12",
        }
    ]


def test_what_is_older_than_the_oldest_row_is_left_alone() -> None:
    text = a_matrix(
        "version: '2.5.0', requires: {python: '>=3.12,<3.14'}, free_threaded: ['3.13t']"
    )
    assert look("numpy", numpy_index(), numpy=text) == NewRows()
