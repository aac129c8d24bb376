"""Where a Bazel comes from: the order of the sources, and what each does when it fails."""

import hashlib
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host
from tests.sealing import seal_as_it_is
from tests.web import Site, serve
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.plans import BazelPlan
from tfbuild.core.records import Program
from tfbuild.core.versions import contains
from tfbuild.facts.tables import Tables
from tfbuild.fetch import bazel
from tfbuild.fetch.bazel import provide_bazel, require_sound
from tfbuild.fetch.seals import sealed_digests

NAME = "bazel-4.2.3-linux-x86_64"
RELEASE = b"#!/bin/sh\necho bazel 4.2.3\n"
HASH = hashlib.sha256(RELEASE).hexdigest()
PLAN = BazelPlan(
    preferred="4.2.3", accepted=">=3.5,<8", startup_flags=(), flags=(), targets=(), outputs=(),
    sha256=((NAME, HASH),),
)  # fmt: skip
UNKNOWN = replace(PLAN, sha256=())


@pytest.fixture
def bare(fake_env: FakeEnvironment) -> Tools:
    """A machine without any Bazel."""
    return replace(fake_env.tools, host=a_host(bazels=()))


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution without Bazel."""

    def unpack(*_: object) -> Path:
        raise EnvironmentFailed("this distribution has no apt")

    monkeypatch.setattr(bazel, "unpack_bazel", unpack)


def mirror(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.files = {f"4.2.3/{NAME}": RELEASE, f"4.2.3/{NAME}.sha256": f"{HASH}  {NAME}\n".encode()}
    monkeypatch.setenv("TFBUILD_BAZEL_MIRROR", f"{site.url}/")
    monkeypatch.setattr("tfbuild.fetch.download.time.sleep", lambda _seconds: None)


def official(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the site be the place where releases are published."""
    monkeypatch.delenv("TFBUILD_BAZEL_MIRROR")
    monkeypatch.setattr(bazel, "_OFFICIAL", site.url)


def put(tools: Tools, name: str) -> Path:
    path = tools.folders.cache / "bazels" / name / "bin" / "bazel"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    seal_as_it_is(path.parents[1])
    return path


def test_the_path_comes_first(fake_env: FakeEnvironment) -> None:
    put(fake_env.tools, "release-4.2.3")
    found = provide_bazel(PLAN, fake_env.tools)
    assert (found.path, found.version, found.origin) == ("/usr/bin/bazel", "4.2.3", "PATH")


@pytest.mark.parametrize("version", ["2.1.0", "8.0.0", ""])
def test_a_bazel_that_the_plan_does_not_accept_is_passed_over(bare: Tools, version: str) -> None:
    host = a_host(bazels=(Program(name="bazel", path="/usr/bin/bazel", version=version),))
    path = put(bare, "release-4.2.3")
    found = provide_bazel(PLAN, replace(bare, host=host))
    assert (found.path, found.origin) == (str(path), "cache")


def test_the_cache_gives_the_preferred_release_and_no_other_system(bare: Tools) -> None:
    put(bare, "release-7.7.1")
    put(bare, "ubuntu24.04-4.2.3")
    expected = put(bare, "debian12-4.2.3")
    assert provide_bazel(PLAN, bare).path == str(expected)
    assert provide_bazel(replace(PLAN, accepted="==7.7.1"), bare).version == "7.7.1"


def test_a_release_is_downloaded_and_checked(bare: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve() as site:
        mirror(site, monkeypatch)
        found = provide_bazel(PLAN, bare)
        asked = len(site.asked)
        again = provide_bazel(PLAN, bare)
        assert len(site.asked) == asked, "the second time it comes from the cache"
    assert (found.origin, again.origin) == ("download", "cache")
    assert found.path == again.path
    assert Path(found.path).read_bytes() == RELEASE
    assert os.access(found.path, os.X_OK)


def test_the_hash_of_the_matrix_beats_the_published_one(
    bare: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(PLAN, sha256=((NAME, "0" * 64),))
    with serve() as site:
        mirror(site, monkeypatch)
        with fails("hash-mismatch", NAME):
            provide_bazel(plan, bare)
        assert [path for path, _ in site.asked] == [f"/4.2.3/{NAME}"]
    assert not list((bare.folders.cache / "bazels").rglob("bazel*64*"))


@pytest.mark.usefixtures("no_packages")
@pytest.mark.parametrize(
    ("plan", "lacks", "reason"),
    [
        (PLAN, {NAME: None}, "404"),
        (UNKNOWN, {f"{NAME}.sha256": None}, "404"),
        (UNKNOWN, {f"{NAME}.sha256": b"<html>"}, "<html>"),
    ],
)
def test_a_place_that_lacks_something_is_named_among_the_reasons(
    bare: Tools,
    monkeypatch: pytest.MonkeyPatch,
    plan: BazelPlan,
    lacks: dict[str, bytes | None],
    reason: str,
) -> None:
    with serve() as site:
        mirror(site, monkeypatch)
        if plan is UNKNOWN:
            official(site, monkeypatch)
        for file, content in lacks.items():
            site.files.pop(f"4.2.3/{file}")
            site.files |= {f"4.2.3/{file}": content} if content else {}
        with fails("bazel-not-obtainable", reason, "TFBUILD_BAZEL_MIRROR") as caught:
            provide_bazel(plan, bare)
    assert {"PATH", "apt"} <= {*caught.value.why.split()}


@pytest.mark.usefixtures("no_packages")
def test_a_mirror_is_not_asked_for_what_has_no_known_hash(
    bare: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve() as site:
        mirror(site, monkeypatch)
        with fails("bazel-not-obtainable", NAME, site.url, "sha256") as caught:
            provide_bazel(UNKNOWN, bare)
        assert site.asked == []
        assert "TFBUILD_BAZEL_MIRROR" in caught.value.why
        official(site, monkeypatch)
        assert provide_bazel(UNKNOWN, bare).origin == "download"
        assert len(site.asked) == 2


def test_the_official_place_is_asked_over_tls() -> None:
    assert bazel._OFFICIAL.startswith("https://")


def test_most_releases_that_the_runtime_takes_have_a_known_hash(tables: Tables) -> None:
    wanted = next(row for row in tables.axis("runtime")).requires
    fitting = [r for r in tables.axis("bazel") if contains(dict(wanted)["bazel"], r.version)]
    without = {row.version for row in fitting if not row.sha256}
    # Of these, no public repository that could be believed says which file it has fetched.
    assert without == {"4.2.4", "4.2.3", "3.7.1", "3.5.0"}


def test_known_hashes_are_those_of_their_release(tables: Tables) -> None:
    digests = set()
    for row in tables.axis("bazel"):
        names = [f"bazel-{row.version}-linux-{machine}" for machine in ("x86_64", "arm64")]
        assert [name for name, _ in row.sha256] == names[: len(row.sha256)]
        for _, digest in row.sha256:
            assert re.fullmatch("[0-9a-f]{64}", digest)
            assert digest not in digests, f"{row.version} has the hash of another release"
            digests.add(digest)


def test_a_bazel_that_was_damaged_in_the_cache_is_fetched_anew(
    bare: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve() as site:
        mirror(site, monkeypatch)
        path = Path(provide_bazel(PLAN, bare).path)
        path.write_bytes(RELEASE.replace(b"4.2.3", b"4.2.4"))
        found = provide_bazel(PLAN, bare)
    assert (found.path, found.origin) == (str(path), "download")
    assert path.read_bytes() == RELEASE
    (said,) = [words[1] for words in bare.reporter.said if words[0] == "warn"]  # type: ignore[attr-defined]
    assert said.endswith("the Bazel release-4.2.3 (bin/bazel was changed)")
    assert [path.name for path in (bare.folders.cache / "bazels").iterdir()] == ["release-4.2.3"]


@pytest.mark.usefixtures("no_packages")
def test_a_damaged_bazel_that_cannot_be_had_anew_is_a_failed_fetch(
    bare: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    (put(bare, "debian12-4.2.3").parents[1] / "new").write_text("")
    with serve() as site:
        monkeypatch.setenv("TFBUILD_BAZEL_MIRROR", site.url)
        with fails("cached-file-damaged", "debian12-4.2.3 (new "):
            provide_bazel(PLAN, bare)


def test_before_it_runs_all_of_a_bazel_is_read(bare: Tools) -> None:
    path = put(bare, "release-4.2.3")
    require_sound(str(path), bare)
    require_sound("/usr/bin/bazel", bare)
    known = sealed_digests(path.parents[1])
    path.write_text("#!/bin/SH\n")
    seal_as_it_is(path.parents[1], known=known)
    with fails("cached-bazel-damaged", "release-4.2.3", "bin/bazel"):
        require_sound(str(path), bare)
    assert not path.exists()


def test_packages_come_last(bare: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = put(bare, "elsewhere-4.2.3")
    monkeypatch.setattr(bazel, "unpack_bazel", lambda *_: tree)
    with serve() as site:
        monkeypatch.setenv("TFBUILD_BAZEL_MIRROR", site.url)
        found = provide_bazel(PLAN, bare)
        assert site.asked
    assert (found.version, found.origin) == ("4.2.3", "Debian packages")


def test_a_mirror_that_is_no_url_is_refused(bare: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBUILD_BAZEL_MIRROR", "/srv/bazel")
    with fails("bazel-mirror-malformed", "TFBUILD_BAZEL_MIRROR", "/srv/bazel"):
        provide_bazel(PLAN, bare)
