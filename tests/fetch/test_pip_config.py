"""What pip says about its settings: a pip with prepared answers, and the real one."""

import sys
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeRunner, says
from tfbuild.core.interfaces import Watch
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.fetch.package_index import open_index
from tfbuild.fetch.pip_config import PipConfig, ask_pip, index_name

PIP = Path(sys.executable).name
HELP = """
Package Index Options:
  -i, --index-url <url>       Base URL of the Python Package Index (default
                              https://index.example/simple). This should point somewhere.
  --extra-index-url <url>     Extra URLs (default: none).
"""


def asked(*lines: str, helped: str = HELP) -> PipConfig:
    """The configuration when `pip config list` prints lines."""

    def answer(command: Command, _watch: Watch | None) -> Completed:
        text = helped if "--help" in command.argv else "".join(f"{line}\n" for line in lines)
        return Completed(code=0, stdout=text)

    return ask_pip(FakeRunner(answers={PIP: answer}))


def test_what_nobody_configured_is_pips_own_default() -> None:
    config = asked()
    assert config.indexes == ("https://index.example/simple",)
    assert (config.access.ca, config.access.proxy, config.access.timeout) == ("", "", 15.0)


def test_the_name_of_an_index_holds_no_password() -> None:
    lines = (
        "global.index-url='https://me:pw@a.example:8443/simple'",
        "install.extra-index-url='https://b.example/simple\\nfile:///srv/simple'",
        "global.timeout='60'",
    )
    assert index_name(FakeRunner(answers={PIP: says(*lines)})) == (
        "index-url=https://a.example:8443/simple "
        "extra-index-url=https://b.example/simple extra-index-url=file:///srv/simple"
    )
    assert index_name(FakeRunner(answers={PIP: says()})) == ""


@pytest.mark.parametrize(
    "address", ["https://me:sesame@[::1", "me:sesame@host/simple", "https://host/simple?key=sesame"]
)
def test_an_address_that_is_none_gives_no_secret_away(address: str) -> None:
    lines = f"global.index-url='{address}'\nglobal.extra-index-url='https://me:sesame@[::2'\n"
    runner = FakeRunner(answers={PIP: says(lines)})
    assert "sesame" not in index_name(runner)
    with fails("pip-index-malformed") as caught:
        ask_pip(runner)
    assert "sesame" not in f"{caught.value.message}{caught.value.why}"


def test_the_environment_beats_the_command_which_beats_the_global_section() -> None:
    lines = (
        ":env:.index-url='https://c.example/simple/'",
        "download.index-url='https://b.example/simple'",
        "global.index-url='https://a.example/simple'",
        "global.timeout='60'",
        "install.index-url='https://other.example/simple'",
    )
    assert asked(*lines).indexes == ("https://c.example/simple",)
    assert asked(*lines[1:]).indexes == ("https://b.example/simple",)
    assert asked(*lines[2:]).indexes == ("https://a.example/simple",)
    assert asked(*lines).access.timeout == 60.0


def test_everything_that_decides_how_the_index_is_reached_is_taken() -> None:
    config = asked(
        "global.extra-index-url='https://a.example/simple\\nfile:///srv/simple'",
        "global.cert='/etc/it''s.pem'",
        "global.client_cert='/me.pem'",
        "global.proxy='http://me:pw@proxy.example:3128'",
        "global.trusted-host='a.example b.example:8443'",
        "global.default-timeout='7'",
        "a warning that is no setting",
    )
    assert config.indexes[1:] == ("https://a.example/simple", "file:///srv/simple")
    access = config.access
    assert access.ca == "/etc/its.pem"  # Python's own reading of two strings side by side
    assert access.client_cert == "/me.pem"
    assert access.proxy == "http://me:pw@proxy.example:3128"
    assert access.trusted_hosts == ("a.example", "b.example:8443")
    assert access.timeout == 7.0
    assert "pw" not in repr(config)


def test_a_pip_that_may_not_ask_is_not_gone_around() -> None:
    config = asked(":env:.no-index='1'", "global.find-links='/srv/a\\n/srv/b'")
    assert config.indexes == ()
    assert config.find_links == ("/srv/a", "/srv/b")
    runner = FakeRunner(answers={PIP: says(":env:.no-index='1'\n")})
    with fails("pip-no-index", "PIP_NO_INDEX"):
        open_index(runner)


def test_no_answer_is_an_error_with_a_remedy() -> None:
    runner = FakeRunner(answers={PIP: says("No module named pip", code=1)})
    with fails("pip-config-unreadable", "No module named pip", "ensurepip"):
        ask_pip(runner)
    with fails("pip-index-unknown", "PIP_INDEX_URL"):
        asked(helped="nothing")


def test_the_real_pip_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://me:pw@a.example/simple file:///srv/b")
    monkeypatch.setenv("PIP_TIMEOUT", "33")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    config = ask_pip(ProcessRunner())
    assert config.indexes[0].startswith("https://")
    assert config.indexes[1:] == ("https://me:pw@a.example/simple", "file:///srv/b")
    assert config.access.timeout == 33.0
