"""What people paste from reports, as ranges."""

import pytest

from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.facts.wording import development_day, read_version


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


@pytest.mark.parametrize(
    ("axis", "text", "specs"),
    [
        ("tensorflow", "2.17.0-rc0", {"tensorflow": "2.17.0"}),
        ("tensorflow", "v2.16.0-rc0", {"tensorflow": "2.16.1"}),
        ("tensorflow", "2.5.0.dev20210114", {"tensorflow": "2.5.0"}),
        ("tensorflow", "v2.4.0-rc4-71-g582c8d236cb 2.4.0", {"tensorflow": "2.4.0"}),
        ("tensorflow", "unknown 2.4.0", {"tensorflow": "2.4.0"}),
        ("tensorflow", "2.4.0+nv20.12", {"tensorflow": "2.4.0"}),
        ("tensorflow", "1.15.1", {"tensorflow": "1.15.2"}),
        ("tensorflow", "2.3.1 (CPU)", {"tensorflow": "2.3.1"}),
        ("tensorflow", "2.22.0-rc0", {"tensorflow": "2.22.0rc0"}),
        ("python", "3.8.5 (default, Sep  4 2020)", {"python": "3.8.5"}),
        ("python", "3.6, 3.7", {"python": "3.6 | 3.7"}),
        ("python", "3.7+", {"python": ">=3.7"}),
        ("python", "3.5 - 3.8", {"python": ">=3.5,<=3.8"}),
        ("cuda", "11.x", {"cuda": "==11.*"}),
        ("cuda", "12", {"cuda": "12"}),
        ("cuda", "10.1 / 7.6.5", {"cuda": "10.1", "cudnn": "7.6.5"}),
        ("cuda", "release 11.2, V11.2.152", {"cuda": "11.2"}),
        ("cuda", "N/A", {"cuda": "none"}),
        ("cudnn", "v7.6.5 for CUDA 10.1", {"cudnn": "7.6.5"}),
        ("cudnn", "6.5 v2", {"cudnn": "2"}),
        ("cudnn", "7.0 (R4)", {"cudnn": "4"}),
        ("cudnn", "7.5-v5.1", {"cudnn": "5.1"}),
        ("cudnn", "8.0.4.30-1+cuda11.1", {"cudnn": "8.0.4.30"}),
        ("gcc", "gcc (Ubuntu 7.5.0-3ubuntu1~18.04) 7.5.0", {"gcc": "7.5.0"}),
        ("gcc", "g++-9", {"gcc": "9"}),
        ("gcc", "clang 14", {"gcc": "none", "clang": "14"}),
        ("gcc", "MSVC 19.28", {"gcc": "none", "msvc": "19.28"}),
        ("bazel", "3.1.0- (@non-git)", {"bazel": "3.1.0"}),
        ("msvc", "19.28.29337", {"msvc": "2019"}),
    ],
)
def test_a_text_is_read(facts: Facts, axis: str, text: str, specs: dict[str, str]) -> None:
    assert dict(read_version(axis, text, facts).specs) == specs


def test_master_is_the_newest_or_what_a_day_led_to(facts: Facts) -> None:
    newest = facts.versions("tensorflow")[0]
    for word in ("master", "nightly", "HEAD", "tf-nightly-gpu"):
        reading = read_version("tensorflow", word, facts)
        assert reading.specs == (("tensorflow", newest),)
        assert reading.kind == "read"
    for day, release in (
        ("2023-02-12", "2.12.0"),
        ("2018-12-03", "1.13.1"),
        ("2019-10-09", "2.1.0"),  # 1.15 came later, from a branch
        ("2031-01", "2.21.0"),
    ):
        then = read_version("tensorflow", f"master ({day})", facts)
        assert then.specs == (("tensorflow", release),)
    assert read_version("tensorflow", "latest", facts).specs == (("tensorflow", "2.21.0"),)
    for day, release in (("2023-11-02", "2.14.0"), ("2019-11", "2.0.0"), ("2001-01", "2.21.0")):
        then = read_version("tensorflow", f"latest ({day})", facts)
        assert then.specs == (("tensorflow", release),), day


@pytest.mark.parametrize("text", ["conda", "bazelisk", "Bazelisk 1.19", "homebrew"])
def test_a_way_to_get_a_thing_leaves_it_open(facts: Facts, text: str) -> None:
    reading = read_version("bazel", text, facts)
    assert (reading.kind, reading.specs) == ("open", ())


@pytest.mark.parametrize("text", ["banana", ">=", ">=3.9,<3.8", "9" * 30])
def test_what_means_nothing_names_the_nearest_three(facts: Facts, text: str) -> None:
    reading = read_version("python", text, facts)
    assert (reading.kind, reading.specs) == ("meaningless", ())
    named = reading.remark.partition("nearest are ")[2].split(", ")
    assert len(named) == 3
    assert set(named) <= set(facts.versions("python"))


def test_a_plain_version_needs_no_remark(facts: Facts) -> None:
    for axis, text in (("python", "3.11"), ("cuda", ">=12.2,<13"), ("numpy", "any")):
        assert read_version(axis, text, facts).remark == ""


@pytest.mark.parametrize(
    ("axis", "text", "specs"),
    [
        ("cuda", "cuda_11.2.r11.2/compiler.29618528_0 / 8.1", {"cuda": "11.2", "cudnn": "8.1"}),
        ("cuda", "CUDA-11.1; cuDNN-8.0.5 for cuda-11.1", {"cuda": "11.1", "cudnn": "8.0.5"}),
        ("cuda", "Driver Version: 525.105.17   CUDA Version: 12.0", {"cuda": "12.0"}),
        ("cudnn", "cudnn-10.1-windows10-x64-v7.6.5.32", {"cuda": "10.1", "cudnn": "7.6.5.32"}),
        ("cudnn", "cudnn-linux-x86_64-8.6.0.163_cuda11-archive", {"cudnn": "8.6.0.163"}),
        ("gcc", "gcc9/clang12", {"gcc": "9"}),
        (
            "gcc",
            "Microsoft (R) C/C++ Compiler Version 19.29.30133 for x64",
            {"msvc": "19.29.30133"},
        ),
        ("tensorflow", "=2.2", {"tensorflow": "2.2"}),
        ("bazel", "don't know", {"bazel": "any"}),
        ("cuda", "keine", {"cuda": "none"}),
        ("cuda", "CPU build only", {"cuda": "none"}),
        ("cuda", "无", {"cuda": "none"}),
    ],
)
def test_what_tools_and_archives_write_is_read(
    axis: str, text: str, specs: dict[str, str], facts: Facts
) -> None:
    assert specs.items() <= dict(read_version(axis, text, facts).specs).items()


@pytest.mark.parametrize("text", ["3b3da345340a4ff5f4c587ee38e5a468f252aee1", "commit: a0b68d1"])
def test_a_commit_is_a_development_version(text: str, facts: Facts) -> None:
    newest = facts.versions("tensorflow")[0]
    assert read_version("tensorflow", text, facts).specs == (("tensorflow", newest),)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("master (2019-10-09)", "2019-10-09"),
        ("3b3da345340a4ff5f4c587ee38e5a468f252aee1 (2019-04-02)", "2019-04-02"),
        ("master (2019-10)", ""),
        ("master", ""),
        ("2.0.0 (2019-10-09)", ""),
        ("1.13 master (2019-10-09)", ""),
    ],
)
def test_the_day_of_a_development_tree(text: str, day: str) -> None:
    assert development_day(text) == day
