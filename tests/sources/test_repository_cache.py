"""Bazel's cache of downloads, filled beforehand."""

import hashlib
import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.sources.workspaces import an_archive
from tests.web import Site, serve
from tfbuild.fetch.bazel import FoundBazel
from tfbuild.sources.archives import SourceArchive, read_archives
from tfbuild.sources.repository_cache import fetch_archives, is_there, place_of, take_from

CONTENT = b"an archive"
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as found:
        found.files["a.zip"] = CONTENT
        yield found


def wanted(site: Site, *paths: str) -> SourceArchive:
    return an_archive(sha256=SHA, urls=tuple(site.url + path for path in paths))


def test_the_first_address_that_has_it_is_taken(site: Site, tmp_path: Path) -> None:
    archive = wanted(site, "/none.zip", "/a.zip")
    assert fetch_archives([archive], tmp_path, RecordingReporter()) == ()
    assert place_of(archive, tmp_path).read_bytes() == CONTENT
    asked = len(site.asked)
    assert fetch_archives([archive], tmp_path, RecordingReporter()) == ()
    assert len(site.asked) == asked


def test_an_address_that_is_none_is_passed_over(site: Site, tmp_path: Path) -> None:
    broken = an_archive(sha256=SHA, urls=("http://[x", site.url + "/a.zip"))
    assert fetch_archives([broken], tmp_path, RecordingReporter()) == ()
    nothing = an_archive(sha256="0" * 64, urls=("http://[x",))
    (left,) = fetch_archives([nothing], tmp_path, RecordingReporter())
    assert left.why.startswith("http://[x: ")


def test_what_has_another_hash_is_not_kept(site: Site, tmp_path: Path) -> None:
    site.files["a.zip"] = b"something else"
    (left,) = fetch_archives([wanted(site, "/a.zip")], tmp_path, RecordingReporter())
    assert "expected sha256" in left.why
    assert not is_there(left.archive, tmp_path)


def test_what_is_damaged_is_fetched_anew(site: Site, tmp_path: Path) -> None:
    archive = wanted(site, "/a.zip")
    fetch_archives([archive], tmp_path, RecordingReporter())
    place_of(archive, tmp_path).write_bytes(b"damaged")
    assert fetch_archives([archive], tmp_path, RecordingReporter()) == ()
    assert place_of(archive, tmp_path).read_bytes() == CONTENT


def test_a_host_that_is_not_there_is_asked_once(tmp_path: Path) -> None:
    several = [
        an_archive(name=name, sha256=SHA, urls=(f"http://127.0.0.1:9/{name}",)) for name in "ab"
    ]
    first, second = fetch_archives(several, tmp_path, RecordingReporter())
    assert "not reached" not in first.why
    assert second.why == "127.0.0.1:9: not reached"


def test_without_a_hash_nothing_is_fetched(site: Site, tmp_path: Path) -> None:
    archive = an_archive(sha256="", urls=(site.url + "/a.zip",))
    (left,) = fetch_archives([archive], tmp_path, RecordingReporter())
    assert "no hash" in left.why
    assert site.asked == []


def test_carried_files_are_known_by_their_hash(tmp_path: Path) -> None:
    (tmp_path / "stick/deep").mkdir(parents=True)
    (tmp_path / "stick/deep/whatever").write_bytes(CONTENT)
    (tmp_path / "stick/other").write_bytes(b"other")
    archive = an_archive(sha256=SHA)
    root = tmp_path / "cache"
    assert take_from(tmp_path / "stick", [archive], root, RecordingReporter()) == 1
    assert is_there(archive, root)
    assert take_from(tmp_path / "stick", [archive], root, RecordingReporter()) == 0
    with fails("archive-folder-missing", str(tmp_path / "none")):
        take_from(tmp_path / "none", [archive], root, RecordingReporter())


@pytest.mark.bazel
def test_a_real_bazel_takes_it_from_there(tmp_path: Path, a_bazel: FoundBazel) -> None:
    """The address leads nowhere: only the cache has the archive."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        files = {"WORKSPACE": "", "BUILD": 'exports_files(["words.txt"])\n', "words.txt": "hello\n"}
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    content = raw.getvalue()
    sha256 = hashlib.sha256(content).hexdigest()
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "WORKSPACE").write_text(
        'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'
        f'http_archive(name = "far", sha256 = "{sha256}", urls = ["http://127.0.0.1:9/f.tar.gz"])\n'
    )
    (tree / "BUILD").write_text(
        'genrule(name = "g", srcs = ["@far//:words.txt"], outs = ["o"], cmd = "cp $< $@")\n'
    )
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick/f").write_bytes(content)
    root = tmp_path / "cache"
    archives = read_archives(tree).archives
    assert take_from(tmp_path / "stick", archives, root, RecordingReporter()) == 1
    base = [a_bazel.path, "--nohome_rc", f"--output_user_root={tmp_path / 'out'}"]
    flags = [f"--repository_cache={root}", "--symlink_prefix=/"]
    try:
        subprocess.run([*base, "build", *flags, "//:g"], cwd=tree, check=True)
    finally:
        subprocess.run([*base, "shutdown"], cwd=tree, check=False)
