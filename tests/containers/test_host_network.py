"""What this machine knows about the network, as files for apt and pip in a container."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeRunner, a_host, says
from tfbuild.containers import host_network
from tfbuild.containers.host_network import (
    apt_logins,
    apt_settings,
    apt_sources,
    ca_bundle,
    needs_host_network,
    network_files,
    proxies,
)
from tfbuild.core.environments import System
from tfbuild.fetch.http import Access
from tfbuild.fetch.pip_config import PipConfig

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
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in host_network._CA_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(host_network, "_CA_BUNDLES", ())
    monkeypatch.setattr(host_network, "_LOGINS", tmp_path / "etc")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
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
        'Acquire::https::SslKey "/etc/secret.key";',
        'Acquire::Check-Valid-Until "false";',
    ]


def test_paths_of_this_machine_become_paths_of_the_container() -> None:
    text = apt_settings(runner(), ca="/run/network/ca.pem", sources="/run/network/sources.list")
    assert 'Acquire::https::CaInfo "/run/network/ca.pem";' in text
    assert 'Dir::Etc::sourcelist "/run/network/sources.list";' in text
    assert 'Dir::Etc::sourceparts "/dev/null";' in text
    assert "netrc" not in text
    assert "/etc/company.pem" not in text


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
    with fails("apt-settings-unreadable", "E: Syntax error"):
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


def test_certificates_that_cannot_be_read_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "huge.pem"
    with path.open("wb") as stream:
        stream.truncate(2_000_000_000)
    monkeypatch.setattr(host_network, "_CA_BUNDLES", (str(path),))
    with fails("certificates-unreadable", str(path), "2000 MB"):
        ca_bundle(PipConfig(indexes=(), access=Access(ca="")))


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


# --- passwords and keys --------------------------------------------------------------------------


def test_apts_logins_for_the_servers_of_the_sources_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "etc" / "auth.conf.d").mkdir(parents=True)
    (tmp_path / "etc" / "auth.conf").write_text(
        "# machine commented.example login a password b\n"
        "machine mirror.example/debian\n  login me\n  password word\n"
        "machine other.example login x password y\n"
    )
    (tmp_path / "etc" / "auth.conf.d" / "90.conf").write_text(
        "machine https://security.example:444 login s password t\n"
    )
    sources = (
        "deb https://mirror.example/debian/ trixie main\n"
        "deb https://security.example:444/ trixie-security main\n"
    )
    assert apt_logins(sources).splitlines() == [
        "machine mirror.example/debian login me password word",
        "machine https://security.example:444 login s password t",
    ]
    assert apt_logins("") == ""


def test_client_certificates_and_logins_become_files_of_the_context(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("key", "cert", "client"):
        (tmp_path / f"{name}.pem").write_text(name)
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "auth.conf").write_text("machine mirror.example login me password word")
    lines = (
        f'Acquire::https::SslCert "{tmp_path}/cert.pem";',
        f'Acquire::https::mirror.example::SslKey "{tmp_path}/key.pem";',
        'Acquire::https::other.example::SslKey "/no/such/file";',
    )
    asked = runner(f"global.client-cert='{tmp_path}/client.pem'")
    asked.answers["apt-config"] = says(*DUMP, *lines)
    files = network_files(asked, a_host(), TRIXIE)
    assert files["network/auth.conf"] == b"machine mirror.example login me password word\n"
    assert files["network/client.pem"] == b"client"
    assert {files["network/apt-0.pem"], files["network/apt-1.pem"]} == {b"cert", b"key"}
    conf = files["network/apt.conf"].decode()
    assert 'Dir::Etc::netrc "/run/network/auth.conf";' in conf
    assert 'Acquire::https::SslCert "/run/network/apt-0.pem";' in conf
    assert 'Acquire::https::mirror.example::SslKey "/run/network/apt-1.pem";' in conf
    assert "/no/such/file" not in conf and str(tmp_path) not in conf
    assert b"client-cert = /run/network/client.pem" in files["network/pip.conf"]


def test_what_netrc_knows_of_an_index_is_in_its_address(tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine i.example login me password a/b\n")
    (tmp_path / ".netrc").chmod(0o600)
    more = "global.extra-index-url='https://i.example:8443/two https://u:v@i.example/three'"
    text = network_files(runner(more), a_host(), TRIXIE)["network/pip.conf"].decode()
    assert "index-url = https://me:a%2Fb@i.example/simple" in text
    assert "https://me:a%2Fb@i.example:8443/two https://u:v@i.example/three" in text


# --- what listens on this machine alone ----------------------------------------------------------


@dataclass
class Kind:
    name: str = "docker"
    is_rootless: bool = False


@pytest.mark.parametrize(
    "text",
    [
        'Acquire::http::Proxy "http://127.0.0.1:3128";',
        "index-url = http://localhost:3141/team/simple",
        "proxy = user:word@127.0.1.1:8080",
        "deb http://[::1]:3142/debian trixie main",
    ],
)
def test_a_proxy_on_this_machine_needs_its_network(text: str) -> None:
    for name in ("apt.conf", "pip.conf", "sources.list"):
        assert needs_host_network({f"network/{name}": text.encode()}, Kind())
        assert needs_host_network({f"network/{name}": text.encode()}, Kind("podman", True))
    with fails("proxy-on-loopback") as caught:
        needs_host_network({"network/apt.conf": text.encode()}, Kind(is_rootless=True))
    assert "word" not in f"{caught.value.message} {caught.value.why}"


@pytest.mark.parametrize(
    "text",
    [
        'Acquire::http::Proxy "http://proxy.example:3128";',
        'Acquire::http::Proxy::localhost "DIRECT";',
        "index-url = http://localhost.example/simple",
        "proxy = http://10.127.0.0.1.example:80",
        "",
    ],
)
def test_others_do_not(text: str) -> None:
    files = {"network/apt.conf": text.encode(), "network/ca.pem": b"# localhost\n"}
    assert not needs_host_network(files, Kind(is_rootless=True))
