"""The attack plays containers and caches that lie; a tfbuild that believes them is found."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.attack import container_builds, container_writes
from benchmarks.attack.container_builds import try_container_builds
from benchmarks.attack.container_files import container_files, read_left
from benchmarks.attack.container_writes import WRITES, Hold
from benchmarks.attack.inputs import Budget, try_inputs
from benchmarks.attack.lying_builds import try_lying_builds
from benchmarks.attack.lying_caches import ask_caches, lying_caches
from benchmarks.attack.lying_server import LyingServer, lied
from benchmarks.attack.messages import Field, fields_of, first, message_of
from benchmarks.attack.oracles import make_canary
from benchmarks.attack.tally import Tally
from tests.shared_libraries import needs
from tfbuild.bazel.probe import Outlook
from tfbuild.core.any_tree import remove_tree
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.foreign_tree import ForeignTree
from tfbuild.products.layout import _take


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """The usual folder, emptied afterwards: pytest itself cannot remove deep folders."""
    yield tmp_path
    for path in tmp_path.iterdir():
        remove_tree(path)


Named = dict[str, Callable[[Hold], None]]


def some_writes(*names: str) -> tuple[Callable[[Hold], None], ...]:
    named: Named = {write.__name__: write for write in WRITES}
    return tuple(named[name] for name in names)


def tried(folder: Path, inputs: int, seed: int = 3) -> Tally:
    budget = Budget(seed=seed, inputs=inputs, seconds=300, jobs=2, hang=60)
    return try_inputs(
        "container files", container_files(folder / "stock"), read_left, budget, folder
    )


def believing(stage: ForeignTree, path: str, name: str, product: Any, prefix: str) -> None:
    """Take a header as one would who trusts what was installed."""
    if not name.endswith(".h"):
        _take(stage, path, name, product, prefix)
        return
    product.tree.make_folders(str(Path(name).parent))
    shutil.copyfile(stage.root / path, product.tree.root / name)


def installing_a_link(guest: Any, *folders: Path) -> None:
    """Be a container that installs a link to a file of the user's."""
    if guest.folders.stage in folders:
        secret = guest.outside / "keys" / "id_secret"
        (guest.folders.stage / "opt/tiny/include/secret.h").symlink_to(secret)


def test_what_is_left_by_a_container_has_no_fault(tmp_path: Path) -> None:
    needs("gcc", "strip")
    found = tried(tmp_path, 4)
    assert (found.tried, found.faults) == (4, [])


def test_who_follows_the_links_of_a_container_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("gcc", "strip")
    monkeypatch.setattr("benchmarks.attack.container_files._Guest.write", installing_a_link)
    assert tried(tmp_path, 2).endings["exit 6"] == 2, "such a link is refused"
    monkeypatch.setattr("tfbuild.products.layout._take", believing)
    faults = [fault.what for fault in tried(tmp_path / "again", 2).faults]
    assert [what.partition(" in ")[0] for what in faults] == ["the secret is"] * 2


@pytest.mark.slow
def test_who_is_stopped_by_deep_folders_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("gcc", "strip")
    monkeypatch.setattr(container_writes, "WRITES", some_writes("_deep", "_modes"))
    monkeypatch.setattr("benchmarks.attack.container_files.remove_tree", shutil.rmtree)
    assert tried(tmp_path, 12).endings["traceback"] > 0


def test_every_write_changes_its_folder_and_nothing_else(tmp_path: Path) -> None:
    for write in set(WRITES):
        for number in range(4):
            chance = random.Random(number)
            place = tmp_path / f"{write.__name__}-{number}"
            canary = make_canary(place / "canary", chance)
            (place / "holes").mkdir()
            (place / "holes" / "a").touch()
            (place / "tree" / "a").mkdir(parents=True)
            (place / "tree" / "a" / "file.json").write_text('{"a": {"b": 1}}\n')
            write(Hold(place / "tree", canary.folder, place / "holes", chance))
            assert canary.fault(b"", place / "none") == "", write.__name__


# --- caches --------------------------------------------------------------------------------------


def asked(folder: Path, inputs: int) -> Tally:
    budget = Budget(seed=3, inputs=inputs, seconds=300, jobs=2, hang=60)
    return try_inputs("lying caches", lying_caches(folder), ask_caches, budget, folder)


def test_caches_that_lie_are_of_no_use_in_time(tmp_path: Path) -> None:
    found = asked(tmp_path, 12)
    assert (found.tried, found.faults) == (12, [])


def test_who_believes_a_cache_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(get: Callable[[], bytes | None], put: Callable[[], None]) -> Outlook:
        put()
        get()
        return Outlook(mb_per_second=9.0)

    monkeypatch.setattr("tfbuild.bazel.probe._measured", measured)
    assert asked(tmp_path, 24).endings["exit 1"] > 1


def test_messages_are_what_was_put_in() -> None:
    inner = message_of([(1, b"a" * 300), (2, 1 << 40)])
    fields: list[Field] = [(1, inner), (3, 7), (15, b"")]
    assert fields_of(message_of(fields)) == fields
    assert first(first(message_of(fields), 1), 1) == b"a" * 300
    for broken in (b"\x08", b"\xff", b"\x80\x80"):
        with pytest.raises(ValueError, match="too early"):
            fields_of(broken)


def test_lies_about_results_name_places_outside() -> None:
    right = message_of([(2, message_of([(1, b"out/a.o"), (2, message_of([(1, b"0"), (2, 1)]))]))])
    server = LyingServer(random.Random(1), 1.0, "/outside")
    lies = [lied(server, right) for _ in range(200)]
    assert any(b"/../outside/b" in lie for lie in lies)
    assert any(b"\n\x0c/outside/new" in lie for lie in lies)
    assert all(lie != right for lie in lies)
    assert server.blobs, "what they name is there to be had"


@pytest.mark.bazel
@pytest.mark.slow
def test_a_build_beside_a_cache_that_lies(tmp_path: Path) -> None:
    found = try_lying_builds(Budget(seed=1, inputs=1, seconds=900, jobs=1), tmp_path)
    assert (found.tried, found.faults) == (1, [])


# --- containers ----------------------------------------------------------------------------------


def test_without_an_engine_nothing_is_counted_as_tried_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(**_: float) -> None:
        raise EnvironmentFailed("there is no engine")

    monkeypatch.setattr(container_builds, "open_engine", none)
    found = try_container_builds(Budget(seed=1, inputs=2, seconds=60, jobs=1), tmp_path)
    assert found.endings == {"no engine here": 2}


@pytest.mark.docker
@pytest.mark.slow
def test_a_build_in_a_container_of_a_hostile_tree(tmp_path: Path) -> None:
    found = try_container_builds(Budget(seed=1, inputs=1, seconds=900, jobs=1), tmp_path)
    assert (found.tried, found.faults) == (1, [])
    assert "no engine here" not in found.endings
