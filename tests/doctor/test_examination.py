"""Doctor as a whole: which checks run, what becomes of their lines, and that nothing changes."""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host, a_request
from tests.planning import planned
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import PACKAGE
from tfbuild.core.process import ProcessRunner
from tfbuild.doctor import examination as doctor
from tfbuild.doctor.checks.model import (
    BuildNeeds,
    Check,
    CheckContext,
    CheckResult,
    CheckSpec,
    failed,
    passed,
    skipped,
)
from tfbuild.doctor.examination import (
    GROUPS,
    SPECS,
    bundled_needs,
    catalogue,
    choose,
    document,
    examine,
    is_failed,
    with_costs,
)
from tfbuild.doctor.survey import look_at_host
from tfbuild.facts.tables import Tables


@pytest.fixture
def tools(fake_env: FakeEnvironment) -> Tools:
    """The real adapters of this machine."""
    runner = ProcessRunner()
    cache = fake_env.tools.folders.cache
    return replace(fake_env.tools, runner=runner, host=look_at_host(runner, cache))


def a_spec(
    name: str, said: CheckResult | Exception, group: str = "host", **more: object
) -> CheckSpec:
    def look(_place: CheckContext) -> CheckResult:
        if isinstance(said, Exception):
            raise said
        return said

    return CheckSpec(group=group, name=name, looks_at="this", look=look, **more)  # type: ignore[arg-type]


def only(monkeypatch: pytest.MonkeyPatch, *specs: CheckSpec) -> None:
    monkeypatch.setattr(doctor, "SPECS", specs)


# --- which -------------------------------------------------------------------------------------


def test_names_differ_and_say_what_they_look_at() -> None:
    names = [spec.full_name for spec in SPECS]
    assert len(set(names)) == len(names)
    assert set(GROUPS).isdisjoint(names)
    groups = [spec.group for spec in SPECS]
    assert [g for i, g in enumerate(groups) if i == 0 or groups[i - 1] != g] == list(GROUPS)
    for spec in SPECS:
        assert spec.looks_at
        assert spec.seconds >= 0
        assert " " not in spec.full_name


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (("cuda.kernels",), ["cuda.kernels"]),
        (("gpu",), ["gpu.driver", "gpu.gpu", "gpu.modes"]),
        (("host.clock", "bazel.start"), ["host.clock", "bazel.start"]),
    ],
)
def test_groups_and_checks_can_be_asked_for(asked: tuple[str, ...], names: list[str]) -> None:
    assert [spec.full_name for spec in choose(asked)] == names
    assert choose(()) == SPECS


@pytest.mark.parametrize(
    ("word", "meant"), [("cuda.kernel", "cuda.kernels"), ("compilers", "compiler")]
)
def test_a_mistyped_check_is_named(word: str, meant: str) -> None:
    with fails("check-unknown", f"'{word}'", f"'{meant}'", "--list-checks"):
        choose((word,))


def test_the_catalogue_obeys_its_schema() -> None:
    found = catalogue()
    schema = json.loads((PACKAGE / "schemas" / "checks.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(found)
    assert len(found["checks"]) == len(SPECS)


# --- what becomes of lines ---------------------------------------------------------------------


def test_lines_bear_the_names_of_their_checks(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, a_spec("one", passed("good"), needs_folder=True), a_spec("two", skipped("x")))
    one, two = examine(fake_env.tools, BuildNeeds())
    assert one == Check(group="host", name="one", state="pass", detail="good")
    assert (two.name, two.state) == ("two", "skipped")
    assert ("progress", "checking host.two", "1", "2") in fake_env.reporter.said


def test_without_cuda_among_the_constraints_a_broken_toolkit_is_no_obstacle(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, a_spec("kernels", failed("no", "yes"), group="cuda"))
    assert not is_failed(examine(fake_env.tools, BuildNeeds()))
    assert is_failed(examine(fake_env.tools, BuildNeeds(device="cuda")))


def test_what_a_container_brings_is_no_obstacle_on_the_host(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = a_spec("g++", failed("old", "newer"), group="compiler")
    only(monkeypatch, inside)
    assert is_failed(examine(fake_env.tools, BuildNeeds()))
    assert not is_failed(examine(fake_env.tools, BuildNeeds(container=True)))
    only(monkeypatch, inside, a_spec("disk", failed("full", "free some")))
    assert is_failed(examine(fake_env.tools, BuildNeeds(container=True)))


@pytest.mark.parametrize("error", [OSError("disk gone"), EnvironmentFailed("cannot start it")])
def test_a_look_that_fails_says_so_and_the_others_go_on(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    only(monkeypatch, a_spec("one", error), a_spec("two", passed("good")))
    one, two = examine(fake_env.tools, BuildNeeds())
    assert (one.state, str(error) in one.detail) == ("warning", True)
    assert two.state == "pass"


def test_our_own_bugs_are_not_hidden(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, a_spec("one", ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        examine(fake_env.tools, BuildNeeds())


def test_without_any_temporary_folder_probes_are_skipped(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refuse)
    only(
        monkeypatch,
        a_spec("temporary", passed("not asked"), needs_folder=True),
        a_spec("probe", passed("not asked"), needs_folder=True),
        a_spec("other", passed("asked")),
    )
    checks = examine(fake_env.tools, BuildNeeds())
    assert [check.state for check in checks] == ["failure", "skipped", "pass"]
    assert "TMPDIR" in checks[0].fix


def test_the_document_obeys_its_schema(tables: Tables, fake_env: FakeEnvironment) -> None:
    needs = bundled_needs(tables, fake_env.tools.host)
    checks = examine(fake_env.tools, needs, ("host.system", "gpu"))
    plain = json.loads(json.dumps(document(checks, fake_env.tools, needs)))
    schema = json.loads((PACKAGE / "schemas" / "doctor.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(plain)
    assert plain["status"] == "ok"
    assert plain["request"]["title"] == "the bundled runtime"
    bad = (replace(checks[0], state="failure", fix="this"),)
    assert document(bad, fake_env.tools, needs)["status"] == "failure"


# --- the needs ---------------------------------------------------------------------------------


def test_the_bundled_runtime_takes_what_matrices_and_recipe_say(tables: Tables) -> None:
    needs = bundled_needs(tables, a_host(cpus=4, memory_mb=64_000))
    row = dict(tables.axis("runtime")[0].requires)
    recipe = tables.recipe("cpu")
    assert (needs.gcc, needs.python, needs.bazel) == (row["gcc"], row["python"], row["bazel"])
    assert needs.disk_mb == recipe.disk_mb
    assert needs.jobs == 4
    assert needs.jobs_because.startswith("4 jobs: as many as processors")
    assert "sm_90" in needs.architectures
    assert (needs.platforms, needs.glibc) == ((row["platform"],), row["glibc"])
    assert needs.driver, "the oldest toolkit says which driver it runs on"
    assert bundled_needs(tables, a_host(), "cuda").disk_mb == tables.recipe("cuda").disk_mb


def test_doctor_and_plan_count_the_same_jobs(tables: Tables, tmp_path: Path) -> None:
    for name in ("cpu", "cuda"):
        host = a_host(cpus=16, memory_mb=2500)
        plan = planned(a_request(tmp_path, jobs=0, recipe=name), tables, host)
        needs = with_costs(BuildNeeds(), tables.recipe(name), tables.memory(), host)
        assert (needs.jobs, needs.jobs_because) == (plan.jobs, plan.jobs_because)
        assert (needs.memory_mb, needs.disk_mb) == (plan.estimate.memory_mb, plan.estimate.disk_mb)
    recipe, tiny = tables.recipe("cpu"), a_host(memory_mb=1)
    assert with_costs(BuildNeeds(), recipe, tables.memory(), tiny).jobs == 1


# --- this machine ------------------------------------------------------------------------------


def snapshot(*roots: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder below the roots, with size and time of the last change."""
    found = {}
    for root in roots:
        for path in [root, *root.rglob("*")]:
            state = path.lstat()
            found[str(path)] = (state.st_size, state.st_mtime_ns)
    return found


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Home, temporary and current folder, all empty and our own."""
    folders = [tmp_path / name for name in ("home", "tmp", "here")]
    for folder in folders:
        folder.mkdir()
    home, temporary, here = folders
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(home / name))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(here)
    yield [*folders, tmp_path / "cache", tmp_path / "work"]
    tempfile.tempdir = None


def unchanged(tools: Tools, needs: BuildNeeds, watched: list[Path], names: tuple[str, ...]) -> None:
    roots = [folder for folder in watched if folder.name != "tmp"]
    before = snapshot(*roots)
    variables = dict(os.environ)
    assert examine(tools, needs, names)
    assert snapshot(*roots) == before
    assert list((watched[1]).iterdir()) == [], "the temporary folder goes with all in it"
    assert dict(os.environ) == variables


def test_compiling_leaves_nothing(tools: Tools, tables: Tables, watched: list[Path]) -> None:
    names = ("host", "compiler", "python", "gpu", "network.pip")
    unchanged(tools, bundled_needs(tables, tools.host), watched, names)


@pytest.mark.slow
def test_the_whole_run_leaves_nothing(tools: Tools, tables: Tables, watched: list[Path]) -> None:
    unchanged(tools, bundled_needs(tables, tools.host), watched, ())


@pytest.mark.slow
def test_every_line_of_this_machine_has_its_fix(tools: Tools, tables: Tables) -> None:
    checks = examine(tools, bundled_needs(tables, tools.host))
    assert {f"{c.group}.{c.name}" for c in checks} == {spec.full_name for spec in SPECS}
    for check in checks:
        assert check.detail
        assert "\n" not in check.detail + check.fix
        assert bool(check.fix) == (check.state in {"warning", "failure"}), check
