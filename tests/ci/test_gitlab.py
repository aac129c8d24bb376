"""The pipeline for GitLab: one job per cell, its schema, and what it runs."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.test_pipeline import a_pipeline
from tests.ci.test_products import a_product_pipeline
from tests.ci_steps import gitlab_script
from tests.failing import fails
from tests.linters import check_schema, shellcheck
from tests.recipes.test_choices import a_recipe
from tfbuild.ci.gitlab import gitlab_pipeline
from tfbuild.facts.tables import Tables


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


def test_the_cache_lies_where_gitlab_keeps_it_and_its_key_is_the_constraint() -> None:
    content = document()
    cache = content[".build"]["cache"]
    assert content["variables"] == {"TFBUILD_CACHE_DIR": "$CI_PROJECT_DIR/.tfbuild-cache"}
    assert all(path.startswith(".tfbuild-cache/") for path in cache["paths"])
    assert cache["paths"][0] == ".tfbuild-cache/CACHEDIR.TAG", "without it the rest is not taken"
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
    with fails("image-python-too-old", "python:3.9", "--image"):
        document("python=3.9")
    assert document("python=3.9", image="mine:1")["build-python-3.9"]["image"] == "mine:1"


@pytest.mark.slow
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


# --- recipes -----------------------------------------------------------------------------------


def product_text(tables: Tables, *words: str, **recipe: str) -> str:
    return gitlab_pipeline(a_product_pipeline(tables, *words, recipe=a_recipe(**recipe)), "")


def test_a_recipe_is_built_with_the_values_of_its_cell(tables: Tables) -> None:
    content = yaml.safe_load(product_text(tables))
    assert content["stages"] == ["build", "publish"]
    assert not [name for name in content if "smoke" in name]
    cell = content["build-version-1.10-loud-on"]
    assert cell["variables"] == {"OPTION_VERSION": "1.10", "OPTION_LOUD": "on"}
    assert cell["image"] == "python:3.13-bookworm"
    build = content[".build"]
    assert build["cache"]["key"] == "tfbuild-0.1.0-greet-$OPTION_VERSION-$OPTION_LOUD"
    assert "apt-get update && " in "\n".join(build["before_script"])
    assert "sudo" not in "\n".join(build["before_script"]), "a container's user is root"
    words = './recipes/greet.yaml "version=$OPTION_VERSION" "loud=$OPTION_LOUD"'
    assert f"tfbuild plan {words} --json > dist/plan.json" in build["script"]


def test_archives_are_published_of_tags_once_all_are_built(tables: Tables) -> None:
    publish = yaml.safe_load(product_text(tables))["publish"]
    assert publish["rules"] == [{"if": "$CI_COMMIT_TAG"}]
    assert len(publish["needs"]) == 4
    assert all(need.get("artifacts", True) for need in publish["needs"])
    assert "id_tokens" not in publish
    assert "tfbuild" not in str(publish["script"]), "no code of ours near the token"


def test_without_a_licence_no_archive_is_published(tables: Tables) -> None:
    text = product_text(tables, license="")
    assert "publish" not in yaml.safe_load(text)
    assert yaml.safe_load(text)["stages"] == ["build"]
    assert "# Nothing is published" in text


def test_the_schema_of_gitlab_for_recipes(tables: Tables, tmp_path: Path) -> None:
    path = tmp_path / ".gitlab-ci.yml"
    path.write_text(product_text(tables))
    assert check_schema("vendor.gitlab-ci", path) == ""


def test_scripts_of_a_recipe_pass_shellcheck(tables: Tables) -> None:
    text = product_text(tables)
    script = gitlab_script(text, "build-version-1.10-loud-on")
    assert shellcheck("#!/bin/bash\n" + script) == ""
    publish = "\n".join(yaml.safe_load(text)["publish"]["script"])
    assert shellcheck("#!/bin/bash\nset -eo pipefail\n" + publish) == ""


@contextmanager
def packages(status: int) -> Iterator[tuple[str, dict[str, tuple[str, bytes]]]]:
    """A server that takes generic packages: its address, and what it was given with which token."""
    given: dict[str, tuple[str, bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            given[self.path] = (self.headers["JOB-TOKEN"], content)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/v4", given
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize("status", [201, 403])
def test_archives_become_a_package_by_the_token_of_the_job(
    status: int, tables: Tables, tmp_path: Path
) -> None:
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "greet-1.10.tar.gz").write_bytes(b"hello")
    subprocess.run(["sh", "-ec", a_product_pipeline(tables).subject.sums], cwd=tmp_path, check=True)
    script = "\n".join(yaml.safe_load(product_text(tables))["publish"]["script"])
    with packages(status) as (address, given):
        variables = {"CI_API_V4_URL": address, "CI_PROJECT_ID": "7", "CI_COMMIT_TAG": "v1"}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            env={**os.environ, **variables, "CI_JOB_TOKEN": "a-token", "no_proxy": "*"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode == 0) is (status == 201), done.stderr
    top = "/api/v4/projects/7/packages/generic/greet/v1"
    assert given[f"{top}/greet-1.10.tar.gz"] == ("a-token", b"hello")
    if status == 201:
        assert sorted(given) == [f"{top}/greet-1.10.tar.gz", f"{top}/greet-1.10.tar.gz.sha256"]
