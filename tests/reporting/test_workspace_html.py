"""The page of a workspace's build."""

from dataclasses import replace

from tests.reporting.pages import read_page
from tests.sample_workspace import a_workspace_report
from tests.schema_maker import check
from tfbuild.builds.workspace_build import workspace_document
from tfbuild.core.workspaces import BuiltFile
from tfbuild.reporting.workspace_html import workspace_page


def test_page_shows_what_the_record_holds() -> None:
    document = workspace_document(a_workspace_report())
    check("workspace", document)
    page = workspace_page(document)
    assert read_page(page).references == []
    for text in (
        "/src/space", "0123456789abcdef", "Why it failed", "no zlib", "a/b.h", "//a:b", "zlib",
        "https://z/z.tgz", "a/6.so", "4.2.3 (PATH)", "CppCompile", "since run zero",
    ):  # fmt: skip
        assert text in page


def test_text_of_others_stays_text() -> None:
    hostile = BuiltFile(target="<script>", path="/p", name="<b>&", size=1, sha256="")
    page = workspace_page(workspace_document(replace(a_workspace_report(), files=(hostile,))))
    assert "<td><script>" not in page
    assert len(read_page(page).texts_of("script")) == 1
    assert "&lt;b&gt;&amp;" in page


def test_of_very_many_files_some_are_shown() -> None:
    file = a_workspace_report().files[0]
    many = tuple(replace(file, name=f"n{number}.so") for number in range(503))
    page = workspace_page(workspace_document(replace(a_workspace_report(), files=many)))
    assert "n499.so" in page
    assert "n500.so" not in page
    assert "3 more are in report.json" in page


def test_the_verdict_comes_first() -> None:
    report = a_workspace_report()
    failed = workspace_page(workspace_document(report))
    head = failed.partition('<div class="verdict failed">')[2].partition("</header>")[0]
    assert "no zlib" in head
    assert "<code>tfbuild debug</code>" not in head, "nothing was compiled that could be run alone"
    passed = workspace_page(workspace_document(replace(report, failures=())))
    assert '<div class="verdict passed">' in passed
    assert f"Built: {report.targets} targets" in passed
