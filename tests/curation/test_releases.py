"""What file names and metadata of an index say about releases."""

from email.parser import Parser

import pytest
from packaging.specifiers import SpecifierSet

from tests.failing import fails
from tests.package_indexes import FakeIndex, wheels
from tfbuild.curation.releases import (
    Release,
    allowed,
    by_minor,
    covers,
    ordered,
    python_range,
    releases,
    requirement,
)

LINUX = "linux-x86_64"


def numpy(*tags: str) -> Release:
    return Release(version="1.0", files=wheels("numpy", "1.0", *tags))


def test_only_final_releases_with_wheels_for_the_platform_count() -> None:
    index = FakeIndex(
        {
            "numpy": (
                *wheels("numpy", "2.0.0", "cp310-manylinux_2_17_x86_64"),
                *wheels("numpy", "2.10.0", "cp310-manylinux_2_17_x86_64", "cp310-win_amd64"),
                *wheels("numpy", "2.11.0", "cp310-win_amd64", "cp310-manylinux_2_17_aarch64"),
                *wheels("numpy", "2.9.0", "cp310-manylinux_2_17_x86_64", is_yanked=True),
                *wheels("numpy", "3.0.0rc1", "cp310-manylinux_2_17_x86_64"),
                *wheels("numpy", "2.8.0+local", "cp310-manylinux_2_17_x86_64"),
            )
        }
    )
    assert list(releases(index, "numpy", (LINUX,))) == ["2.10.0", "2.0.0"]
    assert list(releases(index, "numpy", (LINUX, "windows-x86_64"))) == [
        *("2.11.0", "2.10.0", "2.0.0"),
    ]
    assert releases(index, "other", (LINUX,)) == {}


def test_pythons_are_read_from_the_tags() -> None:
    release = numpy(
        *("cp310-manylinux_2_17_x86_64", "cp39-manylinux2014_x86_64", "cp39-win_amd64"),
        *("cp314t-manylinux_2_27_x86_64.manylinux_2_28_x86_64", "cp311-musllinux_1_2_x86_64"),
        *("cp38-macosx_10_9_universal2", "cp37-macosx_11_0_arm64", "pp310-manylinux1_x86_64"),
    )
    assert release.pythons(LINUX) == ("3.9", "3.10")
    assert release.pythons(LINUX, free_threaded=True) == ("3.14t",)
    assert release.pythons("windows-x86_64") == ("3.9",)
    assert release.pythons("macos-x86_64") == ("3.8",)
    assert release.pythons("macos-arm64") == ("3.7", "3.8")
    assert release.pythons("linux-aarch64") == ()


@pytest.mark.parametrize(
    ("tags", "glibc"),
    [
        (
            ("cp310-manylinux_2_28_x86_64", "cp39-manylinux_2_17_x86_64.manylinux2014_x86_64"),
            "2.17",
        ),
        (("cp27-manylinux1_x86_64", "cp27-manylinux2010_x86_64"), "2.5"),
        (("cp310-manylinux_2_5_x86_64", "cp310-manylinux_2_12_x86_64"), "2.5"),
        (("cp310-linux_x86_64",), ""),
        (("py3-any",), ""),
    ],
)
def test_the_oldest_glibc_of_the_linux_wheels(tags: tuple[str, ...], glibc: str) -> None:
    assert numpy(*tags).glibc == glibc


def test_requires_python_where_the_files_agree() -> None:
    one = wheels("a", "1", "py3-any", requires_python="!=3.1.*,>=2.7")
    assert Release(version="1", files=one).requires_python == ">=2.7,!=3.1.*"
    other = wheels("a", "1", "cp39-win_amd64", requires_python=">=3")
    assert Release(version="1", files=one + other).requires_python == ""
    nonsense = wheels("a", "1", "py3-any", requires_python=">=3.6.*")
    assert Release(version="1", files=nonsense).requires_python == ""


@pytest.mark.parametrize(
    ("pythons", "text"),
    [
        (("3.9", "3.10", "3.11"), ">=3.9,<3.12"),
        (("2.7", "3.5", "3.6"), "2.7 | >=3.5,<3.7"),
        (("3.10", "3.8"), "3.8 | 3.10"),
        (("2.7",), "2.7"),
        ((), ""),
    ],
)
def test_pythons_become_a_range_that_means_just_them(pythons: tuple[str, ...], text: str) -> None:
    assert python_range(pythons) == text
    every = ["2.6", "2.7", *(f"3.{n}" for n in range(20))]
    if text:
        assert {p for p in every if allowed(text, p)} == set(pythons)


def test_rows_speak_of_their_patch_releases() -> None:
    assert covers("2.5", "2.5.1")
    assert covers("13.0.2", "13.0")
    assert covers("2.6", "2.6.0")
    assert not covers("2.5", "2.51")
    assert not covers("2.5.1", "2.5.10")


def test_the_newest_patch_release_speaks_for_its_minor() -> None:
    found = {v: Release(version=v, files=()) for v in ("2.10.1", "2.10.0", "2.9")}
    assert {k: r.version for k, r in by_minor(found, 2).items()} == {"2.10": "2.10.1", "2.9": "2.9"}


@pytest.mark.parametrize(
    ("lines", "spec"),
    [
        (["numpy<2.2.0,>=1.26.0"], ">=1.26.0,<2.2.0"),
        (["numpy (>=1.14.5, <2.0)"], ">=1.14.5,<2.0"),
        (["numpy ~=1.19.2", "numpydoc"], "~=1.19.2"),
        (['numpy<2; extra == "old"', "numpy"], ""),
        (['numpy<1.24; python_version < "3.9"', 'numpy>=1.24;python_version>="3.9"'],
         "<1.24 | >=1.24"),
        (["NumPy[all] >=1", "numpy>=1"], ">=1"),
        (["numpy>=1; platform_release != 'no extra' and 'all' == extra"], ""),
        (['numpy>=1; platform_machine == "x86_64"'], ">=1"),
        (["numpy-financial<1", "Num.py>=9"], ""),
        (["protobuf>=3"], ""),
    ],
)  # fmt: skip
def test_requirements_become_ranges(lines: list[str], spec: str) -> None:
    text = "Name: x\n" + "".join(f"Requires-Dist: {line}\n" for line in lines)
    assert requirement(Parser().parsestr(text), "numpy") == spec


def test_names_are_one_in_every_spelling() -> None:
    text = "Name: x\nRequires-Dist: nvidia_nccl.cu13>=2\n"
    assert requirement(Parser().parsestr(text), "nvidia-nccl-cu13") == ">=2"


def test_a_requirement_that_pip_refuses_is_reported() -> None:
    with fails("requirement-invalid", "'numpy>=1,,<2 what'"):
        requirement(Parser().parsestr("Requires-Dist: numpy>=1,,<2 what\n"), "numpy")


def test_ranges_begin_at_the_bottom() -> None:
    assert ordered(SpecifierSet("<8, >= 5 ,!=6.*")) == ">=5,!=6.*,<8"
