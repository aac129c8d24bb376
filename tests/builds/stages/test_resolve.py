"""One choice per axis, with its reason; what cannot be is named with the facts that collide."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RUNNING, a_host, a_request
from tfbuild.builds.stages.resolve import resolve
from tfbuild.core.records import Choice, Host, Interpreter, Pin, Program, Versions
from tfbuild.facts.ranges import select
from tfbuild.facts.tables import Tables


def solve(tables: Tables, host: Host, *pins: str, recipe: str = "cpu", **more: object) -> Versions:
    made = []
    for text in pins:
        axis, _, spec = text.partition("=")
        made.append(Pin(axis=axis, spec=spec))
    request = a_request(Path("/out"), recipe=recipe, pins=tuple(made), **more)
    return resolve(request, tables, host)


def choice(versions: Versions, axis: str) -> Choice:
    return next(c for c in versions.choices if c.axis == axis)


def test_every_axis_of_the_recipe_is_chosen_with_a_reason(tables: Tables, host: Host) -> None:
    for recipe in ("cpu", "cuda"):
        versions = solve(tables, host, recipe=recipe)
        assert tuple(c.axis for c in versions.choices) == tables.recipe(recipe).axes
        assert all(c.value and all(c.because) and c.because for c in versions.choices)


def test_the_answer_satisfies_every_requirement(tables: Tables, host: Host) -> None:
    versions = solve(tables, host, recipe="cuda")
    chosen = {c.axis: c.value for c in versions.choices}
    for axis, value in chosen.items():
        if axis in {"gpu", "glibc"}:
            continue
        (row,) = [row for row in tables.axis(axis) if row.version == value]
        for other, spec in row.requires:
            if other in chosen and other not in {"gpu", "glibc"}:
                assert select(spec, [chosen[other]]), f"{axis} {value} needs {other} {spec}"


def test_the_machine_is_preferred(tables: Tables, host: Host) -> None:
    versions = solve(tables, host)
    assert choice(versions, "python").value == RUNNING
    assert choice(versions, "bazel").value == "4.2.3"
    assert choice(versions, "gcc").value == "12.2"
    assert any("this machine has GCC 12.2" in text for text in choice(versions, "gcc").because)
    newest = choice(solve(tables, host, prefer="newest,here"), "python").value
    spec = dict(tables.axis("runtime")[0].requires)["python"]
    assert newest == next(r.version for r in tables.axis("python") if select(spec, [r.version]))


def test_without_programs_the_tried_default_is_taken(tables: Tables) -> None:
    versions = solve(tables, a_host(bazels=(), compilers=()))
    assert choice(versions, "bazel").value == "4.2.3"
    assert choice(versions, "bazel").evidence in {"measured", "proven"}


def test_an_interpreter_with_headers_comes_first(tables: Tables) -> None:
    other = "3.12" if RUNNING != "3.12" else "3.13"
    host = a_host(
        pythons=(
            Interpreter(path="/a", version=f"{RUNNING}.1", tag="x"),
            Interpreter(path="/b", version=f"{other}.4", tag="y", headers="/include"),
        )
    )
    assert choice(solve(tables, host), "python").value == other


def test_a_pin_beats_the_machine(tables: Tables, host: Host) -> None:
    versions = solve(tables, host, "python=3.13")
    chosen = choice(versions, "python")
    assert (chosen.value, chosen.is_pinned) == ("3.13", True)
    assert "asked for: python=3.13 (command line)" in chosen.because
    assert not choice(versions, "gcc").is_pinned


def test_a_patch_release_means_its_row(tables: Tables, host: Host) -> None:
    assert choice(solve(tables, host, "python=3.12.4"), "python").value == "3.12"


def test_numpy_follows_python(tables: Tables, host: Host) -> None:
    assert choice(solve(tables, host, "python=3.10"), "numpy").value == "2.2.6"


@pytest.mark.parametrize("cuda", ["13.0", "13.2"])
def test_cudnn_follows_cuda(tables: Tables, host: Host, cuda: str) -> None:
    versions = solve(tables, host, f"cuda={cuda}", recipe="cuda")
    assert choice(versions, "cuda").value == cuda
    (row,) = [r for r in tables.axis("cudnn") if r.version == choice(versions, "cudnn").value]
    assert select(dict(row.requires)["cuda"], [cuda])


@pytest.mark.parametrize(
    ("pins", "code", "words"),
    [
        (("python=3.7",), "versions-collide", ("python=3.7 (command line)", "python=3.1")),
        (("python=3.10", "numpy=2.5"), "versions-collide", ("2.5.2", "2.5.5", ">=3.12", "=2.2.6")),
        (("cuda=12.4",), "versions-collide", (">=13.0,<13.6", "cuda=13.0")),
        (("cuda=12.7",), "versions-collide", ("12.6", "12.8", "cuda=13.0")),
        (("bazel=0.26.1",), "versions-collide", (">=3.5,<8", "bazel=4")),
        (("bazel=99",), "version-not-covered", ("bazel=99",)),
        (("glibc=2.99",), "version-not-covered", ("glibc=2.99", "glibc=2.36")),
        (("glibc=2.31",), "versions-collide", ("glibc=2.31 (command line)", "glibc=2.36")),
        (("cuda=13.0", "cudnn=8.9.6"), "versions-collide", ("cuda=13.0", "cudnn=8.9.6")),
    ],
)
def test_no_solution_names_the_facts_and_a_way_out(
    tables: Tables, host: Host, pins: tuple[str, ...], code: str, words: tuple[str, ...]
) -> None:
    with fails(code, *words) as caught:
        solve(tables, host, *pins, recipe="cuda")
    assert caught.value.hint


def test_the_hint_of_a_conflict_works(tables: Tables, host: Host) -> None:
    with fails("versions-collide") as caught:
        solve(tables, host, "python=3.10", "numpy=2.5")
    ways = re.findall(r"[a-z]+=[0-9.]+", caught.value.hint)
    assert len(ways) > 1
    for way in ways:
        axis = way.partition("=")[0]
        kept = [pin for pin in ("python=3.10", "numpy=2.5") if not pin.startswith(f"{axis}=")]
        assert solve(tables, host, *kept, way).choices


def test_a_source_that_no_row_knows(tables: Tables, host: Host) -> None:
    request = replace(a_request(Path("/out")), source_version="9.9.9")
    with fails("version-not-covered", "version.txt", "9.9.9"):
        resolve(request, tables, host)


def test_compilers_out_of_range_are_not_preferred(tables: Tables) -> None:
    host = a_host(compilers=(Program(name="g++", path="/g++", version="8.3.0"),))
    gcc = choice(solve(tables, host), "gcc")
    assert select(">=9,<17", [gcc.value])
    assert not any("this machine has" in text for text in gcc.because)


def test_strict_takes_only_what_was_tested(tables: Tables, host: Host) -> None:
    tested = [row for row in tables.tested() if row.runtime and row.device == "cpu"]
    versions = solve(tables, a_host(pythons=()), strict=True)
    chosen = tuple(choice(versions, axis).value for axis in ("python", "bazel", "gcc"))
    assert chosen in [(row.python, row.bazel, row.gcc) for row in tested]
    with fails("versions-collide", "gcc=9 (command line)"):
        solve(tables, host, "gcc=9", strict=True)


def test_the_ground_is_that_of_the_machine(tables: Tables) -> None:
    with fails("versions-collide", "linux-aarch64", "linux-x86_64"):
        solve(tables, a_host(machine="aarch64"))
