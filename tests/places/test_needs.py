"""What recipes need: rows by name, looked for on this machine, and programs of the index."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import RecordingReporter
from tests.shared_libraries import needs as programs
from tests.shared_libraries import real_tools
from tfbuild.core.errors import FetchFailed, WrongHash
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Artifact
from tfbuild.facts.tables import Tables
from tfbuild.places import needs as module
from tfbuild.places.needs import index_tools, packages_of, read_needs, require_needs
from tfbuild.places.place import Place
from tfbuild.recipes.records import Need

HELD = Artifact(
    distribution="frob", version="1.2", filename="frob-1.2-py3-none-any.whl", sha256="a" * 64,
    kind="tool",
)  # fmt: skip
ABSENT = Need(name="frob", program="frob-cc", package="frob libfrob-dev")


@pytest.fixture
def place() -> Place:
    return Place(runner=ProcessRunner(), words={})


def test_rows_become_needs_each_once(tables: Tables) -> None:
    found = read_needs(("zlib", "cc", "zlib"), tables)
    assert [need.name for need in found] == ["zlib", "cc"]
    assert (found[0].pkg_config, found[0].header) == ("zlib", "zlib.h")
    assert found[0].sonames == ("libz.so.1",)
    assert packages_of(found) == ("zlib1g-dev", "gcc", "libc6-dev")


def test_an_unknown_name_gets_a_suggestion(tables: Tables) -> None:
    with fails("recipe-need-unknown", "zlibb", "'zlib'"):
        read_needs(("zlibb",), tables)


def test_what_is_there_is_found(place: Place) -> None:
    programs("cc", "c++")
    wanted = (
        Need(name="cc", program="cc"),
        Need(name="c", header="stdio.h"),
        Need(name="c++", header="type_traits"),
    )
    require_needs(wanted, place)


def test_a_module_of_pkg_config_is_found(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs("pkg-config")
    (tmp_path / "foo.pc").write_text("Name: foo\nDescription: foo\nVersion: 1\n")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(tmp_path))
    require_needs((Need(name="foo", pkg_config="foo"),), place)


def test_a_need_without_a_package_is_named_itself(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_program", lambda _name: "/usr/bin/apt-get")
    alone = Need(name="oddity", program="no-such-oddity")
    with fails("needs-missing", "install oddity") as caught:
        require_needs((alone,), place)
    assert "apt-get" not in caught.value.hint
    with fails("needs-missing", "apt-get install frob", "; install oddity"):
        require_needs((ABSENT, alone), place)
    inside = replace(place, is_container=True)
    with fails("needs-missing", "no package is known") as caught:
        require_needs((alone,), inside)


def test_all_that_is_missing_is_named_with_its_packages(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = (
        ABSENT,
        Need(name="cc", program="sh"),
        Need(name="libfoo", pkg_config="no-such-foo", package="libfoo-dev"),
        Need(name="bar", header="no/such/bar.h", package="libbar-dev"),
    )
    monkeypatch.setattr(module, "find_program", lambda _name: "/usr/bin/apt-get")
    with fails("needs-missing", "frob, libfoo, bar", "frob-cc", "no/such/bar.h") as caught:
        require_needs(wanted, place)
    assert (
        caught.value.hint.removeprefix("sudo ")
        == "apt-get install frob libfrob-dev libfoo-dev libbar-dev"
    )


def test_other_systems_and_containers_get_other_remedies(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_program", lambda _name: "")
    with fails("needs-missing", "frob libfrob-dev") as caught:
        require_needs((ABSENT,), place)
    assert "needs.yaml" not in caught.value.hint
    with fails("needs-missing", "frob", "needs.yaml"):
        require_needs((ABSENT,), replace(place, is_container=True))


def test_without_pkg_config_a_header_counts(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs("cc")
    for name in ("cc", "sh"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", f"{tmp_path}")
    require_needs((Need(name="c", pkg_config="no-such", header="stdio.h"),), place)
    with fails("needs-missing", "libfoo", "pkg-config"):
        require_needs((Need(name="libfoo", pkg_config="foo", package="libfoo-dev"),), place)


def test_nothing_is_installed_where_nothing_is_missing(tmp_path: Path) -> None:
    there = Need(name="sh", program="sh", index="sh-of-the-index")
    assert index_tools((there, ABSENT), real_tools(tmp_path)) == ((), ())


def test_programs_that_are_missing_come_from_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def resolve(words: list[str], *_: object, **__: object) -> tuple[()]:
        asked.append(words)
        return ()

    def provide(*_: object, programs: list[str], **__: object) -> Path:
        asked.append(programs)
        return tmp_path / "bin"

    monkeypatch.setattr(module, "resolve_requirements", resolve)
    monkeypatch.setattr(module, "provide_programs", provide)
    missing = replace(ABSENT, index="frob>=1")
    assert index_tools((missing,), real_tools(tmp_path)) == ((tmp_path / "bin",), ())
    assert asked == [["frob>=1"], ["frob-cc"]]


def test_a_lock_adds_no_file_to_those_that_the_index_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It pins the versions and digests of what is chosen: else it would say what is run here."""
    chosen = replace(HELD, distribution="frob-cc")
    asked: list[object] = []

    def resolve(words: list[str], *_: object, held: object, **__: object) -> tuple[Artifact]:
        asked.extend((words, held))
        return (chosen,)

    def provide(*_: object, artifacts: object, **__: object) -> Path:
        asked.append(artifacts)
        return tmp_path / "bin"

    monkeypatch.setattr(module, "resolve_requirements", resolve)
    monkeypatch.setattr(module, "provide_programs", provide)
    tools = real_tools(tmp_path)
    found = index_tools((replace(ABSENT, index="frob"),), tools, (HELD,))
    assert found == ((tmp_path / "bin",), (chosen,))
    assert asked == [["frob"], (HELD,), (chosen,)]


def test_an_index_that_does_not_give_it_is_reported_but_no_wrong_file_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(module, "resolve_requirements", resolve)
    monkeypatch.setattr(module, "provide_programs", resolve)
    tools = real_tools(tmp_path)
    error: FetchFailed = FetchFailed("no way there")
    assert index_tools((replace(ABSENT, index="frob"),), tools) == ((), ())
    assert isinstance(tools.reporter, RecordingReporter)
    assert "no way there" in tools.reporter.said[0][1]
    with pytest.raises(FetchFailed):  # what a lock holds is not replaced by anything else
        index_tools((replace(ABSENT, index="frob"),), tools, (HELD,))
    error = WrongHash("another file")
    with pytest.raises(WrongHash):
        index_tools((replace(ABSENT, index="frob"),), tools)
