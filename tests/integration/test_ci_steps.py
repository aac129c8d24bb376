"""The steps of a pipeline, up to the build, in a Python that has nothing but pip."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ci_steps import github_script
from tests.fakes import RUNNING
from tfbuild.commands.ci import CiOptions, pipeline_text

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.network
def test_what_a_runner_installs_can_plan(tmp_path: Path) -> None:
    """The package is installed as users get it, data and all, and decides what the step asks."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "python"], check=True)
    wish = CiOptions(
        system="github", words=(f"python={RUNNING}", "cuda=none"), install=str(ROOT), minutes=60
    )
    cell = {"python": RUNNING, "cuda": "none"}
    script = github_script(pipeline_text(wish), "build", cell, until="Build")
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
