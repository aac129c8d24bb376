"""A call with fewer jobs."""

from tfbuild.bazel.fewer_jobs import jobs_of, with_jobs
from tfbuild.core.records import Command


def test_jobs_are_replaced_where_they_stand() -> None:
    command = Command(argv=("bazel", "build", "--jobs=8", "--local_cpu_resources=4", "//:jobs=8"))
    assert jobs_of(command) == 4
    assert with_jobs(command, 2).argv == (
        "bazel",
        "build",
        "--jobs=2",
        "--local_cpu_resources=2",
        "//:jobs=8",
    )


def test_a_command_without_a_number_stays_as_it_is() -> None:
    command = Command(argv=("bazel", "build", "//..."))
    assert jobs_of(command) == 0
    assert with_jobs(command, 2) == command
