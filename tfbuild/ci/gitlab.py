"""The pipeline for GitLab CI: one job per cell and step, so that each wheel waits for its own."""

from collections.abc import Iterator
from typing import Any

from tfbuild.ci.pipeline import (
    LOGS,
    OLDEST_OWN_PYTHON,
    OWN_PYTHON,
    PUBLISH_MINUTES,
    SMOKE_MINUTES,
    Pipeline,
    Subject,
    build_script,
    header,
    install_line,
    job_name,
    packages_line,
    plan_lines,
    published,
)
from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.layout import CACHE_MARK
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
_OWN_IMAGE = f"python:{OWN_PYTHON}-bookworm"
_ON_TAG = [{"if": "$CI_COMMIT_TAG"}]


def gitlab_pipeline(pipeline: Pipeline, image: str) -> str:
    """The pipeline as YAML; an empty image means the official one of a Python.

    Raises BadRequest where that image's Python is too old for tfbuild itself.
    """
    subject = pipeline.subject
    document: Job = {
        "stages": list(_stages(subject)),
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
        **({".smoke": _smoke(pipeline)} if subject.checks else {}),
    }
    for cell in pipeline.cells:
        name = job_name(cell)
        values = {subject.variable(axis): value for axis, value in cell}
        common = {"image": image or usual_image(cell, subject), "variables": values}
        document[f"build-{name}"] = {"extends": ".build", **common}
        if subject.checks:
            document[f"smoke-{name}"] = {"extends": ".smoke", "needs": [f"build-{name}"], **common}
    if subject.destination != "none":
        document["publish"] = _publish(pipeline, image or _OWN_IMAGE)
    return header(pipeline) + to_yaml(document)


def _stages(subject: Subject) -> Iterator[str]:
    yield "build"
    if subject.checks:
        yield "smoke"
    if subject.destination != "none":
        yield "publish"


def usual_image(cell: Pairs, subject: Subject) -> str:
    """An image whose own Python is the cell's, or any one; and which has a compiler.

    Raises BadRequest where that Python is too old for tfbuild itself.
    """
    version = dict(cell)[subject.python] if subject.python else OWN_PYTHON
    major, minor = map(int, version.split(".")[:2])
    if (major, minor) < OLDEST_OWN_PYTHON:
        raise BadRequest(
            f"the image python:{version} cannot run tfbuild",
            code="image-python-too-old",
            why="tfbuild needs a Python of 3.11 or newer beside the wheel's own",
            hint="name an image that has both with --image",
        )
    return f"python:{version}-bookworm"


def _build(pipeline: Pipeline) -> Job:
    subject = pipeline.subject
    apt = [packages_line(pipeline)] if subject.packages else []
    # What tfbuild decides follows from its release and the constraints, so these are the key.
    begun = f"tfbuild-{pipeline.tfbuild_version}"
    begun += f"-{subject.name}" if subject.destination != "index" else ""
    kept = [f"{place.name}/" for place in subject.kept]
    constraints = "-".join(f"${subject.variable(axis)}" for axis, _ in pipeline.axes)
    return {
        "stage": "build",
        "interruptible": True,
        "timeout": counted(pipeline.minutes, "minute"),
        "cache": {
            "key": f"{begun}-{constraints}",
            "paths": [f"{_CACHE}/{name}" for name in (CACHE_MARK.name, *kept)],
            "when": "always",
        },
        "before_script": [_OWN, _NO_CACHE_IN_GIT, *apt, *_VENV, install_line(pipeline)],
        "script": [
            *plan_lines(pipeline),
            build_script(pipeline, ""),
            *([subject.sums] if subject.sums else []),
        ],
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
        "script": list(pipeline.subject.checks),
    }


def _publish(pipeline: Pipeline, image: str) -> Job:
    """Publish once everything has passed."""
    names = [f"build-{job_name(cell)}" for cell in published(pipeline)]
    last = "smoke" if pipeline.subject.checks else "build"
    passed = [f"{last}-{job_name(cell)}" for cell in pipeline.cells]
    return {
        "stage": "publish",
        "image": image,
        "rules": [dict(rule) for rule in _ON_TAG],
        "needs": [
            *({"job": name} for name in names),
            *({"job": name, "artifacts": False} for name in passed if name not in names),
        ],
        "interruptible": False,
        "timeout": f"{PUBLISH_MINUTES} minutes",
        "resource_group": "publish",
        **(_to_index() if pipeline.subject.destination == "index" else _to_packages(pipeline)),
    }


def _to_index() -> Job:
    """By twine, which asks the index for a token of its own."""
    return {
        "environment": {"name": "pypi"},
        "id_tokens": {"PYPI_ID_TOKEN": {"aud": "pypi"}},
        "before_script": [*_VENV, f"python -I -m pip install twine=={_TWINE}"],
        "script": ["twine upload --non-interactive dist/*.whl"],
    }


def _to_packages(pipeline: Pipeline) -> Job:
    """A generic package of the project, its version the tag: by the job's own token alone."""
    subject = pipeline.subject
    lines = (
        "cd dist",
        "sha256sum --check --strict ./*.sha256",
        f"place=$CI_API_V4_URL/projects/$CI_PROJECT_ID/packages/generic/{subject.name}",
        f"for file in {' '.join(subject.files)}; do",
        '  curl --fail --silent --show-error --globoff --header "JOB-TOKEN: $CI_JOB_TOKEN" \\',
        '    --upload-file "$file" "$place/$CI_COMMIT_TAG/$file"',
        "done",
    )
    return {"environment": {"name": "release"}, "script": ["\n".join(lines) + "\n"]}
