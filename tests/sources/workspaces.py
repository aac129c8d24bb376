"""Small Bazel workspaces that download."""

from pathlib import Path

from tfbuild.sources.archives import SourceArchive

SHA = "74d544d96f4a5bb630d465ca8bbcfe231e3594e5aae57e1edbf17a6eb3ca2506"
WORKSPACE = f"""\
workspace(name = "org_tensorflow")
load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
http_archive(
    name = "skylib",
    sha256 = "{SHA}",
    urls = ["https://mirror.example.org/skylib-1.3.0.tar.gz", "https://example.org/skylib-1.3.0.tar.gz"],
)
load("@//tensorflow:workspace2.bzl", "tf_workspace2")
tf_workspace2()
load("@skylib//:workspace.bzl", "skylib_workspace")
"""
WORKSPACE2 = f"""\
load("//third_party:repo.bzl", "tf_http_archive", "tf_mirror_urls")
load(":versions.bzl", EIGEN = "EIGEN_COMMIT")
def tf_workspace2():
    if not native.existing_rule("eigen_archive"):
        tf_http_archive(
            name = "eigen_archive",
            sha256 = "{"1" * 64}",
            urls = tf_mirror_urls("https://example.org/{{commit}}/e.zip".format(commit = EIGEN)),
        )
    tf_http_archive(name = "computed", urls = [choose(EIGEN)], sha256 = "{"2" * 64}")
    tf_http_archive(name = "unhashed", url = "https://example.org/unhashed.zip")
"""
REPO = """\
def _impl(ctx):
    ctx.download_and_extract(url = ctx.attr.urls, sha256 = ctx.attr.sha256)
def tf_http_archive(name, urls, sha256):
    _rule(name = name, urls = urls, sha256 = sha256)
"""


def a_workspace(folder: Path) -> Path:
    """A tree whose WORKSPACE loads macros that download."""
    files = {
        "WORKSPACE": WORKSPACE,
        "tensorflow/workspace2.bzl": WORKSPACE2,
        "tensorflow/versions.bzl": 'EIGEN_COMMIT = "0b51f"\n',
        "third_party/repo.bzl": REPO,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def an_archive(**changes: object) -> SourceArchive:
    """One that nobody has."""
    fields: dict[str, object] = {
        "name": "a", "file": "a.zip", "urls": ("https://example.org/a.zip",), "sha256": SHA,
        "said_at": "WORKSPACE:3",
    }  # fmt: skip
    return SourceArchive(**{**fields, **changes})  # type: ignore[arg-type]
