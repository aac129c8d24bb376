"""What a pipeline installs: never a name that anybody may take."""

import json
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.ci import origin
from tfbuild.ci.origin import DISTRIBUTION, check_install, usual_install
from tfbuild.core.masking import mask

COMMIT = "0123456789" * 4
PLACE = "https://place.example/team/tfbuild.git"


def test_in_its_own_checkout_the_tree_is_installed() -> None:
    assert usual_install(Path(__file__).parent.parent.parent) == "."


class Installed:
    """A distribution with what pip wrote of its origin."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.text


def installed(monkeypatch: pytest.MonkeyPatch, document: object) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    monkeypatch.setattr(origin, "distribution", lambda _: Installed(text))


def test_elsewhere_the_commit_that_this_one_came_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, {"url": PLACE, "vcs_info": {"vcs": "git", "commit_id": COMMIT}})
    found = usual_install(tmp_path)
    assert found == f"{DISTRIBUTION} @ git+{PLACE}@{COMMIT}"
    check_install(found)


@pytest.mark.parametrize(
    "document",
    [
        {},
        "",
        "not JSON",
        [],
        {"url": "file:///home/me/tfbuild", "dir_info": {"editable": True}},
        {"url": PLACE, "vcs_info": {"vcs": "git", "commit_id": "main"}},
        {"url": "file:///home/me/tfbuild", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
        {"url": "https://me:word@place.example/x", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
    ],
)
@pytest.mark.parametrize("pyproject", ["", '[project]\nname = "other"\n', "project = 3", "["])
def test_where_nothing_is_known_nothing_is_guessed(
    document: object, pyproject: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, document)
    if pyproject:
        (tmp_path / "pyproject.toml").write_text(pyproject)
    with fails("install-not-known", "--install") as caught:
        usual_install(tmp_path)
    assert mask(caught.value.hint) == caught.value.hint, "an example is no secret"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tfbuild", "install-other-program"),
        ("tfbuild==0.1.0", "install-other-program"),
        ("TFBuild[dev]>=1", "install-other-program"),
        (DISTRIBUTION, "install-not-pinned"),
        (f"{DISTRIBUTION}>=0.1", "install-not-pinned"),
        (f"{DISTRIBUTION}==0.*", "install-not-pinned"),
        (f"{DISTRIBUTION} @ git+{PLACE}", "install-without-commit"),
        (f"{DISTRIBUTION} @ git+{PLACE}@main", "install-without-commit"),
        (f"git+{PLACE}@v1.0", "install-without-commit"),
        ("--index-url=https://elsewhere.example", "install-is-option"),
    ],
)
def test_what_may_be_another_program_tomorrow_is_refused(text: str, code: str) -> None:
    with fails(code, f"'{text}'"):
        check_install(text)


@pytest.mark.parametrize(
    "text",
    [
        *(".", "./tools/tfbuild", "tools/tfbuild_chain-0.1.0-py3-none-any.whl"),
        *(f"{DISTRIBUTION}==0.1.0", f"tfbuild @ git+{PLACE}@{COMMIT}"),
        *(f"git+{PLACE}@{COMMIT}#egg={DISTRIBUTION}", "tfbuild-chain @ file:///a%20b"),
    ],
)
def test_what_names_one_thing_is_taken(text: str) -> None:
    check_install(text)
