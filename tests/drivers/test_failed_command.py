"""A command that failed is kept with its words, its folder and all the variables that it saw."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.places.places import a_site
from tests.shared_libraries import real_tools
from tfbuild.bazel.failed_action import FailedActions, find_failed_actions
from tfbuild.core.errors import OutOfMemory
from tfbuild.core.layout import FAILED_ACTIONS
from tfbuild.core.records import Command
from tfbuild.core.run_folder import make_work
from tfbuild.drivers.failed_command import run_kept
from tfbuild.drivers.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    tools = real_tools(tmp_path / "work")
    make_work(tools.folders.work)
    run = tools.folders.work / "runs" / "one"
    run.mkdir(parents=True)
    tools = replace(tools, folders=replace(tools.folders, run=run))
    return replace(a_site(tools, {"a.c": ""}), recipe="toy")


def runs(*argv: str) -> Command:
    return Command(argv=argv, stage="build", cwd="{build}", env=(("FLAGS", "-I{source} -Db"),))


def kept(site: Site) -> FailedActions:
    return find_failed_actions(site.tools.folders.work)


def test_words_folder_and_variables_are_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    monkeypatch.setenv("HOME", "/home/me")
    with fails("command-failed"):
        run_kept(runs("sh", "-c", "exit 3", "{source}"), site)
    found = kept(site)
    (action,) = found.actions
    assert (found.run, found.recipe, found.environment) == ("one", "toy", "host")
    assert (action.label, action.mnemonic, action.exit_code) == ("toy", "build", 3)
    assert action.argv == ("sh", "-c", "exit 3", str(site.folders.source))
    assert action.folder == str(site.folders.build)
    seen = dict(action.env)
    assert (seen["FLAGS"], seen["HOME"]) == (f"-I{site.folders.source} -Db", "/home/me")
    assert seen["PATH"]
    assert "SOME_TOKEN" not in seen


def test_one_that_lacked_memory_is_kept_as_well(site: Site) -> None:
    with pytest.raises(OutOfMemory):
        run_kept(runs("sh", "-c", "kill -KILL $$"), site)
    assert kept(site).actions[0].argv[-1] == "kill -KILL $$"


def test_nothing_is_kept_of_what_passes_or_where_no_run_keeps_anything(site: Site) -> None:
    heard: list[str] = []
    run_kept(runs("echo", "{build}"), site, lambda line: heard.append(line) if line else None)
    assert heard == [str(site.folders.build)]
    run = site.tools.folders.run
    assert not (run / FAILED_ACTIONS).exists()
    run.rmdir()
    with fails("command-failed"):
        run_kept(runs("false"), site)
    with fails("nothing-kept-of-run"):
        kept(site)
