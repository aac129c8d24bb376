"""Pages of an index in both languages, and pages that are none."""

import json
from contextlib import suppress

import pytest

from tests.failing import fails
from tfbuild.core.errors import FetchFailed
from tfbuild.fetch.http import Page
from tfbuild.fetch.simple_api import JSON, IndexFile, read_page

URL = "https://me:s3cret@index.example/simple/tiny/"
WHEEL = "tiny-1.0-cp311-cp311-manylinux_2_17_x86_64.whl"


def html(*anchors: str, head: str = "") -> Page:
    text = f"<!DOCTYPE html><html><head>{head}</head><body>{'<br>'.join(anchors)}</body></html>"
    return Page(url=URL, kind="text/html", content=text.encode())


def written(document: object) -> Page:
    return Page(url=URL, kind=JSON, content=json.dumps(document).encode())


def files(*entries: object, api: str = "1.1") -> Page:
    return written({"meta": {"api-version": api}, "name": "tiny", "files": list(entries)})


def only(page: Page) -> IndexFile:
    (file,) = read_page(page, "tiny")
    return file


def test_both_languages_say_the_same() -> None:
    said = html(
        f'<a href="../../files/{WHEEL}#sha256=00" data-requires-python="&gt;=3.9, &lt;4"'
        f' data-yanked="broken" data-core-metadata="sha256=abc">{WHEEL}</a>'
    )
    same = files(
        {
            "filename": WHEEL,
            "url": f"../../files/{WHEEL}",
            "hashes": {"sha256": "00"},
            "requires-python": ">=3.9, <4",
            "yanked": "broken",
            "core-metadata": {"sha256": "abc"},
        }
    )
    file = only(said)
    assert file == only(same)
    assert (file.version, file.requires_python, file.is_yanked) == ("1.0", ">=3.9,<4", True)
    assert (file.has_metadata, file.metadata_sha256) == (True, "abc")
    assert file.url == f"https://me:s3cret@index.example/files/{WHEEL}"
    assert "s3cret" not in repr(file)


def test_what_is_not_said_is_not_assumed() -> None:
    for page in (html(f'<a href="{WHEEL}">x</a>'), files({"filename": WHEEL, "url": WHEEL})):
        file = only(page)
        assert (file.requires_python, file.is_yanked, file.has_metadata) == ("", False, False)


@pytest.mark.parametrize(
    ("attribute", "offered", "digest"),
    [
        ('data-dist-info-metadata="true"', True, ""),
        ('data-dist-info-metadata="sha256=ff"', True, "ff"),
        ('data-core-metadata="false"', False, ""),
        ("", False, ""),
    ],
)
def test_metadata_beside_a_file(attribute: str, offered: bool, digest: str) -> None:
    file = only(html(f'<a href="{WHEEL}" {attribute}>x</a>'))
    assert (file.has_metadata, file.metadata_sha256) == (offered, digest)


def test_an_empty_reason_still_withdraws_a_file() -> None:
    assert only(html(f'<a href="{WHEEL}" data-yanked="">x</a>')).is_yanked
    assert not only(files({"url": WHEEL, "yanked": False})).is_yanked


def test_a_base_moves_the_links() -> None:
    page = html(f'<a href="f/{WHEEL}">x</a>', head='<base href="https://other.example/a/">')
    assert only(page).url == f"https://other.example/a/f/{WHEEL}"


def test_what_is_no_wheel_of_the_project_is_passed_over() -> None:
    page = html(
        '<a href="tiny-1.0.tar.gz">x</a>',
        '<a href="tiny-1.0.win32-py2.4.exe">x</a>',
        '<a href="another-1.0-py3-none-any.whl">x</a>',
        "<a>no address</a>",
        '<a href="Tiny-1.0%2Blocal-py3-none-any.whl">x</a>',
    )
    assert only(page).filename == "Tiny-1.0+local-py3-none-any.whl"


def test_a_page_from_the_net_does_not_point_into_this_machine() -> None:
    assert read_page(html(f'<a href="file:///srv/{WHEEL}">x</a>'), "tiny") == ()
    local = Page(
        url="file:///srv/simple/tiny/index.html",
        kind="text/html",
        content=f'<a href="../../{WHEEL}">x</a>'.encode(),
    )
    assert only(local).url == f"file:///srv/{WHEEL}"


def test_a_page_that_came_by_tls_does_not_lead_out_of_it() -> None:
    """A login of the host would go with the request, in the clear."""
    plain = f'<a href="http://index.example/{WHEEL}">x</a>'
    good = WHEEL.replace("1.0", "1.1")
    assert only(html(plain, f'<a href="{good}">x</a>')).version == "1.1"
    with fails("index-links-leave-tls", "index.example") as caught:
        read_page(html(plain), "tiny")
    assert "s3cret" not in str(caught.value)
    insecure = Page(
        url="http://index.example/simple/tiny/", kind="text/html", content=plain.encode()
    )
    assert only(insecure).url.startswith("http:"), "whoever names an index by http knows it"


def test_a_link_that_is_no_address_is_passed_over() -> None:
    good = "tfbuild_thing-1.0-py3-none-any.whl"
    anchors = ('<a href="http://[">broken</a>', f'<a href="{good}">{good}</a>')
    assert len(read_page(html(*anchors), "tfbuild-thing")) == 1
    content = files(
        {"filename": good, "url": "http://[", "hashes": {}}, {"filename": good, "url": good}
    )
    assert len(read_page(content, "tfbuild-thing")) == 1


def test_an_empty_page_has_no_files() -> None:
    assert read_page(html(), "tiny") == read_page(files(), "tiny") == ()


@pytest.mark.parametrize(
    ("page", "code", "named"),
    [
        (Page(url=URL, kind="text/plain", content=b"x"), "index-page-kind", "text/plain"),
        (Page(url=URL, kind="", content=b"x"), "index-page-kind", ""),
        (
            Page(url=URL, kind="application/json", content=b"{}"),
            "index-page-kind",
            "application/json",
        ),
        (
            Page(url=URL, kind=JSON, content=b'{"meta": {"api-ver'),
            "index-page-malformed",
            "char 10",
        ),
        (written([]), "index-page-malformed", ""),
        (written({"files": []}), "index-page-malformed", "meta"),
        (files(api="2.0"), "index-api-unknown", "2.0"),
        (
            written({"meta": {"api-version": "1.0"}, "files": {"a": 1}}),
            "index-files-no-list",
            "files",
        ),
        (files("a"), "index-files-no-list", "files"),
        (html('<a href="login">log in</a>'), "index-without-files", ""),
    ],
)
def test_other_pages_are_refused_with_a_remedy(page: Page, code: str, named: str) -> None:
    with fails(code, named, "pip config list") as caught:
        read_page(page, "tiny")
    assert "s3cret" not in caught.value.message


def test_a_project_is_one_in_every_spelling_and_names_without_a_version_are_no_wheels() -> None:
    good = "NVIDIA_cuda.nvcc-1.0-py3-none-any.whl"
    others = ("nvidia_cuda-1.0-py3-none-any.whl", "nvidia_cuda_nvcc-from.then-py3-none-any.whl")
    page = html("".join(f'<a href="{name}">{name}</a>' for name in (good, *others)))
    assert [file.filename for file in read_page(page, "Nvidia-Cuda..Nvcc")] == [good]


@pytest.mark.parametrize(
    "tag", ["<a", "<!--", "<a x='", '<a href="', "<!DOCTYPE", "<?x", "&", "</"]
)
def test_a_page_of_unfinished_tags_takes_time_by_its_length_only(tag: str) -> None:
    page = Page(url=URL, kind="text/html", content=(tag * 400_000).encode())
    with suppress(FetchFailed):
        assert read_page(page, "tiny") == ()


def test_a_page_of_unfinished_tags_is_refused() -> None:
    with fails("index-page-malformed", "no end"):
        read_page(Page(url=URL, kind="text/html", content=b"<a " * 40_000), "tiny")


def test_a_long_base_is_not_put_before_every_link() -> None:
    links = [f'<a href="{WHEEL}">x</a>'] * 1000
    (first, *_) = read_page(html(*links, head=f"<base href='/{'x' * 10_000}/'>"), "tiny")
    assert first.url == f"{URL}{WHEEL}"


def test_a_page_at_a_long_address_is_refused() -> None:
    page = Page(url=URL + "x" * 60_000, kind="text/html", content=b"<a href='a.whl'>")
    with fails("index-page-malformed", "address"):
        read_page(page, "tiny")


@pytest.mark.parametrize("kind", ["html", "json"])
def test_a_page_of_too_many_files_is_refused(kind: str) -> None:
    many = 60_000
    entries = [{"filename": WHEEL, "url": WHEEL}] * many
    page = html(*[f'<a href="{WHEEL}">x</a>'] * many) if kind == "html" else files(*entries)
    with fails("index-page-malformed", "50,000"):
        read_page(page, "tiny")


def test_a_declaration_that_is_none_gives_no_files() -> None:
    with suppress(FetchFailed):  # Pythons differ: some readers refuse it, others skip it
        assert read_page(Page(url=URL, kind="text/html", content=b"<![*>"), "tiny") == ()
