"""GPU words to architectures."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import a_host, a_request
from tfbuild.core.records import Choice, Gpu
from tfbuild.facts.architectures import choose_architectures, read_gpu
from tfbuild.facts.tables import Tables


def chosen(
    tables: Tables,
    *words: str,
    cuda: str = "13.0",
    gpus: tuple[Gpu, ...] = (),
    machine: str = "x86_64",
    beside: Choice | None = None,
) -> Choice:
    axis = Choice(axis="cuda", value=cuda, evidence="documented", because=("x",))
    choices = [axis, beside] if beside else [axis]
    request = a_request(Path("/out"), architectures=words)
    return choose_architectures(request, tables, a_host(gpus=gpus, machine=machine), choices)


def test_the_default_is_code_of_each_generation_and_ptx(tables: Tables) -> None:
    choice = chosen(tables)
    assert choice.value == "sm_75 sm_80 sm_90 sm_100 sm_120 compute_120"
    assert "sm_86 sm_89 sm_103 sm_121 run the code of an earlier minor version" in choice.because[0]
    assert "without sm_87 sm_88 sm_110, of which no product for x86_64" in choice.because[0]


def test_the_runtime_embeds_the_ptx_that_its_code_is_made_from(tables: Tables) -> None:
    runtime = Choice(axis="runtime", value="0.1.0", evidence="measured", because=("x",))
    assert chosen(tables, beside=runtime).value.split()[-2:] == ["sm_120", "compute_80"]
    assert chosen(tables, "sm_90", beside=runtime).value == "sm_90 compute_90"


def test_the_default_of_an_arm_machine_has_jetsons(tables: Tables) -> None:
    """Their code is theirs alone."""
    names = chosen(tables, machine="aarch64").value.split()
    assert {"sm_80", "sm_87", "sm_110"} <= set(names)
    assert "sm_86" not in names


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("sm_90",), "sm_90 compute_90"),
        (("sm_90", "8.6", "sm_90"), "sm_86 sm_90 compute_90"),
        (("sm_90", "compute_86"), "sm_90 compute_86"),
        (("RTX 3090",), "sm_86 compute_86"),
        (("geforce rtx 3090",), "sm_86 compute_86"),
        (("8.6", "12.0"), "sm_86 sm_120 compute_120"),
        (("Jetson Orin", "H100"), "sm_87 sm_90 compute_90"),
    ],
)
def test_words(tables: Tables, words: tuple[str, ...], value: str) -> None:
    assert chosen(tables, *words).value == value


def test_native_is_what_the_machine_has(tables: Tables) -> None:
    gpu = Gpu(name="H200", architecture="sm_90")
    assert chosen(tables, "native", gpus=(gpu,)).value == "sm_90 compute_90"
    with fails("native-gpu-missing", "gpu=native"):
        chosen(tables, "native")


def test_the_reason_names_the_product(tables: Tables) -> None:
    assert "RTX 3090" in chosen(tables, "RTX 3090").because[0]


def test_what_was_asked_for_is_pinned(tables: Tables) -> None:
    assert chosen(tables, "sm_90").is_pinned
    assert not chosen(tables).is_pinned


@pytest.mark.parametrize("cuda", ["13.0", "13.2"])
def test_every_architecture_of_the_toolkit_can_be_asked_for(tables: Tables, cuda: str) -> None:
    (row,) = [row for row in tables.axis("cuda") if row.version == cuda]
    for name in row.architectures:
        assert chosen(tables, name, cuda=cuda).value.split()[0] == name


def test_an_unknown_product_gets_a_suggestion(tables: Tables) -> None:
    with fails("gpu-unknown", "'RTX 3900 X'", "RTX 3090"):
        read_gpu("RTX 3900 X", tables.gpus(), a_host())


def test_an_architecture_that_the_toolkit_lacks(tables: Tables) -> None:
    with fails("cuda-lacks-architecture", "sm_70", "sm_75"):
        chosen(tables, "sm_70")
    with fails("cuda-lacks-architecture", "sm_107", "cuda=13.4"):
        chosen(tables, "sm_107")
