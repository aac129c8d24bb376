"""The cache: what is in it, what may go, and when nothing may."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.core.test_trust import NOBODY, as_root
from tests.failing import fails
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.kept_json import write_kept
from tfbuild.core.parts import part_folder
from tfbuild.fetch.cache import (
    STRANGER,
    cache_id,
    has_used_engine,
    hold_cache,
    list_cache,
    living_server,
    name_cache,
    note_use,
    own_cache,
    prunable,
    prune_cache,
    require_own_cache,
)

DAY = 86400
AA, BB = "a" * 64, "b" * 64  # digests, by which things are kept


def put(cache: Path, name: str, *, size: int = 8192, days: float = 0.0) -> Path:
    make_cache(cache)
    folder = cache / name
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(b"x" * size)
    then = time.time() - days * DAY
    for path in (folder / "file", folder):
        os.utime(path, (then, then))
    return folder


def test_every_kind_is_listed_with_size_and_age(tmp_path: Path) -> None:
    put(tmp_path, f"artifacts/sha256/{AA}", size=100_000, days=3)
    put(tmp_path, f"unpacked/{BB}")
    put(tmp_path, "bazel-disk/ac", days=1)
    put(tmp_path, "not-ours/x")
    found = {entry.kind: entry for entry in list_cache(tmp_path)}
    assert set(found) == {"artifacts", "unpacked", "bazel-disk", STRANGER}
    assert found[STRANGER].name == "not-ours"
    assert found["artifacts"].bytes >= 100_000
    assert found["artifacts"].age_days == pytest.approx(3, abs=0.01)
    assert found["bazel-disk"].name == "bazel-disk"


def test_a_file_with_two_names_is_counted_once(tmp_path: Path) -> None:
    one = put(tmp_path, f"unpacked/{AA}", size=400_000)
    two = tmp_path / "toolkits" / BB[:24]
    two.mkdir(parents=True)
    os.link(one / "file", two / "file")
    total = sum(entry.bytes for entry in list_cache(tmp_path))
    assert 400_000 <= total < 450_000


def test_the_old_goes_and_the_used_stays(tmp_path: Path) -> None:
    old = put(tmp_path, f"unpacked/{AA}", days=40)
    new = put(tmp_path, f"unpacked/{BB}", days=2)
    gone = prune_cache(tmp_path, older_than_days=30)
    assert [entry.name for entry in gone] == [AA]
    assert not old.exists()
    assert new.exists()


def test_write_protected_folders_go_as_well(tmp_path: Path) -> None:
    folder = put(tmp_path, f"bazel/{AA[:32]}")
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("")
    (folder / "deep").chmod(0o555)
    folder.chmod(0o555)
    assert prune_cache(tmp_path, older_than_days=0)
    assert not folder.exists()


def test_nothing_goes_while_a_build_holds_the_cache(tmp_path: Path) -> None:
    kept = put(tmp_path, f"unpacked/{AA}", days=99)
    with hold_cache(tmp_path), hold_cache(tmp_path):
        with fails("cache-in-use", str(tmp_path)):
            prune_cache(tmp_path, older_than_days=0)
        assert kept.exists()
    assert prune_cache(tmp_path, older_than_days=0)


def test_a_link_in_place_of_the_lock_empties_nothing(tmp_path: Path) -> None:
    other = tmp_path / "precious"
    make_cache(tmp_path)
    other.write_text("words")
    (tmp_path / "lock").symlink_to(other)
    with fails("process-lock-is-link", str(tmp_path / "lock")), hold_cache(tmp_path):
        pass
    with fails("process-lock-is-link", str(tmp_path / "lock")):
        prune_cache(tmp_path, older_than_days=0)
    assert other.read_text() == "words"


def test_a_killed_build_holds_nothing(tmp_path: Path) -> None:
    put(tmp_path, f"unpacked/{AA}")
    script = (
        "import sys, time; from pathlib import Path; from tfbuild.fetch.cache import hold_cache\n"
        "with hold_cache(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        with fails("cache-in-use"):
            prune_cache(tmp_path, older_than_days=0)
        process.kill()
    assert prune_cache(tmp_path, older_than_days=0)


def test_the_outputs_of_a_living_bazel_stay(tmp_path: Path) -> None:
    folder = put(tmp_path, f"bazel/{AA[:32]}", days=99)
    (folder / "server").mkdir()
    words = [sys.executable, "-c", "input(print(flush=True))", f"--output_base={folder}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as server:
        assert server.stdout
        server.stdout.read(1)  # it runs
        (folder / "server" / "server.pid.txt").write_text(str(server.pid))
        assert living_server(folder) == server.pid
        assert prune_cache(tmp_path, older_than_days=0) == ()
        assert folder.exists()
    assert living_server(folder) == 0
    (folder / "server" / "server.pid.txt").write_text(str(os.getpid()))
    assert prune_cache(tmp_path, older_than_days=0), "the number is another's by now"


def test_what_no_build_has_put_there_never_goes(tmp_path: Path) -> None:
    folder = put(tmp_path, "photos", days=4000)
    (tmp_path / "notes.txt").write_text("mine")
    assert [entry.name for entry in list_cache(tmp_path)] == ["notes.txt", "photos"]
    assert prune_cache(tmp_path, older_than_days=0) == ()
    assert (folder / "file").exists()


@pytest.mark.parametrize("name", ["bases", "containers", "bazel/install", "bazel/cache"])
def test_records_and_what_bazels_servers_share_are_shown_and_stay(
    tmp_path: Path, name: str
) -> None:
    folder = put(tmp_path, name, size=50_000, days=4000)
    (entry,) = list_cache(tmp_path)
    assert (entry.kind, entry.path) == (name.partition("/")[0], folder)
    assert entry.bytes >= 50_000
    assert prune_cache(tmp_path, older_than_days=0) == ()
    assert folder.exists()


def test_what_a_killed_fetch_has_left_goes_and_a_running_one_stays(tmp_path: Path) -> None:
    left = put(tmp_path, "artifacts/.fetch.abc.part", size=50_000)
    whole = put(tmp_path, f"artifacts/sha256/{AA}")
    with part_folder(tmp_path / "artifacts", "fetch") as running:
        shown = {entry.path for entry in list_cache(tmp_path)}
        assert shown == {left, running, whole}
        assert {entry.path for entry in prune_cache(tmp_path, older_than_days=0)} == {left, whole}
        assert running.exists()


def test_only_what_was_agreed_to_goes(tmp_path: Path) -> None:
    first, second = put(tmp_path, f"unpacked/{AA}", days=9), put(tmp_path, f"unpacked/{BB}", days=9)
    assert {one.path for one in prunable(tmp_path, older_than_days=3)} == {first, second}
    assert first.exists()
    gone = prune_cache(tmp_path, older_than_days=0, agreed={first})
    assert [one.path for one in gone] == [first]
    assert second.exists()


def test_a_cache_remembers_whether_it_has_used_an_engine(tmp_path: Path) -> None:
    assert not has_used_engine(tmp_path)
    note_use(tmp_path, "sha256:a")
    assert has_used_engine(tmp_path)


def test_no_cache_is_an_empty_cache(tmp_path: Path) -> None:
    assert list_cache(tmp_path / "none") == ()
    assert prune_cache(tmp_path / "none", older_than_days=0) == ()


def refuses(cache: Path) -> str:
    """Why the cache is neither used nor emptied."""
    with fails("folder-not-yours", str(cache)), hold_cache(cache):
        pass
    with (
        fails("folder-not-yours", "TFBUILD_CACHE_DIR", f"chmod -R go-w {cache}") as caught,
        own_cache(cache),
    ):
        pass
    return caught.value.why


def test_a_cache_that_others_can_write_is_refused(tmp_path: Path) -> None:
    kept = put(tmp_path / "cache", f"unpacked/{AA}", days=99)
    cache = tmp_path / "cache"
    require_own_cache(tmp_path / "none")  # it will be made
    for folder in (cache, cache / "unpacked"):
        folder.chmod(0o777)
        assert refuses(cache) == f"{folder} can be written by everybody"
        folder.chmod(0o755)
    require_own_cache(cache)
    assert kept.exists()


@as_root
def test_a_cache_of_another_user_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "cache", f"unpacked/{AA}")
    put(tmp_path / "cache", "theirs/aa")
    cache = tmp_path / "cache"
    os.chown(cache / "theirs", NOBODY, -1)
    require_own_cache(cache)  # no place of ours
    for folder in (cache, cache / "unpacked"):
        os.chown(folder, NOBODY, -1)
        assert refuses(cache).startswith(f"{folder} belongs to")
        os.chown(folder, 0, -1)
    (cache / "bazels").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    os.chown(tmp_path / "elsewhere", NOBODY, -1)
    assert "belongs to" in refuses(cache)


def test_a_cache_has_a_name_of_its_own_and_keeps_it_when_it_is_moved(tmp_path: Path) -> None:
    old, new, copy = (tmp_path / name for name in ("old", "new", "copy"))
    assert cache_id(old) == ""
    assert not old.exists()
    name = name_cache(old)
    assert len(name) == 16
    assert cache_id(old) == name_cache(old) == name
    shutil.copytree(old, copy)
    assert cache_id(copy) == "", "the one that it names is still there"
    assert name_cache(copy) not in {name, ""}
    (tmp_path / "link").symlink_to(old)
    assert cache_id(tmp_path / "link") == name
    old.rename(new)
    assert cache_id(new) == name_cache(new) == name
    (new / "id.json").write_text("{}")
    assert cache_id(new) == ""
    assert name_cache(new) != name
    others: tuple[object, ...] = (5, [], {"path": "x"}, {"path": 1, "id": 2})
    for plain in others:
        write_kept(new / "id.json", "id.json", plain)
        assert cache_id(new) == ""


def test_what_tfbuild_names_otherwise_is_not_its_own(tmp_path: Path) -> None:
    make_cache(tmp_path)
    names = (
        "artifacts/2024", "artifacts/sha256/notes", "unpacked/old", "sources/thesis",
        "toolkits/12.4", "bazels/mine", "bazel/rules", "resolutions/text", "environments/py",
        "bazel-disk/disk",
    )  # fmt: skip
    kept = [put(tmp_path, name, days=100) for name in names]
    assert {entry.kind for entry in list_cache(tmp_path)} == {STRANGER}
    assert prune_cache(tmp_path, older_than_days=0) == ()
    assert all((folder / "file").exists() for folder in kept)


def test_a_folder_that_tfbuild_has_not_made_is_not_looked_at(tmp_path: Path) -> None:
    kept = tmp_path / "sources" / AA
    kept.mkdir(parents=True)
    with fails("cache-folder-unmarked"):
        list_cache(tmp_path)
    with fails("cache-folder-unmarked"):
        prune_cache(tmp_path, older_than_days=0)
    with fails("cache-folder-unmarked"), hold_cache(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["sources"]
    assert kept.exists()
