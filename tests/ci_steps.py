"""The shell parts of generated pipelines, as one script that a machine without the CI can run."""

import re
import shlex
from typing import Any

import yaml


def github_script(text: str, job: str, cell: dict[str, str], *, until: str = "") -> str:
    """The `run` steps of a job for one cell, with the variables that a runner would set.

    until names the first step that is left out.
    """
    workflow: dict[str, Any] = yaml.safe_load(text)
    content = workflow["jobs"][job]
    shell = workflow["defaults"]["run"]["shell"]
    assert shell == "bash", "the options below are those of this shell"
    lines = [
        "set -eo pipefail",
        "export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary",
    ]
    lines += [f"export {name}={shlex.quote(_fill(v, cell))}" for name, v in content["env"].items()]
    names = [step.get("name", "") for step in content["steps"]]
    steps = content["steps"][: names.index(until) if until else None]
    lines += [_fill(step["run"], cell) for step in steps if "run" in step]
    return "\n".join(lines) + "\n"


def gitlab_script(text: str, job: str) -> str:
    """What GitLab would run for a job: before_script, then script."""
    document = yaml.safe_load(text)
    content = document[job]
    content = {**document[content["extends"]], **content}
    variables = {**document["variables"], **content["variables"]}
    lines = ["set -eo pipefail", "export CI_PROJECT_DIR=$PWD"]
    lines += [f'export {name}="{value}"' for name, value in variables.items()]
    return "\n".join([*lines, *content["before_script"], *content["script"]]) + "\n"


def _fill(text: Any, cell: dict[str, str]) -> str:
    """The text with the expressions that a script may hold; any other is an error."""
    filled = re.sub(r"\$\{\{ matrix\.([\w-]+) \}\}", lambda m: cell[m[1]], str(text))
    assert "${{" not in filled, f"a script holds an expression: {filled}"
    return filled
