"""GPUs, systems and platforms as people paste them."""

import pytest

from tests.failing import fails
from tfbuild.facts.names import find_gpu, read_capability
from tfbuild.facts.product_names import (
    read_gpus,
    read_operating_system,
    read_platform,
    read_processor,
)
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


@pytest.mark.parametrize(
    ("text", "capabilities"),
    [
        ("RTX 3090 24GB", ["8.6"]),
        ("4 x V100 (32 GB)", ["7.0"]),
        ("GTX 1080 Ti x2", ["6.1"]),
        ("NVIDIA GeForce RTX 3060 Laptop GPU / 6 GB", ["8.6"]),
        ("RTX 3090 and GTX 1080", ["8.6", "6.1"]),
        ("Nvidia GTX 1660 Ti, 6GB memory", ["7.5"]),
        ("2080ti", ["7.5"]),
        ("GT 750M", ["3.0"]),
        ("RTX PRO 1000 Blackwell", ["12.0"]),
        ("compute capability 6.1", ["6.1"]),
        ("8.6, 7.5", ["8.6", "7.5"]),
        ("Jetson TX2", ["6.2"]),
    ],
)
def test_gpus_are_found_in_a_text(facts: Facts, text: str, capabilities: list[str]) -> None:
    named = dict(read_gpus(text, facts).specs)["gpu"].split(",")
    assert [read_capability(name, facts.gpus)[0] for name in named] == capabilities


def test_a_jetson_is_a_machine_with_an_arm_processor(facts: Facts) -> None:
    assert dict(read_gpus("Jetson Nano", facts).specs)["platform"] == "linux-aarch64"


@pytest.mark.parametrize("text", ["Radeon RX 580", "Intel UHD 630", "Apple M1"])
def test_a_gpu_of_others_leaves_it_open(facts: Facts, text: str) -> None:
    assert read_gpus(text, facts).kind == "open"


def test_no_gpu_and_a_word_that_is_none(facts: Facts) -> None:
    assert read_gpus("CPU only", facts).specs == (("gpu", "none"),)
    reading = read_gpus("abacus", facts)
    assert (reading.kind, reading.specs) == ("meaningless", ())


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("Linux", {"platform": "linux-x86_64"}),
        ("Linux 5.4.0-42-generic", {"platform": "linux-x86_64"}),
        ("WSL2", {"platform": "linux-x86_64"}),
        ("Windows 10 WSL2 Ubuntu 20.04", {"os": "ubuntu 20.04"}),
        ("Linux Ubuntu 16.04", {"os": "ubuntu 16.04"}),
        ("Linux Mint 20.3", {"os": "ubuntu 20.04"}),
        ("Pop!_OS 22.04", {"os": "ubuntu 22.04"}),
        ("Manjaro", {"os": "manjaro"}),
        ("Foobar Linux 7", {"os": "foobar 7"}),
        ("Homebrew", {"os": "macos"}),
        (
            "macOS Monterey 12.3 M1",
            {"os": "macos", "platform": "macos-arm64", "macos": "12"},
        ),
        ("macOS 10.14.6", {"os": "macos", "platform": "macos-x86_64", "macos": "10.14"}),
        ("macos big sur", {"os": "macos", "macos": "11"}),
        ("CentOS Linux release 7.9.2009 (Core)", {"os": "centos 7"}),
        ("nvidia/cuda:11.2.2-cudnn8-devel-ubuntu20.04", {"os": "ubuntu 20.04"}),
        ("JetPack 4.6", {"os": "ubuntu 18.04", "platform": "linux-aarch64"}),
        ("Alpine 3.12", {"os": "alpine"}),
    ],
)
def test_a_system_is_found_in_a_text(facts: Facts, text: str, specs: dict[str, str]) -> None:
    assert dict(read_operating_system(text, facts).specs) == specs


def test_memory_beside_a_comma_is_no_second_gpu(facts: Facts) -> None:
    for text in ("GeForce GTX 1080 Ti, 11GB", "GTX 1080 Ti, 11 GB", "NVIDIA GTX 1080 Ti (11GB)"):
        (axis, names), *_ = read_gpus(text, facts).specs
        assert axis == "gpu"
        assert [read_capability(name, facts.gpus)[0] for name in names.split(",")] == ["6.1"]
    with fails("gpu-unknown", "'11GB'"):
        find_gpu("11GB", facts.gpus)


def test_a_slip_is_no_distribution(facts: Facts) -> None:
    assert read_operating_system("ubunut 22.04", facts).kind == "meaningless"
    assert read_platform("linus", facts).kind == "meaningless"
    assert read_platform("linux/arm64", facts).specs == (("platform", "linux-aarch64"),)


@pytest.mark.parametrize(
    ("text", "instructions"),
    [
        ("AVX2", "avx2"),
        ("without AVX2", "avx"),
        ("no AVX", "sse4.2"),
        ("Intel(R) Core(TM) i7-3770 CPU @ 3.40GHz", "avx"),
        ("i5-3230M", "avx"),
        ("i7-8700K", "avx2"),
        ("Core i7-1065G7", "avx2"),
        ("Core i7 920", "sse4.2"),
        ("Intel Xeon E5-2670 v3", "avx2"),
        ("Intel Xeon E5-2670", "avx"),
        ("Xeon X5650", "sse4.2"),
        ("Xeon Gold 6148", "avx512"),
        ("Pentium G4560", "sse4.2"),
        ("Celeron J1900", "sse4.2"),
        ("Core 2 Quad Q6600", "sse2"),
        ("AMD Phenom II X4 965", "sse2"),
        ("AMD FX-8350", "avx"),
        ("AMD Ryzen 5 3600", "avx2"),
        ("x86-64-v2", "sse4.2"),
    ],
)
def test_a_processor_is_known_by_its_instructions(
    facts: Facts, text: str, instructions: str
) -> None:
    assert read_processor(text, facts).specs == (("cpu", instructions),)


@pytest.mark.parametrize("text", ["Cortex-A72", "Apple M1", "some new thing", "POWER9"])
def test_a_processor_of_which_nothing_is_known_is_left_open(facts: Facts, text: str) -> None:
    reading = read_processor(text, facts)
    assert (reading.kind, reading.specs) == ("open", ())


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("ppc64le", "linux-ppc64le"),
        ("linux-ppc64le", "linux-ppc64le"),
        ("armv7l", "linux-armv7l"),
        ("i686", "linux-i686"),
        ("win32", "windows-x86"),
    ],
)
def test_platforms_without_wheels_have_names(facts: Facts, text: str, platform: str) -> None:
    assert read_platform(text, facts).specs == (("platform", platform),)


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("Windows x64", "windows-x86_64"),
        ("darwin_arm64", "macos-arm64"),
        ("Linux-5.4.0-42-generic-x86_64-with-glibc2.29", "linux-x86_64"),
        ("Linux-4.9.253-tegra-aarch64-with-Ubuntu-18.04-bionic", "linux-aarch64"),
    ],
)
def test_a_platform_is_found_in_what_python_prints(facts: Facts, text: str, platform: str) -> None:
    assert read_platform(text, facts).specs == (("platform", platform),)


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("20.04", {"os": "ubuntu 20.04"}),
        ("Ubunutu 20.04", {"os": "ubuntu 20.04"}),
        ("UBUNTU 24.4", {"os": "ubuntu 24.04"}),
        ("Apple M1", {"os": "macos", "platform": "macos-arm64"}),
    ],
)
def test_slips_and_what_is_left_out_of_a_system(
    facts: Facts, text: str, specs: dict[str, str]
) -> None:
    assert dict(read_operating_system(text, facts).specs) == specs


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("GTX 4090", "RTX 4090"),
        ("Colab T4", "T4"),
        ("GRID K520", "3.0"),
        ("Irrelevant", "any"),
        ("keine", "none"),
    ],
)
def test_gpus_as_forms_have_them(facts: Facts, text: str, gpu: str) -> None:
    assert read_gpus(text, facts).specs == (("gpu", gpu),)
