"""The way to the package index: pip, proxies, certificates."""

import sys
from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, lines_of, the_line
from tests.fakes import FakeRunner, says
from tfbuild.doctor.checks import network

PYTHON = Path(sys.executable).name


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in network._CERTIFICATES:
        monkeypatch.delenv(name, raising=False)


def test_pip_is_there_really(tmp_path: Path) -> None:
    assert the_line(network.pip(a_context(tmp_path))).detail.startswith("pip ")


def test_no_pip(tmp_path: Path) -> None:
    runner = FakeRunner(answers={PYTHON: says("No module named pip", code=1)})
    context = a_context(tmp_path, runner=runner)
    line = the_line(network.pip(context))
    assert (line.state, "ensurepip" in line.fix) == ("failure", True)
    assert the_line(network.index(context)).state == "skipped"


def test_the_index_is_asked_without_leaving_a_trace(tmp_path: Path) -> None:
    runner = FakeRunner(answers={PYTHON: says("nanobind (2.0.0)")})
    context = a_context(tmp_path, runner=runner)
    assert the_line(network.index(context)).state == "pass"
    (command,) = runner.commands
    assert "--no-cache-dir" in command.argv
    assert ("PYTHONDONTWRITEBYTECODE", "1") in command.env
    assert command.timeout


def test_an_index_that_cannot_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real pip, sent to where nobody listens."""
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    line = the_line(network.index(a_context(tmp_path)))
    assert (line.state, "PIP_INDEX_URL" in line.fix) == ("warning", True)


@pytest.mark.network
def test_the_index_of_this_machine(tmp_path: Path) -> None:
    assert the_line(network.index(a_context(tmp_path))).state == "pass"


PROXY = "http://user:secret@proxy:3128"


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, ["no proxy is set"]),
        ({"no_proxy": "localhost"}, ["no proxy is set"]),
        ({"http_proxy": PROXY, "https_proxy": PROXY, "no_proxy": "localhost"}, ["agree"]),
        ({"all_proxy": "socks5://proxy:1080", "no_proxy": "*"}, ["agree"]),
        ({"http_proxy": PROXY, "no_proxy": "localhost"}, ["https_proxy is not"]),
        ({"HTTPS_PROXY": PROXY, "no_proxy": "localhost"}, ["http_proxy is not"]),
        (
            {
                "http_proxy": PROXY,
                "HTTP_PROXY": "http://other:1",
                "https_proxy": PROXY,
                "no_proxy": "localhost",
            },
            ["http_proxy and HTTP_PROXY differ"],
        ),
        (
            {"http_proxy": "proxy:3128", "https_proxy": PROXY, "no_proxy": "127.0.0.1"},
            ["http_proxy is no URL"],
        ),
        ({"http_proxy": "http://[", "https_proxy": PROXY, "no_proxy": "*"}, ["no URL"]),
        ({"http_proxy": PROXY, "https_proxy": PROXY}, ["localhost"]),
        ({"http_proxy": PROXY}, ["https_proxy is not", "localhost"]),
    ],
)
def test_proxies(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    words: list[str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    lines = lines_of(network.proxies(a_context(tmp_path)))
    assert len(lines) == len(words)
    for line, word in zip(lines, words, strict=True):
        assert word in line.detail
        assert "secret" not in line.detail + line.fix, "what a proxy holds is never shown"


def test_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = a_context(tmp_path)
    assert the_line(network.certificates(context)).detail == "those of the system"
    bundle = tmp_path / "ca.pem"
    monkeypatch.setenv("PIP_CERT", str(bundle))
    line = the_line(network.certificates(context))
    assert (line.state, "PIP_CERT" in line.fix) == ("warning", True)
    bundle.write_text("")
    assert the_line(network.certificates(context)).state == "pass"
