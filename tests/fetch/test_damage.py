"""Damage in the cache: with the real pip, it is reported, thrown away, and fetched anew."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.sealing import seal_as_it_is
from tests.shared_libraries import tiny_wheel
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Artifact
from tfbuild.fetch.damage import artifact_path, tree_path
from tfbuild.fetch.seals import SEAL, find_damage, sealed_digests
from tfbuild.fetch.wheelhouse import fetch, unpack_all

LIBRARY = "tiny_thing/lib.so"
CONTENT = b"x" * 1000


pytestmark = pytest.mark.slow  # pip and uv are started again and again


@pytest.fixture
def tiny(fake_env: FakeEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Artifact:
    """A wheel that the real pip finds in the folder index/, fetched and unpacked."""
    (tmp_path / "index").mkdir()
    wheel = tiny_wheel(tmp_path / "index", {LIBRARY: CONTENT}, tags="py3-none-any")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    fake_env.tools = replace(fake_env.tools, runner=ProcessRunner())
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    made = Artifact(
        distribution="tiny-thing", version="1.0", filename=wheel.name, sha256=digest, kind="build"
    )
    unpack_all([made], fake_env.tools)
    return made


def warnings(env: FakeEnvironment) -> list[str]:
    return [words[1] for words in env.reporter.said if words[0] == "warn"]


def flip(path: Path) -> None:
    """Change one byte, and give the file the times that it had."""
    state = path.stat()
    with path.open("r+b") as stream:
        stream.seek(state.st_size // 2)
        byte = stream.read(1)[0]
        stream.seek(state.st_size // 2)
        stream.write(bytes([byte ^ 1]))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


TREE_DAMAGE: list[Callable[[Path], object]] = [
    lambda tree: flip(tree / LIBRARY),
    lambda tree: (tree / LIBRARY).unlink(),
    lambda tree: (tree / "lib.so").write_bytes(b"another of that name"),
    lambda tree: (tree / SEAL).unlink(),
]


@pytest.mark.parametrize("change", TREE_DAMAGE)
def test_a_damaged_tree_is_unpacked_anew(
    fake_env: FakeEnvironment, tiny: Artifact, change: Callable[[Path], object]
) -> None:
    tree = tree_path(tiny, fake_env.tools)
    change(tree)
    assert unpack_all([tiny], fake_env.tools) == (tree,)
    assert (tree / LIBRARY).read_bytes() == CONTENT
    assert find_damage(tree, in_full=True) == ""
    (said,) = warnings(fake_env)
    assert said.startswith("damaged in the cache, and unpacked anew: tiny-thing 1.0 (")
    assert unpack_all([tiny], fake_env.tools) == (tree,)
    assert len(warnings(fake_env)) == 1
    assert list(tree.parent.iterdir()) == [tree]


def test_what_no_time_shows_is_found_in_full(fake_env: FakeEnvironment, tiny: Artifact) -> None:
    tree = tree_path(tiny, fake_env.tools)
    known = sealed_digests(tree)
    flip(tree / LIBRARY)
    seal_as_it_is(tree, known=known)
    unpack_all([tiny], fake_env.tools, in_full=True)
    assert (tree / LIBRARY).read_bytes() == CONTENT
    assert f"({LIBRARY} was changed)" in warnings(fake_env)[0]


@pytest.mark.parametrize(
    "change",
    [
        flip,
        lambda path: path.write_bytes(b""),
        lambda path: os.truncate(path, 100),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), path.symlink_to("none")),
    ],
)
@pytest.mark.parametrize("is_sealed", [True, False])
def test_a_damaged_file_is_fetched_anew(
    fake_env: FakeEnvironment, tiny: Artifact, change: Callable[[Path], object], is_sealed: bool
) -> None:
    path = artifact_path(tiny, fake_env.tools)
    change(path)
    if not is_sealed:
        (path.parent / SEAL).unlink()
    assert fetch([tiny], fake_env.tools) == (path,)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == tiny.sha256
    assert warnings(fake_env) == [f"damaged in the cache, and thrown away: {tiny.filename}"]


def test_a_file_without_a_seal_is_read_and_believed(
    fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    path = artifact_path(tiny, fake_env.tools)
    for damage in ((path.parent / SEAL).unlink, lambda: (path.parent / SEAL).write_text("{}")):
        damage()
        assert fetch([tiny], replace(fake_env.tools, runner=fake_env.runner)) == (path,)
        assert (path.parent / SEAL).is_file()
    assert warnings(fake_env) == []


def test_nothing_is_unpacked_of_a_damaged_file(fake_env: FakeEnvironment, tiny: Artifact) -> None:
    flip(artifact_path(tiny, fake_env.tools))
    flip(tree_path(tiny, fake_env.tools) / LIBRARY)
    (tree,) = unpack_all([tiny], fake_env.tools)
    assert (tree / LIBRARY).read_bytes() == CONTENT
    assert len(warnings(fake_env)) == 2


def test_damage_that_cannot_be_repaired_is_a_failed_fetch_that_names_the_file(
    fake_env: FakeEnvironment, tiny: Artifact, tmp_path: Path
) -> None:
    (tmp_path / "index" / tiny.filename).unlink()
    flip(artifact_path(tiny, fake_env.tools))
    with fails("cached-file-damaged", tiny.filename, "tiny-thing 1.0"):
        fetch([tiny], fake_env.tools)
    flip(tree_path(tiny, fake_env.tools) / LIBRARY)
    with fails("cached-file-damaged", f"tiny-thing 1.0 ({LIBRARY}"):
        unpack_all([tiny], fake_env.tools)
    with fails("pip-failed", "tiny-thing 1.0"):
        unpack_all([tiny], fake_env.tools)
