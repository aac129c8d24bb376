"""`configure` writes into the tree; the trial of a plan does not."""

from pathlib import Path

from tests.builds.stages.test_configure_tree import host_for, plan_of
from tests.failing import fails
from tests.fakes import RecordingReporter, a_host, a_request
from tfbuild.builds.configuration import configure_source, try_configuration
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import Folders
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Host, Request
from tfbuild.facts.tables import Tables

RC = ".tf_configure.bazelrc"


def tools_of(tmp_path: Path, host: Host) -> Tools:
    work = tmp_path / "work"
    folders = Folders(cache=tmp_path / "cache", work=work, run=work / "runs/one")
    return Tools(runner=ProcessRunner(), reporter=RecordingReporter(), folders=folders, host=host)


def request_of(tmp_path: Path, source: Path, **changes: object) -> Request:
    return a_request(
        tmp_path, recipe="tensorflow_cpu", source=source, source_version="2.6.5", **changes
    )


def test_it_writes_into_the_tree_and_needs_no_bazel(tables: Tables, tmp_path: Path) -> None:
    source = plan_of(tables, tmp_path, "2.6.5").source
    tools = tools_of(tmp_path, host_for("2.6.5"))
    configured = configure_source(request_of(tmp_path, source), tables, tools)
    assert configured.rc_file == source / RC
    assert "PYTHON_BIN_PATH" in configured.rc_file.read_text()


def test_a_trial_writes_beside_the_tree_and_cleans_up(tables: Tables, tmp_path: Path) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    tools = tools_of(tmp_path, host_for("2.6.5"))
    trial = try_configuration(plan, tools)
    assert any("PYTHON_BIN_PATH" in line for line in trial.lines)
    assert not (plan.source / RC).exists()
    assert not (tools.folders.work / "trial").exists()


def test_a_trial_that_cannot_be_says_why(tables: Tables, tmp_path: Path) -> None:
    plan = plan_of(tables, tmp_path, "2.6.5")
    trial = try_configuration(plan, tools_of(tmp_path, a_host(pythons=())))
    assert "no Python 3.9" in trial.skipped


def test_what_is_missing_or_no_tree_is_refused(tables: Tables, tmp_path: Path) -> None:
    source = plan_of(tables, tmp_path, "2.6.5").source
    with fails("version-not-obtainable", "Python 3.9"):
        configure_source(
            request_of(tmp_path, source), tables, tools_of(tmp_path, a_host(pythons=()))
        )
    tools = tools_of(tmp_path, a_host())
    with fails("configure-without-tree"):
        configure_source(a_request(tmp_path), tables, tools)
    with fails("configure-in-container"):
        configure_source(request_of(tmp_path, source, env="docker"), tables, tools)
