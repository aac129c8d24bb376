"""What this machine knows about the network, as files for apt and pip in a container."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeRunner, a_host, says
from tfbuild import host_network
from tfbuild.errors import EnvironmentFailed
from tfbuild.host_network import apt_settings, apt_sources, ca_bundle, network_files, proxies
from tfbuild.http import Access
from tfbuild.pip_config import PipConfig
from tfbuild.systems import System

TRIXIE = System(name="debian 13", suite="trixie", glibc="2.41")
DUMP = (
    'APT::Architecture "amd64";',
    'Acquire::http::Proxy "http://proxy.example:3128";',
    'Acquire::http::Proxy::mirror.example "DIRECT";',
    'Acquire::https::CaInfo "/etc/company.pem";',
    'Acquire::https::SslKey "/etc/secret.key";',
    'Acquire::http::Proxy-Auto-Detect "/usr/bin/find-proxy";',
    'Acquire::Check-Valid-Until "false";',
    'Acquire::IndexTargets::deb::Packages::Optional "0";',
    'Dir::Etc::sourcelist "sources.list";',
)
TARGETS = (
    "https://mirror.example/debian/ bookworm",
    "https://mirror.example/debian/ bookworm-updates",
    "https://mirror.example/security/ bookworm-security",
    "https://other.example/tools/ stable",
)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in host_network._CA_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(host_network, "_CA_BUNDLES", ())
    monkeypatch.setattr(host_network, "find_program", lambda name: f"/usr/bin/{name}")
    yield


def runner(*pip: str) -> FakeRunner:
    return FakeRunner(
        answers={
            "apt-config": says(*DUMP),
            "apt-get": says(*TARGETS),
            Path(sys.executable).name: says(*pip, "global.index-url='https://i.example/simple'"),
        }
    )


def test_of_apts_settings_those_of_the_network_are_kept() -> None:
    assert apt_settings(runner(), ca="", sources="").splitlines() == [
        'Acquire::http::Proxy "http://proxy.example:3128";',
        'Acquire::http::Proxy::mirror.example "DIRECT";',
        'Acquire::Check-Valid-Until "false";',
    ]


def test_paths_of_this_machine_become_paths_of_the_container() -> None:
    text = apt_settings(runner(), ca="/run/network/ca.pem", sources="/run/network/sources.list")
    assert 'Acquire::https::CaInfo "/run/network/ca.pem";' in text
    assert 'Dir::Etc::sourcelist "/run/network/sources.list";' in text
    assert 'Dir::Etc::sourceparts "/dev/null";' in text
    assert "/etc/" not in text


def test_the_usual_proxy_variables_count_where_apt_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://env.example:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://env.example:2")
    text = apt_settings(runner(), ca="", sources="")
    assert 'Acquire::http::Proxy "http://proxy.example:3128";' in text
    assert "env.example:1" not in text
    assert 'Acquire::https::Proxy "http://env.example:2";' in text


def test_one_proxy_for_all() -> None:
    assert proxies({"ALL_PROXY": "http://p:1", "https_proxy": "http://q:2"}) == {
        "http": "http://p:1",
        "https": "http://q:2",
    }


def test_the_mirror_of_this_machine_serves_other_suites_of_the_same_distribution() -> None:
    assert apt_sources(runner(), a_host(), TRIXIE).splitlines() == [
        "deb https://mirror.example/debian/ trixie main",
        "deb https://mirror.example/debian/ trixie-updates main",
        "deb https://mirror.example/security/ trixie-security main",
    ]


def test_a_system_that_has_ended_is_taken_as_it_was_released() -> None:
    """Its last updates stay listed when their files are gone."""
    ended = replace(TRIXIE, suite="buster", ends="2024-06-30")
    assert apt_sources(runner(), a_host(), ended).splitlines() == [
        "deb https://mirror.example/debian/ buster main"
    ]


def test_the_mirror_of_another_distribution_is_not_asked() -> None:
    assert apt_sources(runner(), a_host(distribution="ubuntu"), TRIXIE) == ""
    assert apt_sources(runner(), a_host(distribution="fedora"), TRIXIE) == ""


def test_a_machine_without_apt_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_network, "find_program", lambda _: "")
    assert apt_settings(FakeRunner(), ca="", sources="") == ""
    assert apt_sources(FakeRunner(), a_host(), TRIXIE) == ""


def test_an_apt_that_fails_is_no_traceback() -> None:
    broken = FakeRunner(answers={"apt-config": says("E: Syntax error", code=100)})
    with pytest.raises(EnvironmentFailed, match="apt does not tell"):
        apt_settings(broken, ca="", sources="")


def test_certificates_by_pip_then_by_variables_then_by_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("pip", "variable", "system"):
        (tmp_path / f"{name}.pem").write_text(name)

    def config(ca: str) -> PipConfig:
        return PipConfig(indexes=(), access=Access(ca=ca))

    assert ca_bundle(config("")) == b""
    monkeypatch.setattr(host_network, "_CA_BUNDLES", (str(tmp_path / "system.pem"),))
    assert ca_bundle(config("")) == b"system"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "variable.pem"))
    assert ca_bundle(config("")) == b"variable"
    assert ca_bundle(config(str(tmp_path / "gone.pem"))) == b"variable"
    assert ca_bundle(config(str(tmp_path / "pip.pem"))) == b"pip"


def test_everything_lies_in_one_folder_of_the_context(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_text("certificates")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    files = network_files(
        runner(
            "global.extra-index-url='file:///srv/simple https://more.example/simple'",
            "global.trusted-host='i.example'",
            "global.proxy='http://pip.example:8'",
        ),
        a_host(),
        TRIXIE,
    )
    assert set(files) == {
        "network/apt.conf",
        "network/pip.conf",
        "network/sources.list",
        "network/ca.pem",
    }
    assert files["network/ca.pem"] == b"certificates"
    assert files["network/pip.conf"].decode().splitlines() == [
        "[global]",
        "index-url = https://i.example/simple",
        "extra-index-url = https://more.example/simple",
        "trusted-host = i.example",
        "proxy = http://pip.example:8",
        "cert = /run/network/ca.pem",
        "timeout = 15",
    ]
    assert b"/run/network/sources.list" in files["network/apt.conf"]


def test_a_machine_with_nothing_to_say_sends_no_empty_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host_network, "find_program", lambda _: "")
    assert set(network_files(runner(), a_host(), TRIXIE)) == {"network/pip.conf"}
