"""What Bazel could not fetch, out of its words and of what the workspace declares."""

from pathlib import Path

import pytest

from tfbuild.bazel.wanted import speaks_of_fetching, wanted_archives, wanted_text
from tfbuild.core.workspaces import WantedArchive

WORKSPACE = """
workspace(name = "tree")
load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
http_archive(
    name = "googletest",
    sha256 = "ce73",
    urls = ["https://example.org/googletest.zip", "https://mirror.example.org/g.zip"],
)
http_archive(name = "other", url = "https://example.org/other.tgz")
local_repository(name = "here", path = "third_party/here")
"""
MODULE = 'bazel_dep(name = "zlib", version = "1.3")\n'
# As Bazel 4.2.3, 7.7.1 and 2.1.0 say it.
OFF = (
    "Error in download_and_extract: java.io.IOException: Failed to download repo rules_cc: "
    "download is disabled."
)
NO_PACKAGE = (
    "ERROR: While resolving toolchains: no such package '@googletest//cc': java.io.IOException: "
    "Failed to download repo googletest: download is disabled."
)
REGISTRY = (
    "ERROR: Error computing the main repository mapping: Error accessing registry "
    "https://bcr.example.org/: Failed to fetch registry file "
    "https://bcr.example.org/modules/zlib/1.3/MODULE.bazel: Unknown host: bcr.example.org"
)
REFUSED = (
    "ERROR: no such package '@other//': java.io.IOException: Error downloading "
    "[https://example.org/other.tgz] to /out/other.tgz: Connection refused"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "WORKSPACE").write_text(WORKSPACE)
    return tmp_path


def names(found: tuple[WantedArchive, ...], *, asked_for: bool) -> list[str]:
    return [archive.name for archive in found if archive.is_asked_for == asked_for]


def test_what_was_asked_for_has_what_is_declared_of_it(workspace: Path) -> None:
    found = wanted_archives(workspace, [NO_PACKAGE], ())
    assert names(found, asked_for=True) == ["googletest"]
    assert found[0].sha256 == "ce73"
    assert len(found[0].urls) == 2
    assert names(found, asked_for=False) == ["other"]


def test_an_address_that_bazel_names_is_listed(workspace: Path) -> None:
    found = wanted_archives(workspace, [REFUSED, OFF], ())
    assert names(found, asked_for=True) == ["other", "rules_cc"]
    assert found[0].urls == ("https://example.org/other.tgz",)
    assert found[1].urls == ()


@pytest.mark.parametrize(
    "line",
    [
        "no package for @rules_cc//cc:a.bzl: The repository '@rules_cc' could not be resolved.",
        "ERROR: x: Repository '@@rules_cc' is not defined.",
    ],
)
def test_a_repository_that_nobody_declares(workspace: Path, line: str) -> None:
    assert names(wanted_archives(workspace, [line], ()), asked_for=True) == ["rules_cc"]


def test_what_is_replaced_is_not_wanted(workspace: Path) -> None:
    found = wanted_archives(workspace, [NO_PACKAGE], ("other",))
    assert [archive.name for archive in found] == ["googletest"]


def test_a_module_of_a_registry(tmp_path: Path) -> None:
    (tmp_path / "MODULE.bazel").write_text(MODULE)
    (found, *_) = wanted_archives(tmp_path, [REGISTRY], ())
    assert found.name == "zlib@1.3"
    assert found.urls == ("https://bcr.example.org/modules/zlib/1.3/MODULE.bazel",)


@pytest.mark.parametrize("text", ["\0", "x(", "(" * 5000, "print('no')", '"' + "é" * 9])
def test_a_workspace_that_cannot_be_read_declares_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "WORKSPACE").write_text(text)
    assert [a.name for a in wanted_archives(tmp_path, [OFF], ())] == ["rules_cc"]


def test_another_failure_wants_nothing(workspace: Path) -> None:
    line = "ERROR: a.cc:1:2: error: expected ';'"
    assert not speaks_of_fetching(line)
    assert wanted_archives(workspace, [line], ()) == ()


def test_the_list_as_people_read_it(workspace: Path) -> None:
    text = wanted_text(wanted_archives(workspace, [NO_PACKAGE], ()))
    assert text.splitlines() == [
        "googletest  sha256 ce73",
        "  https://example.org/googletest.zip",
        "  https://mirror.example.org/g.zip",
        "other  (may be next)",
        "  https://example.org/other.tgz",
    ]
