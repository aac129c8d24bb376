"""A matrix goes on after a failure, and says what became of each cell."""

import pytest

from tfbuild.cells import Cell, cell_name, cross, run_cells
from tfbuild.errors import BuildFailed, Interrupted
from tfbuild.records import Pairs


def test_every_combination_once_in_order() -> None:
    cells = cross((("python", ("3.11", "3.13")), ("gcc", ("12", "14"))))
    assert [cell_name(cell) for cell in cells] == [
        "python3.11-gcc12", "python3.11-gcc14", "python3.13-gcc12", "python3.13-gcc14",
    ]  # fmt: skip


def test_names_are_fit_for_folders() -> None:
    assert cell_name((("os", "debian:12"), ("gpu", "RTX 3090"))) == "osdebian_12-gpuRTX_3090"


def test_the_next_cell_is_built_after_a_failure() -> None:
    told: list[str] = []

    def build(axes: Pairs) -> str:
        if dict(axes)["python"] == "3.12":
            raise BuildFailed("it broke", hint="mend it")
        return f"/dist/{cell_name(axes)}.whl"

    cells = cross((("python", ("3.11", "3.12", "3.13")),))
    found = run_cells(cells, build, told.append)
    assert [cell.state for cell in found] == ["passed", "failed", "passed"]
    assert (found[1].message, found[1].hint, found[1].exit_code) == ("it broke", "mend it", 6)
    assert found[2].wheel == "/dist/python3.13.whl"
    assert told[0] == "cell 1 of 3: python=3.11"
    assert "failed: it broke" in told
    assert isinstance(found[0], Cell)


def test_who_stops_one_stops_all() -> None:
    def build(_axes: Pairs) -> str:
        raise Interrupted("stopped")

    with pytest.raises(Interrupted):
        run_cells(cross((("python", ("3.11", "3.12")),)), build, lambda _text: None)
