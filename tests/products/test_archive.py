"""Archives of products: the same bytes, and what comes out of them."""

import os
import tarfile
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.products.archive import pack, unpack_own


def a_folder(folder: Path, *, moment: int) -> Path:
    (folder / "lib").mkdir(parents=True)
    for name, mode in (("lib/libx.so.1", 0o700), ("z", 0o600), ("a", 0o666)):
        (folder / name).write_text(name)
        (folder / name).chmod(mode)
        os.utime(folder / name, (moment, moment))
    (folder / "lib/libx.so").symlink_to("libx.so.1")
    return folder


def test_the_same_content_is_the_same_bytes(tmp_path: Path) -> None:
    one = pack(a_folder(tmp_path / "one", moment=1), tmp_path / "1.tar.gz", top="x-1.0")
    other = pack(a_folder(tmp_path / "b", moment=99), tmp_path / "2" / "2.tar.gz", top="x-1.0")
    assert one.read_bytes() == other.read_bytes()
    with tarfile.open(one) as archive:
        members = archive.getmembers()
    assert [m.name for m in members] == [
        "x-1.0/a", "x-1.0/lib/libx.so", "x-1.0/lib/libx.so.1", "x-1.0/z",
    ]  # fmt: skip
    assert [m.mode for m in members] == [0o644, 0o777, 0o755, 0o644]
    assert {(m.uid, m.gid, m.uname, m.mtime) for m in members} == {(0, 0, "", 315532800)}


def test_its_time_is_that_of_the_source_code_where_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    path = pack(a_folder(tmp_path / "one", moment=1), tmp_path / "1.tar.gz", top="x")
    with tarfile.open(path) as archive:
        assert {m.mtime for m in archive.getmembers()} == {1000000000}


def test_what_was_packed_comes_out(tmp_path: Path) -> None:
    path = pack(a_folder(tmp_path / "one", moment=1), tmp_path / "1.tar.gz", top="x")
    out = unpack_own(path, tmp_path / "out")
    assert (out / "lib/libx.so").read_text() == "lib/libx.so.1"
    assert (out / "a").stat().st_mode & 0o777 == 0o644
    path.write_bytes(path.read_bytes()[:100])
    with fails("archive-not-unpackable", path.name):
        unpack_own(path, tmp_path / "other")


def test_what_grows_beyond_all_products_is_not_unpacked(tmp_path: Path) -> None:
    (tmp_path / "zeros").mkdir()
    with (tmp_path / "zeros" / "libx.so").open("wb") as stream:
        stream.truncate(400 << 20)
    archive = pack(tmp_path / "zeros", tmp_path / "zeros.tar.gz", top="x")
    assert archive.stat().st_size < 1 << 20
    with fails("archive-too-large", archive.name):
        unpack_own(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "one", moment=1)
    Path(os.fsdecode(os.fsencode(folder) + b"/lib/\xfe.so")).touch()
    archive = pack(folder, tmp_path / "1.tar.gz", top="x")
    with fails("archive-name-not-utf8", archive.name):
        unpack_own(archive, tmp_path / "out")
