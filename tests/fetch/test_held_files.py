"""What a lock names must be what an index gives."""

from dataclasses import replace

import pytest

from tests.failing import fails
from tfbuild.core.records import Artifact
from tfbuild.fetch.held_files import held_versions, require_held


def a_file(name: str, version: str, sha256: str = "ab" * 32) -> Artifact:
    return Artifact(
        distribution=name, version=version, filename=f"{name}-{version}-py3-none-any.whl",
        sha256=sha256, kind="perf",
    )  # fmt: skip


def test_versions_are_held_where_a_lock_names_one() -> None:
    held = (a_file("torch", "2.1"), a_file("numpy", "2.3"), a_file("torch", "2.2"))
    assert held_versions(held) == ("numpy==2.3",)
    assert held_versions(()) == ()


def test_one_spelling_of_a_name_is_as_good_as_another() -> None:
    held = (replace(a_file("my-thing", "1"), distribution="My.Thing"),)
    assert held_versions(held) == ("my-thing==1",)
    with fails("lock-hash-mismatch", "my-thing-1"):
        require_held((a_file("my-thing", "1", "cd" * 32),), held)


@pytest.mark.parametrize("word", ["a @ http://h/a.whl\n#", "a\n--index-url=http://h", "-e ."])
def test_a_lock_adds_no_line(word: str) -> None:
    for held in (replace(a_file("a", "1"), distribution=word), a_file("a", word)):
        with fails("pin-malformed"):
            held_versions((held,))


def test_one_of_the_held_files_is_right() -> None:
    held = (a_file("torch", "2.1"), a_file("torch", "2.2"))
    require_held((held[1], a_file("numpy", "2.3")), held)
    require_held(held, ())


@pytest.mark.parametrize("other", [a_file("torch", "2.3"), a_file("torch", "2.1", "cd" * 32)])
def test_any_other_file_of_a_held_package_is_wrong(other: Artifact) -> None:
    with fails("lock-hash-mismatch", "torch-2.2"):
        require_held((other,), (a_file("torch", "2.1"), a_file("torch", "2.2")))
