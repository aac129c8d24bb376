"""A call of Bazel again, with fewer jobs than the memory had room for."""

import re
from dataclasses import replace

from tfbuild.core.records import Command

_JOBS = re.compile(r"--(jobs|local_cpu_resources)=(\d+)")


def jobs_of(command: Command) -> int:
    """How many jobs the command allows; 0 where it does not say."""
    found = [int(match[2]) for word in command.argv if (match := _JOBS.fullmatch(word))]
    return min(found, default=0)


def with_jobs(command: Command, jobs: int) -> Command:
    """The command with so many jobs, where it names a number of them."""
    argv = tuple(
        f"--{match[1]}={jobs}" if (match := _JOBS.fullmatch(word)) else word
        for word in command.argv
    )
    return replace(command, argv=argv)
