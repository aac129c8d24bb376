"""Constraints about caches and farms, word by word."""

import pytest

from tests.failing import fails
from tfbuild.builds.services import read_services
from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.core.settings import Setting, Settings


def read(**constraints: str) -> Services:
    return read_services(
        Settings(
            values=tuple(
                Setting(name=name.replace("_", "-"), value=value, origin="flag")
                for name, value in constraints.items()
            )
        )
    )


def test_nothing_is_requested() -> None:
    assert read() == NO_SERVICES


def test_all_that_can_be_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIN", "Bearer x")
    assert read(
        disk_cache_limit="1.5g", remote_cache="https://cache/bazel/", verify_cache="5%",
        remote_executor="grpc://farm:1/team", remote_header="authorization=LOGIN",
        remote_property="pool=big,OSFamily=linux", remote_required="true", keep_server="yes",
    ) == Services(
        disk_limit_mb=1500, cache="https://cache/bazel", executor="grpc://farm:1/team",
        headers=(("authorization", "LOGIN"),), is_required=True, checked=0.05, keeps_server=True,
        properties=(("OSFamily", "linux"), ("pool", "big")),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "megabytes"), [("0", 0), ("500m", 500), ("500MB", 500), ("2 GiB", 2000), ("1t", 10**6)]
)
def test_sizes(text: str, megabytes: int) -> None:
    assert read(disk_cache_limit=text).disk_limit_mb == megabytes


@pytest.mark.parametrize(
    ("constraints", "code"),
    [
        ({"disk_cache_limit": "much"}, "disk-cache-limit-no-size"),
        ({"disk_cache_limit": "-1"}, "disk-cache-limit-no-size"),
        ({"verify_cache": "120%"}, "verify-cache-no-share"),
        ({"verify_cache": "often"}, "verify-cache-no-share"),
        ({"remote_cache": "cache:80"}, "remote-address-unfit"),
        ({"remote_cache": "ftp://cache"}, "remote-address-unfit"),
        ({"remote_cache": "http://"}, "remote-address-unfit"),
        ({"remote_cache": "http://cache:port"}, "remote-address-malformed"),
        ({"remote_cache": "http://cache:99999"}, "remote-address-malformed"),
        ({"remote_cache": "http://cache?x=1"}, "remote-address-unfit"),
        ({"remote_cache": "http://[::1"}, "remote-address-malformed"),
        ({"remote_cache": "grpc://cache"}, "remote-port-missing"),
        ({"remote_executor": "http://farm:1"}, "remote-address-unfit"),
        ({"remote_header": "x=HOME"}, "option-without-address"),
        ({"remote_required": "true"}, "option-without-address"),
        ({"remote_cache": "http://c", "remote_property": "a=b"}, "option-without-address"),
        ({"remote_cache": "http://c", "remote_header": "HOME"}, "option-without-equals"),
        ({"remote_cache": "http://c", "remote_header": "x y=HOME"}, "remote-header-malformed"),
        ({"remote_cache": "http://c", "remote_header": "x=Bearer abc"}, "remote-header-malformed"),
        ({"remote_cache": "http://c", "remote_header": "x=HOME,x=PATH"}, "option-names-twice"),
        ({"remote_cache": "http://c", "remote_header": "x=NOT_SET_AT_ALL"}, "remote-header-unset"),
        ({"remote_executor": "grpc://f:1", "remote_property": "a"}, "option-without-equals"),
        ({"remote_cache": "http://c", "env": "docker"}, "remote-cache-in-container"),
    ],
)
def test_what_cannot_be(constraints: dict[str, str], code: str) -> None:
    with fails(code) as caught:
        read(**constraints)
    assert caught.value.hint


@pytest.mark.parametrize(
    "address",
    [
        *("http://me:sesame@cache", "me:sesame@cache", "sesame@cache:80", "http:/sesame@cache"),
        *("http://[me:sesame@cache", "http%3A%2F%2Fme%3Asesame%40cache"),
    ],
)
def test_a_login_in_an_address_is_refused_and_not_shown(address: str) -> None:
    with fails("address-holds-login", ".netrc") as caught:
        read(remote_cache=address)
    said = f"{caught.value.message}{caught.value.why}{caught.value.hint}"
    assert "sesame" not in said


def test_a_token_in_an_address_is_not_shown() -> None:
    with fails("remote-address-unfit") as caught:
        read(remote_cache="cache?sesame")
    assert "sesame" not in f"{caught.value.message}{caught.value.why}{caught.value.hint}"


def test_a_secret_in_place_of_a_variable_is_not_shown() -> None:
    with fails("remote-header-malformed") as caught:
        read(remote_cache="http://c", remote_header="x=Bearer sesame")
    assert "sesame" not in f"{caught.value.message}{caught.value.why}{caught.value.hint}"


def test_a_variable_that_holds_no_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIN", "two\nlines")
    with fails("remote-header-unfit", "$LOGIN"):
        read(remote_cache="http://c", remote_header="x=LOGIN")
