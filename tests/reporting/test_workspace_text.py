"""The plan and the record of a workspace's build as plain text."""

import shlex
from dataclasses import replace
from pathlib import Path

from tests.sample_workspace import a_workspace_plan, a_workspace_report
from tfbuild.reporting.workspace_text import (
    workspace_plan_script,
    workspace_plan_text,
    workspace_text,
)


def test_plan_says_all_that_was_decided() -> None:
    text = workspace_plan_text(a_workspace_plan())
    for words in ("plan 0123456789abcdef", "4.2.3, or any >=4", "nothing names a release", "//...",
                  "replaced gtest by /src/gtest", "stand-ins", "nothing is downloaded",
                  "{bazel} build //..."):  # fmt: skip
        assert words in text


def test_script_spells_out_every_constraint() -> None:
    script = workspace_plan_script(a_workspace_plan())
    (line,) = [line for line in script.splitlines() if line.startswith("exec ")]
    assert shlex.split(line) == [
        "exec", "tfbuild", "build", "bazel>=4", "--workspace=/src/space", "--target=//...",
        "--bazel-config=gcc", "--override-repository=gtest=/src/gtest", "--bazel-flag=--copt=-O1",
        "--stand-ins", "--offline", "--jobs=2", f"--output={Path('dist')}",
    ]  # fmt: skip


def test_an_exact_release_is_typed_as_one() -> None:
    plan = a_workspace_plan()
    for accepted, typed in (("==4.2.3", "bazel=4.2.3"), ("==7.*", "bazel=7")):
        exact = replace(plan, bazel=replace(plan.bazel, accepted=accepted))
        assert f"build {typed} " in workspace_plan_script(exact)


def test_end_of_a_build() -> None:
    text = workspace_text(a_workspace_report(), Path("/runs/one"))
    assert "7 targets, 7 files, 7.0 MB" in text
    assert text.count("/out/bin") == 5
    assert "2 more" in text
    assert "/runs/one/report.html" in text
    plan = replace(a_workspace_plan(), collect=True, output=Path("/out"))
    assert "checks  none" in text
    assert text.splitlines()[-1].startswith("next    add --collect")
    collected = workspace_text(replace(a_workspace_report(), plan=plan), Path("/r"))
    assert "in /out" in collected
    assert "next" not in collected
