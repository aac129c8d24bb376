"""Names as people say them, on the project's own tables."""

import pytest

from tests.failing import fails
from tfbuild.facts.names import (
    find_gpu,
    gpu_aliases,
    plain_gpu,
    read_capability,
    read_spec,
    system_name,
)
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables


@pytest.fixture
def facts(tables: Tables) -> Facts:
    return load_facts(tables)


@pytest.mark.parametrize(
    ("word", "capability"),
    [
        ("RTX 3090", "8.6"),
        ("rtx3090", "8.6"),
        ("rtx-3090", "8.6"),
        ("NVIDIA GeForce RTX 3090", "8.6"),
        ("RTX 3090 Ti", "8.6"),
        ("GTX 1080 Ti", "6.1"),
        ("A100", "8.0"),
        ("A100 80GB", "8.0"),
        ("NVIDIA A100-SXM4-80GB", "8.0"),
        ("H100 PCIe", "9.0"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("Tesla P100-PCIE-16GB", "6.0"),
        ("Tesla V100", "7.0"),
        ("t4", "7.5"),
        ("Jetson Orin", "8.7"),
        ("Jetson Xavier", "7.2"),
        ("RTX 5090", "12.0"),
        ("RTX A6000", "8.6"),
    ],
)
def test_a_product_has_its_capability(facts: Facts, word: str, capability: str) -> None:
    found, name = read_capability(word, facts.gpus)
    assert found == capability
    assert name in {row.name for row in facts.gpus}


@pytest.mark.parametrize(
    ("word", "capability"),
    [("sm_86", "8.6"), ("SM86", "8.6"), ("compute_120", "12.0"), ("sm_90a", "9.0"), ("8.6", "8.6")],
)
def test_an_architecture_needs_no_product(word: str, capability: str) -> None:
    assert read_capability(word, ()) == (capability, "")


def test_every_product_is_found_by_its_own_name(facts: Facts) -> None:
    wrong = {
        row.name: found.capability
        for row in facts.gpus
        if (found := find_gpu(row.name, facts.gpus)).capability != row.capability
    }
    assert wrong == {}


def test_another_name_of_a_gpu_means_it_alone(facts: Facts) -> None:
    others = {row.name: gpu_aliases(row, facts.gpus) for row in facts.gpus}
    assert others["GeForce RTX 3090"] == ("RTX 3090",)
    assert others["A100"] == others["GeForce GT 730 (DDR3, 128 bit)"] == ()
    for name, aliases in others.items():
        assert [find_gpu(alias, facts.gpus).name for alias in aliases] in ([], [name])


@pytest.mark.parametrize(
    ("word", "meant"),
    [("RTX 309", "RTX 3090"), ("RTX 3909", "RTX 3090"), ("GTX1080 Tii", "GTX 1080 Ti")],
)
def test_a_mistyped_product_is_guessed(facts: Facts, word: str, meant: str) -> None:
    with fails("gpu-unknown", f"'{word}'") as caught:
        read_capability(word, facts.gpus)
    assert meant in caught.value.hint


def test_what_is_like_nothing_gets_another_way(facts: Facts) -> None:
    with fails("gpu-unknown", "'abacus'", "sm_"):
        read_capability("abacus", facts.gpus)


def test_a_family_of_several_capabilities_is_no_gpu(facts: Facts) -> None:
    with fails("gpu-unknown", "'GeForce GTX'"):
        read_capability("GeForce GTX", facts.gpus)


def test_plain_gpu() -> None:
    assert plain_gpu("NVIDIA GeForce RTX 3090") == plain_gpu("rtx3090") == "rtx3090"
    assert plain_gpu("A100-SXM4-40GB") == plain_gpu("A100 PCIe 80 GB") == "a100"


@pytest.mark.parametrize(
    ("word", "row"),
    [
        ("ubuntu 22.04", "ubuntu 22.04"),
        ("ubuntu:22.04", "ubuntu 22.04"),
        ("Ubuntu-22.04", "ubuntu 22.04"),
        ("Ubuntu 22.04 LTS", "ubuntu 22.04"),
        ("jammy", "ubuntu 22.04"),
        ("ubuntu:jammy", "ubuntu 22.04"),
        ("debian:12", "debian 12"),
        ("debian12", "debian 12"),
        ("debian 12.5", "debian 12"),
        ("bookworm", "debian 12"),
        ("debian:bookworm", "debian 12"),
        ("rhel 8", "rocky 8"),
        ("RHEL8.6", "rocky 8"),
        ("ubi8", "rocky 8"),
        ("rocky 9.3", "rocky 9"),
        ("almalinux:9", "alma 9"),
        ("centos7", "centos 7"),
        ("Amazon Linux 2", "amazonlinux 2"),
        ("macos 14", "macos"),
        ("osx", "macos"),
        ("windows 11", "windows"),
    ],
)
def test_a_system_has_its_row(facts: Facts, word: str, row: str) -> None:
    assert read_spec("os", word, facts) == row


def test_a_family_of_systems_is_any_of_it(facts: Facts) -> None:
    debians = read_spec("os", "debian", facts).split(" | ")
    assert len(debians) > 2
    assert set(debians) <= set(facts.versions("os"))


def test_a_mistyped_system_is_guessed(facts: Facts) -> None:
    with fails("os-unknown", "'ubunut 22.04'", "'ubuntu 22.04'"):
        read_spec("os", "ubunut 22.04", facts)


def test_the_form_of_a_system_without_a_row() -> None:
    assert system_name("Alpine:3.19") == "alpine 3.19"
    assert system_name("Rocky Linux 8.9") == "rocky 8"


@pytest.mark.parametrize(
    ("word", "platform"),
    [
        ("linux/amd64", "linux-x86_64"),
        ("linux", "linux-x86_64"),
        ("linux x86_64", "linux-x86_64"),
        ("linux/arm64", "linux-aarch64"),
        ("aarch64", "linux-aarch64"),
        ("apple silicon", "macos-arm64"),
        ("macOS arm64", "macos-arm64"),
        ("macos-x86_64", "macos-x86_64"),
        ("win64", "windows-x86_64"),
    ],
)
def test_a_platform_has_its_name(facts: Facts, word: str, platform: str) -> None:
    assert read_spec("platform", word, facts) == platform


def test_a_mistyped_platform_is_guessed(facts: Facts) -> None:
    with fails("platform-unknown", "'linux-x86-64'", "'linux-x86_64'"):
        read_spec("platform", "linux-x86-64", facts)


@pytest.mark.parametrize(
    ("axis", "word", "spec"),
    [
        ("python", "py311", "3.11"),
        ("python", "cp39", "3.9"),
        ("python", "python3.10", "3.10"),
        ("python", "CPython 3.8", "3.8"),
        ("python", "27", "2.7"),
        ("python", ">=3.9,<3.12", ">=3.9,<3.12"),
        ("cuda", "cu121", "12.1"),
        ("cuda", "cu118", "11.8"),
        ("cuda", "cu12", "12"),
        ("cuda", "cu92", "9.2"),
        ("cuda", "none", "none"),
        ("cuda", "Any", "any"),
        ("tensorflow", "v2.6.5", "2.6.5"),
        ("numpy", " 1.19.5 ", "1.19.5"),
        ("gcc", ">=9", ">=9"),
    ],
)
def test_versions_in_other_clothes(facts: Facts, axis: str, word: str, spec: str) -> None:
    assert read_spec(axis, word, facts) == spec


def test_no_gpu_has_an_endless_name() -> None:
    with fails("gpu-name-too-long", "100,000"):
        find_gpu("(" * 100_000, ())
