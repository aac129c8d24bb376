"""The SBOM of a run lies beside its report, and is made once."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.built_wheels import a_built_wheel
from tests.fakes import FakeEnvironment
from tests.sample_report import a_report, a_wheel, an_environment
from tfbuild.builds.run_sbom import used_tools, write_sbom
from tfbuild.builds.stages.report import lock_of_build
from tfbuild.commands import sbom as front_sbom
from tfbuild.core.cache_mark import mark_folder
from tfbuild.core.kept_json import write_kept
from tfbuild.core.lock_file import lock_path, lock_text
from tfbuild.core.paths import file_digest
from tfbuild.core.records import Choice, Lock, Versions
from tfbuild.core.reports import Report
from tfbuild.core.stage_cache import StageCache
from tfbuild.wheels import sbom


def a_run(folder: Path, env: FakeEnvironment) -> Report:
    sample, built = a_report(folder), a_built_wheel(folder)
    wheel = replace(a_wheel(folder), path=built.wheel, sha256=file_digest(built.wheel))
    environment = an_environment("dpkg g++-12 12.2.0-14 amd64", "pip3.11 wheel 0.40.0")
    lock = Lock(plan_id=sample.plan.id, artifacts=built.artifacts, environment=environment)
    env.toolchain = replace(env.toolchain, lock=lock)
    return replace(sample, lock=lock, wheel=wheel)


def test_the_sbom_of_a_run(
    tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(tmp_path, fake_env)
    cache = StageCache(folders=fake_env.tools.folders)
    path = write_sbom(run, fake_env, cache)
    assert path == fake_env.tools.folders.run / run.wheel.path.with_suffix(".cdx.json").name
    document = json.loads(path.read_text())
    root = document["metadata"]["component"]
    assert {"name": "tfbuild:plan", "value": run.plan.id} in root["properties"]
    assert {"glue", "fast", "g++-12", "wheel"} <= {
        component["name"] for component in document["components"]
    }
    monkeypatch.setattr(sbom, "sbom_text", lambda *_: pytest.fail("it is known already"))
    path.unlink()
    assert json.loads(write_sbom(run, fake_env, cache).read_text()) == document


def test_a_remembered_text_that_is_no_sbom_of_the_wheel_is_made_anew(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    run = a_run(tmp_path, fake_env)
    cache = StageCache(folders=fake_env.tools.folders)
    text = write_sbom(run, fake_env, cache).read_text()
    (kept,) = (fake_env.tools.folders.memo / "sbom").glob("*.json")
    for forged in (
        "",
        "\x1b[31m",
        text.replace("glue", "g\x1b"),
        text.replace(run.wheel.sha256, "0"),
    ):
        note = {"run": "x", "seconds": 0.0, "result": {"text": forged}}
        write_kept(kept, f"sbom {kept.stem}", note)
        assert write_sbom(run, fake_env, cache).read_text() == text


def test_the_lock_beside_the_wheel_gives_the_same_sbom(
    tmp_path: Path, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_folder(tmp_path)
    run = a_run(tmp_path, fake_env)
    tools = replace(
        fake_env.tools, folders=replace(fake_env.tools.folders, cache=tmp_path)
    )  # the packages of the wheel lie there
    fake_env.tools = tools
    locked = lock_text(lock_of_build(run.lock, fake_env.toolchain, run))
    tools.folders.run.mkdir(parents=True, exist_ok=True)
    (tools.folders.run / lock_path(run.wheel.path).name).write_text(locked)
    sbom = write_sbom(run, fake_env, StageCache(folders=tools.folders)).read_text()
    lock = tools.folders.run / run.wheel.path.with_suffix(".lock.yaml").name
    monkeypatch.setenv("TFBUILD_CACHE_DIR", str(tmp_path))
    front_sbom.sbom(run.wheel.path, str(lock), str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_text() == sbom


def test_the_compiler_has_its_name(fake_env: FakeEnvironment) -> None:
    def versions(**chosen: str) -> Versions:
        return Versions(
            choices=tuple(
                Choice(axis=axis, value=value, evidence="measured", because=())
                for axis, value in chosen.items()
            )
        )

    gcc = dict(used_tools(fake_env.toolchain, versions(gcc="12", clang="none")))
    assert (gcc["gcc"], gcc["bazel"]) == ("12.2.0", "4.2.3")
    assert "clang" in dict(used_tools(fake_env.toolchain, versions(gcc="none", clang="17")))
