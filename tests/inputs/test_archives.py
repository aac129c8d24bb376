"""Archives by path, by address and out of the cache."""

import hashlib
from pathlib import Path

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.web import serve
from tfbuild.core.layout import SOURCES
from tfbuild.inputs.archives import keep_archive, kept_archive, provide_archive

RAW = b"some archive"
DIGEST = hashlib.sha256(RAW).hexdigest()


def test_an_address_is_fetched_once_and_kept(fake_env: FakeEnvironment) -> None:
    tools = fake_env.tools
    with serve() as site:
        site.files["tiny-1.0.tar.gz"] = RAW
        path, digest = provide_archive(f"{site.url}/tiny-1.0.tar.gz", DIGEST, tools)
        address = f"{site.url}/tiny-1.0.tar.gz"
    assert (path.name, path.read_bytes(), digest) == ("tiny-1.0.tar.gz", RAW, DIGEST)
    assert path.is_relative_to(SOURCES.path(tools.folders.cache))
    assert provide_archive(address, DIGEST, tools) == (path, DIGEST), "nobody is asked again"
    path.write_bytes(b"other")
    assert kept_archive(DIGEST, tools) is None, "what was changed is not taken"


def test_nothing_is_taken_from_an_address_without_a_hash(fake_env: FakeEnvironment) -> None:
    with fails("archive-without-hash", "https://localhost/tiny.tar.gz"):
        provide_archive("https://localhost/tiny.tar.gz", "", fake_env.tools)


def test_a_local_archive_has_its_own_digest_or_the_named_one(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    path = tmp_path / "tiny.tar.gz"
    path.write_bytes(RAW)
    assert provide_archive(str(path), "", fake_env.tools) == (path, DIGEST)
    assert provide_archive(str(path), DIGEST, fake_env.tools) == (path, DIGEST)
    with fails("archive-hash-mismatch", "tiny.tar.gz", "0" * 64):
        provide_archive(str(path), "0" * 64, fake_env.tools)
    with fails("source-archive-missing", str(tmp_path / "none")):
        provide_archive(str(tmp_path / "none"), "", fake_env.tools)


def test_what_others_can_change_is_copied_before_it_is_hashed(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    folder.chmod(0o777)
    path = folder / "tiny.tar.gz"
    path.write_bytes(RAW)
    taken, digest = provide_archive(str(path), DIGEST, fake_env.tools)
    path.write_bytes(b"another, put there a moment later")
    assert (taken.read_bytes(), digest) == (RAW, DIGEST)
    assert taken.is_relative_to(SOURCES.path(fake_env.tools.folders.cache))
    with fails("archive-hash-mismatch", "tiny.tar.gz"):
        provide_archive(str(path), DIGEST, fake_env.tools)


def test_an_archive_that_was_got_otherwise_is_kept(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    path = tmp_path / "tiny.tar.gz"
    path.write_bytes(RAW)
    kept = keep_archive(path, DIGEST, fake_env.tools)
    assert kept_archive(DIGEST, fake_env.tools) == kept
    assert kept_archive("", fake_env.tools) is None
