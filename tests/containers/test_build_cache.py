"""Which records of BuildKit's cache are ours, from what an engine says of them."""

from typing import Any

from tfbuild.containers.build_cache import our_records, read_records, read_time
from tfbuild.core.paths import data_folder

EXEC = "mount / from exec /bin/sh -c "
FETCH = EXEC + "export APT_CONFIG=/run/network/apt.conf && apt-get update"
PREPARE = EXEC + "touch apt.conf pip.conf && chmod --recursive a+rX ."


def row(name: str, said: str, parent: str = "", *, second: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "ID": name, "Parent": parent, "Type": "regular", "InUse": False, "Shared": False,
        "Size": 10, "LastUsedAt": f"2026-01-02T03:04:{second:02}.123456789Z", "Description": said,
    } | more  # fmt: skip


ROWS = [
    row("base", "from local "),
    row("workdir", "fileop target", "base"),
    row("copy", "fileop target", "workdir"),
    row("prepare", PREPARE, "copy"),
    row("context", "http url http://build-context-abc"),
    row("unpacked", "fileop target"),
    row("fetch", FETCH, "base", Shared=True),
    row("check", EXEC + "check g++", "fetch"),
    row("apt", "cached mount /var/cache/apt from exec " + FETCH, Type="exec.cachemount"),
    row("foreign", EXEC + "apt-get install vim", "base"),
    row("foreign-copy", "fileop target", "foreign"),
    row("foreign-context", "http url http://build-context-xyz"),
    row("foreign-unpacked", "fileop target"),
]


def names(records: Any) -> list[str]:
    return [record.id for record in records]


def test_ours_are_the_steps_of_our_files_and_what_stands_on_them() -> None:
    found = names(our_records(read_records(ROWS)))
    assert set(found) == {
        "workdir", "copy", "prepare", "fetch", "check", "apt",
    }  # fmt: skip
    order = ["prepare", "copy", "workdir"]
    assert [name for name in found if name in order] == order, "what stands on others goes first"
    assert found.index("check") < found.index("fetch")


def test_what_another_thing_holds_frees_nothing() -> None:
    fetch, apt = (r for r in read_records(ROWS) if r.id in {"fetch", "apt"})
    assert (fetch.bytes, fetch.is_mount) == (0, False)
    assert (apt.bytes, apt.is_mount) == (10, True)


def test_newer_engines_name_several_parents() -> None:
    (record,) = read_records([{"ID": "x", "Parents": ["a", "b"], "Type": "regular"}])
    assert record.parents == ("a", "b")
    assert read_records(None) == ()


def test_times_as_engines_write_them() -> None:
    assert read_time("2026-01-02T03:04:05.123456789Z") == read_time("2026-01-02T03:04:05.123456Z")
    assert read_time("0001-01-01T00:00:00Z") == 0
    assert read_time(None) == read_time("soon") == 0


def test_every_dockerfile_of_ours_is_known_by_its_steps() -> None:
    files = sorted(data_folder("dockerfiles").glob("*.Dockerfile"))
    assert files
    for path in files:
        text = path.read_text()
        assert "RUN touch apt.conf" in text, path.name
        assert "/run/network/apt.conf" in text, path.name
