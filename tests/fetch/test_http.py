"""The adapter for HTTP, with a server that refuses, breaks off, is slow, moves or is gone."""

import base64
import ssl
from pathlib import Path

import pytest

from tests.failing import fails
from tests.web import CERTIFICATE, only_here, serve
from tfbuild.fetch.http import Access, HttpFailed, Web


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """No proxy, no netrc, no waiting, nobody but this machine."""
    monkeypatch.setattr("tfbuild.fetch.http.time.sleep", lambda _seconds: None)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    return only_here(monkeypatch)


def test_a_page_comes_whole_with_its_kind() -> None:
    with serve() as site:
        site.files["p"], site.kinds["p"] = "wörld".encode(), "Text/HTML; charset=utf-8"
        page = Web().get(f"{site.url}/p", {"Accept": "text/html"})
        assert site.headers[0]["Accept"] == "text/html"
        assert site.headers[0]["User-Agent"] == "tfbuild"
    assert (page.text, page.kind, page.url) == ("wörld", "text/html", f"{site.url}/p")


def test_a_moved_page_says_where_it_came_from() -> None:
    with serve() as site:
        site.files["new/p"], site.moved["p"] = b"here", f"{site.url}/new/p"
        assert Web().get(f"{site.url}/p").url.endswith("/new/p")


def test_nothing_leads_from_tls_to_plain_http() -> None:
    with serve(over_tls=True) as safe, serve() as plain:
        plain.files["p"], safe.moved["p"] = b"evil", f"{plain.url}/p?token=s3cret"
        safe.files["q"], safe.moved["r"] = b"good", "/q"
        web = Web(Access(ca=str(CERTIFICATE)))
        assert web.get(f"{safe.url}/r").content == b"good"
        with fails("redirect-to-http", plain.url) as caught:
            web.get(f"{safe.url}/p")
        assert plain.asked == []
    assert "s3cret" not in caught.value.why


def test_passing_trouble_is_waited_out() -> None:
    with serve() as site:
        site.files["p"], site.codes, site.break_after = b"x" * 1000, [503], [10]
        assert Web().get(f"{site.url}/p").content == b"x" * 1000
        assert len(site.asked) == 3


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_refusal_is_final_and_carries_its_number(code: int) -> None:
    with serve() as site:
        site.codes = [code]
        with pytest.raises(HttpFailed) as caught:
            Web().get(f"{site.url}/p")
        assert len(site.asked) == 1
    assert (caught.value.code, caught.value.status) == ("http-refused", code)


def test_trouble_that_stays_is_an_error() -> None:
    with serve() as site:
        site.codes = [502, 502, 502, 502]
        with fails("http-refused", "502"):
            Web().get(f"{site.url}/p")
        assert len(site.asked) == 3


def test_a_silent_server_is_given_up() -> None:
    with serve() as site:
        site.files["p"], site.is_silent = b"late", True
        with pytest.raises(HttpFailed) as caught:
            Web(Access(timeout=0.1)).get(f"{site.url}/p")
    assert caught.value.code == "no-answer-in-time"
    assert caught.value.where == "connection"


def test_nobody_there_is_said_in_words() -> None:
    with serve() as site:
        url = site.url
    with pytest.raises(HttpFailed) as caught:
        Web().get(f"{url}/p")
    assert caught.value.code == "server-unreachable"
    assert not caught.value.is_passing


@pytest.mark.parametrize("url", ["nothing", "ftp://127.0.0.1/p", "http://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(HttpFailed) as caught:
        Web().get(url)
    assert (caught.value.code, caught.value.where) == ("url-malformed", "address")


def test_what_is_no_address_is_reported_without_its_password() -> None:
    with fails("url-malformed", "ftp://") as caught:
        Web().get("ftp://me:s3cret@127.0.0.1/p")
    assert "s3cret" not in f"{caught.value.message} {caught.value.why}"


def test_headers_of_the_user_stay_at_the_server_that_they_are_for() -> None:
    with serve() as own, serve() as other:
        other.files["p"], own.moved["p"] = b"here", f"{other.url}/p"
        Web().get(f"{own.url}/p", {"x-api-key": "s3cret", "Accept": "text/html"})
        assert own.headers[0]["x-api-key"] == "s3cret"
        assert "x-api-key" not in other.headers[0]
        assert other.headers[0]["Accept"] == "text/html"


def test_endless_redirections_end() -> None:
    with serve() as site:
        site.moved["p"] = "/p"
        with pytest.raises(HttpFailed) as caught:
            Web().get(f"{site.url}/p")
    assert (caught.value.code, caught.value.where) == ("too-many-redirects", "address")


def test_a_huge_page_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfbuild.fetch.http._PAGE_BYTES", 100)
    with serve() as site:
        site.files["p"] = b"x" * 101
        with fails("page-too-large"):
            Web().get(f"{site.url}/p")


def test_passwords_go_to_the_server_and_not_into_messages(at_home: list[str]) -> None:
    with serve() as site:
        url = site.url.replace("//", "//me:s3cret@")
        with fails("http-refused", "404") as caught:
            Web().get(f"{url}/p?token=t0ken")
        assert site.headers[0]["Authorization"].startswith("Basic ")
    said = f"{caught.value.message} {caught.value.why} {caught.value.hint}"
    assert "s3cret" not in said
    assert "t0ken" not in said
    assert at_home == ["127.0.0.1"]


def test_a_login_in_the_address_beats_netrc(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login other password wrong\n")
    with serve() as site:
        site.files["q"], site.moved["p"] = b"x", "/q"
        Web().get(site.url.replace("//", "//me:s3%2Fcret@") + "/p")
        expected = base64.b64encode(b"me:s3/cret").decode()
        assert [h["Authorization"] for h in site.headers] == [f"Basic {expected}"] * 2


def test_netrc_is_read(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password s3cret\n")
    with serve() as site:
        site.files["p"] = b"x"
        Web().get(f"{site.url}/p")
        assert site.headers[0]["Authorization"].startswith("Basic ")


def test_a_proxy_is_asked_instead_of_the_host(at_home: list[str]) -> None:
    with serve() as site:
        with pytest.raises(HttpFailed) as caught:
            Web(Access(proxy=site.url)).get("http://elsewhere.invalid/p")
        assert site.asked == [("http://elsewhere.invalid/p", "")]
    assert (caught.value.code, caught.value.status) == ("http-refused", 404)
    assert set(at_home) == {"127.0.0.1"}


def test_a_proxy_that_is_not_there_keeps_its_password() -> None:
    with serve() as site:
        proxy = site.url.replace("//", "//me:s3cret@")
    with pytest.raises(HttpFailed) as caught:
        Web(Access(proxy=proxy)).get("http://elsewhere.invalid/p")
    assert "s3cret" not in caught.value.why
    assert (caught.value.code, caught.value.where) == ("server-unreachable", "connection")


def test_certificates_that_are_not_there_are_named(tmp_path: Path) -> None:
    with fails("certificate-file-missing", "none.pem"):
        Web(Access(ca=str(tmp_path / "none.pem"))).get("https://127.0.0.1:1/p")


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "PIP_CERT"])
def test_the_usual_variables_name_certificates(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "mine.pem"))
    with fails("certificate-file-missing", "mine.pem"):
        Web().get("https://127.0.0.1:1/p")


def test_without_variables_the_systems_certificates_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tfbuild.fetch import http

    for name in http._CA_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    paths = ssl.get_default_verify_paths()
    (tmp_path / "certs").mkdir()
    for cafile, capath, expected in (
        ("/a/file.pem", None, "/a/file.pem"),
        (None, str(tmp_path), str(tmp_path)),
        (None, str(tmp_path / "certs"), True),
        (None, None, True),
    ):
        changed = paths._replace(cafile=cafile, capath=capath)  # type: ignore[arg-type]
        monkeypatch.setattr(ssl, "get_default_verify_paths", lambda found=changed: found)
        assert http.certificates(Access()) == expected


def test_a_trusted_host_is_known_with_and_without_its_port() -> None:
    from tfbuild.fetch.http import _is_trusted

    assert _is_trusted("https://me:pw@host:8443/p", Access(trusted_hosts=("host:8443",)))
    assert _is_trusted("https://host:8443/p", Access(trusted_hosts=("host",)))
    assert not _is_trusted("https://other/p", Access(trusted_hosts=("host",)))


@pytest.mark.parametrize("login", ["bob:s3/cret", "bob:s3#cret", "bob:s3cret ", "bob:s3?cret"])
def test_a_password_with_special_letters_stays_hidden(
    monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    with pytest.raises(HttpFailed) as caught:
        Web(Access(timeout=2)).get(f"https://{login}@127.0.0.1:1/simple/")
    assert "cret" not in f"{caught.value.message} {caught.value.why}"
    monkeypatch.setenv("http_proxy", f"http://{login}@127.0.0.1:1")
    with pytest.raises(HttpFailed) as caught:
        Web(Access(timeout=2)).get("http://there.example/simple/")
    assert "cret" not in f"{caught.value.message} {caught.value.why}"
