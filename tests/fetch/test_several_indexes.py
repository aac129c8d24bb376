"""Two indexes: a package comes from the first that has it, and both must agree on a file."""

import hashlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.failing import fails
from tests.shared_libraries import real_tools, tiny_wheel
from tfbuild.core.interfaces import Tools
from tfbuild.core.records import Artifact
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements

pytestmark = pytest.mark.slow  # pip and uv are started again and again


def offer(index: Path, version: str, content: bytes = b"", *, name: str = "tiny_thing") -> Path:
    """Put a wheel on an index, which names its hash."""
    place = index / name.replace("_", "-")
    place.mkdir(parents=True, exist_ok=True)
    wheel = tiny_wheel(place, {f"{name}/more.py": content}, name=name, version=version)
    files = sorted(place.glob("*.whl"))
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    links = [
        f'<a href="{f.name}#sha256={d}">{f.name}</a>' for f, d in zip(files, digests, strict=True)
    ]
    (place / "index.html").write_text("<br>".join(links))
    return wheel


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return tmp_path / "first"


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return tmp_path / "second"


@pytest.fixture
def tools(tmp_path: Path, first: Path, second: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    for index in (first, second):
        index.mkdir()
    monkeypatch.setenv("PIP_INDEX_URL", first.as_uri())
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", second.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return real_tools(tmp_path)


def chosen(tools: Tools, *requirements: str, held: Sequence[Artifact] = ()) -> tuple[Artifact, ...]:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return resolve_requirements(
        requirements or ("tiny-thing",),
        tools,
        python=sys.executable,
        version=version,
        kind="perf",
        held=held,
    )


def test_a_higher_version_on_the_second_index_does_not_win(
    tools: Tools, first: Path, second: Path
) -> None:
    ours = offer(first, "1.0")
    offer(second, "99.0")
    (artifact,) = chosen(tools)
    assert (artifact.version, artifact.filename) == ("1.0", ours.name)
    (fetched,) = fetch([artifact], tools, python=sys.executable)
    assert fetched.read_bytes() == ours.read_bytes()


def test_what_only_the_second_index_has_comes_from_there(
    tools: Tools, first: Path, second: Path
) -> None:
    offer(first, "1.0")
    offer(second, "2.0", name="other_thing")
    found = chosen(tools, "tiny-thing", "other-thing")
    assert [(a.distribution, a.version) for a in found] == [
        ("other-thing", "2.0"),
        ("tiny-thing", "1.0"),
    ]


def test_another_file_under_the_same_name_is_an_error_that_names_both(
    tools: Tools, first: Path, second: Path
) -> None:
    offer(first, "1.0", b"good = 1\n")
    offer(second, "1.0", b"evil = 1\n")
    with fails("indexes-disagree", first.as_uri(), second.as_uri()):
        chosen(tools)


def test_a_version_that_the_first_index_lacks_is_not_taken_from_the_second(
    tools: Tools, first: Path, second: Path
) -> None:
    offer(first, "1.0")
    offer(second, "2.0")
    with fails("pip-failed"):
        chosen(tools, "tiny-thing==2.0")


def test_a_file_by_its_hash_comes_from_the_index_that_has_it(
    tools: Tools, first: Path, second: Path, tmp_path: Path
) -> None:
    ours = offer(first, "1.0", b"good = 1\n")
    (artifact,) = chosen(tools)
    offer(second, "1.0", b"evil = 1\n")
    (fetched,) = fetch([artifact], tools, python=sys.executable)
    assert fetched.read_bytes() == ours.read_bytes()


def test_a_file_that_was_chosen_once_stays_that_file(
    tools: Tools, first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(first, "1.0", b"good = 1\n")
    assert len(chosen(tools)) == 1
    offer(first, "1.0", b"evil = 1\n")
    monkeypatch.setattr("tfbuild.fetch.wheelhouse._LASTS_SECONDS", 0.0)
    with fails("index-file-changed"):
        chosen(tools)


def test_a_release_for_older_pythons_alone_is_not_taken(tools: Tools, first: Path) -> None:
    offer(first, "1.0")
    offer(first, "2.0")
    page = first / "tiny-thing" / "index.html"
    older = '<a data-requires-python="&gt;=3.6,&lt;3.9" href="tiny_thing-2.0'
    page.write_text(page.read_text().replace('<a href="tiny_thing-2.0', older))
    assert [artifact.version for artifact in chosen(tools)] == ["1.0"]


# --- a lock that names the files ------------------------------------------------------------------


@pytest.mark.parametrize("has_several", [True, False], ids=["uv chooses", "pip chooses"])
def test_a_lock_holds_the_version_when_the_indexes_have_moved_on(
    tools: Tools, first: Path, second: Path, monkeypatch: pytest.MonkeyPatch, has_several: bool
) -> None:
    if not has_several:
        monkeypatch.delenv("PIP_EXTRA_INDEX_URL")
    offer(first, "1.0")
    offer(first, "1.0", name="other_thing")
    held = chosen(tools)
    for index in (first, second):
        offer(index, "3.0", name="tiny_thing")
    assert [one.version for one in chosen(tools, "tiny-thing", "other-thing")] == ["1.0", "3.0"]
    assert chosen(tools, held=held) == held
    both = chosen(tools, "tiny-thing", "other-thing", held=held)
    assert [(one.distribution, one.version) for one in both] == [
        ("other-thing", "1.0"),
        ("tiny-thing", "1.0"),
    ], "what the lock does not name is free"


def test_another_file_than_the_lock_names_is_refused(
    tools: Tools, first: Path, tmp_path: Path
) -> None:
    offer(first, "1.0", b"good = 1\n")
    held = chosen(tools)
    shutil.rmtree(tools.folders.cache)
    offer(first, "1.0", b"evil = 1\n")
    with fails("lock-hash-mismatch", held[0].sha256):
        chosen(tools, held=held)
