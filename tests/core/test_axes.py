"""The rows of the axes: each has its facts, and what is wrong in them is pointed at."""

from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.axes import (
    Axis,
    axes,
    beside,
    by_importance,
    is_word,
    label,
    read_axes,
    solving_order,
    with_matrix,
)
from tfbuild.core.paths import data_folder
from tfbuild.facts.targets import all_targets

FILE = data_folder("matrices") / "axes.yaml"


def test_every_axis_has_its_facts() -> None:
    assert set(with_matrix()) == set(axes()) - {"gpu"}
    for axis in with_matrix():
        assert (data_folder("matrices") / f"{axis}.yaml").is_file(), axis


def test_each_order_has_every_axis_and_ends_with_what_nothing_needs() -> None:
    last = [axis for axis in axes() if axis in beside()]
    for order in (tuple(axes()), solving_order(), by_importance()):
        assert sorted(order) == sorted(axes())
        assert list(order[-len(last) :]) == last
    assert solving_order()[:3] == ("platform", "tensorflow", "runtime")
    assert by_importance()[:3] == ("tensorflow", "runtime", "cuda")


def test_an_axis_without_a_name_of_its_own_is_called_as_it_is() -> None:
    assert (label("cudnn"), label("glibc"), label("wood")) == ("cuDNN", "glibc", "wood")


def test_what_is_no_axis_has_no_words() -> None:
    assert [axis for axis in (*axes(), "gpu#2", "wood") if is_word(axis)] == [
        "os", "platform", "cpu",
    ]  # fmt: skip


def test_what_only_some_platforms_have_names_them() -> None:
    known = {name for target in all_targets() for name in (target.tested_as, target.version)}
    assert {row.only_on for row in axes().values() if row.only_on} <= known - {""}


def test_what_a_row_leaves_out_is_usual_beside_a_build(tmp_path: Path) -> None:
    found = read_axes(changed(tmp_path, "{axis: scipy, label: SciPy,", "{axis: scipy,"))["scipy"]
    assert found == Axis(axis="scipy", role="beside")
    assert found.is_optional


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (("label: CUDA", "lable: CUDA"), "entry-field-unknown",
         ("axes.yaml, entry 6 (cuda)", "'lable'", "'label'")),
        (("{axis: h5py, role: beside}", "{axis: h5py}"), "entry-field-missing",
         ("(h5py)", "'role'")),
        (("{axis: h5py, role: beside}", "{axis: h5py, role: aside}"), "entry-field-wrong",
         ("field role", "'aside'")),
        (("of: [runtime]", "of: [runtime, wood]"), "entry-field-wrong",
         ("(runtime), field of", "'wood'")),
        (("minors: '<5'", "minors: some"), "entry-field-wrong", ("(gcc), field minors", "'some'")),
        (("cost: 20, meets", "cost: much, meets"), "entry-field-wrong",
         ("(gpu), field cost", "'much'")),
        (("{axis: gast,", "{axis: h5py,"), "axis-name-twice", ("(h5py)", "'h5py'")),
        (("names: [np]", "names: [py]"), "axis-name-twice", ("(numpy)", "'py'", "python")),
        (("{axis: cudnn,", "{axis: cudn,"), "axis-row-missing", ("'cudnn'", "'cudn'")),
        (("meets: glibc", "meets: glib"), "axis-row-missing", ("'glib'", "'glibc'")),
        (("rows:", "axes:"), "matrix-rows-missing", ("axes.yaml",)),
    ],
)  # fmt: skip
def test_an_error_names_its_place(
    tmp_path: Path, change: tuple[str, str], code: str, named: tuple[str, ...]
) -> None:
    path = changed(tmp_path, *change)
    with fails(code, *named):
        read_axes(path)


def changed(folder: Path, old: str, new: str) -> Path:
    """The file of this installation with one thing changed."""
    text = FILE.read_text()
    assert old in text
    path = folder / "axes.yaml"
    path.write_text(text.replace(old, new, 1))
    return path
