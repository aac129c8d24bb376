"""Downloads against a server that breaks off, lies, refuses or is not there."""

import errno
import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.web import Site, serve
from tfbuild.core.parts import hold_file
from tfbuild.core.reporter import SilentReporter
from tfbuild.fetch import download
from tfbuild.fetch.download import fetch_file, fetch_text

BODY = bytes(range(256)) * 4000
HASH = hashlib.sha256(BODY).hexdigest()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfbuild.fetch.download.time.sleep", lambda _seconds: None)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def fetch(site: Site, folder: Path, sha256: str = HASH) -> Path:
    return fetch_file(f"{site.url}/f", folder / "f", sha256, RecordingReporter())


def test_a_file_arrives_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f"] = BODY
        assert fetch(site, tmp_path).read_bytes() == BODY
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_broken_connection_is_gone_on_with(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f"], site.break_after = BODY, [1000, 50000]
        assert fetch(site, tmp_path).read_bytes() == BODY
        assert [asked for _, asked in site.asked] == ["", "bytes=1000-", "bytes=51000-"]


def test_what_a_killed_run_has_left_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / f".f.{HASH[:12]}.download").write_bytes(BODY[:7777])
    with serve() as site:
        site.files["f"] = BODY
        assert fetch(site, tmp_path).read_bytes() == BODY
        assert site.asked == [("/f", "bytes=7777-")]


def test_a_part_that_is_whole_already_needs_no_more_bytes(tmp_path: Path) -> None:
    (tmp_path / f".f.{HASH[:12]}.download").write_bytes(BODY)
    with serve() as site:
        site.files["f"] = BODY
        assert fetch(site, tmp_path).read_bytes() == BODY


def test_a_server_without_ranges_sends_it_all_again(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f"], site.break_after, site.ranges = BODY, [1000], False
        assert fetch(site, tmp_path).read_bytes() == BODY


def test_a_server_in_trouble_is_asked_again(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f"], site.codes = BODY, [503, 502]
        assert fetch(site, tmp_path).read_bytes() == BODY


def test_a_wrong_hash_is_refused_and_thrown_away(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f"] = BODY
        with fails("hash-mismatch", HASH):
            fetch(site, tmp_path, "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_always_breaks_off_fails_but_keeps_what_came(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f"], site.break_after = BODY, [100] * 9
        with fails("transfer-broken"):
            fetch(site, tmp_path)
    assert (tmp_path / f".f.{HASH[:12]}.download").stat().st_size == 400
    assert not (tmp_path / "f").exists()


def test_a_file_that_is_not_there_fails_at_once(tmp_path: Path) -> None:
    with serve() as site:
        with fails("http-refused", "404"):
            fetch(site, tmp_path)
        assert len(site.asked) == 1


def test_a_server_that_is_not_there_fails_at_once(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/f"
        with fails("server-unreachable"):
            fetch_file(url, tmp_path / "f", HASH, RecordingReporter())


def test_a_full_disk_says_how_much_is_missing() -> None:
    class Endless:
        def read(self, _size: int) -> bytes:
            return b"x" * 10

    class Full:
        def write(self, _chunk: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with fails("disk-full-fetching", "6 MB"):
        download._copy(
            Endless(),
            cast("BinaryIO", Full()),
            0,
            5_000_000,
            SilentReporter(),
        )


def test_small_texts_are_read(tmp_path: Path) -> None:
    with serve() as site:
        site.files["f.sha256"] = b"abc  f\n"
        assert fetch_text(f"{site.url}/f.sha256") == "abc  f\n"
        with fails("http-refused", "/other"):
            fetch_text(f"{site.url}/other")


def test_what_lies_in_the_way_of_a_download_is_left_alone(tmp_path: Path) -> None:
    """A checkout can bring anything along under a name that can be foreseen."""
    part, theirs = tmp_path / f".f.{HASH[:12]}.download", tmp_path / "theirs"
    theirs.write_text("words")
    makes: tuple[Callable[[], object], ...] = (
        lambda: part.symlink_to(theirs), lambda: part.hardlink_to(theirs),
        lambda: os.mkfifo(part), part.mkdir,
    )  # fmt: skip
    for make in makes:
        make()
        with serve() as site:
            site.files["f"] = BODY
            assert fetch(site, tmp_path).read_bytes() == BODY
        assert theirs.read_text() == "words"
        assert len(list(tmp_path.iterdir())) == 3, "nothing is left beside it"
        part.rmdir() if part.is_dir() else part.unlink()


def test_two_processes_do_not_write_one_download(tmp_path: Path) -> None:
    part = tmp_path / f".f.{HASH[:12]}.download"
    part.write_bytes(b"of another process")
    with serve() as site, hold_file(part) as is_ours:
        assert is_ours
        site.files["f"] = BODY
        assert fetch(site, tmp_path).read_bytes() == BODY
    assert part.read_bytes() == b"of another process"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    with serve() as site:
        site.files["f"], site.ranges = BODY, False
        with fails("download-not-written", str(tmp_path)):
            fetch(site, tmp_path)


def test_a_server_that_goes_away_in_the_middle_is_waited_for(tmp_path: Path) -> None:
    with serve() as site:
        url = f"{site.url}/f"
    (tmp_path / f".f.{HASH[:12]}.download").write_bytes(BODY[:10])
    waits: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tfbuild.fetch.download.time.sleep", waits.append)
        with fails("server-unreachable"):
            fetch_file(url, tmp_path / "f", HASH, RecordingReporter())
    assert len(waits) == 4
    assert (tmp_path / f".f.{HASH[:12]}.download").read_bytes() == BODY[:10]
