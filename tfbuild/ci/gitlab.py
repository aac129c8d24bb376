"""The pipeline for GitLab CI: one job per cell and step, so that each wheel waits for its own."""

from typing import Any

from tfbuild.ci.pipeline import (
    KEPT,
    LOGS,
    OLDEST_OWN_PYTHON,
    OWN_PYTHON,
    PUBLISH_MINUTES,
    SMOKE_MINUTES,
    Pipeline,
    build_script,
    check_lines,
    header,
    install_line,
    job_name,
    plan_lines,
    published,
    variable,
)
from tfbuild.core.errors import BadRequest
from tfbuild.core.records import Pairs
from tfbuild.core.yaml_file import to_yaml

Job = dict[str, Any]
_CACHE = ".tfbuild-cache"
_LOGS = "tfbuild-runs"
# GitLab's runner lets everybody write what it checks out, and tfbuild trusts no such settings.
_OWN = "chmod -R go-w ."
# The cache must lie in the project's folder, where a commit could bring one along that is believed.
# Where git cannot say, the job ends as well.
_NO_CACHE_IN_GIT = f"tracked=$(git -c safe.directory='*' ls-files {_CACHE}) && test -z \"$tracked\""
_VENV = ("python3 -I -m venv .tfbuild-venv", ". .tfbuild-venv/bin/activate")
_TWINE = "6.2.0"  # it stands beside the token: no other release gets in unread
_ON_TAG = [{"if": "$CI_COMMIT_TAG"}]


def gitlab_pipeline(pipeline: Pipeline, image: str) -> str:
    """The pipeline as YAML; an empty image means the official one of each Python.

    Raises BadRequest where that image's Python is too old for tfbuild itself.
    """
    document: Job = {
        "stages": ["build", "smoke", "publish"],
        "workflow": {
            "auto_cancel": {"on_new_commit": "interruptible"},
            "rules": [
                *_ON_TAG,
                {"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'},
                {"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"},
            ],
        },
        # GitLab keeps only what lies in the project's folder.
        "variables": {"TFBUILD_CACHE_DIR": f"$CI_PROJECT_DIR/{_CACHE}"},
        ".build": _build(pipeline),
        ".smoke": _smoke(pipeline),
    }
    for cell in pipeline.cells:
        name = job_name(cell)
        common = {"image": image or usual_image(cell), "variables": _variables(cell)}
        document[f"build-{name}"] = {"extends": ".build", **common}
        document[f"smoke-{name}"] = {"extends": ".smoke", "needs": [f"build-{name}"], **common}
    document["publish"] = _publish(pipeline, image or f"python:{OWN_PYTHON}-bookworm")
    return header(pipeline) + to_yaml(document)


def usual_image(cell: Pairs) -> str:
    """An image whose own Python is the wheel's, and which has a compiler.

    Raises BadRequest where that Python is too old for tfbuild itself.
    """
    version = dict(cell)["python"]
    major, minor = map(int, version.split(".")[:2])
    if (major, minor) < OLDEST_OWN_PYTHON:
        raise BadRequest(
            f"the image python:{version} cannot run tfbuild",
            why="tfbuild needs a Python of 3.11 or newer beside the wheel's own",
            hint="name an image that has both with --image",
        )
    return f"python:{version}-bookworm"


def _build(pipeline: Pipeline) -> Job:
    # What tfbuild decides follows from its release and the wishes, so these are the key.
    wishes = "-".join(f"${variable(axis)}" for axis, _ in pipeline.axes)
    return {
        "stage": "build",
        "interruptible": True,
        "timeout": f"{pipeline.minutes} minutes",
        "cache": {
            "key": f"tfbuild-{pipeline.tfbuild_version}-{wishes}",
            "paths": [f"{_CACHE}/{name}/" for name in KEPT],
            "when": "always",
        },
        "before_script": [_OWN, _NO_CACHE_IN_GIT, *_VENV, install_line(pipeline)],
        "script": [*plan_lines(), "tfbuild plan", build_script(pipeline, "")],
        "after_script": [f"mkdir -p {_LOGS}", f"cp -r {LOGS}. {_LOGS}/"],
        "artifacts": {
            "when": "always",
            "expire_in": "2 weeks",
            "paths": ["dist/", f"{_LOGS}/"],
        },
    }


def _smoke(pipeline: Pipeline) -> Job:
    return {
        "stage": "smoke",
        "interruptible": True,
        "timeout": f"{SMOKE_MINUTES} minutes",
        "before_script": [_OWN, *_VENV, install_line(pipeline)],
        "script": list(check_lines()),
    }


def _publish(pipeline: Pipeline, image: str) -> Job:
    """Publish once every wheel has passed; twine asks the index for a token of its own."""
    chosen = [{"job": f"build-{job_name(cell)}"} for cell in published(pipeline)]
    passed = [{"job": f"smoke-{job_name(c)}", "artifacts": False} for c in pipeline.cells]
    return {
        "stage": "publish",
        "image": image,
        "rules": [dict(rule) for rule in _ON_TAG],
        "needs": [*chosen, *passed],
        "interruptible": False,
        "timeout": f"{PUBLISH_MINUTES} minutes",
        "resource_group": "publish",
        "environment": {"name": "pypi"},
        "id_tokens": {"PYPI_ID_TOKEN": {"aud": "pypi"}},
        "before_script": [*_VENV, f"python -I -m pip install twine=={_TWINE}"],
        "script": ["twine upload --non-interactive dist/*.whl"],
    }


def _variables(cell: Pairs) -> dict[str, str]:
    return {variable(axis): value for axis, value in cell}
