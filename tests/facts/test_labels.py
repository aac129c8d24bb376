"""What axes are called in sentences."""

from tfbuild.core.axes import AXES
from tfbuild.facts.labels import WORDS, label


def test_an_axis_without_a_name_of_its_own_is_called_as_it_is() -> None:
    assert (label("cudnn"), label("glibc")) == ("cuDNN", "glibc")
    assert all(label(axis) for axis in AXES)


def test_words_are_axes() -> None:
    assert set(AXES) >= WORDS
