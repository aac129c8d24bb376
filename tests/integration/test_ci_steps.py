"""The steps of a pipeline, up to the build, in a Python that has nothing but pip."""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Literal

import pytest

from tests.ci_steps import github_script, gitlab_script
from tests.fakes import RUNNING
from tests.sample_recipes import A_RECIPE, a_tree, written
from tfbuild.commands.ci import CiOptions, pipeline_text
from tfbuild.core.cache_mark import make_cache
from tfbuild.core.layout import SOURCES
from tfbuild.core.paths import file_digest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_a_job_builds_what_the_recipe_says(
    system: Literal["github", "gitlab"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plan, build and digests, for real; only what installs programs is left out."""
    job, cache = tmp_path / "job", tmp_path / "home" / ".cache" / "tfbuild"
    job.mkdir()
    if system == "gitlab":
        cache = job / ".tfbuild-cache"
        subprocess.run(["git", "init", "--quiet", job], check=True)
    make_cache(cache)
    sha256 = _keep_source(tmp_path, cache / SOURCES.name)
    written(job, A_RECIPE.replace("a" * 64, sha256))
    monkeypatch.chdir(job)
    commit = f"git+https://place.example/x@{'0' * 40}"
    options = CiOptions(system=system, words=("greet.yaml", "loud=on,off"), install=commit)
    text = pipeline_text(options)
    if system == "github":
        script = github_script(text, "build", {"version": "1.10", "loud": "on"})
    else:
        script = gitlab_script(text, "build-version-1.10-loud-on")
    variables = {"PATH": f"{_programs(tmp_path / 'bin')}:{os.environ['PATH']}"}
    variables |= {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], cwd=job, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    name = next((job / "dist").glob("*.tar.gz")).name
    assert name.startswith("greet-1.10-linux-")
    plan = json.loads((job / "dist" / "plan.json").read_text())
    assert plan["archive"] == name
    (line,) = (job / "dist" / f"{name}.sha256").read_text().splitlines()
    assert line == f"{file_digest(job / 'dist' / name)}  {name}"
    report = json.loads((job / "dist" / f"{name}.report.json").read_text())
    assert report["sha256"] == line.split()[0]


def _keep_source(folder: Path, sources: Path) -> str:
    """An archive of the sample tree in a cache, as an earlier download leaves it; its sha256."""
    archive = folder / "greet-1.10.tar.gz"
    a_tree(folder / "greet-1.10")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder / "greet-1.10", arcname="greet-1.10")
    sha256 = file_digest(archive)
    (sources / sha256).mkdir(parents=True)
    archive.rename(sources / sha256 / archive.name)
    return sha256


def _programs(folder: Path) -> Path:
    """Programs of a runner: this tfbuild, and stand-ins of those that install."""
    folder.mkdir()
    texts = {
        "tfbuild": f'exec {sys.executable} -m tfbuild "$@"',
        "python": f'case "$*" in *"pip install"*) ;; *) exec {sys.executable} "$@" ;; esac',
        "python3": "mkdir -p .tfbuild-venv/bin && touch .tfbuild-venv/bin/activate",
        "sudo": "",
        "apt-get": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.slow
@pytest.mark.network
def test_what_a_runner_installs_can_plan(tmp_path: Path) -> None:
    """The package is installed as users get it, data and all, and decides what the step asks."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "python"], check=True)
    options = CiOptions(
        system="github", words=(f"python={RUNNING}", "cuda=none"), install=str(ROOT), minutes=60
    )
    cell = {"python": RUNNING, "cuda": "none"}
    script = github_script(pipeline_text(options), "build", cell, until="Build")
    job = tmp_path / "job"
    job.mkdir()
    path = f"{tmp_path / 'python' / 'bin'}:{os.environ['PATH']}"
    subprocess.run(["bash", "-c", script], cwd=job, env={**os.environ, "PATH": path}, check=True)
    plan = json.loads((job / "dist" / "plan.json").read_text())
    chosen = {choice["axis"]: choice["value"] for choice in plan["versions"]["choices"]}
    assert chosen["python"] == RUNNING
    assert plan["device"] == "cpu"
    assert (job / "output").read_text() == f"id={plan['id']}\n"
    summary = (job / "summary").read_text()
    assert all(not line or line.startswith("    ") for line in summary.splitlines())
    assert plan["id"] in summary
