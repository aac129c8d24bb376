"""The workflow for GitHub: least rights, pins, and linters that agree."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.test_pipeline import a_pipeline
from tests.ci.test_products import a_product_pipeline
from tests.ci_steps import github_script
from tests.failing import fails
from tests.linters import actionlint, check_schema, shellcheck, zizmor
from tests.recipes.test_choices import a_recipe
from tfbuild.ci.github import github_workflow
from tfbuild.facts.tables import Tables

CELL = {"python": "3.11", "cuda": "none"}


def text_of(tables: Tables, *words: str) -> str:
    return github_workflow(a_pipeline(*words), "ubuntu-24.04", tables.actions())


def jobs_of(text: str) -> dict[str, Any]:
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


def product_text(tables: Tables, *words: str, **recipe: str) -> str:
    pipeline = a_product_pipeline(tables, *words, recipe=a_recipe(**recipe))
    return github_workflow(pipeline, "ubuntu-24.04", tables.actions())


@pytest.fixture(params=["wheels", "recipe"])
def workflow(request: pytest.FixtureRequest, tables: Tables, tmp_path: Path) -> Path:
    if request.param == "wheels":
        text = text_of(tables)
    else:
        text = product_text(tables, "loud=on,off", "os=debian:12")
    path = tmp_path / ".github" / "workflows" / "built.yml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
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
    with fails("action-row-missing", "actions/checkout"):
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


# --- recipes -----------------------------------------------------------------------------------

ARCHIVES = {"version": "1.9", "loud": "on"}


def test_a_recipe_is_built_with_the_values_of_its_cell(tables: Tables) -> None:
    job = jobs_of(product_text(tables))["build"]
    assert job["env"] == {
        "OPTION_VERSION": "${{ matrix.version }}",
        "OPTION_LOUD": "${{ matrix.loud }}",
    }
    assert job["strategy"]["matrix"] == {"version": ["1.10", "1.9"], "loud": ["on", "off"]}
    named = {step.get("name"): step.get("run", "") for step in job["steps"]}
    words = './recipes/greet.yaml "version=$OPTION_VERSION" "loud=$OPTION_LOUD"'
    assert named["Build"].startswith(f"tfbuild build {words} --deadline 50m ||")
    assert f"tfbuild plan {words} --json > dist/plan.json" in named["Plan"]
    assert named["Install what the build needs"].endswith(" --no-install-recommends nasm")
    (setup,) = [step for step in job["steps"] if "setup-python" in step.get("uses", "")]
    assert setup["with"]["python-version"] == "3.13"


def test_scripts_of_a_recipe_hold_no_expression_and_pass_shellcheck(tables: Tables) -> None:
    text = product_text(tables)
    assert shellcheck("#!/bin/bash\n" + github_script(text, "build", ARCHIVES)) == ""
    (_, attach) = jobs_of(text)["publish"]["steps"]
    assert "${{" not in attach["run"]
    assert shellcheck("#!/bin/bash\nset -eo pipefail\n" + attach["run"]) == ""


def test_only_the_job_that_attaches_to_a_release_may_write(tables: Tables) -> None:
    text = product_text(tables)
    document, jobs = yaml.safe_load(text), jobs_of(text)
    assert document["permissions"] == {"contents": "read"}
    assert list(jobs) == ["build", "publish"]
    assert "permissions" not in jobs["build"]
    assert jobs["publish"]["permissions"] == {"contents": "write"}
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
    assert jobs["publish"]["needs"] == ["build"]
    assert "secrets." not in text
    fetch, attach = jobs["publish"]["steps"]
    assert fetch["with"]["pattern"] == "archive-version-*-loud-*"
    assert "tfbuild" not in attach["run"], "no code of ours near it"
    assert "clobber" not in attach["run"], "a file of a release is never replaced"
    contained = jobs_of(product_text(tables, "os=debian:12,ubuntu:22.04"))
    fetch, _ = contained["publish"]["steps"]
    assert fetch["with"]["pattern"] == "archive-version-*-os-debian 12"


def test_without_a_licence_nothing_is_published(tables: Tables) -> None:
    text = product_text(tables, license="")
    assert list(jobs_of(text)) == ["build"]
    assert "# Nothing is published" in text
    assert "write" not in str(jobs_of(text)["build"].get("permissions", ""))


def test_an_option_may_be_called_as_a_key_of_the_matrix(tables: Tables) -> None:
    (loud, quiet) = a_recipe().options
    options = (replace(loud, name="include", choices=loud.choices[1:]), quiet)
    pipeline = a_product_pipeline(tables, "include=off", recipe=a_recipe(options=options))
    job = jobs_of(github_workflow(pipeline, "ubuntu-24.04", tables.actions()))["build"]
    assert job["strategy"]["matrix"] == {"version": ["1.10"], "include_": ["off"]}
    assert job["env"]["OPTION_INCLUDE"] == "${{ matrix.include_ }}"


def attach(tables: Tables, folder: Path, gh: str) -> subprocess.CompletedProcess[str]:
    """The last job with archives in dist, and another program as gh."""
    dist = folder / "dist"
    dist.mkdir()
    for version in ("1.9", "1.10"):
        (dist / f"greet-{version}.tar.gz").write_text(version)
    subprocess.run(
        ["sh", "-c", 'for f in *.gz; do sha256sum "$f" > "$f.sha256"; done'], cwd=dist, check=True
    )
    if "changed" in folder.name:
        (dist / "greet-1.9.tar.gz").write_text("another")
    tool = folder / "gh"
    tool.write_text(f'#!/bin/sh\necho "$*" >> {folder}/asked\n{gh}\n')
    tool.chmod(0o755)
    (_, step) = jobs_of(product_text(tables))["publish"]["steps"]
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env={"PATH": f"{folder}:{os.environ['PATH']}", "GITHUB_REF_NAME": "v1"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_archives_and_digests_are_attached(tables: Tables, tmp_path: Path) -> None:
    done = attach(tables, tmp_path, "")
    assert done.returncode == 0, done.stderr
    *_, upload = (tmp_path / "asked").read_text().splitlines()
    names = ("greet-1.10.tar.gz", "greet-1.9.tar.gz")
    files = [f"./{name}{end}" for end in ("", ".sha256") for name in names]
    assert upload == f"release upload v1 {' '.join(files)}"


def test_a_release_that_is_there_is_taken(tables: Tables, tmp_path: Path) -> None:
    done = attach(tables, tmp_path, 'test "$2" != create')
    assert done.returncode == 0, done.stderr
    asked = [line.split()[1] for line in (tmp_path / "asked").read_text().splitlines()]
    assert asked == ["create", "view", "upload"]


def test_an_archive_that_has_changed_is_not_attached(tables: Tables, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    folder.mkdir()
    assert attach(tables, folder, "").returncode != 0
    assert not (folder / "asked").exists()


def test_the_same_constraints_give_the_same_bytes(tables: Tables) -> None:
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
    broken.write_text(workflow.read_text().replace("{{ matrix.", "{{ matrix.no_", 1))
    assert actionlint(broken, tmp_path), "it finds nothing at all"
