"""Comments beside and above the fields of a record are what they mean."""

from dataclasses import dataclass

from tfbuild.core.field_comments import comments_of, summary_of


@dataclass(frozen=True)
class Sample:
    """A sample.

    Of records.
    """

    first: str  # behind it
    # above it,
    # in two lines
    second: tuple[int, ...] = ()
    third: int = 0
    fourth: int = 1
    # apart

    fifth: str = "#"
    sixth: tuple[int, ...] = (
        0,
        1,
    )  # behind its last line


@dataclass(frozen=True)
class More(Sample):
    """More."""

    first: str = ""  # another meaning
    seventh: str = ""  # its own


def test_fields_are_inherited_with_their_comments() -> None:
    assert comments_of(More) == {
        **comments_of(Sample),
        "first": "another meaning", "seventh": "its own",
    }  # fmt: skip


def test_comments_of_fields() -> None:
    assert comments_of(Sample) == {
        "first": "behind it", "second": "above it, in two lines", "sixth": "behind its last line",
    }  # fmt: skip


def test_the_first_line_of_what_a_record_is() -> None:
    assert (summary_of(Sample), summary_of(None)) == ("A sample.", "")
