"""Both orders name the same axes, and each axis but gpu has a file of facts."""

from tfbuild.core.axes import AXES, SOLVING_ORDER
from tfbuild.core.paths import data_folder


def test_both_orders_hold_every_axis_once() -> None:
    assert sorted(AXES) == sorted(SOLVING_ORDER)
    assert len(set(AXES)) == len(AXES)


def test_every_axis_has_its_facts() -> None:
    for axis in set(AXES) - {"gpu"}:
        assert (data_folder("matrices") / f"{axis}.yaml").is_file(), axis
