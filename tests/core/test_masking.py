"""No secret is shown, wherever it stands; what is none stays readable."""

import shlex

import pytest

from tfbuild.core.errors import BadRequest
from tfbuild.core.masking import mask, mask_all

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
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


def test_long_lines_take_no_time() -> None:
    for piece in ("x-", "&a_", "://a:", "://", "authorization", "?token"):
        assert len(mask(piece * 50_000)) > 50_000


def test_data_keeps_its_shape() -> None:
    plain = {"a": [f"https://me:{SECRET}@host", 1, None, {"b": True}]}
    assert mask_all(plain) == {"a": ["https://****@host", 1, None, {"b": True}]}


def test_an_error_tells_no_secret() -> None:
    url = f"https://me:{SECRET}@host"
    error = BadRequest(f"no {url}", why=f"from {url}", hint=f"see {url}")
    assert SECRET not in f"{error} {error.message} {error.why} {error.hint}"
