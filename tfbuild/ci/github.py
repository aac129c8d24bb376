"""The pipeline as a workflow of GitHub Actions: least rights, every action by its commit."""

import re
from collections.abc import Sequence
from typing import Any

from tfbuild.ci.pipeline import (
    LOGS,
    OWN_PYTHON,
    PUBLISH_MINUTES,
    SMOKE_MINUTES,
    Pipeline,
    Subject,
    build_script,
    header,
    install_line,
    packages_line,
    plan_lines,
)
from tfbuild.core.errors import BadRecipe
from tfbuild.core.yaml_file import to_yaml
from tfbuild.facts.build_rows import ActionRow

Step = dict[str, Any]
_NO_TAG = "github.ref_type != 'tag'"
# A release is built from nothing: what other runs have left in a cache is not in it.
_CACHED = {"if": _NO_TAG}
_KEEP = {"if": f"always() && {_NO_TAG} && steps.plan.outcome == 'success'"}
_CACHE_KEY = "tfbuild-${{ steps.plan.outputs.id }}-"
_ONE_RUN = "${{ github.sha }}-${{ github.run_attempt }}"
_USES = re.compile(r"^( *(?:- )?uses: \S+@([0-9a-f]{40}))$", re.MULTILINE)
_SAID = {
    "id-token: write": "by which the index knows this workflow: no password is kept",
    "contents: write": "to attach files to the release of the tag",
}


def github_workflow(pipeline: Pipeline, runner: str, actions: Sequence[ActionRow]) -> str:
    """The workflow as YAML; each pin is followed by the release that it stands for."""
    take, subject = _Taker(actions), pipeline.subject
    document = {
        "name": subject.name,
        "on": {
            "push": {"branches": ["main"], "tags": ["v*"]},
            "pull_request": {},
            "workflow_dispatch": {},
        },
        "permissions": {"contents": "read"},
        "concurrency": {
            "group": "${{ github.workflow }}-${{ github.ref }}",
            "cancel-in-progress": f"${{{{ {_NO_TAG} }}}}",
        },
        "defaults": {"run": {"shell": "bash"}},
        "jobs": {
            "build": _build(pipeline, runner, take),
            **({"smoke": _smoke(pipeline, runner, take)} if subject.checks else {}),
            **_publishing(pipeline, runner, take),
        },
    }
    versions = {row.commit: row.version for row in actions}
    text = _USES.sub(lambda m: f"{m[1]} # v{versions[m[2]]}", to_yaml(document))
    for line, words in _SAID.items():
        text = text.replace(line, f"{line} # {words}")
    return header(pipeline) + text


# --- jobs --------------------------------------------------------------------------------------


class _Taker:
    """Gives steps that use an action by the commit in the facts."""

    def __init__(self, actions: Sequence[ActionRow]) -> None:
        self._commits = {row.name: row.commit for row in reversed(actions)}

    def __call__(self, name: str, inputs: dict[str, Any], **step: Any) -> Step:  # noqa: ANN401
        path = "/".join(name.split("/")[:2])
        if path not in self._commits:
            raise BadRecipe(
                f"matrices/actions.yaml has no {path}",
                code="action-row-missing",
                hint="add a row with its commit",
            )
        words = {key.replace("_", "-"): value for key, value in inputs.items()}
        return {
            **step,
            "uses": f"{name}@{self._commits[path]}",
            **({"with": words} if words else {}),
        }


def _build(pipeline: Pipeline, runner: str, take: _Taker) -> Step:
    paths = "".join(f"~/.cache/tfbuild/{place.name}\n" for place in pipeline.subject.kept)
    kept = {"path": paths, "key": _CACHE_KEY + _ONE_RUN}
    sums = pipeline.subject.sums
    return {
        **_matrix_job(pipeline, "build", runner),
        "timeout-minutes": pipeline.minutes,
        "steps": [
            *_tools(pipeline, take),
            {"name": "Plan", "id": "plan", "run": _plan_script(pipeline)},
            take("actions/cache/restore", {**kept, "restore-keys": _CACHE_KEY}, **_CACHED),
            {"name": "Build", "run": build_script(pipeline, "::error::")},
            *([{"name": "Write digests", "run": sums}] if sums else []),
            take("actions/cache/save", dict(kept), **_KEEP),
            *_uploads(pipeline, take),
        ],
    }


def _uploads(pipeline: Pipeline, take: _Taker) -> list[Step]:
    """What was built; plan and report, also of a build that failed; then its logs, too."""
    name, cell = "actions/upload-artifact", _cell(pipeline)
    files = [f"dist/{pattern}" for pattern in pipeline.subject.files]
    others = "".join(f"{line}\n" for line in ("dist/*", *(f"!{file}" for file in files)))
    built = {"path": "\n".join(files), "if-no-files-found": "error"}
    logs = {"path": LOGS, "include-hidden-files": True}
    return [
        take(name, {"name": f"{pipeline.subject.noun}-{cell}", **built}),
        take(name, {"name": f"report-{cell}", "path": others}, **{"if": "always()"}),
        take(name, {"name": f"log-{cell}", **logs}, **{"if": "failure()"}),
    ]


def _smoke(pipeline: Pipeline, runner: str, take: _Taker) -> Step:
    fetched = {"pattern": f"*-{_cell(pipeline)}", "path": "dist", "merge-multiple": True}
    return {
        **_matrix_job(pipeline, "smoke", runner),
        "needs": ["build"],
        "timeout-minutes": SMOKE_MINUTES,
        "steps": [
            *_tools(pipeline, take),
            take("actions/download-artifact", fetched),
            *({"run": line} for line in pipeline.subject.checks),
        ],
    }


def _publishing(pipeline: Pipeline, runner: str, take: _Taker) -> dict[str, Step]:
    """The job that publishes, once everything has passed; none where nothing is published."""
    subject = pipeline.subject
    if subject.destination == "none":
        return {}
    pattern = f"{subject.noun}-" + "-".join(
        f"{name}-{'*' if name in subject.distinct else values[0]}" for name, values in pipeline.axes
    )
    fetched = {"pattern": pattern, "path": "dist", "merge-multiple": True}
    how = _to_index(take) if subject.destination == "index" else _to_release(subject)
    job = {
        "name": "publish",
        "if": "github.ref_type == 'tag'",
        "needs": ["smoke" if subject.checks else "build"],
        "runs-on": runner,
        "timeout-minutes": PUBLISH_MINUTES,
        **how,
    }
    job["steps"] = [take("actions/download-artifact", fetched), *how["steps"]]
    return {"publish": job}


def _to_index(take: _Taker) -> Step:
    return {
        "environment": "pypi",
        "permissions": {"id-token": "write"},
        "steps": [take("pypa/gh-action-pypi-publish", {"packages-dir": "dist"})],
    }


def _to_release(subject: Subject) -> Step:
    """No file of a release is ever replaced; another workflow of the tag may have made it."""
    files = " ".join(f"./{pattern}" for pattern in subject.files)
    lines = (
        "cd dist",
        "sha256sum --check --strict ./*.sha256",
        "tag=$GITHUB_REF_NAME",
        'gh release create "$tag" --verify-tag --title "$tag" --notes "" || gh release view "$tag"',
        f'gh release upload "$tag" {files}',
    )
    return {
        "environment": "release",
        "permissions": {"contents": "write"},
        "steps": [
            {
                "name": "Attach to the release",
                "env": {"GH_REPO": "${{ github.repository }}", "GH_TOKEN": "${{ github.token }}"},
                "run": "\n".join(lines) + "\n",
            }
        ],
    }


# --- parts -------------------------------------------------------------------------------------


def _matrix_job(pipeline: Pipeline, name: str, runner: str) -> Step:
    """The head of a job that runs once per cell; commands take its values from the variables."""
    words = ", ".join(f"{axis} {_value(axis)}" for axis, _ in pipeline.axes)
    return {
        "name": f"{name} ({words})",
        "runs-on": runner,
        "strategy": {
            "fail-fast": False,
            "matrix": {_key(axis): list(values) for axis, values in pipeline.axes},
        },
        "env": {pipeline.subject.variable(axis): _value(axis) for axis, _ in pipeline.axes},
    }


def _tools(pipeline: Pipeline, take: _Taker) -> list[Step]:
    subject, pythons = pipeline.subject, OWN_PYTHON
    if subject.python:  # the Python named last is the one that `python` means: tfbuild's own
        pythons = f"{_value(subject.python)}\n{OWN_PYTHON}\n"
    needed = {"name": "Install what the build needs", "run": packages_line(pipeline, "sudo")}
    return [
        take("actions/checkout", {"persist-credentials": False}),
        take("actions/setup-python", {"python-version": pythons}),
        {"name": "Install tfbuild", "run": install_line(pipeline)},
        *([needed] if subject.packages else []),
    ]


def _plan_script(pipeline: Pipeline) -> str:
    *lines, show = plan_lines(pipeline)
    lines += (
        f"{show} | tee plan.txt",
        "sed 's/^/    /' plan.txt >> \"$GITHUB_STEP_SUMMARY\"",  # indented: shown as it is
        'id=$(python -c \'import json; print(json.load(open("dist/plan.json"))["id"])\')',
        'echo "id=$id" >> "$GITHUB_OUTPUT"',
    )
    return "\n".join(lines) + "\n"


def _cell(pipeline: Pipeline) -> str:
    return "-".join(f"{axis}-{_value(axis)}" for axis, _ in pipeline.axes)


def _value(axis: str) -> str:
    return f"${{{{ matrix.{_key(axis)} }}}}"


def _key(axis: str) -> str:
    """The key of an axis in a matrix, where two names have a meaning of their own."""
    key = re.sub("[^a-zA-Z0-9_-]", "_", axis)
    return f"{key}_" if key in {"include", "exclude"} else key
