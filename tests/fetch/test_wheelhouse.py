"""Wheels by way of pip: the real pip against a folder, and a pip that fails in every known way."""

import hashlib
import json
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host, says
from tfbuild.core.disk_space import free_mb
from tfbuild.core.errors import DiskFull
from tfbuild.core.interfaces import Watch
from tfbuild.core.kept_json import write_kept
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Artifact, Command, Completed
from tfbuild.fetch.wheelhouse import (
    fetch,
    fitting_flags,
    resolve_requirements,
    unpack_all,
    with_sizes,
)

PIP = Path(sys.executable).name
FILE = "tiny-1.0-py3-none-any.whl"


@pytest.fixture
def tiny(tmp_path: Path) -> Artifact:
    """A small honest wheel in the folder index/."""
    path = tmp_path / "index" / FILE
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny/__init__.py", "x = 1\n")
        archive.writestr(
            "tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
        )
        archive.writestr(
            "tiny-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Artifact(distribution="tiny", version="1.0", filename=FILE, sha256=digest, kind="build")


@pytest.fixture
def with_pip(fake_env: FakeEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pip, which knows only the folder index/."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    fake_env.tools = replace(fake_env.tools, runner=ProcessRunner())


def saves(content: bytes, name: str = FILE) -> object:
    """A pip that puts content into the folder that its option names."""

    def answer(command: Command, _watch: Watch | None) -> Completed:
        folder = Path(command.argv[command.argv.index("--dest") + 1])
        (folder / name).write_bytes(content)
        return Completed(code=0)

    return answer


@pytest.mark.usefixtures("with_pip")
def test_pip_fetches_and_the_cache_keeps(
    fake_env: FakeEnvironment, tiny: Artifact, tmp_path: Path
) -> None:
    [folder] = unpack_all([tiny], fake_env.tools)
    assert (folder / "tiny" / "__init__.py").read_text() == "x = 1\n"
    assert folder.name == tiny.sha256
    kept = fake_env.tools.folders.artifacts / "sha256" / tiny.sha256 / FILE
    assert kept.is_file()
    (tmp_path / "index" / FILE).unlink()
    offline = replace(fake_env.tools, runner=fake_env.runner)  # would refuse any command
    assert unpack_all([tiny], offline) == (folder,)
    assert fetch([tiny], offline) == (kept,)
    assert not list(fake_env.tools.folders.artifacts.glob(".*"))


@pytest.mark.usefixtures("with_pip")
def test_another_file_than_the_pinned_one_is_refused(
    fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    with fails("hash-mismatch", tiny.sha256):
        fetch([replace(tiny, sha256="0" * 64)], fake_env.tools)


@pytest.mark.usefixtures("with_pip")
def test_an_index_without_the_file_is_one_clear_error(
    fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    with fails("pip-failed", "tiny 2.0", "pip config list"):
        fetch([replace(tiny, version="2.0")], fake_env.tools)


def test_a_file_with_a_wrong_hash_never_enters_the_cache(
    fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    fake_env.runner.answers[PIP] = saves(b"something else")  # type: ignore[assignment]
    with fails("hash-mismatch", tiny.filename):
        fetch([tiny], fake_env.tools)
    assert not list(fake_env.tools.folders.artifacts.rglob("*.whl"))


def test_a_file_of_another_name_is_refused(fake_env: FakeEnvironment, tiny: Artifact) -> None:
    fake_env.runner.answers[PIP] = saves(b"", "other.whl")  # type: ignore[assignment]
    with fails("pip-fetched-other-file", tiny.filename, "other.whl"):
        fetch([tiny], fake_env.tools)


@pytest.mark.parametrize(
    ("said", "code", "remedy"),
    [
        (
            "NewConnectionError: Connection refused http://u:p@h/simple",
            "index-unreachable",
            "PIP_PROXY",
        ),
        ("SSLError(CERTIFICATE_VERIFY_FAILED)", "index-unreachable", "PIP_CERT"),
        ("No module named pip", "pip-missing", "ensurepip"),
        ("ERROR: No matching distribution found for tiny", "pip-failed", "pip config list"),
    ],
)
def test_what_pip_says_becomes_a_remedy(
    fake_env: FakeEnvironment, tiny: Artifact, said: str, code: str, remedy: str
) -> None:
    fake_env.runner.answers[PIP] = says(said, code=1)
    with fails(code, remedy) as caught:
        fetch([tiny], fake_env.tools)
    assert "u:p@h" not in caught.value.why


def test_too_little_room_is_known_before_anything_is_fetched(
    fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    size = (free_mb(fake_env.tools.folders.cache) + 1000) * 1_000_000
    with fails("disk-room-missing"):
        fetch([replace(tiny, size=size)], fake_env.tools)
    assert fake_env.runner.commands == []


def test_a_disk_that_fills_up_says_how_much_is_needed(
    fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    def answer(_command: Command, _watch: Watch | None) -> Completed:
        raise DiskFull("no room")

    fake_env.runner.answers[PIP] = answer
    with fails("disk-full-fetching", "205 MB"):
        fetch([replace(tiny, size=5_000_000)], fake_env.tools)


class _Asked(TypedDict):
    """For which interpreter files are asked, and what for."""

    python: str
    version: str
    kind: str


WORDS: _Asked = {"python": sys.executable, "version": "3.11", "kind": "smoke"}


def pip_of(env: FakeEnvironment, said: str, settings: str = "", *, code: int = 0) -> list[Command]:
    """A pip with these settings that says this when it must choose; how often it had to."""
    asked: list[Command] = []

    def answer(command: Command, _watch: Watch | None) -> Completed:
        if "config" in command.argv:
            return Completed(code=0, stdout=settings)
        asked.append(command)
        return Completed(code=code, stdout=said, last_lines=(said,))

    env.runner.answers[PIP] = answer
    return asked


def a_report(*names: str) -> str:
    return json.dumps(
        {
            "install": [
                {
                    "metadata": {"name": name, "version": "1.0+cu"},
                    "download_info": {
                        "url": f"https://secret.host/x/{name}-1.0%2Bcu-py3-none-any.whl#sha256=1",
                        "archive_info": {"hashes": {"sha256": "ab" * 32}},
                    },
                }
                for name in names
            ]
        }
    )


def test_an_answer_of_pip_is_kept_and_holds_no_url(fake_env: FakeEnvironment) -> None:
    asked = pip_of(fake_env, a_report("Zeta_x", "alpha"))
    first = resolve_requirements(["alpha", "zeta-x"], fake_env.tools, **WORDS)
    again = resolve_requirements(["zeta-x", "alpha"], fake_env.tools, **WORDS)
    assert first == again
    assert [a.distribution for a in first] == ["alpha", "zeta-x"]
    assert first[0].filename == "alpha-1.0+cu-py3-none-any.whl"
    assert len(asked) == 1
    kept = next((fake_env.tools.folders.cache / "resolutions").iterdir()).read_text()
    assert "secret.host" not in kept


def test_what_debian_12_s_pip_says_of_a_file_here_is_understood(fake_env: FakeEnvironment) -> None:
    table = json.dumps({"hashes": {"sha256": "ab" * 32}})
    word = json.dumps({"hash": "sha256=" + "ab" * 32})
    pip_of(fake_env, a_report("alpha").replace(table, word))
    (found,) = resolve_requirements(["alpha"], fake_env.tools, **WORDS)
    assert found.sha256 == "ab" * 32


@pytest.mark.parametrize("word", ["md5=ab", ""])
def test_a_weaker_hash_of_pip_is_refused(fake_env: FakeEnvironment, word: str) -> None:
    table = json.dumps({"hashes": {"sha256": "ab" * 32}})
    pip_of(fake_env, a_report("alpha").replace(table, json.dumps({"hash": word})))
    with fails("pip-report-malformed"):
        resolve_requirements(["alpha"], fake_env.tools, **WORDS)


def made_older(env: FakeEnvironment, *, days: int) -> None:
    """Set the answers that are kept back in time."""
    for path in (env.tools.folders.cache / "resolutions").iterdir():
        document = json.loads(path.read_text())
        document["content"]["asked_at"] -= days * 86400
        write_kept(path, document["subject"], document["content"])


def test_an_answer_is_that_of_one_index_whatever_its_password(fake_env: FakeEnvironment) -> None:
    def settings(address: str) -> str:
        return f"global.index-url='{address}'\n"

    asked = pip_of(fake_env, a_report("a"), settings("https://me:one@a.example/simple"))
    resolve_requirements(["a"], fake_env.tools, **WORDS)
    again = pip_of(fake_env, a_report("a"), settings("https://me:two@a.example/simple"))
    resolve_requirements(["a"], fake_env.tools, **WORDS)
    other = pip_of(fake_env, a_report("a"), settings("https://b.example/simple"))
    resolve_requirements(["a"], fake_env.tools, **WORDS)
    assert (len(asked), len(again), len(other)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("wanted", "days", "times"),
    [
        ("a", 0, 0),
        ("a", 2, 1),
        ("a>=1.0", 2, 1),
        ("a==1.*", 2, 1),
        ("a>=1,==1.0", 2, 1),
        ("a==1.0", 900, 1),
        ("a", -2, 1),
    ],
)
def test_what_is_the_newest_is_asked_again_after_a_day(
    fake_env: FakeEnvironment, wanted: str, days: int, times: int
) -> None:
    pip_of(fake_env, a_report("a"))
    resolve_requirements([wanted], fake_env.tools, **WORDS)
    made_older(fake_env, days=days)
    asked = pip_of(fake_env, a_report("a"))
    resolve_requirements([wanted], fake_env.tools, **WORDS)
    assert len(asked) == times


def test_without_a_network_an_old_answer_is_better_than_none(fake_env: FakeEnvironment) -> None:
    pip_of(fake_env, a_report("a"))
    first = resolve_requirements(["a"], fake_env.tools, **WORDS)
    made_older(fake_env, days=30)
    pip_of(fake_env, "NewConnectionError: Connection refused", code=1)
    assert resolve_requirements(["a"], fake_env.tools, **WORDS) == first
    (said,) = [words[1] for words in fake_env.reporter.said if words[0] == "warn"]
    assert "the package index cannot be reached: a as chosen on 2" in said
    pip_of(fake_env, "ERROR: No matching distribution found for a", code=1)
    with fails("pip-failed"):
        resolve_requirements(["a"], fake_env.tools, **WORDS)


@pytest.mark.parametrize("content", ["", '{"asked_at": 1, "arti', "[]", "\x00"])
def test_a_broken_answer_is_none(fake_env: FakeEnvironment, content: str) -> None:
    pip_of(fake_env, a_report("a"))
    first = resolve_requirements(["a"], fake_env.tools, **WORDS)
    (path,) = (fake_env.tools.folders.cache / "resolutions").iterdir()
    path.write_text(content)
    assert resolve_requirements(["a"], fake_env.tools, **WORDS) == first
    assert json.loads(path.read_text())["content"]["artifacts"]


def test_an_answer_that_was_edited_or_is_that_of_another_question_is_none(
    fake_env: FakeEnvironment,
) -> None:
    asked = pip_of(fake_env, a_report("a"))
    resolve_requirements(["b"], fake_env.tools, **WORDS)
    folder = fake_env.tools.folders.cache / "resolutions"
    (other,) = folder.iterdir()
    resolve_requirements(["a"], fake_env.tools, **WORDS)
    (path,) = set(folder.iterdir()) - {other}
    for content in (path.read_text().replace("ab" * 32, "cd" * 32), other.read_text()):
        path.write_text(content)
        (found,) = resolve_requirements(["a"], fake_env.tools, **WORDS)
        assert found.sha256 == "ab" * 32
    assert len(asked) == 4


def test_a_pip_that_is_killed_while_it_chooses_leaves_nothing_elsewhere(
    fake_env: FakeEnvironment,
) -> None:
    asked = pip_of(fake_env, a_report("a"))
    resolve_requirements(["a"], fake_env.tools, **WORDS)
    folder = Path(dict(asked[0].env)["TMPDIR"])
    assert folder.parent == fake_env.tools.folders.artifacts
    assert not folder.exists()


def test_another_python_is_asked_through_pip_itself(fake_env: FakeEnvironment) -> None:
    asked = pip_of(fake_env, a_report())
    fake_env.runner.answers["python3.12"] = fake_env.runner.answers[PIP]
    resolve_requirements(
        ["a"], fake_env.tools, python="/opt/python3.12", version="3.12", kind="smoke"
    )
    argv = asked[0].argv
    assert argv[0] == "/opt/python3.12"
    assert Path(argv[3]).name == "__pip-runner__.py"


def test_files_for_another_system_are_chosen_by_its_platform(fake_env: FakeEnvironment) -> None:
    guest = replace(fake_env.tools, guest=fake_env.runner, host=a_host(glibc="2.31"))
    flags = fitting_flags(guest, "3.9")
    assert flags[flags.index("--python-version") + 1] == "3.9"
    platforms = {flags[n + 1] for n, word in enumerate(flags) if word == "--platform"}
    assert {"manylinux_2_31_x86_64", "manylinux2014_x86_64", "linux_x86_64"} <= platforms
    assert "manylinux_2_32_x86_64" not in platforms
    assert fitting_flags(fake_env.tools, "3.9") == ()


@pytest.mark.slow
def test_an_older_system_is_asked_for_anew(
    with_pip: None, fake_env: FakeEnvironment, tiny: Artifact
) -> None:
    words: _Asked = {"python": "/usr/bin/python3.9", "version": "3.9", "kind": "build"}
    for glibc in ("2.31", "2.28"):
        tools = replace(fake_env.tools, guest=fake_env.runner, host=a_host(glibc=glibc))
        assert resolve_requirements(["tiny"], tools, **words) == (tiny,)
    assert len(list((fake_env.tools.folders.cache / "resolutions").glob("*.json"))) == 2


def test_an_old_pip_is_named(fake_env: FakeEnvironment) -> None:
    pip_of(fake_env, "no json")
    with fails("pip-report-malformed"):
        resolve_requirements(["a"], fake_env.tools, python="", version="3.11", kind="smoke")


@pytest.mark.usefixtures("with_pip")
def test_a_size_is_known_once_the_file_is_here(
    tiny: Artifact, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    assert with_sizes([tiny], fake_env.tools) == (tiny,)
    (path,) = fetch([tiny], fake_env.tools)
    (found,) = with_sizes([tiny], fake_env.tools)
    assert found == replace(tiny, size=path.stat().st_size)
    path.unlink()
    assert with_sizes([found], fake_env.tools) == (found,)
