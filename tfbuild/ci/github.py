"""The pipeline as a workflow of GitHub Actions: least rights, every action by its commit."""

import re
from collections.abc import Sequence
from typing import Any

from tfbuild.ci.pipeline import (
    KEPT,
    LOGS,
    OWN_PYTHON,
    PUBLISH_MINUTES,
    SMOKE_MINUTES,
    Pipeline,
    build_script,
    check_lines,
    header,
    install_line,
    plan_lines,
    variable,
)
from tfbuild.core.errors import BadRecipe
from tfbuild.core.yaml_file import to_yaml
from tfbuild.facts.rows import ActionRow

Step = dict[str, Any]
_NO_TAG = "github.ref_type != 'tag'"
# A release is built from nothing: what other runs have left in a cache is not in it.
_CACHED = {"if": _NO_TAG}
_KEEP = {"if": f"always() && {_NO_TAG} && steps.plan.outcome == 'success'"}
_CACHE_KEY = "tfbuild-${{ steps.plan.outputs.id }}-"
_ONE_RUN = "${{ github.sha }}-${{ github.run_attempt }}"
_USES = re.compile(r"^( *(?:- )?uses: \S+@([0-9a-f]{40}))$", re.MULTILINE)
_SAID = {"id-token: write": "by which the index knows this workflow: no password is kept"}


def github_workflow(pipeline: Pipeline, runner: str, actions: Sequence[ActionRow]) -> str:
    """The workflow as YAML; each pin is followed by the release that it stands for."""
    take = _Taker(actions)
    document = {
        "name": "wheels",
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
            "smoke": _smoke(pipeline, runner, take),
            "publish": _publish(pipeline, runner, take),
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
                f"matrices/actions.yaml has no {path}", hint="add a row with its commit"
            )
        words = {key.replace("_", "-"): value for key, value in inputs.items()}
        return {
            **step,
            "uses": f"{name}@{self._commits[path]}",
            **({"with": words} if words else {}),
        }


def _build(pipeline: Pipeline, runner: str, take: _Taker) -> Step:
    paths = "".join(f"~/.cache/tfbuild/{name}\n" for name in KEPT)
    kept = {"path": paths, "key": _CACHE_KEY + _ONE_RUN}
    cell = _cell(pipeline)
    return {
        **_matrix_job(pipeline, "build", runner),
        "timeout-minutes": pipeline.minutes,
        "steps": [
            *_tools(pipeline, take),
            {"name": "Plan", "id": "plan", "run": _plan_script()},
            take("actions/cache/restore", {**kept, "restore-keys": _CACHE_KEY}, **_CACHED),
            {"name": "Build", "run": build_script(pipeline, "::error::")},
            take("actions/cache/save", dict(kept), **_KEEP),
            take(
                "actions/upload-artifact",
                {"name": f"wheel-{cell}", "path": "dist/*.whl", "if-no-files-found": "error"},
            ),
            take(
                "actions/upload-artifact",
                {"name": f"report-{cell}", "path": "dist/*\n!dist/*.whl\n"},
                **{"if": "always()"},
            ),
            take(
                "actions/upload-artifact",
                {
                    "name": f"log-{cell}",
                    "path": LOGS,
                    "include-hidden-files": True,
                },
                **{"if": "failure()"},
            ),
        ],
    }


def _smoke(pipeline: Pipeline, runner: str, take: _Taker) -> Step:
    fetched = {"pattern": f"*-{_cell(pipeline)}", "path": "dist", "merge-multiple": True}
    return {
        **_matrix_job(pipeline, "smoke", runner),
        "needs": ["build"],
        "timeout-minutes": SMOKE_MINUTES,
        "steps": [
            *_tools(pipeline, take),
            take("actions/download-artifact", fetched),
            *({"run": line} for line in check_lines()),
        ],
    }


def _publish(pipeline: Pipeline, runner: str, take: _Taker) -> Step:
    pattern = "wheel-" + "-".join(
        f"{name}-{'*' if name == 'python' else values[0]}" for name, values in pipeline.axes
    )
    fetched = {"pattern": pattern, "path": "dist", "merge-multiple": True}
    return {
        "name": "publish",
        "if": "github.ref_type == 'tag'",
        "needs": ["smoke"],
        "runs-on": runner,
        "timeout-minutes": PUBLISH_MINUTES,
        "environment": "pypi",
        "permissions": {"id-token": "write"},
        "steps": [
            take("actions/download-artifact", fetched),
            take("pypa/gh-action-pypi-publish", {"packages-dir": "dist"}),
        ],
    }


# --- parts -------------------------------------------------------------------------------------


def _matrix_job(pipeline: Pipeline, name: str, runner: str) -> Step:
    """The head of a job that runs once per cell; tfbuild takes its wishes from the variables."""
    words = ", ".join(f"{axis} {_value(axis)}" for axis, _ in pipeline.axes)
    return {
        "name": f"{name} ({words})",
        "runs-on": runner,
        "strategy": {
            "fail-fast": False,
            "matrix": {axis: list(values) for axis, values in pipeline.axes},
        },
        "env": {variable(axis): _value(axis) for axis, _ in pipeline.axes},
    }


def _tools(pipeline: Pipeline, take: _Taker) -> list[Step]:
    # The Python named last is the one that `python` means: tfbuild's own.
    pythons = f"{_value('python')}\n{OWN_PYTHON}\n"
    return [
        take("actions/checkout", {"persist-credentials": False}),
        take("actions/setup-python", {"python-version": pythons}),
        {"name": "Install tfbuild", "run": install_line(pipeline)},
    ]


def _plan_script() -> str:
    lines = (
        *plan_lines(),
        "tfbuild plan | tee plan.txt",
        "sed 's/^/    /' plan.txt >> \"$GITHUB_STEP_SUMMARY\"",  # indented: shown as it is
        'id=$(python -c \'import json; print(json.load(open("dist/plan.json"))["id"])\')',
        'echo "id=$id" >> "$GITHUB_OUTPUT"',
    )
    return "\n".join(lines) + "\n"


def _cell(pipeline: Pipeline) -> str:
    return "-".join(f"{axis}-{_value(axis)}" for axis, _ in pipeline.axes)


def _value(axis: str) -> str:
    return f"${{{{ matrix.{axis} }}}}"
