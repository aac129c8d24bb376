"""The index against a server on this machine: both languages, every kind of trouble, metadata."""

import hashlib
import io
import json
import re
import struct
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.failing import fails
from tests.slow_servers import serve_answers
from tests.web import Site, only_here, serve
from tfbuild.core.process import ProcessRunner
from tfbuild.fetch.http import Access
from tfbuild.fetch.package_index import PackageIndex, open_index
from tfbuild.fetch.pip_config import PipConfig
from tfbuild.fetch.simple_api import JSON, IndexFile

WHEEL = "tiny-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\nRequires-Dist: numpy >=1.26\n"


@pytest.fixture(autouse=True)
def hosts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr("tfbuild.fetch.http.time.sleep", lambda _seconds: None)
    return only_here(monkeypatch)


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what keeps the other tests at home."""
    monkeypatch.undo()


def an_index(*addresses: str, timeout: float = 5.0) -> PackageIndex:
    return PackageIndex(PipConfig(indexes=addresses, access=Access(timeout=timeout)))


def lists(site: Site, *names: str, at: str = "simple", attributes: str = "") -> None:
    """Let the site list files of tiny in HTML."""
    path = f"{at}/tiny/"
    links = "".join(f'<a href="{site.url}/files/{n}" {attributes}>{n}</a>' for n in names)
    site.files[path], site.kinds[path] = links.encode(), "text/html"


def a_wheel(padding: int = 0) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tiny/data", bytes(range(256)) * (padding // 256))
        archive.writestr("tiny/vendored-1.0.dist-info/METADATA", "Name: vendored\n")
        archive.writestr("tiny-1.0.dist-info/METADATA", METADATA)
    return packed.getvalue()


def the_file(site: Site, index: PackageIndex | None = None) -> IndexFile:
    (file,) = (index or an_index(f"{site.url}/simple")).files("tiny")
    return file


def requires(index: PackageIndex, file: IndexFile) -> list[str]:
    found = index.metadata(file)
    assert found is not None
    return [str(line) for line in found.get_all("Requires-Dist", [])]


# --- lists of files ----------------------------------------------------------------------------


def test_json_is_asked_for_and_html_is_taken(hosts: list[str]) -> None:
    with serve() as site:
        lists(site, WHEEL)
        assert the_file(site).filename == WHEEL
        assert re.match(r"application/vnd\.pypi\.simple\.v1\+json", site.headers[0]["Accept"])
        assert "text/html" in site.headers[0]["Accept"]
        document = {"meta": {"api-version": "1.0"}, "files": [{"url": f"{site.url}/f/{WHEEL}"}]}
        site.files["simple/tiny/"] = json.dumps(document).encode()
        site.kinds["simple/tiny/"] = JSON
        assert the_file(site).url == f"{site.url}/f/{WHEEL}"
    assert set(hosts) == {"127.0.0.1"}


def test_all_indexes_are_asked_and_the_first_to_list_a_file_wins(tmp_path: Path) -> None:
    folder = tmp_path / "simple" / "tiny"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text('<a href="../../tiny-3.0-py3-none-any.whl">x</a>')
    with serve() as site:
        lists(site, WHEEL)
        lists(site, WHEEL, "tiny-2.0-py3-none-any.whl", at="more", attributes="data-yanked")
        index = an_index(
            f"{site.url}/simple", f"{site.url}/more", (tmp_path / "simple").as_uri(), "/nowhere"
        )
        found = {file.version: file for file in index.files("Tiny")}
    assert list(found) == ["1.0", "2.0", "3.0"]
    assert not found["1.0"].is_yanked
    assert found["3.0"].url == (tmp_path / "tiny-3.0-py3-none-any.whl").as_uri()


def test_a_project_that_no_index_has_is_empty() -> None:
    with serve() as site:
        assert an_index(f"{site.url}/simple").files("tiny") == ()
        assert site.asked == [("/simple/tiny/", "")]


def test_an_index_that_refuses_json_is_asked_for_html() -> None:
    with serve() as site:
        lists(site, WHEEL)
        site.codes = [406]
        assert the_file(site).version == "1.0"
        assert site.headers[1]["Accept"] == "text/html"


@pytest.mark.parametrize("codes", [[401], [403], [500, 500, 500]])
def test_half_an_answer_is_none(codes: list[int]) -> None:
    with serve() as site:
        lists(site, WHEEL)
        site.codes = list(codes)
        with fails("http-refused", str(codes[-1])):
            an_index(f"{site.url}/more", f"{site.url}/simple").files("tiny")


def test_broken_off_pages_are_asked_for_again_and_then_given_up() -> None:
    with serve() as site:
        lists(site, WHEEL)
        site.break_after = [5]
        assert the_file(site).version == "1.0"
        site.break_after = [5] * 9
        with fails("transfer-broken"):
            the_file(site)


def test_a_silent_index_is_given_up() -> None:
    with serve() as site:
        site.is_silent = True
        with fails("no-answer-in-time"):
            an_index(f"{site.url}/simple", timeout=0.1).files("tiny")


def test_a_page_of_another_kind_is_refused_without_secrets() -> None:
    with serve() as site:
        site.files["simple/tiny/"], site.kinds["simple/tiny/"] = b"hello", "text/plain"
        secret = site.url.replace("//", "//me:s3cret@")
        with fails("index-page-kind", "text/plain") as caught:
            an_index(f"{secret}/simple").files("tiny")
    assert "s3cret" not in f"{caught.value.message}{caught.value.why}{caught.value.hint}"


# --- metadata ----------------------------------------------------------------------------------


def test_metadata_beside_the_wheel_is_taken_and_checked() -> None:
    digest = hashlib.sha256(METADATA.encode()).hexdigest()
    with serve() as site:
        index = an_index(f"{site.url}/simple")
        site.files[f"files/{WHEEL}.metadata"] = METADATA.encode()
        lists(site, WHEEL, attributes=f'data-core-metadata="sha256={digest}"')
        assert requires(index, the_file(site)) == ["numpy >=1.26"]
        assert site.asked[-1][0].endswith(".metadata")
        lists(site, WHEEL, attributes=f'data-core-metadata="sha256={"0" * 64}"')
        with fails("metadata-hash-mismatch", WHEEL):
            index.metadata(the_file(site))


def test_metadata_inside_a_large_wheel_costs_a_few_blocks() -> None:
    with serve() as site:
        lists(site, WHEEL)
        site.files[f"files/{WHEEL}"] = a_wheel(3_000_000)
        index = an_index(f"{site.url}/simple")
        assert requires(index, the_file(site, index)) == ["numpy >=1.26"]
        spans = [asked for path, asked in site.asked if path.endswith(WHEEL)]
    assert 0 < len(spans) <= 4
    assert all(re.fullmatch(r"bytes=\d+-\d+", span) for span in spans)
    sizes = [int(b) - int(a) for a, b in (s.removeprefix("bytes=").split("-") for s in spans)]
    assert sum(sizes) < 200_000


@pytest.mark.parametrize("trouble", ["no ranges", "not there", "no zip", "no metadata"])
def test_metadata_that_cannot_be_had_cheaply_is_left_out(trouble: str) -> None:
    with serve() as site:
        lists(site, WHEEL)
        site.ranges = trouble != "no ranges"
        packed = io.BytesIO()
        zipfile.ZipFile(packed, "w").close()
        content = {"no zip": b"x" * 100_000, "no metadata": packed.getvalue()}
        if trouble != "not there":
            site.files[f"files/{WHEEL}"] = content.get(trouble, a_wheel(300_000))
        assert an_index(f"{site.url}/simple").metadata(the_file(site)) is None


def test_a_wheel_on_this_machine_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "simple" / "tiny"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text(f'<a href="../../{WHEEL}">x</a><a href="b">y</a>')
    index = an_index(str(tmp_path / "simple"))
    (file,) = index.files("tiny")
    assert index.metadata(file) is None
    (tmp_path / WHEEL).write_bytes(a_wheel())
    assert requires(index, file) == ["numpy >=1.26"]


def test_files_on_the_host_of_an_index_get_its_password_and_others_do_not() -> None:
    with serve() as site, serve() as other:
        site.files[f"files/{WHEEL}"] = other.files[f"files/{WHEEL}"] = a_wheel()
        index = an_index(site.url.replace("//", "//me:s3cret@") + "/simple")
        lists(site, WHEEL)
        index.metadata(the_file(site, index))
        assert all(h["Authorization"] for h in site.headers)
        path = "simple/tiny/"
        site.files[path] = site.files[path].replace(site.url.encode(), other.url.encode())
        index.metadata(the_file(site, index))
        assert other.headers
        assert not any(h["Authorization"] for h in other.headers)


# --- the real thing ----------------------------------------------------------------------------


@pytest.mark.network
def test_the_index_of_this_pip_knows_numpy_and_its_metadata(anywhere: None) -> None:
    index = open_index(ProcessRunner())
    files = [f for f in index.files("numpy") if f.version == "2.0.2" and "x86_64" in f.filename]
    assert {f.name.python for f in files} >= {"cp39", "cp310", "cp311", "cp312"}
    found = index.metadata(files[0])
    assert found is not None
    assert (found["Name"], found["Requires-Python"]) == ("numpy", ">=3.9")
    assert index.files("tfbuild-has-no-project-of-this-name") == ()


def test_a_wheel_that_drips_is_given_up_as_a_whole() -> None:
    name, size = WHEEL, 8_000_000
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, size - 200, 100, 0)
    whole = bytes(size - len(end)) + end

    def ranged(request: bytes) -> Iterator[bytes]:
        if b"/simple/" in request:
            page = f"<a href='/files/{name}'>x</a>".encode()
            yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + page
            return
        found = re.search(rb"bytes=(\d+)-(\d+)", request)
        assert found
        first, last = int(found[1]), int(found[2])
        span = f"Content-Range: bytes {first}-{last}/{size}\r\nContent-Length: {last - first + 1}"
        yield f"HTTP/1.1 206 Partial Content\r\n{span}\r\nConnection: close\r\n\r\n".encode()
        part = whole[first : last + 1]
        yield from [part] if last - first < 100_000 else (part[n : n + 1] for n in range(size))

    with serve_answers(ranged, pause=0.02) as server:
        address = f"http://127.0.0.1:{server.port}/simple"
        config = PipConfig(indexes=(address,), access=Access(timeout=5, whole=1.5))
        index = PackageIndex(config)
        (file,) = index.files("tiny")
        began = time.monotonic()
        with fails("answer-too-slow"):
            index.metadata(file)
        assert time.monotonic() - began < 20


@pytest.mark.parametrize("address", ["htps://index.example/simple", "ftp://me:s3cret@x/simple"])
def test_an_index_that_cannot_be_asked_is_no_empty_one(address: str) -> None:
    with fails("index-scheme-unknown") as caught:
        an_index(address).files("tiny")
    assert "s3cret" not in str(caught.value)
