"""Archives of source code: what comes out, and what hostile ones cannot do."""

import io
import os
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.inputs.unpack import unpack_source

_THEN = 1_600_000_000


def entry(name: str, content: bytes = b"", **changes: object) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(content), _THEN, 0o644
    for key, value in changes.items():
        setattr(member, key, value)
    return member, content


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.SYMTYPE, linkname=target)


def a_tar(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member, content in members:
            archive.addfile(member, io.BytesIO(content) if content else None)
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_the_top_folder_goes_and_times_and_rights_stay(tmp_path: Path, mode: str) -> None:
    archive = a_tar(
        tmp_path / "tiny.tar",
        entry("tiny-1.0", type=tarfile.DIRTYPE, mode=0o755),
        entry("tiny-1.0/configure", b"#!/bin/sh\n", mode=0o4755),
        entry("tiny-1.0/src/tiny.c", b"int x;\n" * 100_000),
        entry("tiny-1.0/src/same.c", type=tarfile.LNKTYPE, linkname="tiny-1.0/src/tiny.c"),
        link("tiny-1.0/src/link.c", "../src/tiny.c"),
        mode=mode,
    )
    tree = unpack_source(archive, tmp_path / "out" / "tree")
    assert sorted(path.name for path in tree.iterdir()) == ["configure", "src"]
    assert (tree / "configure").stat().st_mode & 0o7777 == 0o755
    assert (tree / "configure").stat().st_mtime == _THEN
    assert (tree / "src/same.c").read_bytes() == b"int x;\n" * 100_000
    assert str((tree / "src/link.c").readlink()) == "../src/tiny.c"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["tree"]


def test_an_archive_without_one_top_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    archive = a_tar(tmp_path / "tiny.tar.gz", entry("a.c", b"1"), entry("b/b.c", b"2"))
    tree = unpack_source(archive, tmp_path / "tree")
    assert sorted(path.name for path in tree.iterdir()) == ["a.c", "b"]


def test_a_zip_comes_out_alike(tmp_path: Path) -> None:
    path = tmp_path / "tiny.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode, content in (
            ("tiny/run.sh", 0o100755, "#!/bin/sh\n"),
            ("tiny/a.c", 0, "int a;"),
            ("tiny/link.c", 0o120777, "a.c"),
        ):
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            info.external_attr = mode << 16
            archive.writestr(info, content)
    tree = unpack_source(path, tmp_path / "tree")
    assert os.access(tree / "run.sh", os.X_OK)
    assert (tree / "link.c").read_text() == "int a;"
    assert (tree / "a.c").stat().st_mtime < _THEN


HOSTILE = {
    "absolute": [entry("/tmp/evil", b"x")],
    "above": [entry("tiny/../../evil", b"x")],
    "absolute link": [entry("tiny/a", b"x"), link("tiny/evil", "/etc/passwd")],
    "link above": [entry("tiny/a", b"x"), link("tiny/evil", "../../evil")],
    "link out of the top folder": [entry("tiny/a", b"x"), link("tiny/evil", "../other")],
    "link by link": [
        entry("tiny/a/b/c", b"x"), link("tiny/one", "a/b/.."), link("tiny/two", "one/../../.."),
    ],
    "file behind a link": [link("tiny/evil", ".."), entry("tiny/evil/x", b"x")],
    "link behind a link": [
        entry("tiny/a", b"x"), link("tiny/evil", "/tmp"), link("tiny/evil/x", "a"),
    ],
    "link to nothing": [entry("tiny/a", type=tarfile.SYMTYPE, linkname="")],
    "name of nothing": [entry("tiny/a", type=tarfile.LNKTYPE, linkname="/etc/passwd")],
    "device": [entry("tiny/evil", type=tarfile.CHRTYPE)],
    "pipe": [entry("tiny/evil", type=tarfile.FIFOTYPE)],
    "long name": [entry("tiny/" + "x" * 300, b"x")],
    "long path": [entry("tiny/" + ("x" * 200 + "/") * 10 + "x", b"x")],
    "file in a file": [entry("tiny/a", b"x"), entry("tiny/a/b", b"x")],
    "file for a folder": [entry("tiny/a/b", b"x"), entry("tiny/a", b"x")],
    "name of itself": [
        entry("tiny/a", b"x"), entry("tiny/a", type=tarfile.LNKTYPE, linkname="tiny/./a"),
    ],
    "link to the top folder's name": [entry("tiny/a", b"x"), link("tiny/evil", "../tiny/a")],
}  # fmt: skip


# The others lead out.
BROKEN = {
    "file behind a link", "link to nothing", "long name", "long path", "file in a file",
    "file for a folder",
    "name of itself",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_leads_out_is_refused_and_nothing_stays(tmp_path: Path, name: str) -> None:
    code = "archive-not-unpackable" if name in BROKEN else "archive-leads-out"
    archive = a_tar(tmp_path / "evil.tar.gz", *HOSTILE[name])
    with fails(code, "evil.tar.gz"):
        unpack_source(archive, tmp_path / "out" / "tree")
    assert list((tmp_path / "out").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"out", "evil.tar.gz"}


def test_a_link_without_an_end_leads_nowhere_else(tmp_path: Path) -> None:
    row = [link(f"tiny/l{n}", f"l{n + 1}") for n in range(2000)]
    members = (entry("tiny/a", b"x"), link("tiny/one", "two"), link("tiny/two", "one"), *row)
    tree = unpack_source(a_tar(tmp_path / "a.tar.gz", *members), tmp_path / "tree")
    assert not (tree / "one").exists()
    last = link("tiny/l2000", "/etc")
    with fails("archive-leads-out", "'tiny/l0'", "/etc"):
        unpack_source(a_tar(tmp_path / "a.tar.gz", *members, last), tmp_path / "other")


def test_a_bomb_is_stopped(tmp_path: Path) -> None:
    archive = a_tar(tmp_path / "bomb.tar.gz", entry("tiny/a", b"\0" * 5_000_000))
    with fails("archive-too-large", "bomb.tar.gz"):
        unpack_source(archive, tmp_path / "tree", most_bytes=1_000_000)
    many = a_tar(tmp_path / "many.tar.gz", *(entry(f"tiny/{n}") for n in range(20)))
    with fails("archive-too-large", "many.tar.gz", "10 "):
        unpack_source(many, tmp_path / "tree", most_members=10)


def test_further_names_of_a_file_count_as_much_as_the_file(tmp_path: Path) -> None:
    """Each is a copy of its own."""
    same = [entry(f"tiny/b{n}", type=tarfile.LNKTYPE, linkname="tiny/a") for n in range(20)]
    archive = a_tar(tmp_path / "bomb.tar.gz", entry("tiny/a", b"\0" * 100_000), *same)
    with fails("archive-too-large", "bomb.tar.gz"):
        unpack_source(archive, tmp_path / "tree", most_bytes=1_000_000)
    assert unpack_source(archive, tmp_path / "tree", most_bytes=3_000_000).is_dir()


@pytest.mark.parametrize(
    "members",
    [
        [entry("/".join(f"{n}{part}" for part in "abcdefgh"), b"x") for n in range(20)],
        [link("/".join(f"{n}{part}" for part in "abcdefgh"), "x") for n in range(20)],
        [entry(f"tiny/{n}", b"x") for n in range(150)],
        [entry(f"tiny/{n}") for n in range(150)],
        [entry(f"tiny/{n}", type=tarfile.DIRTYPE) for n in range(150)],
        [link(f"tiny/{n}", "x") for n in range(150)],
    ],
    ids=["folders", "folders of links", "small files", "empty files", "empty folders", "links"],
)
def test_all_that_takes_room_counts(
    tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]]
) -> None:
    archive = a_tar(tmp_path / "many.tar.gz", *members)
    for limit in ({"most_members": 140}, {"most_bytes": 140 * 4096}):
        with fails("archive-too-large", "many.tar.gz"):
            unpack_source(archive, tmp_path / "tree", **limit)


def test_many_links_to_one_row_are_looked_at_once(tmp_path: Path) -> None:
    row = [link(f"tiny/row{n}", f"row{n + 1}") for n in range(38)]
    many = [link(f"tiny/l{n}", "row0") for n in range(3000)]
    archive = a_tar(tmp_path / "links.tar.gz", entry("tiny/row38", b"x"), *row, *many)
    followed = []
    readlink = os.readlink

    def counted(path: str) -> str:
        followed.append(path)
        return readlink(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "readlink", counted)
        unpack_source(archive, tmp_path / "tree")
    assert len(followed) < 100, "each link's way is gone by itself"


def test_a_zip_cannot_lie_about_a_link_or_pack_it_in_a_rare_way(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    info = zipfile.ZipInfo("p/l")
    info.external_attr, info.compress_type = 0o120777 << 16, zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/a.c", "int x;")
        archive.writestr(info, "a.c" + "/" * 50_000_000)
    raw = path.read_bytes()
    path.write_bytes(raw.replace((50_000_003).to_bytes(4, "little"), (3).to_bytes(4, "little")))
    tracemalloc.start()
    with fails("archive-not-unpackable", "'p/l'"):
        unpack_source(path, tmp_path / "tree")
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("p/a.c", bytes(1_000_000))
    with fails("archive-method-unknown", "p/a.c"):
        unpack_source(path, tmp_path / "tree")


def test_files_of_a_zip_do_not_lie_on_top_of_one_another(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/a.c", "int a;" * 100)
        archive.writestr("p/b.c", "int a;" * 100)
    raw = bytearray(path.read_bytes())
    second = raw.rindex(b"PK\x01\x02")
    raw[second + 42 : second + 46] = bytes(4)
    path.write_bytes(raw)
    with fails("archive-files-overlap", "p/b.c"):
        unpack_source(path, tmp_path / "tree")


def test_a_header_that_would_fill_the_memory_is_stopped(tmp_path: Path) -> None:
    archive = a_tar(
        tmp_path / "header.tar.gz", entry("x", b"1 a=b\n" * 4_000_000, type=tarfile.XHDTYPE)
    )
    with fails("archive-too-large", "header.tar.gz"):
        unpack_source(archive, tmp_path / "tree")


def cut(raw: bytes) -> bytes:
    return raw[: len(raw) // 2]


def changed(raw: bytes) -> bytes:
    place = len(raw) // 3
    return raw[:place] + bytes(byte ^ 0x55 for byte in raw[place : place + 3]) + raw[place + 3 :]


@pytest.mark.parametrize("damage", [cut, changed, lambda _raw: b"no archive", lambda _raw: b""])
@pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w:bz2"])
def test_a_broken_archive_says_so(
    tmp_path: Path, mode: str, damage: Callable[[bytes], bytes]
) -> None:
    archive = a_tar(tmp_path / "tiny.tar", entry("tiny/a", os.urandom(20_000)), mode=mode)
    archive.write_bytes(damage(archive.read_bytes()))
    with fails("archive-not-unpackable", "tiny.tar"):
        unpack_source(archive, tmp_path / "out" / "tree")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_zip_file_that_names_a_place_before_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/a.c", "int x;")
    raw = bytearray(path.read_bytes())
    raw[-6] += 5  # where the directory begins, in the last record
    path.write_bytes(raw)
    with fails("archive-files-overlap", "p/a.c"):
        unpack_source(path, tmp_path / "tree")
