"""bazel-bin is asked with the flags of the build."""

from pathlib import Path

from tests.fakes import FakeEnvironment, says
from tfbuild.bazel.places import ask_bazel_bin
from tfbuild.core.records import Command


def test_the_flags_of_the_build_are_part_of_the_question(fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers["bazel"] = says("INFO: a remark", "/out/bazel-bin")
    build = Command(
        argv=("bazel", "--batch", "build", "-c", "opt", "--build_event_json_file=x", "//a"),
        pty=True,
    )
    assert ask_bazel_bin(build, ("//a",), fake_env) == Path("/out/bazel-bin")
    (asked,) = fake_env.runner.commands
    assert asked.argv == ("bazel", "--batch", "info", "-c", "opt", "bazel-bin")
    assert not asked.pty
