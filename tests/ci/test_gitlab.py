"""The pipeline for GitLab: one job per cell, its schema, and what it runs."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.test_pipeline import a_pipeline
from tests.ci_steps import gitlab_script
from tests.linters import check_schema, shellcheck
from tfbuild.ci.gitlab import gitlab_pipeline
from tfbuild.core.errors import BadRequest


def document(*words: str, image: str = "") -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(gitlab_pipeline(a_pipeline(*words), image))
    return content


def test_each_wheel_waits_for_its_own_build() -> None:
    content = document()
    names = [name for name in content if name.startswith("smoke-")]
    assert len(names) == 4
    for name in names:
        assert content[name]["needs"] == [name.replace("smoke-", "build-")]
        assert content[name]["needs"][0] in content
        assert content[name]["extends"] == ".smoke"
    cell = content["build-python-3.11-cuda-13.0"]
    assert cell["variables"] == {"TFBUILD_PYTHON": "3.11", "TFBUILD_CUDA": "13.0"}
    assert cell["image"] == "python:3.11-bookworm"


def test_only_tags_are_published_after_everything_has_passed() -> None:
    publish = document()["publish"]
    assert publish["rules"] == [{"if": "$CI_COMMIT_TAG"}]
    files = [need["job"] for need in publish["needs"] if need.get("artifacts", True)]
    assert files == ["build-python-3.11-cuda-none", "build-python-3.13-cuda-none"]
    assert len([n for n in publish["needs"] if n["job"].startswith("smoke-")]) == 4
    assert publish["id_tokens"] == {"PYPI_ID_TOKEN": {"aud": "pypi"}}
    assert publish["interruptible"] is False


def test_what_stands_beside_the_token_is_pinned() -> None:
    (*_, line) = document()["publish"]["before_script"]
    assert re.fullmatch(r"python -I -m pip install twine==[\d.]+", line)


def test_no_other_job_has_a_token() -> None:
    content = document()
    assert [name for name, job in content.items() if "id_tokens" in job] == ["publish"]


def test_the_cache_lies_where_gitlab_keeps_it_and_its_key_is_the_wish() -> None:
    content = document()
    cache = content[".build"]["cache"]
    assert content["variables"] == {"TFBUILD_CACHE_DIR": "$CI_PROJECT_DIR/.tfbuild-cache"}
    assert all(path.startswith(".tfbuild-cache/") for path in cache["paths"])
    assert cache["key"] == "tfbuild-0.1.0-$TFBUILD_PYTHON-$TFBUILD_CUDA"
    assert cache["when"] == "always", "a build that ran out of time is gone on with"


def test_a_cache_that_a_commit_brings_along_ends_the_job(tmp_path: Path) -> None:
    (line,) = (one for one in document()[".build"]["before_script"] if "ls-files" in one)

    def ends_well() -> bool:
        return subprocess.run(["sh", "-c", line], cwd=tmp_path, check=False).returncode == 0

    assert not ends_well(), "it is not known what a commit has brought along"
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    kept = tmp_path / ".tfbuild-cache" / "bazel-disk" / "ac"
    kept.mkdir(parents=True)
    (kept / "result").touch()
    assert ends_well(), "what GitLab has kept is no file of the commit"
    subprocess.run([*git, "add", "--all"], check=True)
    assert not ends_well()


def test_an_image_whose_python_is_too_old_for_tfbuild() -> None:
    with pytest.raises(BadRequest, match=r"python:3\.9 cannot run tfbuild"):
        document("python=3.9")
    assert document("python=3.9", image="mine:1")["build-python-3.9"]["image"] == "mine:1"


def test_the_schema_of_gitlab(tmp_path: Path) -> None:
    path = tmp_path / ".gitlab-ci.yml"
    path.write_text(gitlab_pipeline(a_pipeline(), ""))
    assert check_schema("vendor.gitlab-ci", path) == ""
    path.write_text(path.read_text().replace("interruptible: false", "interruptible: maybe"))
    assert check_schema("vendor.gitlab-ci", path), "it finds nothing at all"


def test_scripts_pass_shellcheck() -> None:
    text = gitlab_pipeline(a_pipeline(), "")
    for job in ("build", "smoke"):
        script = gitlab_script(text, f"{job}-python-3.11-cuda-none")
        assert shellcheck("#!/bin/bash\n" + script) == ""
