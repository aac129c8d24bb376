"""No secret is shown, wherever it stands; what is none stays readable."""

import shlex

import pytest

from tfbuild.core.errors import BadRequest
from tfbuild.core.masking import mask, mask_address, mask_all, mask_value

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"https://me:{SECRET}@host/simple", "https://****@host/simple"),
        (f"https://{SECRET}@host/simple", "https://****@host/simple"),
        (f"https://me:a/{SECRET}@host/simple", "https://****@host/simple"),
        (f"https://me:a'{SECRET}\"b@host/simple", "https://****@host/simple"),
        (f"https://me:a@{SECRET}@host/simple", "https://****@host/simple"),
        (f"https://:{SECRET}@host", "https://****@host"),
        (f"https://a:{SECRET}@h,https://b:{SECRET}@i/x", "https://****@h,https://****@i/x"),
        (f"git+ssh://git:{SECRET}@host/repo@v1", "git+ssh://****@v1"),
        (f"https://host/a.whl?token={SECRET}", "https://host/a.whl?token=****"),
        (f"https://host/a?x=1&X-Amz-Signature={SECRET}&y=2",
         "https://host/a?x=1&X-Amz-Signature=****&y=2"),
        (f"https://host/a?access_token={SECRET}#sha256=0", "https://host/a?access_token=****#sha256=0"),
        (f"https://host/a?sig={SECRET}&se=1", "https://host/a?sig=****&se=1"),
        (f"Authorization: Bearer {SECRET}", "Authorization: Bearer ****"),
        (f"> authorization: Basic {SECRET}", "> authorization: Basic ****"),
        (f'{{"Authorization": "Bearer {SECRET}"}}', '{"Authorization": "Bearer ****"}'),
        (f"--header=Authorization=Bearer {SECRET}", "--header=Authorization=Bearer ****"),
        (f"--remote_header=x-build-api-key={SECRET}", "--remote_header=x-build-api-key=****"),
        (f"PRIVATE-TOKEN: {SECRET}", "PRIVATE-TOKEN: ****"),
        (f"Proxy-Authorization: {SECRET}", "Proxy-Authorization: ****"),
        (f"set-cookie: {SECRET}", "set-cookie: ****"),
        (f"me:{SECRET}@host/simple", "****@host/simple"),
        (f"me@corp:{SECRET}@host:80", "****@host:80"),
        (f"us!er:{SECRET}@host", "****@host"),
        (f"//me:{SECRET}@host", "//****@host"),
        (f"http:/me:{SECRET}@host", "http:/****@host"),
        (f"http:///me:{SECRET}@host", "http:///****@host"),
        (f"http//me:{SECRET}@host", "http//****@host"),
        (f"http:\\\\me:{SECRET}@host", "http:\\\\****@host"),
        (f"http:me:{SECRET}@host", "****@host"),
        (f"http:/{SECRET}@host", "http:/****@host"),
        (f"https://me:{SECRET}@[::1", "https://****@[::1"),
        (f"https%3A%2F%2Fme%3A{SECRET}%40host", "****%40host"),
        (f"https%3A%2F%2F{SECRET}%40host", "https%3A%2F%2F****%40host"),
        (f"https%253A%252F%252Fme%253A{SECRET}%2540host", "****%2540host"),
        (f"https://me%3A{SECRET}%40host/a", "https://****%40host/a"),
        (f"PIP_INDEX_URL=me:{SECRET}@host/x", "PIP_INDEX_URL=****@host/x"),
        (f"host/x?key={SECRET}", "host/x?key=****"),
        (f"host?token={SECRET}&a=b", "host?token=****&a=b"),
        (f"host%3Ftoken%3D{SECRET}%26a%3Db", "host%3Ftoken%3D****%26a%3Db"),
        (f"TWINE_PASSWORD={SECRET}", "TWINE_PASSWORD=****"),
        (f"AWS_SECRET_ACCESS_KEY={SECRET}", "AWS_SECRET_ACCESS_KEY=****"),
        (f"--api-key={SECRET}", "--api-key=****"),
        (f"--password {SECRET}", "--password ****"),
        (f"DB_PASS={SECRET}", "DB_PASS=****"),
        (f"MYSQL_PWD={SECRET}", "MYSQL_PWD=****"),
        (f"GITHUB_TOKEN: {SECRET}", "GITHUB_TOKEN: ****"),
        (f"NPM_TOKEN = {SECRET}", "NPM_TOKEN = ****"),
        (f"-DAPI_TOKEN={SECRET}", "-DAPI_TOKEN=****"),
        (f'{{"token": "{SECRET}", "a": "b"}}', '{"token": "****", "a": "b"}'),
        (f"//registry/:_authToken={SECRET}", "//registry/:_authToken=****"),
        (f"machine h login me password {SECRET}", "machine h login me password ****"),
        (f"curl -u me:{SECRET} x", "curl -u me:**** x"),
        (f"Cookie: a=x; b={SECRET}", "Cookie: ****"),
        (f"Authorization: AWS4-HMAC-SHA256 Credential={SECRET}, Signature={SECRET}",
         "Authorization: AWS4-HMAC-SHA256 ****"),
        (f'Authorization: Digest username="me", response="{SECRET}"', "Authorization: Digest ****"),
    ],
)  # fmt: skip
def test_a_secret_is_hidden(text: str, shown: str) -> None:
    assert mask(text) == shown
    assert mask(mask(text)) == shown
    quoted = shlex.join(("pip", "--index-url", text, "--done"))
    assert SECRET not in mask(quoted)
    assert mask(quoted).endswith("--done")


@pytest.mark.parametrize(
    "text",
    [
        "https://host/simple/", "https://host:8443/a/b?c=d", "git+https://host/repo@v1",
        "https://host/@scope/name", "me@example.org", "bazel build //a:b --config=c",
        "tokens=5 and keys: none", "https://host/a?version=1&sha256=0", "author: me", "",
        "debian:bookworm@sha256:00ff",
        "PATH=/usr/bin:/sbin:/opt/python@3.11/bin", "git@host:a/b.git",
        "undefined reference to `memcpy@GLIBC_2.14'", "--proto=@@rules~1//a:b,@c//d:e", "50%40",
        "PWD=/tmp KEYS=3", "OLDPWD=/a", "docker run -u 1000:1000 x",
        "error: expected ';'",
        "--remote_header=authorization=",
        *("the token: none", '"name": "token"'),
        "http://host:80/a%2Fb", "sort(key=lambda: 0)", "%40scope/name",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        *("x-", "&a_", "://a:", "://", "authorization", "?token", "%26key_", "a:@", "a/b:c", "@"),
        *("http:/", "2F@", "X_TOKEN=\"'", "TOKEN", "%2540", "@a.b", "a:b%40", "--a-", "a:,"),
        *(
            "authorization: a ",
            "cookie: a=b; ",
            "; a=b",
            " ",
            "a ",
            '"token":',
            "--a-token ",
            "_auth",
        ),
        *(
            "login a password ",
            "-u a:",
            "-DA_",
            "A_PASS",
            "authorization:",
            'a="b",',
            "'token",
            "_",
        ),
    ],
)
def test_long_lines_take_no_time(piece: str) -> None:
    assert mask(piece * 50_000)


def test_data_keeps_its_shape() -> None:
    plain = {"a": [f"https://me:{SECRET}@host", 1, None, {"b": True}]}
    assert mask_all(plain) == {"a": ["https://****@host", 1, None, {"b": True}]}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"https://me:{SECRET}@host/a/b?x={SECRET}", "https://host/a/b"),
        ("https://host/a#sha256=0", "https://host/a"),
        ("https://host/@scope/name", "https://host/@scope/name"),
        (f"me:{SECRET}@host/a", "host/a"),
        (f"{SECRET}@host", "host"),
        (f"host?{SECRET}", "host"),
        ("https://[::1", "https://[::1"),
        (f"https://me:{SECRET} @host:1/a", "https://host:1/a"),
        (f"https://me:{SECRET}/{SECRET}@host/a", "https://host/a"),
        (f"https://me:{SECRET}#{SECRET}@host/a", "https://host/a"),
    ],
)
def test_of_an_address_host_and_path_are_left(address: str, shown: str) -> None:
    assert mask_address(address) == shown


def test_a_variable_is_secret_by_its_name() -> None:
    assert mask_value("NPM_TOKEN", SECRET) == "****"
    assert mask_value("PATH", "/bin") == "/bin"
    assert mask_value("PIP_INDEX_URL", f"me:{SECRET}@host") == "****@host"
    assert mask_all({"env": [["GH_TOKEN", SECRET], ["A", "b"]], "DB_PASSWORD": SECRET}) == {
        "env": [["GH_TOKEN", "****"], ["A", "b"]], "DB_PASSWORD": "****",
    }  # fmt: skip


def test_an_error_shows_no_secret() -> None:
    url = f"https://me:{SECRET}@host"
    error = BadRequest(f"no {url}", why=f"from {url}", hint=f"see {url}")
    assert SECRET not in f"{error} {error.message} {error.why} {error.hint}"
