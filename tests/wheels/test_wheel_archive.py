"""Archives that are damaged, or made to fill a disk, are refused before they are read."""

import random
import re
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tests.failing import fails
from tests.source_files import module_files, name_of
from tfbuild.core.errors import BadRequest, FetchFailed
from tfbuild.fetch.unpack import unpack_wheel
from tfbuild.wheels import wheel_archive
from tfbuild.wheels.wheel_archive import open_archive, open_entry, read_entry
from tfbuild.wheels.wheel_file import open_wheel, write_wheel

NAME = "a-1-py3-none-any.whl"


def archive_of(folder: Path, method: int = zipfile.ZIP_DEFLATED, **files: bytes) -> Path:
    path = folder / NAME
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def refusal(path: Path, code: str = "wheel-zip-refused") -> str:
    """Why it is refused, by each that reads wheels; code is what the one that looks inside says."""
    with pytest.raises(ValueError, match=r"\w") as caught, open_archive(path):
        pass
    with fails(code):
        open_wheel(path)
    with pytest.raises(FetchFailed):
        unpack_wheel(path, path.parent / "out")
    assert not (path.parent / "out").exists()
    return str(caught.value)


def test_an_honest_one_is_opened(tmp_path: Path) -> None:
    with open_archive(archive_of(tmp_path, a=b"x" * 5_000_000, b=b"")) as archive:
        assert len(archive.read("a")) == 5_000_000


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    assert "more than 100 times" in refusal(archive_of(tmp_path, a=bytes(20_000_000)))


def test_one_that_lies_about_its_size_gives_no_more_than_it_says(tmp_path: Path) -> None:
    path = archive_of(tmp_path, a=bytes(20_000_000))
    raw = path.read_bytes()
    path.write_bytes(raw.replace(struct.pack("<L", 20_000_000), struct.pack("<L", 1000)))
    with pytest.raises(ValueError, match="CRC"), open_archive(path) as archive:
        archive.read("a")


@pytest.mark.parametrize("says", [0, 1000])
def test_one_that_lies_about_its_size_takes_no_memory(tmp_path: Path, says: int) -> None:
    """ZipFile.read unpacks all of it, or 2 GB, before it throws away what is too much."""
    path = archive_of(tmp_path, a=bytes(50_000_000))
    raw = path.read_bytes()
    path.write_bytes(raw.replace(struct.pack("<L", 50_000_000), struct.pack("<L", says)))
    tracemalloc.start()
    with open_archive(path) as archive, pytest.raises(zipfile.BadZipFile, match="CRC"):
        read_entry(archive, "a")
    with fails("wheel-info-missing"):
        open_wheel(path)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_entries_of_other_methods_are_not_opened(tmp_path: Path, method: int) -> None:
    path = archive_of(tmp_path, method, a=b"x" * 1000)
    with zipfile.ZipFile(path) as archive:
        for read in (read_entry, open_entry):
            with pytest.raises(NotImplementedError, match="packed"):
                read(archive, "a")
            with pytest.raises(KeyError):
                read(archive, "b")


def test_every_reader_of_entries_has_these_limits() -> None:
    for path in module_files():
        if name_of(path) != "wheels/wheel_archive":
            assert not re.search(r"\b(archive|opened)\.(read|open)\([a-z]", path.read_text()), path


def test_files_on_top_of_each_other_are_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path, a=b"x" * 1000, b=b"x" * 1000)
    raw = bytearray(path.read_bytes())
    second = raw.rindex(b"PK\x01\x02")
    raw[second + 42 : second + 46] = bytes(4)  # where its content begins
    path.write_bytes(raw)
    assert "on top of another" in refusal(path, "wheel-info-missing")


def test_files_that_together_are_larger_than_the_archive_are_refused(tmp_path: Path) -> None:
    """Each names the same content, which is read again for each: its time is not that of a size."""
    path = archive_of(tmp_path, zipfile.ZIP_STORED, **{f"f{n}": b"x" * 1000 for n in range(9)})
    raw = bytearray(path.read_bytes())
    last = raw.rindex(b"PK\x01\x02")
    raw[last + 20 : last + 28] = struct.pack("<LL", 9000, 9000)
    path.write_bytes(raw)
    assert "on top of one another" in refusal(path)


@pytest.mark.parametrize("depth", [101, 1500])
def test_files_in_too_many_folders_are_refused(tmp_path: Path, depth: int) -> None:
    assert "more than 100 folders" in refusal(
        archive_of(tmp_path, zipfile.ZIP_STORED, **{"a/" * depth + "b": b""})
    )
    with open_archive(archive_of(tmp_path, zipfile.ZIP_STORED, **{"a/" * 100 + "b": b""})):
        pass


def test_files_beyond_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_archive, "MOST_FILES", 3)
    assert "4 files" in refusal(archive_of(tmp_path, a=b"", b=b"", c=b"", d=b""))


def test_folders_beyond_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_archive, "MOST_FILES", 8)
    assert "more than 8 folders" in refusal(
        archive_of(tmp_path, zipfile.ZIP_STORED, **{"a/b/c/d/e": b"", "b/b/c/d/e": b""})
    )
    stored = zipfile.ZIP_STORED
    with open_archive(archive_of(tmp_path, stored, **{f"a/b/c/d/e{n}": b"" for n in range(8)})):
        pass


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_are_refused(tmp_path: Path, method: int) -> None:
    assert "packed as no wheel's" in refusal(
        archive_of(tmp_path, method, a=b"x"), "wheel-info-missing"
    )


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    path = archive_of(tmp_path, a=b"x" * 1000)
    raw = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + offset] |= 1
    path.write_bytes(raw)
    assert "packed as no wheel's" in refusal(path, "wheel-info-missing")


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(ValueError, match="regular"), open_archive(tmp_path / NAME):
        pass


@pytest.mark.parametrize("seed", range(300))
def test_damage_is_one_kind_of_error(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    info = "a-1.dist-info"
    files = {
        "a/__init__.py": b"x = 1\n" * 50,
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: a\nVersion: 1\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\n",
    }
    path = write_wheel(tmp_path / NAME, files)
    raw = bytearray(path.read_bytes())
    for _ in range(rng.randrange(1, 6)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    path.write_bytes(raw[: rng.choice([len(raw), len(raw), rng.randrange(len(raw))])])
    try:
        content = open_wheel(path)
        assert all(len(content.read(name)) < 10_000 for name in content.files)
    except (BadRequest, ValueError, KeyError):
        return
